package instructions

import (
	"os"
	"strings"
	"testing"
)

func TestDbg(t *testing.T) {
	for _, l := range strings.Split(os.Getenv("LINE"), "\n") {
		f := File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + l + "\n"}
		for _, s := range Statements(&f) {
			t.Log(s.Kind, s.evidence)
			explain(t, &s, &Project{})
		}
	}
}

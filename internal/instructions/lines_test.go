package instructions

import (
	"fmt"
	"os"
	"testing"
)

func TestLines(t *testing.T) {
	data, err := os.ReadFile("/tmp/instr-lines/CLAUDE.md")
	if err != nil {
		t.Skip()
	}
	f := File{Path: "CLAUDE.md", Text: string(data)}
	p := Survey("", []File{f})
	n, k := 0, 0
	for _, s := range Statements(&f) {
		d := Drafts(&s, &p)
		n++
		if len(d) > 0 {
			k++
		}
		forms := ""
		for _, x := range d {
			forms += x.ID + " (" + x.Why + ") "
		}
		fmt.Printf("%-70.70s | %s %s\n", s.Text, s.Kind, forms)
	}
	fmt.Println(k, n)
}

package rubric

import (
	"embed"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/nearest"
)

//go:embed rubrics/*.yaml
var rubrics embed.FS

// embeddedPrefix begins the source of an embedded rubric.
const embeddedPrefix = "embedded: "

// Names lists the embedded rubrics.
func Names() []string {
	return []string{"general", "go", "python", "typescript", "rust", "documents", "agent-graph"}
}

// Embedded returns an embedded rubric. The error names those there are.
func Embedded(name string) (*Rubric, error) {
	text, err := embeddedText(name)
	if err != nil {
		return nil, err
	}
	r, _, err := parsed(parseV4, embeddedPrefix+name, text)
	return r, err
}

func embeddedText(name string) ([]byte, error) {
	text, err := rubrics.ReadFile("rubrics/" + name + ".yaml")
	if err != nil {
		if near := nearest.Word(name, Names()); near != "" {
			return nil, fmt.Errorf("rubric: there is no embedded rubric %q; did you mean %q?", name, near)
		}
		return nil, fmt.Errorf("rubric: there is no embedded rubric %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}

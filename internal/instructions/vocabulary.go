package instructions

import (
	"github.com/agentsentinel/sentinel/internal/instructions/internal/tables"

	_ "embed"
	"slices"
	"sync"
)

//go:embed words.yaml
var wordsFile []byte

// A vocabulary has the words of words.yaml.
type vocabulary struct {
	Rules, Facts, Common, Products []string
	Foreign                        [][2]string

	bare          map[string]bool // programs that are commands in plain text, too
	programs      map[string]bool // these, and those that are commands in `code` alone
	withArguments map[string]bool // programs that are commands where arguments follow
	verbs         map[string]bool // that a directive's main clause begins with
}

var words = sync.OnceValue(func() *vocabulary {
	var v struct {
		vocabulary        `yaml:",inline"`
		Bare, Code, Verbs []string
		WithArguments     []string `yaml:"withArguments"`
	}
	tables.Parse("words.yaml", wordsFile, &v)
	set := func(list ...string) map[string]bool {
		m := make(map[string]bool, len(list))
		for _, w := range list {
			m[w] = true
		}
		return m
	}
	v.bare, v.verbs, v.withArguments = set(v.Bare...), set(v.Verbs...), set(v.WithArguments...)
	v.programs = set(append(slices.Clone(v.Bare), v.Code...)...)
	return &v.vocabulary
})

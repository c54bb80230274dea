package instructions

import (
	"github.com/agentsentinel/sentinel/internal/instructions/internal/tables"

	_ "embed"
	"slices"
	"sync"
)

//go:embed words.yaml
var wordsFile []byte

// vocabulary is the content of words.yaml.
type vocabulary struct {
	Bare, Code, Verbs, Rules, Facts, Common, Products []string
	WithArguments                                     []string `yaml:"withArguments"`
	Foreign                                           [][2]string

	bare, programs, verbs, withArguments map[string]bool
}

var words = sync.OnceValue(func() *vocabulary {
	v := new(vocabulary)
	tables.Parse("words.yaml", wordsFile, v)
	set := func(list ...string) map[string]bool {
		m := make(map[string]bool, len(list))
		for _, w := range list {
			m[w] = true
		}
		return m
	}
	v.bare, v.verbs, v.withArguments = set(v.Bare...), set(v.Verbs...), set(v.WithArguments...)
	v.programs = set(append(slices.Clone(v.Bare), v.Code...)...)
	return v
})

package repo

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// expressionsIn lists the expressions of a text, each from ${{ to }}. Braces in a literal end
// none. An expression without an end makes GitHub refuse the whole workflow.
func expressionsIn(s string) (all []string) {
	for len(all) < maxMatches {
		i := strings.Index(s, "${{")
		if i < 0 {
			break
		}
		end := expressionEnd(s[i:])
		if end < 0 {
			break
		}
		all, s = append(all, s[i:i+end]), s[i+end:]
	}
	return all
}

// expressionEnd is the length of the expression that s begins with; -1 without an end.
func expressionEnd(s string) int {
	literal := false
	for i := len("${{"); i < len(s); i++ {
		switch {
		case s[i] == '\'':
			literal = !literal
		case !literal && strings.HasPrefix(s[i:], "}}"):
			return i + len("}}")
		}
	}
	return -1
}

var (
	indexed  = lazy.Regexp{Source: `\s*\[\s*'([\w*-]+)'\s*\]`}
	dotted   = lazy.Regexp{Source: `\s*\.\s*`}
	literals = lazy.Regexp{Source: `'[^']*'`}
	fromEnv  = lazy.Regexp{Source: `\benv\.([\w-]+)`}
)

// spelled is a text with its expressions in one spelling: small letters, a.b for a['b'], and
// empty literals. GitHub reads all of them alike.
func spelled(s string) string {
	s = dotted.Get().ReplaceAllString(indexed.Get().ReplaceAllString(s, ".$1"), ".")
	return strings.ToLower(literals.Get().ReplaceAllString(s, "''"))
}

// inlined is a spelled text with the values of the variables that it names, as the step, its
// job or the workflow sets them. GitHub puts them in before a shell reads the script.
func (w *workflow) inlined(job, step *yaml.Node, s string) string {
	return fromEnv.Get().ReplaceAllStringFunc(s, func(named string) string {
		for _, owner := range []*yaml.Node{step, job, w.root} {
			set := ""
			entries(below(owner, "env"), func(key, value *yaml.Node) {
				if strings.EqualFold("env."+key.Value, named) {
					set = spelled(scalar(value))
				}
			})
			if set != "" {
				return set
			}
		}
		return named
	})
}

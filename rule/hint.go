package rule

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/prompt"
)

// Hints says what could be better about a rule that works, as warnings. They are
// for people who write rules; judging does not depend on them.
func (r *Rule) Hints() []Problem {
	if r.spec.Err != nil || !r.repeatsPath() {
		return nil
	}
	message := "the model is shown nothing but the path, which `scope` has decided already: let it decide alone with `backend: builtin` and `when: \"true\"` in the place of `prompt`"
	if r.spec.Trigger == sentinel.FileWrite {
		message += ", or show what is written with `{{content_snippet}}`"
	}
	return []Problem{{File: r.path, Line: r.line, Warning: true, Message: message}}
}

// repeatsPath reports whether a model is asked about a file when it sees only
// the path. A prompt without a variable is shown the content.
func (r *Rule) repeatsPath() bool {
	d := r.def
	if len(d.Scope) == 0 || d.When != "" || strings.TrimSpace(d.Prompt) == "" || r.spec.Severity == sentinel.SeverityInfo || d.Backend == builtin {
		return false
	}
	if r.spec.Trigger == sentinel.FileRead {
		return true
	}
	names := prompt.Variables(d.Prompt)
	shows := func(name string) bool {
		return slices.ContainsFunc(names, func(v prompt.Variable) bool { return v.Name == name })
	}
	return r.spec.Trigger == sentinel.FileWrite && (shows("file_path") || shows("action_summary")) && !shows("content_snippet") && !shows("content_length")
}

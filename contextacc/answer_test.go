package contextacc

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentsentinel/sentinel"
)

// Whatever a model answers is a summary of the form that was asked for, or
// malformed; and what is kept of it is bounded and safe to show.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"task_scope":"a","progress":"b","current_focus":"c"}`)
	f.Add(`{"task_scope":"a","task_scope":"b","progress":"b","current_focus":"c"}`)
	f.Add(`{"task_scope":"\u202e","progress":"\u001b[2J","current_focus":"` + strings.Repeat("x", 5000) + `"}`)
	f.Add(`{"task_scope":{"a":[1,{}]},"progress":"b"}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, answer string) {
		s, err := parseAnswer(answer, "0123456789abcdef")
		if err != nil {
			if !errors.Is(err, sentinel.ErrMalformed) || !s.isEmpty() {
				t.Fatalf("%v with %+v", err, s)
			}
			return
		}
		var keys map[string]string
		if json.Unmarshal([]byte(answer), &keys) != nil || len(keys) != 3 {
			t.Fatalf("accepted: %q", answer)
		}
		cut := s.cut(10)
		if n := len(strings.Fields(cut.TaskScope + " " + cut.Progress + " " + cut.CurrentFocus)); n > 10+3 {
			t.Fatalf("%d words", n)
		}
		for _, part := range []string{cut.TaskScope, cut.Progress, cut.CurrentFocus} {
			if len(part) > partBytes+len(" …") || strings.ContainsAny(part, "\n\x1b\u202e") {
				t.Fatalf("%q", part)
			}
		}
	})
}

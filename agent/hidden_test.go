package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/text"
)

// No agent gets a hidden character: those are the ones that a prompt shows escaped.
func TestNoHiddenCharacterReachesAnAgent(t *testing.T) {
	t.Parallel()
	var all []string
	var b strings.Builder
	n := 0
	for r := rune(0); r <= 0xe0fff; r++ {
		if !text.Hidden(r) || r >= 0xd800 && r < 0xe000 {
			continue
		}
		b.WriteString("a" + string(r))
		if n++; n%4000 == 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	all = append(all, b.String())
	for _, ag := range (agent.Registry{}).All() {
		if ag.Encode == nil {
			continue // it speaks another one's protocol
		}
		name := ag.Name
		for _, reason := range all {
			for _, v := range []sentinel.Verdict{sentinel.VerdictBlock, sentinel.VerdictAsk, sentinel.VerdictWarn, sentinel.VerdictAllow} {
				ans := ag.Encode(sentinel.Event{Phase: sentinel.PhasePre, Agent: name}, sentinel.Decision{Verdict: v, Notice: reason,
					Findings: []sentinel.Finding{{
						Rule: &sentinel.RuleSpec{ID: "r", Message: reason}, Action: &sentinel.Action{},
						Outcome: sentinel.OutcomeViolation, Verdict: v, Reason: reason,
					}}})
				requireSeen(t, string(ans.Stderr))
				var reply any
				if json.Unmarshal(ans.Stdout, &reply) != nil {
					reply = string(ans.Stdout)
				}
				walkStrings(reply, func(s string) { requireSeen(t, s) })
			}
		}
	}
}

func requireSeen(t *testing.T, s string) {
	t.Helper()
	if at := strings.IndexFunc(s, func(r rune) bool { return r != '\n' && (text.Hidden(r) || unicode.IsControl(r)) }); at >= 0 {
		t.Fatalf("%+.20q is hidden in %.40q", s[at:], s)
	}
}

func walkStrings(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for _, e := range v {
			walkStrings(e, do)
		}
	case map[string]any:
		for _, e := range v {
			walkStrings(e, do)
		}
	}
}

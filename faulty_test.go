package sentinel_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// faults break an answer so that it is invalid, whatever the chance.
var faults = map[string]func(*rand.Rand) string{
	"cut": func(r *rand.Rand) string {
		text := pick(r, clean, violated, `{"violation":true,"confidence":1,"reason":"a \"b\" {c}"}`)
		return text[:r.IntN(len(text))]
	},
	"a character too many": func(r *rand.Rand) string {
		at := r.IntN(len(clean) + 1)
		return clean[:at] + pick(r, "{", "}", "[", "]", ":", ",", "@", `"`, "x", "\x00", "\xff", "'") + clean[at:]
	},
	"a character too few": func(r *rand.Rand) string {
		at := strings.IndexAny(clean, `{}:,"`)
		for range r.IntN(10) {
			if next := strings.IndexAny(clean[at+1:], `{}:,"`); next >= 0 {
				at += 1 + next
			}
		}
		return clean[:at] + clean[at+1:]
	},
	"violation is none": func(r *rand.Rand) string {
		return fmt.Sprintf(`{"violation":%s,"confidence":0.9}`, pick(r, `"true"`, `"false"`, `0`, `1`, `null`, `[]`, `[true]`, `{}`, `True`, `FALSE`, `yes`, ``))
	},
	"confidence is none": func(r *rand.Rand) string {
		return fmt.Sprintf(`{"violation":%t,"confidence":%s}`, r.IntN(2) == 0,
			pick(r, `"high"`, `"0.9"`, `null`, `true`, `[0.9]`, `{}`, `-1`, `-0.01`, `1.01`, `101`, `95.5`, `1e9`, `1e999`, `-46161E517`, `NaN`, `Infinity`, `.9`, `0,9`, `0x1`, ``))
	},
	"reason is none": func(r *rand.Rand) string {
		return fmt.Sprintf(`{"violation":true,"confidence":1,"reason":%s}`, pick(r, `1`, `null`, `["x"]`, `{"text":"x"}`, `false`, `x`, `'x'`))
	},
	"a key is missing": func(r *rand.Rand) string {
		return pick(r, `{}`, `{"violation":false}`, `{"violation":true,"reason":"x"}`, `{"confidence":1}`, `{"reason":"fine"}`)
	},
	"a key too many": func(r *rand.Rand) string {
		return fmt.Sprintf(`{"violation":false,"confidence":1,%q:%s}`, pick(r, "", "Violation", "CONFIDENCE", "note", "violation ", "\u200breason")+strings.Repeat("k", r.IntN(3)), pick(r, "1", `"x"`, "null", "{}"))
	},
	"a key twice": func(r *rand.Rand) string {
		return fmt.Sprintf(`{"violation":%t,"confidence":1,%s}`, r.IntN(2) == 0, pick(r, `"violation":false`, `"confidence":0`, `"violation":true,"reason":"x"`, `"reason":"x","reason":"y"`))
	},
	"prose": func(r *rand.Rand) string {
		word := strings.Repeat(pick(r, "Sure. ", "No violation. ", "I think so. ", "<p>", "```json\n", "// ", "\ufeff", "&"), 1+r.IntN(3))
		return pick(r, word, word+clean, clean+word, word+clean+word)
	},
	"something else": func(r *rand.Rand) string {
		return pick(r, "", " ", "\n", "null", "true", "false", "0", `""`, `"pass"`, "[]", "["+clean+"]", `{"answer":`+clean+`}`, clean+clean, clean+","+violated, strings.Repeat("[", 1+r.IntN(20_000)), "<html></html>", "{'violation':false,'confidence':1}")
	},
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// Ten thousand invalid answers: each is "could not judge", for its rule
// alone, never a pass, a violation or a crash.
func TestFaultyAnswers(t *testing.T) {
	t.Parallel()
	const each = 1000
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(5, 7))
			var text string
			e := engine(t, &sentinel.Options{Default: "fake", MaxParallel: 1, Backends: map[string]sentinel.Backend{
				"fake": sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
					if req.Rule.Spec().ID == "other" {
						return sentinel.Response{Text: clean}, nil
					}
					return sentinel.Response{Text: text}, nil
				}),
			}}, aRule("r", sentinel.SeverityBlock), aRule("other", sentinel.SeverityBlock))
			for range each {
				text = fault(r)
				d, err := e.Evaluate(t.Context(), push())
				if err != nil || d.Findings[0].Outcome != sentinel.OutcomeUnavailable || d.Findings[1].Outcome != sentinel.OutcomePass || d.Verdict != sentinel.VerdictBlock {
					t.Fatalf("%.200q: %v, %v, %+v", text, err, d.Verdict, d.Findings)
				}
				require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrMalformed)
			}
			t.Logf("%d faulty answers: none of them judged", each)
		})
	}
}

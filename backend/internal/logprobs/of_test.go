package logprobs_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/logprobs"
)

// TestOf reads the probability of a word behind a mark.
func TestOf(t *testing.T) {
	t.Parallel()
	place := func(text string, p float64, others ...logprobs.Token) logprobs.Place {
		return logprobs.Place{Token: logprobs.Token{Text: text, Logprob: logprobs.Log(math.Log(p))}, Likely: append(others, logprobs.Token{Text: text, Logprob: logprobs.Log(math.Log(p))})}
	}
	no := logprobs.Token{Text: "no", Logprob: logprobs.Log(math.Log(0.2))}
	score := &sentinel.Tokens{After: "<score>", Yes: []string{"yes"}, No: []string{"no"}}
	for name, tt := range map[string]struct {
		want   *sentinel.Tokens
		answer []logprobs.Place
		p      float64 // below 0: unknown
	}{
		"behind the mark":        {score, []logprobs.Place{place("<sc", 1), place("ore>", 1), place("yes", 0.6, no), place("</score>", 1)}, 0.75},
		"blanks between":         {score, []logprobs.Place{place("<score>", 1), place(" ", 1), place("yes", 0.6, no)}, 0.75},
		"in the mark's token":    {score, []logprobs.Place{place("<score>yes", 0.6, logprobs.Token{Text: "<score>no", Logprob: logprobs.Log(math.Log(0.2))})}, 0.75},
		"the last mark counts":   {score, []logprobs.Place{place("<score>no", 1), place("<score>", 1), place("yes", 0.6, no)}, 0.75},
		"no mark":                {score, []logprobs.Place{place("yes", 0.6, no)}, -1},
		"nothing behind it":      {score, []logprobs.Place{place("<score>", 1)}, -1},
		"another word":           {score, []logprobs.Place{place("<score>", 1), place("maybe", 1)}, -1},
		"one of them no number":  {score, []logprobs.Place{place("<score>", 1), place("yes", math.NaN(), no)}, -1},
		"the other no number":    {score, []logprobs.Place{place("<score>", 1), place("yes", 0.6, logprobs.Token{Text: "no", Logprob: logprobs.Log(math.NaN())})}, -1},
		"one more than certain":  {score, []logprobs.Place{place("<score>", 1), place("yes", 0.6, logprobs.Token{Text: "no", Logprob: 3})}, -1},
		"a rest of another word": {score, []logprobs.Place{place("<score>", 1), place("yes", 0.6, no, logprobs.Token{Text: "so", Logprob: logprobs.Log(math.NaN())})}, 0.75},
		"no number":              {score, []logprobs.Place{place("<score>", 1), place("yes", math.NaN())}, -1},
		"the first word":         {&sentinel.Tokens{Yes: []string{"Yes"}, No: []string{"No"}}, []logprobs.Place{place("No", 0.9, logprobs.Token{Text: "Yes", Logprob: logprobs.Log(math.Log(0.1))})}, 0.1},
		"a boolean, if not told": {nil, []logprobs.Place{place("{", 1), place("true", 0.5, logprobs.Token{Text: "false", Logprob: logprobs.Log(math.Log(0.5))})}, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := logprobs.Of(tt.answer, tt.want)
			if tt.p < 0 {
				require.Nil(t, p)
				return
			}
			require.NotNil(t, p)
			require.InDelta(t, tt.p, *p, 1e-9)
		})
	}
}

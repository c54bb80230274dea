package ollama

import (
	"math"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"
)

// tok is a token with its probability and the other candidates' at its place.
func tok(token string, p float64, others ...api.TokenLogprob) api.Logprob {
	return api.Logprob{TokenLogprob: candidate(token, p), TopLogprobs: others}
}

func candidate(token string, p float64) api.TokenLogprob {
	return api.TokenLogprob{Token: token, Logprob: math.Log(p)}
}

func TestProbabilityOfTrue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tokens []api.Logprob
		want   float64 // below 0 means that it cannot be told
	}{
		"a token of its own":       {[]api.Logprob{tok(`{"violation":`, 1), tok(" true", 0.6, candidate(" true", 0.6), candidate(" false", 0.2), candidate(" null", 0.2)), tok("}", 1)}, 0.75},
		"false was written":        {[]api.Logprob{tok(`{"violation":`, 1), tok("false", 0.9, candidate("false", 0.9), candidate("true", 0.1))}, 0.1},
		"not among the candidates": {[]api.Logprob{tok("true", 0.1, candidate("false", 0.3))}, 0.25},
		"no candidates":            {[]api.Logprob{tok("true", 0.1)}, 1},
		"in letters":               {[]api.Logprob{tok("t", 0.5, candidate("t", 0.5), candidate("f", 0.5)), tok("r", 1), tok("ue", 1)}, 0.5},
		"with what is before it":   {[]api.Logprob{tok(`{"v`, 1), tok(`":true`, 0.8, candidate(`":true`, 0.8), candidate(`":false`, 0.2), candidate(`true`, 0.9))}, 0.8},
		"with what follows":        {[]api.Logprob{tok("true,", 0.5, candidate("true,", 0.25), candidate("true", 0.25), candidate("false,", 0.5))}, 0.5},
		"the word within a string": {[]api.Logprob{tok(`{"true":"\"false",`, 1), tok(`"v":`, 1), tok("true", 0.7, candidate("false", 0.3))}, 0.7},
		"only the first counts":    {[]api.Logprob{tok("true", 0.9, candidate("false", 0.1)), tok(",", 1), tok("false", 1)}, 0.9},
		"no boolean":               {[]api.Logprob{tok(`{"v":1}`, 1)}, -1},
		"no tokens":                {nil, -1},
		"not a number":             {[]api.Logprob{tok("true", math.NaN())}, -1},
		"more than certain":        {[]api.Logprob{tok("true", 2)}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := probabilityOfTrue(c.tokens)
			if c.want < 0 {
				require.Nil(t, got)
				return
			}
			require.NotNil(t, got)
			require.InDelta(t, c.want, *got, 1e-9)
		})
	}
}

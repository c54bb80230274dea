package logprobs

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// tok is a token with its probability and the other candidates' at its place.
func tok(token string, p float64, others ...Token) Place {
	return Place{candidate(token, p), others}
}

func candidate(token string, p float64) Token { return Token{token, Log(math.Log(p))} }

func TestOfTrue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tokens []Place
		want   float64 // below 0 means that it cannot be told
	}{
		"a token of its own":       {[]Place{tok(`{"violation":`, 1), tok(" true", 0.6, candidate(" true", 0.6), candidate(" false", 0.2), candidate(" null", 0.2)), tok("}", 1)}, 0.75},
		"false was written":        {[]Place{tok(`{"violation":`, 1), tok("false", 0.9, candidate("false", 0.9), candidate("true", 0.1))}, 0.1},
		"not among the candidates": {[]Place{tok("true", 0.1, candidate("false", 0.3))}, 0.25},
		"no candidates":            {[]Place{tok("true", 0.1)}, 1},
		"in letters":               {[]Place{tok("t", 0.5, candidate("t", 0.5), candidate("f", 0.5)), tok("r", 1), tok("ue", 1)}, 0.5},
		"with what is before it":   {[]Place{tok(`{"v`, 1), tok(`":true`, 0.8, candidate(`":true`, 0.8), candidate(`":false`, 0.2), candidate(`true`, 0.9))}, 0.8},
		"with what follows":        {[]Place{tok("true,", 0.5, candidate("true,", 0.25), candidate("true", 0.25), candidate("false,", 0.5))}, 0.5},
		"the word within a string": {[]Place{tok(`{"true":"\"false",`, 1), tok(`"v":`, 1), tok("true", 0.7, candidate("false", 0.3))}, 0.7},
		"only the first counts":    {[]Place{tok("true", 0.9, candidate("false", 0.1)), tok(",", 1), tok("false", 1)}, 0.9},
		"no boolean":               {[]Place{tok(`{"v":1}`, 1)}, -1},
		"no tokens":                {nil, -1},
		"not a number":             {[]Place{tok("true", math.NaN())}, -1},
		"more than certain":        {[]Place{tok("true", 2)}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := OfTrue(c.tokens)
			if c.want < 0 {
				require.Nil(t, got)
				return
			}
			require.NotNil(t, got)
			require.InDelta(t, c.want, *got, 1e-9)
		})
	}
}

package ollama

import (
	"github.com/agentsentinel/sentinel/backend/internal/logprobs"
	"github.com/ollama/ollama/api"
)

// places are the tokens of an answer as package logprobs takes them.
func places(reported []api.Logprob) []logprobs.Place {
	var places []logprobs.Place
	for _, l := range reported {
		p := logprobs.Place{Token: token(l.TokenLogprob)}
		for _, other := range l.TopLogprobs {
			p.Likely = append(p.Likely, token(other))
		}
		places = append(places, p)
	}
	return places
}

func token(t api.TokenLogprob) logprobs.Token {
	return logprobs.Token{Text: t.Token, Logprob: t.Logprob}
}

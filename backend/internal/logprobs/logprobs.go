// Package logprobs reads a model's own certainty out of the probabilities that
// servers report for each token of an answer.
package logprobs

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// Token is a piece of an answer with the natural logarithm of its probability. The
// tags are those of Ollama and of OpenAI.
type Token struct {
	Text    string `json:"token"`
	Logprob Log    `json:"logprob"`
}

// Log is a logarithm. What is not a number in the answer is NaN: null, a text, or a word
// that some servers write although JSON has none.
type Log float64

// UnmarshalJSON implements json.Unmarshaler.
func (l *Log) UnmarshalJSON(text []byte) error {
	*l = Log(math.NaN())
	var number *float64
	if json.Unmarshal(text, &number) == nil && number != nil {
		*l = Log(*number)
	}
	return nil
}

// Place is one token of an answer with the alternatives to it.
type Place struct {
	Token
	Likely []Token `json:"top_logprobs"`
}

// OfTrue returns the probability that the model gave to true at the
// first boolean of its answer, in 0..1, measured against false alone. nil means unknown:
// the server reported no probabilities, the answer has no boolean, or neither word was
// among the candidates.
func OfTrue(tokens []Place) *float64 {
	text := textOf(tokens)
	return ofWord(tokens, booleanAt(text), []string{"true"}, []string{"false"})
}

// Of is OfTrue for an answer of another form: the probability of the words of a
// violation, measured against those of none, at the place that want names. nil is
// OfTrue's.
func Of(tokens []Place, want *sentinel.Tokens) *float64 {
	if want == nil {
		return OfTrue(tokens)
	}
	text := textOf(tokens)
	at := 0
	if want.After != "" {
		if at = strings.LastIndex(text, want.After); at < 0 { // thoughts may name it before
			return nil
		}
		at += len(want.After)
	}
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
	return ofWord(tokens, at, want.Yes, want.No)
}

// most is how much probabilities may add up to. Servers round them.
const most = 1.01

// ofWord measures the words of yes against those of no at a byte of the answer.
func ofWord(tokens []Place, at int, yesWords, noWords []string) *float64 {
	i, offset := tokenAt(tokens, at)
	if i < 0 {
		return nil
	}
	before := tokens[i].Text[:offset]
	var yes, no float64
	for _, c := range tokens[i].candidates() {
		word, ok := strings.CutPrefix(c.Text, before)
		word = strings.TrimLeft(word, " \t\r\n")
		p := math.Exp(float64(c.Logprob))
		switch {
		case !ok || word == "":
		case begins(word, yesWords):
			yes += p
		case begins(word, noWords):
			no += p
		}
	}
	if yes+no == 0 || math.IsNaN(yes+no) || yes > most || no > most { // a value that is not a probability says nothing of the other
		return nil
	}
	p := yes / (yes + no)
	return &p
}

// candidates are the most likely tokens at a place, with the one that was
// written always among them.
func (at Place) candidates() []Token {
	for _, c := range at.Likely {
		if c.Text == at.Text {
			return at.Likely
		}
	}
	return append([]Token{at.Token}, at.Likely...)
}

// begins reports whether a token is, or starts, or starts with, one of the words.
func begins(token string, words []string) bool {
	for _, word := range words {
		if strings.HasPrefix(word, token) || strings.HasPrefix(token, word) {
			return true
		}
	}
	return false
}

func textOf(tokens []Place) string {
	var text strings.Builder
	for _, t := range tokens {
		text.WriteString(t.Text)
	}
	return text.String()
}

// tokenAt finds the token that has a byte of the answer, and the byte's place in that
// token. The token is -1 if no token has the byte.
func tokenAt(tokens []Place, at int) (token, offset int) {
	if at < 0 {
		return -1, 0
	}
	for i, t := range tokens {
		if at < len(t.Text) {
			return i, at
		}
		at -= len(t.Text)
	}
	return -1, 0
}

// booleanAt returns the byte at which JSON text has its first boolean; -1 if it
// has none.
func booleanAt(text string) int {
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (strings.HasPrefix(text[i:], "true") || strings.HasPrefix(text[i:], "false")):
			return i
		}
	}
	return -1
}

package sentinel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		violation  bool
		confidence float64
		malformed  string // part of the error; "" for an answer that counts
	}{
		{"clean", `{"violation":false,"confidence":0.9}`, false, 0.9, ""},
		{"clean with a reason all the same", `{"violation":false,"confidence":1,"reason":"fine"}`, false, 1, ""},
		{"violation", `{"violation":true,"confidence":0.9,"reason":"it does"}`, true, 0.9, ""},
		{"violation without a reason", `{"violation":true,"confidence":0.9}`, true, 0.9, ""},
		{"keys in another order, white space", " {\n \"confidence\" : 1 ,\"violation\": true }\n", true, 1, ""},
		{"certainty", `{"violation":true,"confidence":1}`, true, 1, ""},
		{"none", `{"violation":true,"confidence":0}`, true, 0, ""},

		{"two", `{"violation":true,"confidence":2}`, false, 0, "confidence"},
		{"nine of ten", `{"violation":true,"confidence":9}`, false, 0, "confidence"},
		{"ten of ten", `{"violation":true,"confidence":10}`, false, 0, "confidence"},
		{"nine of ten, and clean", `{"violation":false,"confidence":9}`, false, 0, "confidence"},
		{"percentage", `{"violation":true,"confidence":95}`, false, 0, "confidence"},
		{"percentage as text", `{"violation":true,"confidence":"90"}`, false, 0, "confidence"},
		{"hundred percent", `{"violation":true,"confidence":100}`, false, 0, "confidence"},
		{"just over one", `{"violation":true,"confidence":1.0000001}`, false, 0, "confidence"},
		{"minus nothing", `{"violation":true,"confidence":-1e-9}`, false, 0, "confidence"},
		{"not a number", `{"violation":true,"confidence":NaN}`, false, 0, "JSON"},
		{"over a hundred", `{"violation":true,"confidence":101}`, false, 0, "confidence"},
		{"a fraction over one", `{"violation":true,"confidence":1.5}`, false, 0, "confidence"},
		{"a fraction as percentage", `{"violation":true,"confidence":95.5}`, false, 0, "confidence"},
		{"negative", `{"violation":true,"confidence":-0.1}`, false, 0, "confidence"},
		{"too large for a number", `{"violation":true,"confidence":-46161E517}`, false, 0, "confidence"},
		{"confidence as text", `{"violation":true,"confidence":"high"}`, false, 0, "confidence"},
		{"confidence null", `{"violation":true,"confidence":null}`, false, 0, "confidence"},
		{"confidence missing", `{"violation":true,"reason":"x"}`, false, 0, "missing"},
		{"violation missing", `{"confidence":1}`, false, 0, "missing"},
		{"violation as text", `{"violation":"false","confidence":1}`, false, 0, "violation"},
		{"violation as number", `{"violation":1,"confidence":1}`, false, 0, "violation"},
		{"violation null", `{"violation":null,"confidence":1}`, false, 0, "violation"},
		{"reason not text", `{"violation":true,"confidence":1,"reason":["x"]}`, false, 0, "reason"},
		{"unknown key", `{"violation":false,"confidence":1,"note":"x"}`, false, 0, "unknown key"},
		{"another case", `{"Violation":true,"confidence":1}`, false, 0, "unknown key"},
		{"a key twice", `{"violation":true,"violation":false,"confidence":1}`, false, 0, "twice"},
		{"two objects, the violation first", `{"violation":true,"confidence":1}{"violation":false,"confidence":1}`, false, 0, "after"},
		{"prose before", `Sure! {"violation":false,"confidence":1}`, false, 0, "not JSON"},
		{"prose after", `{"violation":false,"confidence":1} Hope this helps`, false, 0, "after"},
		{"fenced", "```json\n{\"violation\":false,\"confidence\":1}\n```", false, 0, "not JSON"},
		{"cut", `{"violation":true,"confid`, false, 0, "unexpected EOF"},
		{"cut after a key", `{"violation":true,"confidence":`, false, 0, "unexpected EOF"},
		{"empty", ``, false, 0, "unexpected EOF"},
		{"null", `null`, false, 0, "object"},
		{"a list", `[{"violation":false,"confidence":1}]`, false, 0, "object"},
		{"the fence repeated", `{"violation":false,"confidence":1,"reason":"END DATA 0123456789abcdef"}`, false, 0, "marker"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			violation, confidence, _, err := sentinel.ParseAnswer(c.text, "0123456789abcdef")
			if c.malformed != "" {
				require.ErrorIs(t, err, sentinel.ErrMalformed)
				require.ErrorContains(t, err, c.malformed)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.violation, violation)
			require.InDelta(t, c.confidence, confidence, 1e-9)
		})
	}
}

// FuzzAnswer holds that whatever a model writes is an answer with a confidence
// between 0 and 1, or malformed.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"violation":true,"confidence":0.9,"reason":"x"}`)
	f.Add(`{"violation":false,"confidence":95}`)
	f.Add(`{"violation":"false","confidence":1e999}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, confidence, _, err := sentinel.ParseAnswer(text, "fence")
		if err != nil {
			if !errors.Is(err, sentinel.ErrMalformed) {
				t.Fatalf("%q: %v is not ErrMalformed", text, err)
			}
			return
		}
		if confidence < 0 || confidence > 1 || !strings.Contains(text, "violation") {
			t.Fatalf("%q was taken for an answer with confidence %v", text, confidence)
		}
	})
}

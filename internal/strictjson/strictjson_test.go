package strictjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/strictjson"
)

func TestObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // "" means no error
		`{}`:                      "",
		` {"a":1,"b":{"a":[{}]}}`: "",
		`{"a":1}` + "\n":          "",
		``:                        "not JSON: unexpected EOF",
		`{`:                       "not JSON: unexpected EOF",
		`{"a":`:                   "not JSON: unexpected EOF",
		`{"a":1`:                  "not JSON: unexpected EOF",
		`[]`:                      "want a JSON object, got [",
		`null`:                    "want a JSON object, got <nil>",
		`"a"`:                     "want a JSON object, got a",
		`{"a":1,"a":1}`:           `key "a" stands twice`,
		`{"a":1,"\u0061":1}`:      `key "a" stands twice`,
		`{"A":1}`:                 `unknown key "A"`,
		`{"c":1}`:                 `unknown key "c"`,
		`{"a":1} {"a":1}`:         "there is text after the answer",
		`{"a":1} fine`:            "there is text after the answer",
		`{"a":x}`:                 "not JSON: invalid character 'x' looking for beginning of value",
	} {
		got, err := strictjson.Object(text, "a", "b")
		if want == "" {
			require.NoError(t, err, text)
			require.NotNil(t, got, text)
			continue
		}
		require.EqualError(t, err, want, text)
	}
}

func FuzzObject(f *testing.F) {
	for _, text := range []string{`{"a":1}`, `{"a":{"b":[1,"x"]},"b":null}`, `{"a":1,"a":2}`, `{"a":1}}`, "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := strictjson.Object(text, "a", "b")
		if err != nil {
			return
		}
		var plain map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &plain), "what is taken is JSON")
		require.Equal(t, len(plain), len(got))
		for name := range got {
			require.Contains(t, []string{"a", "b"}, name)
		}
	})
}

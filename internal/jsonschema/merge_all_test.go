package jsonschema

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergeAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, want string }{
		"a verdict": {
			`{"anyOf":[{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"number"}},"required":["violation","confidence"],"additionalProperties":false},
			{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"number"},"reason":{"type":"string"}},"required":["violation","confidence","reason"],"additionalProperties":false}]}`,
			`{"type":"object","properties":{"violation":{"type":"boolean"},"confidence":{"type":"number"},"reason":{"type":"string"}},"required":["violation","confidence","reason"],"additionalProperties":false}`,
		},
		"enums": {
			`{"anyOf":[{"type":"object","properties":{"a":{"enum":["x","y"]}}},{"type":"object","properties":{"a":{"enum":["z"]}}}]}`,
			`{"type":"object","properties":{"a":{"type":"string"}}}`,
		},
		"types that differ": {
			`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"a":{"const":1}}}]}`,
			`{"type":"object","properties":{"a":{}}}`,
		},
		"a mixed enum": {
			`{"anyOf":[{"type":"object","properties":{"a":{"enum":["x",1]}}},{"type":"object","properties":{"a":{"const":"x"}}}]}`,
			`{"type":"object","properties":{"a":{}}}`,
		},
		"three branches, the order kept": {
			`{"anyOf":[{"type":"object","properties":{"z":{"const":null}}},{"type":"object","properties":{"y":{"const":[]}}},{"type":"object","properties":{"z":{"const":null},"x":{"const":{}}}}]}`,
			`{"type":"object","properties":{"z":{"const":null},"y":{"const":[]},"x":{"const":{}}}}`,
		},
		"only one is closed":        {`{"anyOf":[{"type":"object","properties":{},"additionalProperties":false},{"type":"object","properties":{}}]}`, `{"type":"object","properties":{}}`},
		"what stands beside it":     {`{"title":"T","anyOf":[{"type":"object","properties":{}}],"$defs":{"a":{}}}`, `{"type":"object","properties":{},"title":"T","$defs":{"a":{}}}`},
		"no branches":               {`{"type":"object"}`, `{"type":"object"}`},
		"a branch that is a string": {`{"anyOf":[{"type":"object","properties":{}},{"type":"string"}]}`, `{"anyOf":[{"type":"object","properties":{}},{"type":"string"}]}`},
		"a branch that is a word":   {`{"anyOf":[true]}`, `{"anyOf":[true]}`},
		"an empty anyOf":            {`{"anyOf":[]}`, `{"anyOf":[]}`},
		"a word":                    {`"json"`, `"json"`},
		"nothing":                   {``, ``},
		"half of one":               {`{"anyOf":[`, `{"anyOf":[`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, string(Merge(json.RawMessage(c.schema), All)))
			require.Equal(t, c.want != c.schema, IsAnyOf(json.RawMessage(c.schema)))
		})
	}
}

func FuzzMergeAll(f *testing.F) {
	f.Add([]byte(`{"anyOf":[{"type":"object","properties":{"a":{"const":false}}},{"type":"object","properties":{"a":{"const":1},"b":{"enum":[]}},"required":["a"]}]}`))
	f.Add([]byte(`{"anyOf":[{"type":"object","properties":{"":null,"":{}}}],"anyOf":1}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		merged := Merge(schema, All)
		require.Equal(t, json.Valid(schema), json.Valid(merged) && json.Valid(schema))
		if IsAnyOf(schema) && json.Valid(schema) {
			require.True(t, json.Valid(merged), "%s", merged)
		}
	})
}

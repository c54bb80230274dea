package jsonschema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/jsonschema"
)

const verdict = `{"anyOf":[
	{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"number"}},"required":["violation","confidence"],"additionalProperties":false},
	{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"number"},"reason":{"type":"string","maxLength":80}},"required":["violation","confidence","reason"],"additionalProperties":false}]}`

func TestMerge(t *testing.T) {
	t.Parallel()
	const properties = `{"type":"object","properties":{"violation":{"type":"boolean"},"confidence":{"type":"number"},"reason":{"type":"string","maxLength":80}},"required":`
	for name, c := range map[string]struct {
		schema, all, common string // common "" is the same as all
	}{
		"a verdict": {
			verdict,
			properties + `["violation","confidence","reason"],"additionalProperties":false}`,
			properties + `["violation","confidence"],"additionalProperties":false}`,
		},
		"enums": {
			`{"anyOf":[{"type":"object","properties":{"a":{"enum":["x","y"]}}},{"type":"object","properties":{"a":{"enum":["z"]}}}]}`,
			`{"type":"object","properties":{"a":{"type":"string"}}}`, "",
		},
		"types that differ": {
			`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"a":{"const":1}}}]}`,
			`{"type":"object","properties":{"a":{}}}`, "",
		},
		"the order kept, of three": {
			`{"anyOf":[{"type":"object","properties":{"z":{"const":null}}},{"type":"object","properties":{"y":{"const":[]}},"required":["y"]},{"type":"object","properties":{"z":{"const":null},"x":{"const":{}}}}]}`,
			`{"type":"object","properties":{"z":{"const":null},"y":{"const":[]},"x":{"const":{}}},"required":["y"]}`,
			`{"type":"object","properties":{"z":{"const":null},"y":{"const":[]},"x":{"const":{}}}}`,
		},
		"nothing in common": {
			`{"anyOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"type":"object","properties":{"b":{}},"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`,
			`{"type":"object","properties":{"a":{},"b":{}}}`,
		},
		"only one is closed":        {`{"anyOf":[{"type":"object","properties":{},"additionalProperties":false},{"type":"object","properties":{}}]}`, `{"type":"object","properties":{}}`, ""},
		"what stands beside it":     {`{"title":"T","anyOf":[{"type":"object","properties":{}}],"$defs":{"a":{}}}`, `{"type":"object","properties":{},"title":"T","$defs":{"a":{}}}`, ""},
		"no branches":               {`{"type":"object"}`, `{"type":"object"}`, ""},
		"a branch that is a string": {`{"anyOf":[{"type":"object","properties":{}},{"type":"string"}]}`, `{"anyOf":[{"type":"object","properties":{}},{"type":"string"}]}`, ""},
		"nothing":                   {``, ``, ""},
		"half of one":               {`{"anyOf":[`, `{"anyOf":[`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.all, string(jsonschema.Merge(json.RawMessage(c.schema), jsonschema.All)))
			common := c.common
			if common == "" {
				common = c.all
			}
			require.Equal(t, common, string(jsonschema.Merge(json.RawMessage(c.schema), jsonschema.Common)))
			require.Equal(t, c.all != c.schema, jsonschema.IsAnyOf(json.RawMessage(c.schema)))
		})
	}
}

func TestUnbounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, want string }{
		"bounds go":                 {`{"type":"string","maxLength":3,"pattern":"x","minLength":1}`, `{"type":"string"}`},
		"everywhere":                {`{"anyOf":[{"properties":{"a":{"minimum":0,"maximum":1}},"additionalProperties":false},{"items":{"maxItems":2}}]}`, `{"anyOf":[{"properties":{"a":{}},"additionalProperties":false},{"items":{}}]}`},
		"properties of these names": {`{"properties":{"maximum":{"type":"number"},"pattern":{"maximum":1}}}`, `{"properties":{"maximum":{"type":"number"},"pattern":{}}}`},
		"values are not schemas":    {`{"const":{"maximum":1},"enum":[{"pattern":1}],"default":{"minimum":2}}`, `{"const":{"maximum":1},"enum":[{"pattern":1}],"default":{"minimum":2}}`},
		"a word":                    {`true`, `true`},
		"half of one":               {`{"a`, `{"a`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, string(jsonschema.Unbounded(json.RawMessage(c.schema))))
		})
	}
}

// The caller's schema is shared by all its requests.
func TestSchemaIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(verdict)
	jsonschema.Unbounded(jsonschema.Merge(schema, jsonschema.Common))
	require.Equal(t, verdict, string(schema))
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte(verdict))
	f.Add([]byte(`{"anyOf":[{"type":"object","properties":{"":null,"":{}}}],"anyOf":1}`))
	f.Add([]byte(`{"properties":[{"maximum":1}],"items":[1],"anyOf":null}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		for _, which := range []jsonschema.Required{jsonschema.All, jsonschema.Common} {
			merged := jsonschema.Unbounded(jsonschema.Merge(schema, which))
			if json.Valid(schema) {
				require.True(t, json.Valid(merged), "%s", merged)
			}
		}
	})
}

func TestGrammar(t *testing.T) {
	t.Parallel()
	for schema, root := range map[string]string{
		verdict: `("{" ws "\"violation\"" ws ":" ws "false" ws "," ws "\"confidence\"" ws ":" ws number ws "}"` +
			` | "{" ws "\"violation\"" ws ":" ws "true" ws "," ws "\"confidence\"" ws ":" ws number ws "," ws "\"reason\"" ws ":" ws string ws "}")`,
		`{"enum":["a\"b",1]}`:                         `("\"a\\\"b\"" | "1")`,
		`{"type":"array","items":{"type":"boolean"}}`: `"[" ws (boolean (ws "," ws boolean)*)? ws "]"`,
		`{"type":"object","properties":{}}`:           `"{" ws "}"`,
	} {
		require.Contains(t, jsonschema.Grammar(json.RawMessage(schema)), "root ::= "+root+"\n", schema)
	}
	for _, schema := range []string{``, `{}`, `[]`, `{"$ref":"#/x"}`, `{"type":"object"}`, `{"anyOf":[]}`, `{"type":"array"}`,
		`{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"type":"object","properties":{"a":{"oneOf":[{}]}}}`} {
		require.Empty(t, jsonschema.Grammar(json.RawMessage(schema)), schema)
	}
}

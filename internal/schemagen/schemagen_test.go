package schemagen

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

type sample struct {
	Word  string                     `yaml:"word" json:"word" enum:"a,b" default:"a" jsonschema:"A word."`
	Note  string                     `yaml:"note" json:"note" nullable:"true" default:"(none)"`
	Count int                        `yaml:"count" json:"count" min:"1" max:"9"`
	Inner inner                      `yaml:"inner" json:"inner"`
	Map   map[string]string          `yaml:"map" json:"map" enum:"x"`
	List  []inner                    `yaml:"list" json:"list"`
	Any   json.RawMessage            `yaml:"any" json:"any"`
	Other map[string]json.RawMessage `yaml:",inline" json:"other"`
}

type inner struct {
	On bool `yaml:"on" json:"on"`
}

func TestSchema(t *testing.T) {
	t.Parallel()
	data, err := Schema(sample{Count: 3, Inner: inner{On: true}}, "urn:x", "Sample", func(s *jsonschema.Schema) { s.Comment = "adjusted" })
	require.NoError(t, err)
	require.JSONEq(t, `{
		"$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:x", "title": "Sample", "$comment": "adjusted",
		"type": "object", "additionalProperties": true,
		"properties": {
			"word": {"type": "string", "description": "A word.", "enum": ["a", "b"], "default": "a"},
			"note": {"type": ["null", "string"]},
			"count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
			"inner": {"type": "object", "properties": {"on": {"type": "boolean", "default": true}}, "additionalProperties": false},
			"map": {"type": "object", "additionalProperties": {"type": "string", "enum": ["x"]}},
			"list": {"type": "array", "items": {"type": "object", "properties": {"on": {"type": "boolean"}}, "additionalProperties": false}},
			"any": true
		}}`, string(data))
}

func TestSchemaFaults(t *testing.T) {
	t.Parallel()
	type bad struct {
		N int `yaml:"n" json:"n" min:"few"`
	}
	_, err := Schema(bad{}, "", "", nil)
	require.Error(t, err)
	type impossible struct {
		C chan int `yaml:"c" json:"c"`
	}
	_, err = Schema(impossible{}, "", "", nil)
	require.Error(t, err)
}

func TestReplace(t *testing.T) {
	t.Parallel()
	doc := []byte("a\n<!-- x: generated -->\nold\n<!-- end x -->\nb\n")
	got, err := Replace(doc, "x", "new\n")
	require.NoError(t, err)
	require.Equal(t, "a\n<!-- x: generated -->\n\nnew\n\n<!-- end x -->\nb\n", string(got))
	again, err := Replace(got, "x", "new\n")
	require.NoError(t, err)
	require.Equal(t, got, again, "generating twice changes nothing")
	_, err = Replace(doc, "y", "")
	require.Error(t, err)
}

func TestTable(t *testing.T) {
	t.Parallel()
	require.Equal(t, "| A | B |\n|---|---|\n| 1 | a\\|b |\n", Table([][]string{{"A", "B"}, {"1", "a|b"}}))
}

// TestNotLinked keeps this package, and the library it uses, out of
// everything that is linked into the hook's program.
func TestNotLinked(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not on the PATH of this test")
	}
	out, err := exec.Command("go", "list", "-deps", "../../rule", "../../config", "../strictyaml").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "sentinel/internal/strictyaml")
	require.NotContains(t, string(out), "schema-go")
	require.NotContains(t, string(out), "schemagen")
}

func TestExamples(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"a: 1\n", "b: 2\nc: 3\n"}, Examples([]byte("```yaml\na: 1\n```\ntext\n```\nx\n```\n\n```yaml\nb: 2\nc: 3\n```\n")))
	require.Empty(t, Examples(nil))
}

package rubric_test

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/schemagen"
)

var update = flag.Bool("update", false, "write the generated files")

const manual = "../../../docs/audit/rubric.md"

// defaults are those that the manual and editors show.
func defaults() rubric.Rubric {
	return rubric.Rubric{Synthesis: rubric.DefaultSynthesis()}
}

func TestGenerated(t *testing.T) {
	schema, err := schemagen.Schema(defaults(), "https://raw.githubusercontent.com/agentsentinel/sentinel/main/internal/audit/rubric/schema.json", "Sentinel audit rubric", adjust)
	require.NoError(t, err)
	schemagen.Golden(t, "schema.json", schema, *update)

	doc, err := os.ReadFile(manual)
	require.NoError(t, err)
	doc = []byte(strings.ReplaceAll(string(doc), "\r\n", "\n"))
	for name, body := range map[string]string{"figures": figureTable(), "keys": keyLists()} {
		doc, err = schemagen.Replace(doc, name, body)
		require.NoError(t, err)
	}
	schemagen.Golden(t, manual, doc, *update)
}

// figureTable lists the types of probes, their keys and their figures.
func figureTable() string {
	rows := [][]string{{"Type", "Needs", "May have", "Figures"}}
	for _, t := range rubric.ProbeTypes() {
		needed, further := rubric.ProbeKeys(t)
		figures := rubric.Figures(t)
		for i, name := range figures {
			figures[i] = "`" + name + "`"
			if rubric.Flag(name) {
				figures[i] += "¹"
			}
			if rubric.Observed(t, name) {
				figures[i] += "²"
			}
		}
		if t == rubric.TypeDiagram {
			figures = append(figures, "one for each answer²")
		}
		rows = append(rows, []string{"`" + t + "`", code(needed), code(further), strings.Join(figures, ", ")})
	}
	return schemagen.Table(rows) + "\n¹ true or false. ² observed: it does not bind judges.\n"
}

func code(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}

// keyLists writes a list for each kind of mapping in a rubric.
func keyLists() string {
	var b strings.Builder
	for _, group := range []struct {
		title string
		typ   reflect.Type
	}{
		{"The file", reflect.TypeFor[rubric.Rubric]()},
		{"`drop`", reflect.TypeFor[rubric.Drop]()},
		{"`rubric_metadata`", reflect.TypeFor[rubric.Metadata]()},
		{"A probe", reflect.TypeFor[rubric.Probe]()},
		{"`files` of a probe", reflect.TypeFor[rubric.Files]()},
		{"`num` and `den`", reflect.TypeFor[rubric.Select]()},
		{"`of`", reflect.TypeFor[rubric.Overlap]()},
		{"`ast_strings`", reflect.TypeFor[rubric.Strings]()},
		{"A figure in `expect`", reflect.TypeFor[rubric.Bound]()},
		{"`remediation`", reflect.TypeFor[audit.Remediation]()},
		{"A dimension", reflect.TypeFor[rubric.Dimension]()},
		{"`applies_if`", reflect.TypeFor[rubric.Applies]()},
		{"A cap", reflect.TypeFor[rubric.Cap]()},
		{"`synthesis`", reflect.TypeFor[rubric.Synthesis]()},
		{"`gate`", reflect.TypeFor[rubric.Gate]()},
		{"A waiver", reflect.TypeFor[rubric.Waiver]()},
	} {
		b.WriteString("### " + group.title + "\n\n")
		for i := range group.typ.NumField() {
			tag := group.typ.Field(i).Tag
			if key := tag.Get("yaml"); key != "" && key != "-" {
				meaning := tag.Get("jsonschema")
				if enum := tag.Get("enum"); enum != "" && key != "type" && !tells(meaning, enum) {
					meaning += " " + code(strings.Split(enum, ",")) + "."
				}
				b.WriteString("- `" + key + "`: " + meaning + "\n")
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// tells reports whether a text has all values of an enumeration already.
func tells(meaning, enum string) bool {
	for _, value := range strings.Split(enum, ",") {
		if !strings.Contains(meaning, value) {
			return false
		}
	}
	return true
}

// adjust adds what the types do not say: which keys have to be there, and that a
// figure may be given as true or false.
func adjust(s *jsonschema.Schema) {
	s.Required = []string{"rubric_metadata"}
	s.AnyOf = []*jsonschema.Schema{{Required: []string{"dimensions"}}, {Required: []string{"extends"}}}
	for _, name := range rubric.Names() {
		s.Properties["extends"].Enum = append(s.Properties["extends"].Enum, name)
	}
	s.Properties["rubric_metadata"].Required = []string{"rubric_name"}
	s.Properties["probes"].Items.Required = []string{"id", "type"}
	s.Properties["dimensions"].Items.Required = []string{"id"}
	s.Properties["dimensions"].Items.Properties["caps"].Items.Required = []string{"when", "max"}
	s.Properties["waivers"].Items.Required = []string{"reason"}
	expect := s.Properties["probes"].Items.Properties["expect"]
	expect.AdditionalProperties = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{expect.AdditionalProperties, {Type: "boolean"}}}
	s.Properties["dimensions"].Items.Properties["levels"].PropertyNames.Pattern = "^[0-9]{1,4}$"
}

func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(rubric.Schema(), &s))
	r, err := s.Resolve(nil)
	require.NoError(t, err)
	return r
}

// asJSON reads YAML as what a validator of JSON Schema takes.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal(text, &v))
	data, err := json.Marshal(plain(v))
	require.NoError(t, err)
	var out any
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// plain turns the keys of mappings into texts, as JSON has them.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	case map[any]any:
		m := map[string]any{}
		for k := range v {
			m[strings.Trim(strings.ReplaceAll(jsonText(k), `"`, ""), " ")] = plain(v[k])
		}
		return m
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	}
	return v
}

func jsonText(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func TestEmbeddedRubricsFitTheSchema(t *testing.T) {
	t.Parallel()
	schema := resolved(t)
	for _, name := range rubric.Names() {
		text, err := os.ReadFile("rubrics/" + name + ".yaml")
		require.NoError(t, err)
		require.NoError(t, schema.Validate(asJSON(t, text)), name)
	}
}

// TestManualExamples reads every whole rubric of the manual.
func TestManualExamples(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(manual)
	require.NoError(t, err)
	whole := 0
	for _, text := range schemagen.Examples([]byte(strings.ReplaceAll(string(doc), "\r\n", "\n"))) {
		if !strings.Contains(text, "rubric_metadata:") {
			continue
		}
		whole++
		_, problems, err := rubric.Parse("example.yaml", []byte(text))
		require.NoError(t, err)
		require.Empty(t, problems)
		require.NoError(t, resolved(t).Validate(asJSON(t, []byte(text))))
	}
	require.Positive(t, whole)
}

// TestSchemaHasEveryKey compares the schema with the Go types, key by key.
func TestSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(rubric.Schema(), &s))
	compareKeys(t, "", reflect.TypeFor[rubric.Rubric](), &s)
}

func compareKeys(t *testing.T, path string, typ reflect.Type, s *jsonschema.Schema) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Slice:
		compareKeys(t, path+"[]", typ.Elem(), s.Items)
	case reflect.Map:
		inner := s.AdditionalProperties
		if len(inner.AnyOf) > 0 {
			inner = inner.AnyOf[0]
		}
		compareKeys(t, path+".*", typ.Elem(), inner)
	case reflect.Struct:
		keys := 0
		for i := range typ.NumField() {
			key := typ.Field(i).Tag.Get("yaml")
			if key == "" || key == "-" {
				continue
			}
			keys++
			json, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			require.Equal(t, key, json, "%s.%s has two names", path, key)
			require.Contains(t, s.Properties, key, "%s.%s", path, key)
			require.NotEmpty(t, s.Properties[key].Description, "%s.%s", path, key)
			compareKeys(t, path+"."+key, typ.Field(i).Type, s.Properties[key])
		}
		require.Len(t, s.Properties, keys, "%s has keys that no field has", path)
	}
}

// TestSchemaAgrees holds the schema against the parser.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	schema := resolved(t)
	const head = `{"rubric_metadata": {"rubric_name": "x", "version": "4.0.0"}, `
	const dimension = `"dimensions": [{"id": "d", "evidence": ["p"]}]}`
	for _, tc := range []struct {
		text string
		ok   bool
	}{
		{head + `"probes": [{"id": "p", "type": "git"}], ` + dimension, true},
		{head + `"probes": [{"id": "p", "type": "manifest", "expect": {"lockfile": true}}], ` + dimension, true},
		{head + `"probes": [{"id": "p", "type": "git", "expect": {"commit_count": {"min": 4}}}], ` + dimension, true},
		{head + `"dimensions": [{"id": "d", "levels": {"1": "low", "5": "high"}, "judge_weights": {"techlead": 2}}]}`, true},
		{head + `"dimensions": [{"id": "d", "levels": {"high": "9"}}]}`, false},
		{head + `"dimensions": [{"id": "d", "weight": "much"}]}`, false},
		{head + `"dimensions": [{"id": "d", "caps": [{"when": "security.any > 0", "max": 1001}]}]}`, false},
		{head + `"dimensions": [{"id": "d", "target_artifact": "moon"}]}`, false},
		{head + `"dimensions": [{"id": "d", "unknown": 1}]}`, false},
		{head + `"probes": [{"id": "p", "type": "guess"}], ` + dimension, false},
		{head + `"probes": [{"id": "p", "type": "git", "severity": "awful", "expect": {"authors": {"min": 1}}}], ` + dimension, false},
		{head + `"synthesis": {"on_dissent": "shout"}, "dimensions": [{"id": "d"}]}`, false},
		{head + `"waivers": [{"dimension": "d"}], "dimensions": [{"id": "d"}]}`, false},
		{`{"rubric_metadata": {"version": "4.0.0"}, "dimensions": [{"id": "d"}]}`, false},
	} {
		_, problems, err := rubric.Parse("r.json", []byte(tc.text))
		require.Equal(t, tc.ok, err == nil, "parser on %s: %v", tc.text, problems)
		require.Equal(t, tc.ok, schema.Validate(asJSON(t, []byte(tc.text))) == nil, "schema on %s", tc.text)
	}
}

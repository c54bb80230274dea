package rule

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/schemagen"
	"github.com/agentsentinel/sentinel/internal/text"
)

const manual = "../docs/rules.md"

func TestGenerated(t *testing.T) {
	schema, err := schemagen.Schema(Definition{},
		"https://raw.githubusercontent.com/agentsentinel/sentinel/main/rule/schema.json", "Sentinel rule",
		func(s *jsonschema.Schema) {
			id := s.Properties["id"]
			id.Type, id.Types = "", []string{"string", "integer"}
			id.Pattern = `^[A-Za-z0-9._:-]{1,128}$`
			one := 1
			s.Properties["scope"].MinItems, s.Properties["exclude"].MinItems = &one, &one
		})
	require.NoError(t, err)
	schemagen.Golden(t, "schema.json", schema, *update)

	doc, err := os.ReadFile(manual)
	require.NoError(t, err)
	doc = []byte(strings.ReplaceAll(string(doc), "\r\n", "\n"))
	for name, table := range map[string]string{
		"keys":      keyTable(reflect.TypeFor[Definition]()),
		"cases":     keyTable(reflect.TypeFor[Case]()),
		"variables": variableTable(),
	} {
		doc, err = schemagen.Replace(doc, name, table)
		require.NoError(t, err)
	}
	schemagen.Golden(t, manual, doc, *update)
}

func keyTable(t reflect.Type) string {
	rows := [][]string{{"Key", "Default", "Meaning"}}
	defaults := slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("default") != "" })
	if !defaults {
		rows[0] = []string{"Key", "Meaning"}
	}
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		row := []string{"`" + tag.Get("yaml") + "`", tag.Get("jsonschema")}
		if d, ok := tag.Lookup("default"); defaults {
			d = text.Unless(ok, "(none)") + d
			row = []string{row[0], "`" + d + "`", row[1]}
		}
		rows = append(rows, row)
	}
	return schemagen.Table(rows)
}

func variableTable() string {
	rows := [][]string{{"Variable", "In rules about", "Replaced by"}}
	for _, v := range Variables() {
		rows = append(rows, []string{"`{{" + v.Name + "}}`", v.For, v.Doc})
	}
	return schemagen.Table(rows)
}

// TestVariablesAgree holds the list for people against what is checked.
func TestVariablesAgree(t *testing.T) {
	t.Parallel()
	for _, v := range Variables() {
		known, belongs := variable(v.Name)
		require.True(t, known, v.Name)
		if belongs == forFiles {
			belongs = "file_write, file_read"
		}
		require.Equal(t, v.For, string(belongs), v.Name)
	}
}

// TestSchemaAgrees holds the schema against the parser on every file of testdata: a file
// without a problem fits the schema, and one that does not fit has a problem.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(Schema(), &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	compared, refused := 0, 0
	for _, dir := range caseDirs(t) {
		for _, name := range ruleFiles(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			var fromYAML any
			if yaml.Unmarshal(data, &fromYAML) != nil {
				continue
			}
			text, err := json.Marshal(fromYAML)
			require.NoError(t, err)
			var instance any
			require.NoError(t, json.Unmarshal(text, &instance))
			f := Parse(name, data)
			fits := resolved.Validate(instance) == nil
			if len(f.Problems) == 0 {
				require.True(t, fits, "%s: the parser takes it, the schema does not", name)
			}
			if !fits {
				refused++
			}
			compared++
		}
	}
	require.Greater(t, compared, 30)
	require.Greater(t, refused, 8)
}

// TestManualExamples reads every example of the manual: whole rules, and cases.
func TestManualExamples(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(manual)
	require.NoError(t, err)
	examples := schemagen.Examples([]byte(strings.ReplaceAll(string(doc), "\r\n", "\n")))
	require.GreaterOrEqual(t, len(examples), 4)
	for _, text := range examples {
		if strings.HasPrefix(text, "tests:") {
			_, problems := ParseCases("example", []byte(text))
			require.Empty(t, problems, text)
			continue
		}
		f := Parse("example.yaml", []byte(text))
		require.Empty(t, f.Problems, text)
	}
}

package config_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/schemagen"
)

var update = flag.Bool("update", false, "write the generated files")

const manual, manualOfJudges = "../docs/configuration.md", "../docs/judges.md"

func TestGenerated(t *testing.T) {
	schema, err := schemagen.Schema(config.Default(), "https://raw.githubusercontent.com/agentsentinel/sentinel/main/config/schema.json", "Sentinel configuration", func(s *jsonschema.Schema) {
		k := s.Properties["backends"].Properties["ollama"].Properties["keep_alive"]
		k.Type, k.Types = "", []string{"string", "integer"}
		s.Properties["backend"].Description = config.Keys()[0].Doc
	})
	require.NoError(t, err)
	schemagen.Golden(t, "schema.json", schema, *update)

	doc, err := os.ReadFile(manual)
	require.NoError(t, err)
	doc = []byte(strings.ReplaceAll(string(doc), "\r\n", "\n"))
	doc, err = schemagen.Replace(doc, "keys", keyTables())
	require.NoError(t, err)
	schemagen.Golden(t, manual, doc, *update)

	table, chapters := judgePages(t)
	doc, err = os.ReadFile(manualOfJudges)
	require.NoError(t, err)
	doc, err = schemagen.Replace([]byte(strings.ReplaceAll(string(doc), "\r\n", "\n")), "judges", table)
	require.NoError(t, err)
	doc, err = schemagen.Replace(doc, "chapters", chapters)
	require.NoError(t, err)
	schemagen.Golden(t, manualOfJudges, doc, *update)
}

// judgePages writes the table of the judges from what they say of themselves, and their
// chapters from manual.md in the folder of each.
func judgePages(t *testing.T) (table, chapters string) {
	t.Helper()
	rows := [][]string{
		{"`backend`", "asks", "needs", "data goes to", "costs"},
		{"`builtin`", "No model: the rule's `when` is the verdict", "a `when`", "nowhere", "nothing"},
	}
	c := config.Default()
	for name, settings := range c.Judges() {
		about := settings.About()
		asks, _, _ := strings.Cut(strings.TrimSuffix(tableLine(name).Tag.Get("jsonschema"), "."), ":")
		rows = append(rows, []string{"`" + name + "`", asks, about.Needs, about.DataTo, about.Costs})
		text, err := os.ReadFile(filepath.Join("..", folderOf(settings), "manual.md"))
		require.NoError(t, err, "it has no chapter of docs/judges.md")
		require.LessOrEqual(t, len(strings.Fields(string(text))), 200, "the chapter of %s is long", name)
		chapters += "## " + name + "\n\n" + strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) + "\n\n"
	}
	return schemagen.Table(rows), strings.TrimSpace(chapters) + "\n"
}

// tableLine is the line of a judge in the table.
func tableLine(name string) reflect.StructField {
	fields := reflect.VisibleFields(reflect.TypeFor[config.Backends]())
	return fields[slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("yaml") == name })]
}

// keyTables writes a table for each of the two large groups, and one for all other keys. A
// key that several backends have, with one default and one meaning, takes one row.
func keyTables() string {
	var groups []string
	rows := map[string][][]string{}
	for _, k := range config.Keys() {
		group, _, _ := strings.Cut(k.Name, ".")
		if group != "backends" && group != "scribe" {
			group = ""
		}
		if rows[group] == nil {
			groups = append(groups, group)
			rows[group] = [][]string{{"Key", "Default", "Meaning"}}
		}
		row := []string{"`" + k.Name + "`", "`" + k.Default + "`", k.Doc}
		_, name, _ := strings.Cut(strings.TrimPrefix(k.Name, "backends."), ".")
		if i := slices.IndexFunc(rows[group], func(r []string) bool {
			return name != "" && strings.HasSuffix(r[0], "."+name+"`") && r[1] == row[1] && r[2] == row[2]
		}); i >= 0 {
			rows[group][i][0] += ", " + row[0]
			continue
		}
		rows[group] = append(rows[group], row)
	}
	var b strings.Builder
	for _, g := range groups {
		title := "Main keys"
		if g != "" {
			title = "`" + g + "`"
		}
		b.WriteString("### " + title + "\n\n" + schemagen.Table(rows[g]) + "\n")
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// TestSchemaAgrees holds the schema against the parser: what one takes the other
// takes too.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(config.Schema(), &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	for _, tc := range []struct {
		text string
		ok   bool
	}{
		{`{}`, true},
		{`{"backend":"claude","log_file":null,"scribe":{"guidance":null}}`, true},
		{`{"backends":{"ollama":{"num_ctx":8192},"mine":{"model":"x","depth":3}}}`, true},
		{`{"tool_map":{"x":"bash"},"tool_args":{"x":{"command":"c"}},"pricing":{"haiku":{"input":1,"output":5.5}}}`, true},
		{`{"backends":{"ollama":{"keep_alive":-1}}}`, true},
		{`{"scribe":{"thresholds":{"draft_confidence":0.9},"doc_globs":["a.md"]}}`, true},
		{`{"tool_map":{"x":"shell"}}`, false},
		{`{"confidence_threshold":1.5}`, false},
		{`{"timeout_ms":0}`, false},
		{`{"bakend":"ollama"}`, false},
		{`{"scribe":{"modell":"x"}}`, false},
		{`{"fallback":"builtin"}`, false},
		{`{"judge":{"second_opinion":"always"}}`, false},
		{`{"fail_open":"false"}`, false},
	} {
		var instance any
		require.NoError(t, json.Unmarshal([]byte(tc.text), &instance))
		_, problems := config.Parse("config.json", []byte(tc.text))
		faults := 0
		for _, p := range problems {
			if !strings.HasPrefix(p.Message, "unknown backend") {
				faults++
			}
		}
		require.Equal(t, tc.ok, faults == 0, "parser on %s: %v", tc.text, problems)
		require.Equal(t, tc.ok, resolved.Validate(instance) == nil, "schema on %s", tc.text)
	}
}

// TestManualExamples reads every example of the manual as a configuration.
func TestManualExamples(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(manual)
	require.NoError(t, err)
	examples := schemagen.Examples([]byte(strings.ReplaceAll(string(doc), "\r\n", "\n")))
	require.NotEmpty(t, examples)
	for _, text := range examples {
		_, problems := config.Parse("example", []byte(text))
		require.Empty(t, problems, text)
	}
}

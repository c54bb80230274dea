package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/schemagen"
	"github.com/agentsentinel/sentinel/internal/scripttest"
)

var update = flag.Bool("update", false, "write the reference")

const pages = "../../docs/reference"

// A value that may lack a score is printed without one then.
type (
	opinion       audit.Opinion
	result        audit.Result
	overall       audit.Overall
	scoredOpinion struct {
		Score *int `json:"score,omitempty"`
		opinion
	}
	scoredResult struct {
		Score *int `json:"score,omitempty"`
		result
	}
	scoredOverall struct {
		Score *float64 `json:"score,omitempty"`
		overall
	}
)

// TestGenerated holds docs/reference against the commands. -update writes it.
func TestGenerated(t *testing.T) {
	t.Parallel()
	roots, prints := commands()
	schemagen.Golden(t, filepath.Join(pages, "cli.md"), []byte(reference(roots)), *update)

	schemas := filepath.Join(pages, "json", fmt.Sprintf("v%d", schemagen.OutputVersion))
	data, err := os.ReadFile(filepath.Join(schemas, "decision.json"))
	require.NoError(t, err)
	var decision jsonschema.Schema
	require.NoError(t, json.Unmarshal(data, &decision))
	known := schemagen.Known{
		reflect.TypeFor[sentinel.Decision](): &decision,
		reflect.TypeFor[audit.Values]():      reflect.TypeFor[map[string]any](),
		reflect.TypeFor[audit.Opinion]():     reflect.TypeFor[scoredOpinion](),
		reflect.TypeFor[audit.Result]():      reflect.TypeFor[scoredResult](),
		reflect.TypeFor[audit.Overall]():     reflect.TypeFor[scoredOverall](),
	}
	files := map[string]bool{"decision.json": true}
	var names []string
	for _, root := range roots {
		each(root, func(cmd *cobra.Command) {
			if cmd.Flags().Lookup("json") == nil {
				return
			}
			require.NotEmpty(t, prints[cmd], "%s has a flag --json that Env.JSONFlag did not make: its output has no schema", cmd.CommandPath())
			names = append(names, cmd.CommandPath())
			file := scripttest.SchemaFile(cmd)
			files[file] = true
			s, err := schemagen.Output(schemagen.OutputID(file), cmd.CommandPath()+" --json", known, prints[cmd]...)
			require.NoError(t, err)
			data, err := schemagen.Marshal(s)
			require.NoError(t, err)
			schemagen.Golden(t, filepath.Join(schemas, file), data, *update)
		})
	}
	schemagen.Golden(t, filepath.Join(pages, "json.md"), []byte(jsonPage(names)), *update)
	list, err := os.ReadDir(schemas)
	require.NoError(t, err)
	for _, f := range list {
		require.True(t, files[f.Name()], "%s is of no command: delete it", f.Name())
	}
}

// TestFlagsAreDocumented: each command and flag says what it is for.
func TestFlagsAreDocumented(t *testing.T) {
	t.Parallel()
	roots, _ := commands()
	seen := 0
	for _, root := range roots {
		each(root, func(cmd *cobra.Command) {
			require.NotEmpty(t, cmd.Short, cmd.CommandPath())
			for _, f := range flags(cmd) {
				require.NotEmpty(t, strings.TrimSpace(f.Usage), "%s --%s", cmd.CommandPath(), f.Name)
				seen++
			}
		})
	}
	require.Greater(t, seen, 100)
}

// TestWrite: the manual has a page for each command of both programs.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, write(dir))
	for _, name := range []string{"man/sentinel.1", "man/sentinel-rules-explain.1", "man/sentinel-audit.1", "man/sentinel-audit-compare.1", "completions/sentinel.bash"} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		require.NotContains(t, string(text), dir)
	}
}

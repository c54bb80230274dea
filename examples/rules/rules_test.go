// Package rules_test holds the example rules to what README.md says of them.
package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// suites are the example rules with their cases.
func suites(t *testing.T) []ruletest.Suite {
	t.Helper()
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	list := make([]ruletest.Suite, len(files))
	for i, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		list[i] = ruletest.NewSuite(name, data)
	}
	return list
}

// TestCases runs every case of every example without a model.
func TestCases(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("testdata") // a folder that is not there: no file of this repository has a part in it
	require.NoError(t, err)
	report, err := ruletest.Run(t.Context(), suites(t), &ruletest.Options{Root: root, Engine: sentinel.Options{
		Mapper:   trigger.New(&trigger.Options{Home: filepath.Dir(root)}),
		Backends: map[string]sentinel.Backend{builtin.Name: builtin.New()},
		Default:  "model",
	}})
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	for _, r := range report.Results {
		require.Equal(t, ruletest.Passed, r.State, "%s, case %d, %s: got %s: %s", r.Case.File, r.Case.Index+1, r.Case.Name(), r.Got, r.Why)
		require.Equal(t, r.Model, len(r.Case.Answer) > 0,
			"%s, case %d, %s: an answer is recorded where a model is asked, and nowhere else", r.Case.File, r.Case.Index+1, r.Case.Name())
	}
}

// TestRules holds what every example has to bring along.
func TestRules(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, s := range suites(t) {
		t.Run(s.File.Path, func(t *testing.T) {
			t.Parallel()
			d := s.File.Definition
			require.Empty(t, s.File.Problems, "lint says nothing, warnings neither")
			require.Equal(t, d.ID+".yaml", s.File.Path, "a file is found by its rule's id")
			require.Contains(t, string(readme), "]("+s.File.Path+")")
			data, err := os.ReadFile(s.File.Path)
			require.NoError(t, err)
			schema, _, _ := strings.Cut(string(data), "\n")
			require.Contains(t, string(rule.Schema()), `"$id": "`+strings.TrimPrefix(strings.TrimSpace(schema), "# yaml-language-server: $schema=")+`"`)
			if d.Severity != "info" {
				require.NotEmpty(t, d.Message, "the agent has to read what to do instead")
				require.NotContains(t, strings.TrimSpace(d.Message), "\n", "the agent reads one line")
			}
			cases := map[string]int{}
			for _, c := range s.Cases {
				cases[c.Expect]++
			}
			require.GreaterOrEqual(t, cases["violation"], 4)
			require.GreaterOrEqual(t, cases["pass"], 4)
		})
		require.False(t, seen[s.File.Definition.ID])
		seen[s.File.Definition.ID] = true
	}
}

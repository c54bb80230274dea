package instructions

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
)

// TestUnlessCase: how a message names the case that an exception takes out. Some have no words for it.
func TestUnlessCase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The only exception is test files.":                "",
		"Exceptions: generated code":                       "",
		"**Exception:** when `a.ts` is generated, skip it": "Unless a.ts is generated, ",
		"The exception is in `lib/a.test.ts`.":             "Except in lib/a.test.ts, ",
		"Unless the user asks for it.":                     "Unless the user asks for it, ",
		"Exceptions are when the tool is old: see below":   "Unless the tool is old, ",
		"Exceptions are for the release script.":           "Except for the release script, ",
		"The exception is a bug fix.":                      "",
		"The exception is the error page.":                 "",
		"The exception is a release branch.":               "",
	} {
		assert.Equal(t, want, unlessCase(text), text)
	}
}

// TestPermittedPlaces: a ban does not block in the place that the line allows, in each of six wordings.
func TestPermittedPlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	ban := regexp.MustCompile(`(?i)^\W*(?:never|do not|don.t|no |avoid|must not)`)
	made := 0
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			if !forms.Prohibits(&f) || f.Rule == "secrets" || !ban.MatchString(c.Line) || strings.ContainsAny(c.Line, "!(\n") || strings.Contains(c.Line, ". ") {
				continue
			}
			for _, where := range []string{" (allowed in `zone/`).", "; in `zone/` it is fine.", " — fine in `zone/`.", ", but it is OK in `zone/`.", ", only in `zone/`.", " (except in `zone/`)."} {
				line := strings.TrimSuffix(c.Line, ".") + where
				for _, d := range draftsOf("# Rules\n\n- " + line + "\n") {
					if d.Form != f.Name {
						continue
					}
					made++
					var r ruletext.Rule
					require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &r))
					if r.Severity == "block" {
						assert.Contains(t, strings.Join(r.Exclude, " "), "zone/", line)
					}
				}
			}
		}
	}
	require.Greater(t, made, 300)
}

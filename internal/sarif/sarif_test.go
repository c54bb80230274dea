package sarif_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/sarif"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	log := sarif.Log{Runs: []sarif.Run{{
		Tool: sarif.Tool{Driver: sarif.Driver{Name: "sentinel", Rules: []sarif.Rule{{ID: "r"}}}},
		Results: []sarif.Result{{
			RuleID: "r", Level: sarif.LevelError, Message: sarif.Text("a < b"),
			Locations: []sarif.Location{sarif.At("src/a b.go", 3, 5), sarif.At("x", 0, 0)},
		}},
	}}}
	require.NoError(t, log.Write(&b))
	require.Equal(t, `{
  "version": "2.1.0",
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "runs": [
    {
      "tool": {
        "driver": {
          "name": "sentinel",
          "rules": [
            {
              "id": "r"
            }
          ]
        }
      },
      "results": [
        {
          "ruleId": "r",
          "level": "error",
          "message": {
            "text": "a < b"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "src/a%20b.go",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "startLine": 3,
                  "endLine": 5
                }
              }
            },
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "x",
                  "uriBaseId": "%SRCROOT%"
                }
              }
            }
          ]
        }
      ]
    }
  ]
}
`, b.String())
}

func TestPathsAreNoSchemes(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"javascript:alert(1)": "javascript%3Aalert%281%29",
		"a%b\n\x1b[31m":       "a%25b%0A%1B%5B31m",
		"ä/..":                "%C3%A4/..",
	} {
		require.Equal(t, want, sarif.At(path, 1, 0).Physical.Artifact.URI)
	}
}

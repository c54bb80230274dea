package instructions

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// TestPrecise: the drafts of lines that look like the lines of a form and say something
// else, or that say less than it.
func TestPrecise(t *testing.T) {
	var list []struct {
		Text   string   // lines, where it is more than an item
		Line   string   // an item
		Drafts []string // their ids
		Has    []string // what the drafts have to say
		Not    []string // and what not
	}
	data, err := os.ReadFile("testdata/precise.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &list))
	for _, c := range list {
		if c.Line != "" {
			c.Text = "- " + c.Line + "\n"
		}
		ids, said := []string{}, strings.Builder{}
		for _, d := range draftsOf("# Rules\n\n" + c.Text) {
			ids = append(ids, d.ID)
			said.WriteString(d.YAML)
		}
		t.Run(c.Text, func(t *testing.T) {
			require.Equal(t, c.Drafts, ids)
			for _, has := range c.Has {
				require.Contains(t, said.String(), has)
			}
			for _, not := range c.Not {
				require.NotContains(t, said.String(), not)
			}
		})
	}
}

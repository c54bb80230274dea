package instructions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestAsItActs: the message and the description of a draft match its severity. A draft that asks leaves the
// decision to the user. A draft that warns does not send the agent back.
func TestAsItActs(t *testing.T) {
	for line, want := range map[string][2]string{
		"Ask before `git push`.":                          {"message: Ask the user first.", "It asks about git push."},
		"Do not commit unless asked.":                     {"message: Ask the user first.", "It asks about commit"},
		"Never run `make ship` unless the queue is idle.": {"message: Unless the queue is idle, ask the user first.", "It asks about make ship"},
		"Never run `make ship`.":                          {"message: Do it in another way, or leave it to the user.", "It stops make ship."},
		"Keep `make vet` green.":                          {"severity: warn", "It warns at the end of a turn that changed files, until make vet ran."},
		"Make sure `make vet` passes.":                    {"severity: block", "It sends the agent back at the end of a turn"},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
		list := Drafts(&statement.Of(&f)[0], &survey.Project{})
		require.Len(t, list, 1, line)
		require.Contains(t, list[0].YAML, want[0], line)
		require.Contains(t, list[0].Why, want[1], line)
	}
	for _, c := range preciseCases(t) {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n" + c.Text}
		all := statement.Of(&f)
		for i := range all {
			for _, d := range Drafts(&all[i], &survey.Project{Commands: []string{"npm test", "make lint"}}) {
				if !strings.Contains(d.YAML, "\nseverity: block\n") {
					require.NotContains(t, d.Why, "It stops", c.Text)
					require.NotContains(t, d.Why, "sends the agent back", c.Text)
				}
			}
		}
	}
}

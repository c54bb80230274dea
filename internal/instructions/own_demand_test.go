package instructions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestDemandPassesItself: a command of the project that does what has to wait for it may run first.
func TestDemandPassesItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line, cmd string
		files     map[string]string
	}{
		{"Run `./bump.sh` before every commit.", "./bump.sh", map[string]string{"bump.sh": "npm version patch\ngit commit -am bump\n"}},
		{"Before committing, run `python tools/ctl.py guard T-12`.", "python tools/ctl.py guard T-40", map[string]string{"tools/ctl.py": "import subprocess\nsubprocess.run([\"git\", \"commit\", \"-m\", \"x\"])\n"}},
		{"Run `make stamp` before you commit.", "make stamp", map[string]string{"Makefile": "stamp:\n\tgit commit -am stamp\n"}},
		{"Run `npm run stamp` before you commit.", "npm run stamp", map[string]string{"package.json": `{"scripts": {"stamp": "git commit -am stamp"}}`}},
		{"Run `make lint` before you commit.", "make lint", map[string]string{"Makefile": "lint:\n\truff check\n"}},
	} {
		root := t.TempDir()
		write(t, root, c.files)
		f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- " + c.line + "\n"}
		p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
		list := Drafts(&all[0], &p)
		require.Len(t, list, 1, c.line)
		text := list[0].YAML + "  - bash: " + c.cmd + "\n    before:\n      - write: src/a.ts\n    expect: pass\n"
		require.Empty(t, ruletext.Read(list[0].ID, []byte(text)).Faults(root), c.line)
		require.Contains(t, list[0].YAML, "- bash: git commit -m wip\n    before:\n      - write: src/a.ts\n    expect: violation")
	}
}

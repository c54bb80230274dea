package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/project"
)

// A command that runs in another project is judged by the rules of that project, and
// what else is on the line is not.
func TestCommandsInAnotherProject(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{
		"proj/.claude/sentinel/config.yaml": "backend: builtin\n",
		"proj/.claude/sentinel/rules/push.yaml": "id: push\ntrigger: bash\nseverity: block\nbackend: builtin\nscope: [\"git push*\", \"make *\", \"npm *\"]\n" +
			"when: |\n  any(commands, .subcommand == \"push\" and hasFlag(#, \"--force\") or \"deploy\" in .operands)\nmessage: no\n",
		"proj/src/x":      "",
		"plain/README.md": "",
	})
	parent := filepath.Dir(d.dir)
	require.NoError(t, os.Rename(filepath.Join(d.dir, "proj"), filepath.Join(parent, "proj")))
	programtest.Link(t, filepath.Join(parent, "proj"), filepath.Join(d.dir, "alias"))
	d.opts.Home = parent
	proj := filepath.Join(parent, "proj")
	for verdict, lines := range map[sentinel.Verdict]string{
		sentinel.VerdictBlock: `
			cd ../proj && git push --force
			cd ` + proj + ` && git push --force
			git -C ../proj push --force
			git -C ../proj/src push --force
			(cd ../proj; git push --force)
			pushd ../proj && git push --force && popd
			bash -c 'cd ../proj && git push --force'
			make -C ../proj deploy
			npm --prefix ../proj run deploy
			cd ~/proj && git push --force
			cd alias && git push --force
			env -C ../proj git push --force
			cd .. && cd proj && git push --force
			cd .. && git -C proj push --force`,
		sentinel.VerdictAllow: `
			git push --force
			cd ../proj && ls; cd ../repo && git push --force
			git -C ../proj status
			cd ../plain && git push --force
			git -C ../proj log; git push --force`,
	} {
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line != "" {
				require.Equal(t, verdict, d.decide(command(d.dir, line)).Verdict, line)
			}
		}
	}
	for _, dir := range []string{parent, filepath.Join(parent, "plain")} {
		p := project.Open([]string{dir}, &d.opts)
		dec, err := p.Evaluate(t.Context(), command(dir, "cd "+proj+" && git push --force"))
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictBlock, dec.Verdict, dir)
	}
}

// A line that enters more folders than are looked at has not been judged by the rules of
// the others, and says so.
func TestACommandThatEntersManyFolders(t *testing.T) {
	t.Parallel()
	dir := tree{
		"here/x":                              "",
		"there/.claude/sentinel/config.yaml":  "backend: builtin\n",
		"there/.claude/sentinel/rules/a.yaml": "trigger: bash\nbackend: builtin\nwhen: \"true\"\nscope: [\"git push*\"]\nmessage: no\n",
	}.write(t)
	here := filepath.Join(dir, "here")
	for folders, whole := range map[int]bool{120: true, 130: false} {
		line := ""
		for i := range folders {
			line += fmt.Sprintf("cd %s/%d && ls; ", dir, i)
		}
		d, err := project.Open([]string{here}, nil).Evaluate(t.Context(), bash(here, line+"cd "+dir+"/there && git push"))
		if whole {
			require.NoError(t, err)
			require.Equal(t, sentinel.VerdictBlock, d.Verdict)
			continue
		}
		require.ErrorContains(t, err, "more paths than are looked at")
		require.Equal(t, sentinel.VerdictUndecided, d.Verdict)
	}
}

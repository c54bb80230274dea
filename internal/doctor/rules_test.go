package doctor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
)

func TestSoundRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("~/.config/sentinel/rules/mine.yaml", soundRule+"mode: shadow\n")
	found := w.examine()
	require.True(t, doctor.Sound(found), failures(found))
	requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusOK, "1 rule")
	requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusOK, "nothing that needs trust")
	requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusInfo, "fail_open is true", "let through")
	requireFinding(t, found, "rules", "~/.config/sentinel", doctor.StatusOK, "1 rule, 1 of them in shadow mode")
	requireFinding(t, found, "sentinel", "path", doctor.StatusOK, "on the PATH")
	requireFinding(t, found, "sentinel", "version", doctor.StatusOK, "go1.")
	requireNone(t, found, "rules", "pack ")
}

func TestNoRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, os.RemoveAll(w.at(".claude")))
	found := w.examine()
	require.True(t, doctor.Sound(found), failures(found))
	requireFinding(t, found, "rules", "none", doctor.StatusInfo, "nothing is checked here", "sentinel init")

	w.write(".claude/sentinel/config.yaml", soundConfig)
	requireFinding(t, w.examine(), "rules", ".claude/sentinel", doctor.StatusWarn, "no rules")
}

func TestBrokenRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, text string
		at               string
		status           doctor.Status
		words            []string
	}{
		{"an unknown key", "rules/push.yaml", soundRule + "severty: warn\n", ".claude/sentinel/rules/push.yaml:6:1", doctor.StatusWarn, []string{"taken for `severity`"}},
		{"a prompt that is a list", "rules/push.yaml", soundRule + "prompt: [x]\n", ".claude/sentinel/rules/push.yaml:6:9", doctor.StatusFail, []string{"must be text", "let through"}},
		{"no YAML", "rules/push.yaml", "{", ".claude/sentinel/rules/push.yaml:1", doctor.StatusFail, nil},
		{"an expression", "rules/push.yaml", "trigger: bash\nbackend: builtin\nwhen: comand == 1\n", ".claude/sentinel/rules/push.yaml:3:7", doctor.StatusFail, []string{"comand"}},
		{"the configuration", "config.yaml", "backend: builtin\nfail_open: maybe\n", ".claude/sentinel/config.yaml:2:12", doctor.StatusFail, []string{"fail_open"}},
		{"the configuration, strict", "config.yaml", "backend: builtin\nfail_open: false\nmax_parallel: x\n", ".claude/sentinel/config.yaml:3:15", doctor.StatusFail, []string{"is stopped"}},
		{"a name that is not read", "config.yml", "", ".claude/sentinel/config.yml", doctor.StatusWarn, []string{"config.yaml is there"}},
		{"a hostile name", "rules/\x1b[2Jx\u202e.yaml", "{", `.claude/sentinel/rules/\u001b[2Jx\u202e.yaml:1`, doctor.StatusFail, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.ContainsRune(c.file, '\x1b') {
				t.Skip("no file can have the name on Windows")
			}
			w := newWorld(t)
			w.write(".claude/sentinel/"+c.file, c.text)
			found := w.examine()
			requireFinding(t, found, "rules", c.at, c.status, c.words...)
			require.Equal(t, c.status != doctor.StatusFail, doctor.Sound(found))
		})
	}
}

// A broken configuration is not counted as a rule.
func TestBrokenConfigurationIsNoRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".claude/sentinel/config.yaml", "backend: builtin\nfail_open: maybe\n")
	found := w.examine()
	requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusWarn, "1 rule; what cannot be read or understood")
	requireNone(t, found, "rules", "1 broken")
}

// A repository with very many broken rules does not flood the person.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range strings.Split(strings.Repeat("a ", 60), " ") {
		if name != "" {
			f, err := os.CreateTemp(filepath.Dir(w.at(".claude/sentinel/rules/push.yaml")), "r*.yaml")
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
	}
	found := w.examine()
	requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusWarn, "60 broken")
	requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusInfo, "20 problems more", "rules lint")
}

func TestPacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files, err := packs.Files(packs.Recommended)
	require.NoError(t, err)
	for _, f := range files {
		w.write(".claude/sentinel/rules/"+f.Name, string(f.Data))
	}
	requireFinding(t, w.examine(), "rules", ".claude/sentinel", doctor.StatusInfo, fmt.Sprintf("%[1]d rules of packs: %[1]d as delivered, 0 changed", len(files)))
	w.write(".claude/sentinel/rules/"+files[0].Name, string(files[0].Data)+"# mine\n")
	require.NoError(t, os.Remove(w.at(".claude/sentinel/rules/"+files[1].Name)))
	requireFinding(t, w.examine(), "rules", ".claude/sentinel", doctor.StatusInfo, fmt.Sprintf("%d rules of packs: %d as delivered, 1 changed", len(files)-1, len(files)-2))
}

func TestTrust(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".claude/sentinel/config.yaml", "backend: builtin\nlog_file: ../out.log\nfallback: [ollama, command]\n"+
		"backends: {ollama: {url: \"http://203.0.113.7:11434\"}, command: {argv: [\"./judge\"]}}\n")
	w.script("judge", ": >\"$HOME/ran\"")
	found := w.examine()
	for _, what := range []string{"203.0.113.7", "names a program as judge", "out.log"} {
		requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusPerson, "refused: ", what, "sentinel trust")
	}
	requireFinding(t, found, "judges", "ollama", doctor.StatusPerson, "is not contacted", "203.0.113.7", "sentinel trust")
	requireFinding(t, found, "judges", "command", doctor.StatusPerson, "is not contacted")
	require.True(t, doctor.Sound(found), failures(found))

	w.write(".claude/sentinel/config.yaml", "backend: builtin\nfallback: [command]\nbackends: {command: {argv: [\"./judge\"]}}\n")
	o := w.options().Project
	require.NoError(t, project.Open([]string{w.root}, o).Folders[0].Trust(o.StateDir))
	found = w.examine()
	requireFinding(t, found, "rules", ".claude/sentinel", doctor.StatusOK, "is trusted as it is now")
	requireFinding(t, found, "judges", "command", doctor.StatusOK, "was not run")
	require.NoFileExists(t, w.at("~/ran"))
}

func TestPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.options().Project
	p := project.Open([]string{w.root}, o)
	_, err := p.Gate().Pause(time.Hour, false, "ann")
	require.NoError(t, err)
	requireFinding(t, w.examine(), "rules", "pause", doctor.StatusWarn, "ann has switched the rules off for .claude/sentinel until ", "sentinel pause off")
	require.NoError(t, p.Gate().EndPause(false, "ann"))
	_, err = p.Gate().Pause(time.Hour, true, "")
	require.NoError(t, err)
	requireFinding(t, w.examine(), "rules", "pause", doctor.StatusWarn, "a person has switched the rules off everywhere", "--all")
}

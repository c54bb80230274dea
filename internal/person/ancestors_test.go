package person

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
)

func TestDoubtAbove(t *testing.T) {
	t.Parallel()
	const self = 40
	shell := process{pid: 30, parent: 20, start: 30, name: "zsh"}
	for name, c := range map[string]struct {
		all  []process
		want string // a part of the doubt; "" for none
	}{
		"a person's":              {[]process{shell, {pid: 20, parent: 1, start: 20, name: "Terminal"}, {pid: 1, start: 1}}, ""},
		"an agent above":          {[]process{shell, {pid: 20, parent: 1, start: 20, sign: "claude"}}, "process 20 above it: claude"},
		"the parent ended":        {[]process{}, ""},
		"its id was given again":  {[]process{shell, {pid: 20, parent: 1, start: 99, sign: "claude"}}, ""},
		"times are not told":      {[]process{{pid: 30, parent: 20}, {pid: 20, sign: "codex"}}, "codex"},
		"a circle":                {[]process{{pid: 30, parent: self}}, ""},
		"its own mark is not one": {[]process{{pid: 30, parent: 1}}, ""},
	} {
		get := parents(func(pid int) (process, bool) {
			for _, p := range append(c.all, process{pid: self, parent: 30, start: 40, sign: "CLAUDECODE is set"}) {
				if p.pid == pid {
					return p, true
				}
			}
			return process{}, false
		})
		why := doubtAbove(get, self)
		require.Equal(t, c.want != "", why != "", "%s: %s", name, why)
		require.Contains(t, why, c.want, name)
	}
	nothing := parents(func(int) (process, bool) { return process{}, false })
	require.Contains(t, doubtAbove(nothing, self), "nothing can be told")
}

func TestParseProcArgs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		argv []string
		env  string // of CLAUDECODE
	}{
		"an agent's command":   {"\x02\x00\x00\x00/bin/zsh\x00\x00\x00\x00zsh\x00-c\x00HOME=/Users/x\x00CLAUDECODE=1\x00", []string{"zsh", "-c"}, "1"},
		"an interpreter":       {"\x02\x00\x00\x00/opt/node\x00\x00node\x00/usr/local/bin/gemini\x00A=b\x00", []string{"node", "/usr/local/bin/gemini"}, ""},
		"behind the variables": {"\x01\x00\x00\x00/x\x00x\x00A=b\x00\x00CLAUDECODE=1\x00", []string{"x"}, ""},
		"in an argument":       {"\x02\x00\x00\x00/x\x00x\x00CLAUDECODE=1\x00A=b\x00", []string{"x", "CLAUDECODE=1"}, ""},
		"empty":                {"", nil, ""},
		"short":                {"\x01\x00", nil, ""},
		"more than there are":  {"\x7f\x00\x00\x00/x\x00x\x00", nil, ""},
		"fewer than none":      {"\xff\xff\xff\xff/x\x00x\x00CLAUDECODE=1\x00", nil, ""},
		"no end":               {"\x01\x00\x00\x00" + strings.Repeat("x", 100), []string{""}, ""},
	} {
		argv, getenv := parseProcArgs([]byte(c.data))
		require.Equal(t, c.argv, argv, name)
		require.Equal(t, c.env, getenv("CLAUDECODE"), name)
	}
}

// Programs are known by the names that Windows and interpreters give them, too.
func TestAgentProgramElsewhere(t *testing.T) {
	t.Parallel()
	for want, all := range map[string][][]string{
		"claude": {{"claude.exe"}, {`C:\Program Files\claude.exe`}, {"/usr/local/bin/claude"}, {"node", "/opt/claude.js"}, {"node.exe", `C:\npm\claude.js`}},
		"":       {{"node.exe"}, {"claude-notes.exe"}, {"vim", "claude"}, {""}, nil},
	} {
		for _, argv := range all {
			require.Equal(t, want, agentProgram(agent.Registry{}, argv), "%q", argv)
		}
	}
}

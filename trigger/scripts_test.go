package trigger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// An earlierScript is a program text that an earlier call has written, and what runs it.
type earlierScript struct{ program, ext, text string }

var earlierScripts = []earlierScript{
	{"sh", "sh", "cd src\ngit push --force\n"},
	{"bash", "sh", "#!/bin/bash\nset -e\ngit push --force\n"},
	{"zsh", "zsh", "git push --force\n"},
	{"python3", "py", "#!/usr/bin/env python3\nimport os\nos.system('git push --force')\n"},
	{"node", "js", "#!/usr/bin/env node\nrequire('child_process').execSync('git push --force')\n"},
	{"perl", "pl", "#!/usr/bin/perl\nsystem('git push --force');\n"},
	{"ruby", "rb", "#!/usr/bin/env ruby\nsystem('git push --force')\n"},
	{"php", "php", "#!/usr/bin/env php\n<?php system('git push --force');\n"},
	{"lua", "lua", "#!/usr/bin/lua\nos.execute('git push --force')\n"},
}

// Ways to run a script: P is the program, F the file as it is named, D and B its
// folder and its name.
var waysToRun = []string{
	"P F", "P < F", "P 0< F", "P - < F", "P /dev/stdin < F", "cat F | P", "cat < F | P", "cat F | P -", "< F P", "cat F | tee log | P",
	"sudo P F", "env A=1 P F arg", "nohup P F &", "timeout 9 P F", "bash -c 'P F'", "eval 'P F'", "if true; then P F; fi",
	"cd D && P B", "cd D; P ./B", "(cd D && P B)", "pushd D && P B", "cd D && cat B | P",
	"f=F; P $f", "f=F; P \"$f\"", "for f in F; do P $f; done", "echo F | xargs P", "xargs P <<< F", "P <(cat F)",
	"head -n 99 F | P", "sed '' F | P", "grep -v '^$' F | P", "cat /dev/null F | P", "exec 3< F; P <&3", "P /dev/fd/3 3< F", "P 4< F <&4", "exec 5< F; cat <&5 | P",
	"cp F copy && P copy", "mv F moved; P < moved", "ln -s F link; P link", "install -m755 F tool; cat tool | P", "cat F > other; P other", "sed s/a/a/ F > other && P other", "cp F sub/; P sub/B",
}

var waysOfShells = []string{
	"source F", ". F", "eval \"$(cat F)\"", "eval \"$(<F)\"", "eval $(cat F)", "P -c \"$(cat F)\"", "P -c \"$(< F)\"", "source <(cat F)",
	"BASH_ENV=F bash -c :", "source /dev/stdin < F", "cat F | source /dev/stdin", "ssh host P -s < F", "ssh host < F", "at now < F",
	"cat F | sudo P", "P -ex F", "P -s a b < F", "P -x F; P F", "X=$(cat F); eval \"$X\"", "X=\"$(<F)\"; P -c \"$X\"", "P --rcfile F -i", "while read -r l; do eval \"$l\"; done < F",
}

var waysOfShebangs = []string{"F", "chmod +x F && F", "sudo F arg", "exec F", "cd D && ./B", "F | cat", "nohup F"}

// TestEarlierScripts has every way to run a script that an earlier call has written,
// in the project, in a folder for temporary files and in the home folder: what it does
// is seen as if the line did it.
func TestEarlierScripts(t *testing.T) {
	t.Parallel()
	root, tmp, home := tree(t, "scripts/"), tree(t), tree(t, "bin/")
	m := New(&Options{Home: home})
	seen, all := map[string]int{}, map[string]int{}
	for _, s := range earlierScripts {
		ways := append([]string{}, waysToRun...)
		shebang := strings.HasPrefix(s.text, "#!")
		if shebang {
			ways = append(ways, waysOfShebangs...)
		}
		if strings.HasSuffix(s.program, "sh") {
			ways = append(ways, waysOfShells...)
		}
		name := "fix-" + s.program + "." + s.ext
		for place, folder := range map[string][2]string{ // as written, and on disk
			"project":  {"scripts", filepath.Join(root, "scripts")},
			"absolute": {filepath.Join(root, "scripts"), filepath.Join(root, "scripts")},
			"outside":  {tmp, tmp},
			"home":     {"~/bin", filepath.Join(home, "bin")},
			"HOME":     {"$HOME/bin", filepath.Join(home, "bin")},
		} {
			require.NoError(t, os.WriteFile(filepath.Join(folder[1], name), []byte(s.text), 0o755))
			for _, way := range ways {
				if (place == "home" || place == "HOME") && strings.Contains(way, "<<<") {
					continue // not expanded by xargs
				}
				text := strings.NewReplacer("P", s.program, "F", folder[0]+"/"+name, "D", folder[0], "B", name, "BASH_ENV", "BASH_ENV").Replace(way)
				text = strings.ReplaceAll(text, name+"ASH_ENV", "BASH_ENV")
				all[place]++
				if runsPush(t, m, root, text) {
					seen[place]++
				} else {
					t.Errorf("%s: not seen: %s", place, text)
				}
			}
		}
	}
	for place := range all {
		t.Logf("%s: %d of %d ways seen", place, seen[place], all[place])
	}
}

// TestFurtherScripts has scripts that other options name, that scripts run, and that
// are written in base64.
func TestFurtherScripts(t *testing.T) {
	t.Parallel()
	root, tmp := tree(t), filepath.ToSlash(tree(t)) // which is in scripts
	for name, text := range map[string]string{
		"f.sh": "git push --force\n", "w.sh": "#!/bin/sh\nbash " + tmp + "/f.sh\n", "ww.sh": "python3 " + tmp + "/w.py",
		"w.py": "import subprocess\nsubprocess.run(['sh', '" + tmp + "/f.sh'])\n", "f.awk": "BEGIN { system(\"git push --force\") }\n",
		"f.js": "require('child_process').execSync('git push --force')", "f.b64": "Z2l0IHB1c2ggLS1mb3JjZQo=\n", "mod.py": "import os; os.system('git push --force')",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(tmp, name), []byte(text), 0o755))
	}
	m := New(nil)
	for _, way := range []string{
		"D/w.sh", "sh D/w.sh", "python3 D/w.py", "bash D/ww.sh", "awk -f D/f.awk", "cd D && python3 -m mod", "node -r D/f.js x.js", "node --require D/f.js -e 1",
		"base64 -d D/f.b64 | sh", "base64 -d < D/f.b64 | sh", "cat D/f.b64 | base64 --decode | bash", "D/f.sh &", "find . -exec D/f.sh {} +", "ls | xargs D/f.sh",
	} {
		text := strings.ReplaceAll(strings.ReplaceAll(way, "D/", tmp+"/"), "cd D", "cd "+tmp)
		assert.True(t, runsPush(t, m, root, text), way)
	}
}

func runsPush(t *testing.T, m *Mapper, root, text string) bool {
	t.Helper()
	actions, err := m.MapTool(t.Context(), sentinel.Event{Dir: root, Root: root, Tool: bashCall(text)})
	require.NoError(t, err, text)
	for _, c := range actions[0].Command.Commands {
		if c.Text == "git push --force" {
			return true
		}
	}
	return false
}

func bashCall(text string) sentinel.ToolCall {
	return sentinel.ToolCall{Name: "Bash", Args: fmt.Appendf(nil, `{"command":%q}`, programtest.Line(text))}
}

// TestNotRead has files that could be run and are not looked at, or not to their end:
// the line counts as understood in part. The others are as before.
func TestNotRead(t *testing.T) {
	t.Parallel()
	root, tmp := tree(t, "dist/", "dir/"), tree(t)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o755))
	}
	long := "#!/bin/sh\n" + strings.Repeat("# a long comment that says nothing\n", 10_000) + "git push --force\n"
	write(filepath.Join(tmp, "long.sh"), long)
	write(filepath.Join(root, "long.sh"), long)
	write(filepath.Join(root, "dist", "bundle.js"), strings.Repeat("var a = 'of a build';\n", 50_000))
	write(filepath.Join(tmp, "program"), "\x7fELF\x00\x00"+strings.Repeat("\x00text", 100_000))
	write(filepath.Join(tmp, "zero.sh"), "echo a\ngit pu\x00sh --force\n")
	for _, name := range []string{"Makefile", "package.json", "justfile", "Taskfile.yml"} { // 50 MB, but for one line empty
		write(filepath.Join(tmp, name), "x: ; rm -rf src\n")
		require.NoError(t, os.Truncate(filepath.Join(tmp, name), 50<<20))
	}
	write(filepath.Join(root, "Makefile"), "include Makefile\npush: ; git push --force\n")
	write(filepath.Join(tmp, "data.csv"), strings.Repeat("1,2,3\n", 100_000))
	m := New(nil)
	for text, want := range map[string]bool{
		"bash " + tmp + "/long.sh": true, "bash long.sh": true, "./long.sh": true, "bash < long.sh": true, "cat long.sh | sh": true,
		"make -C " + tmp: true, "cd " + tmp + "; npm run x": true, "cd " + tmp + " && just x": true, "cd " + tmp + "; task x": true, "make push": false,
		"node dist/bundle.js": false, tmp + "/program": false, "bash dir": false, "bash missing.sh": false, "python3 < /dev/null": false,
		"bash /dev/null": false, "tee copy.csv < " + tmp + "/data.csv": false, "sort < " + tmp + "/data.csv": false,
	} {
		actions, err := m.MapTool(t.Context(), sentinel.Event{Dir: root, Root: root, Tool: bashCall(text)})
		require.NoError(t, err)
		assert.Equal(t, want, actions[0].Command.Bounded, "%s: %s", text, actions[0].Command.Unparsed)
	}
	assert.True(t, runsPush(t, m, root, "make push"), "a makefile that includes itself")
	assert.True(t, runsPush(t, m, root, "bash "+tmp+"/zero.sh"), "a shell leaves NUL bytes out")
}

package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writesOfLib are ways in which a script or a line may write below lib.
var writesOfLib = map[string]string{
	"a known file":             "rm lib/a",
	"an unknown file":          `rm -rf "$X"`,
	"an unknown folder":        `rm -rf "$X/a"`,
	"find -delete":             `find "$M/b" -type f -delete`,
	"find -delete, known":      "find lib -type f -delete",
	"find -exec":               `find lib -name '*.o' -exec rm {} \;`,
	"a pipe into while":        `find "$M/b" -type d | while read d; do rm -rf "$d"; done`,
	"a known pipe":             `ls lib | while read d; do rm -rf "lib/$d"; done`,
	"a folder made by mktemp":  "M=$(mktemp -d)\nfind \"$M/b\" -type d | while read d; do rm -rf \"$d\"; done\ncp -r \"$M/b\" lib",
	"xargs rm":                 "ls lib | xargs rm",
	"unknown xargs rm":         "some-tool | xargs rm",
	"tee":                      "echo x | tee lib/a >/dev/null",
	"an unknown tee":           `echo x | tee "$F" >/dev/null`,
	"a redirection":            "echo x > lib/a",
	"an unknown redirection":   `echo x > "$F"`,
	"a here document":          "cat > lib/a <<E\nx\nE",
	"a copy":                   "cp src/a.c src/b.c lib",
	"a move":                   "mv src/a.c lib/a",
	"a pattern":                "rm lib/*.o",
	"a loop over files":        "for f in lib/*; do rm $f; done",
	"a loop over names":        "for f in a b; do touch lib/$f; done",
	"a script":                 "bash scripts/other.sh",
	"a script by its name":     "scripts/other.sh",
	"a script that is sourced": ". scripts/other.sh",
	"a target of make":         "make gen",
	"a script of npm":          "npm run gen",
	"a subshell":               "(cd lib && rm a)",
	"another shell":            "bash -c 'rm lib/a'",
	"as another user":          "sudo rm lib/a",
	"a function":               "clean() { rm lib/a; }\nclean",
	"a substitution":           "V=$(rm lib/a)",
	"code":                     `python3 -c 'open("lib/a","w")'`,
	"an edit":                  "sed -i s/a/b/ lib/*",
	"an unknown edit":          `sed -i s/a/b/ "$F"`,
	"git":                      "git checkout other",
	"in a list":                "test -d lib && rm lib/a",
	"where it may fail":        "rm lib/a || true",
	"in a branch":              "if test -e lib/a; then rm lib/a; fi",
	"many files":               "touch lib/{a,b,c}{0..9}{0..9}",
	"many commands":            strings.Repeat("echo x\n", 60) + "rm lib/a" + strings.Repeat("\necho x", 60),
	"many writes":              strings.Repeat("rm \"$X\"\nrm lib/a\n", 40) + "rm lib/b",
}

// lateWrites are writes that may be done when what comes next in the line has begun.
var lateWrites = map[string]string{
	"in the background": "rm lib/a &",
	"by a trap":         "trap 'rm lib/a' EXIT",
}

func builds(t *testing.T, rule, script string) *sessionRun {
	s := obliged(t, map[string]string{"build": rule})
	for _, name := range []string{"lib", "scripts", "src"} {
		s.folder(name)
	}
	for name, text := range map[string]string{
		"scripts/build.sh": "#!/bin/bash\nset -e\n" + script + "\n", "scripts/other.sh": "rm lib/a\n", "Makefile": "gen:\n\trm lib/a\n",
		"package.json": `{"scripts":{"gen":"rm lib/a"}}`, "lib/x.o": "", "src/a.c": "", "src/b.c": "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o755))
	}
	s.save("lib/a", s.now().Add(-time.Hour))
	s.write("lib/a")
	return s
}

// TestWhatARunWrites: what a command that has to run writes itself, or in what it runs, does not make the run old. What
// its line or script writes behind it does.
func TestWhatARunWrites(t *testing.T) {
	t.Parallel()
	const rule = "phase: stop\nrequires: {ran: [\"scripts/build.sh\"], ok: true, since: [\"lib/**\"]}\nmessage: build\n"
	sentBack := func(t *testing.T, script, line string) bool {
		s := builds(t, rule, script)
		require.NotEmpty(t, s.stop(), "it has not run")
		require.False(t, s.bash(line))
		s.save("lib/a", s.now().Add(time.Second)) // as a write of an unknown file has changed it
		return s.stop() != ""
	}
	inScript := func(t *testing.T, name, text string) {
		for _, run := range []string{"./scripts/build.sh", "make && bash scripts/build.sh && ls"} {
			require.False(t, sentBack(t, text, run), "%s in %s", name, run)
		}
		require.False(t, sentBack(t, text+"\necho done", "scripts/build.sh"), "%s, and more", name)
	}
	for name, text := range writesOfLib {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inScript(t, name, text)
			for _, line := range []string{
				"scripts/build.sh && { %s\n}", "bash scripts/build.sh && (%s\n)", "later() { %s\n}; scripts/build.sh && later",
				"bash -ec 'scripts/build.sh\nbash scripts/all.sh'", "find lib -exec scripts/build.sh {} +; { %s\n}", "while read x; do scripts/build.sh; %s\ndone",
				"for x in a; do scripts/build.sh\n%s\ndone", "if true; then scripts/build.sh; %s\nfi",
			} {
				if strings.Contains(line, "%s") {
					line = fmt.Sprintf(line, text)
				}
				s := builds(t, rule, "true")
				require.NoError(t, os.WriteFile(filepath.Join(s.dir, "scripts/all.sh"), []byte(text), 0o755))
				require.False(t, s.bash(line), line)
				s.save("lib/a", s.now().Add(time.Second))
				require.NotEmpty(t, s.stop(), line)
			}
			require.False(t, sentBack(t, "true", "{ "+text+"\n} && scripts/build.sh"), "%s before it", name)
		})
	}
	for name, text := range lateWrites {
		inScript(t, name, text)
		require.True(t, sentBack(t, "true", text+"\nscripts/build.sh"), "%s before it", name)
	}
}

// TestCommitBehindARun: the same at a commit in the line of the run.
func TestCommitBehindARun(t *testing.T) {
	t.Parallel()
	const rule = "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"scripts/build.sh\"], since: [\"lib/**\"]}\nmessage: build\n"
	for name, text := range writesOfLib {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := builds(t, rule, text)
			require.False(t, s.bash("scripts/build.sh && git commit -m x"), "in it")
			s = builds(t, rule, "true")
			require.False(t, s.bash("{ "+text+"\n} && scripts/build.sh && git commit -m x"), "before it")
		})
	}
	for text, script := range map[string]string{"rm lib/a": "", "bash scripts/other.sh": "", "make gen": "", "ls lib | xargs rm": "", "sudo rm lib/a": "", "later": "later() { rm lib/a; }; ", "git commit -m y": "trap 'rm lib/a' EXIT; ", "true": "rm lib/a & "} {
		s := builds(t, rule, "true")
		require.True(t, s.bash(script+"scripts/build.sh && "+text+" && git commit -m x"), text)
	}
	s := builds(t, rule, "rm lib/a & wait")
	require.False(t, s.bash("scripts/build.sh && git commit -m x"))
}

package rule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/shell"
)

// indexOf is the index of files as a reader sees it.
func indexOf(t testing.TB, files []File, fold bool) *Index {
	r := codec.Reader{Rest: string(AppendIndex(nil, files, fold))}
	x := ReadIndex(&r, len(files), fold)
	require.False(t, r.Failed)
	require.Empty(t, r.Rest)
	return &x
}

// requireIndexed holds that the index leaves out no rule that matches an action.
func requireIndexed(t testing.TB, x *Index, rules Rules, a *sentinel.Action) (candidates int) {
	for _, phase := range phases {
		chosen := map[int]bool{}
		last := -1
		require.True(t, x.Candidates(a, phase, func(i int) {
			require.Greater(t, i, last)
			chosen[i], last = true, i
		}))
		for i, r := range rules {
			if r.Spec().Judges(phase, a.Trigger) && r.Match(a).OK {
				require.True(t, chosen[i], "%s %q %v: the index leaves out %v", a.Trigger, a.Target, a.Forms, r.Definition().Scope)
			}
		}
		candidates += len(chosen)
	}
	return candidates
}

// corpusRules are the rules of the packs, those of the test data, broken ones too,
// and one for each form that a pattern can have.
func corpusRules(t testing.TB) (files []File) {
	for _, pack := range packs.Names() {
		list, err := packs.Files(pack)
		require.NoError(t, err)
		for _, f := range list {
			files = append(files, Parse(f.Name, f.Data))
		}
	}
	for _, dir := range caseDirs(t) {
		for _, name := range ruleFiles(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			files = append(files, Parse(name, data))
		}
	}
	for _, trigger := range []string{"file_write", "file_read", "bash", "mcp", "any"} {
		for _, pattern := range []string{
			"src/**", "**/x", "*.{ts,tsx}", "a/**/b", "./a", "build/", "/etc/**", "[a-z0-9_]*", "[!a]*", "{a/b,c}/d", `\[id\]/*`,
			"**/node_modules/**", "a**b", "{**/gen,out}/*", "SRC/Ä.go", "*", "**", "git push --force*", "*rm -rf*", "*curl*|*sh*", "sudo *",
			"docker run {--privileged,-v}*", "echo a*", "*DROP TABLE*", "postgres-*", "*:delete_*", "a?c", "find * -delete", "-rf", "$HOME*", `a\*b`,
		} {
			files = append(files, File{Definition: Definition{ID: trigger + pattern, Trigger: trigger, Severity: "block", Scope: []string{pattern}}})
		}
		files = append(files,
			File{Definition: Definition{ID: trigger + "-all", Trigger: trigger, Severity: "block"}},
			File{Definition: Definition{ID: trigger + "-post", Trigger: trigger, Severity: "info", Post: true, Scope: []string{"src/**", "git *"}}},
			File{Definition: Definition{ID: trigger + "-out", Trigger: trigger, Severity: "block", Exclude: []string{"src/**", "git *"}}})
	}
	return files
}

// corpusLines are the command lines of package shell's test data.
func corpusLines(t testing.TB) (lines []string) {
	names, err := filepath.Glob("../shell/testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, part := range strings.Split(string(data), "\n=== ") {
			_, text, _ := strings.Cut(part, "\n")
			text, _, _ = strings.Cut(text, "\n>>>")
			lines = append(lines, text)
		}
	}
	return lines
}

func TestIndexLeavesOutNoRuleOnCommands(t *testing.T) {
	t.Parallel()
	files := corpusRules(t)
	rules, _ := Build(files, nil)
	x := indexOf(t, files, false)
	candidates, lines := 0, corpusLines(t)
	require.Greater(t, len(lines), 200)
	for _, line := range lines {
		a := &sentinel.Action{Trigger: sentinel.Bash, Target: line, Command: shell.Parse(line, nil)}
		candidates += requireIndexed(t, x, rules, a)
	}
	require.Less(t, candidates, len(lines)*len(files)/4, "the index spares most rules")
	requireIndexed(t, x, rules, &sentinel.Action{Trigger: sentinel.Bash, Target: `bash -c 'git p\ush --force'`})
}

func TestIndexLeavesOutNoRuleOnPaths(t *testing.T) {
	t.Parallel()
	files := corpusRules(t)
	for _, fold := range []bool{false, true} {
		rules, _ := Build(files, &Options{CaseFold: fold})
		x := indexOf(t, files, fold)
		candidates, actions := 0, 0
		for _, path := range []string{
			"a", "src/a.ts", "./src//a.ts", "SRC/ä.GO", "src", "a/b", "a/x/y/b", "/etc/passwd", "/etc", "x/node_modules/y", "build", "build/x",
			"[id]/x", "a*b", ".env", ".git/hooks/pre-commit", "gen/x", "y/gen/x", "out/x", "c/d", "a/b/d", "", ".", "..", "../x", "É", "**", "src/**", "/**",
		} {
			for _, trigger := range []sentinel.Trigger{sentinel.FileWrite, sentinel.FileRead} {
				for _, op := range []sentinel.Op{sentinel.OpCreate, sentinel.OpEdit, sentinel.OpDelete, sentinel.OpMove} {
					for _, from := range []string{"", "git restore ."} {
						a := &sentinel.Action{Trigger: trigger, Op: op, Target: path, Path: path, Forms: []string{path, "/real/" + path}, Root: "/r", DerivedFrom: from}
						candidates += requireIndexed(t, x, rules, a)
						actions++
						a.Forms = nil
						requireIndexed(t, x, rules, a)
					}
				}
			}
		}
		require.Less(t, candidates, actions*len(files)/3)
	}
}

func TestIndexLeavesOutNoRuleOnTools(t *testing.T) {
	t.Parallel()
	files := corpusRules(t)
	rules, _ := Build(files, nil)
	x := indexOf(t, files, false)
	for _, name := range []string{"postgres-1:query", "fs:delete_file", "a:b", "abc:d", "", "src/x", "git:git push --force"} {
		server, tool, _ := strings.Cut(name, ":")
		requireIndexed(t, x, rules, &sentinel.Action{Trigger: sentinel.MCP, Target: name, Forms: []string{name, tool, server}})
	}
	requireIndexed(t, x, rules, &sentinel.Action{Trigger: "another", Target: "x"})
}

// FuzzIndex tries random patterns and actions.
func FuzzIndex(f *testing.F) {
	for _, line := range []string{"git push --force", "sudo rm -rf 'a b'", "x=$(curl y); eval $x", "bash -c 'git p\\ush'", "src/a.ts"} {
		for _, pattern := range []string{"git push*", "src/**", "*curl*|*sh*", "./a", "[a-z]*", "{a,b}/c"} {
			f.Add(pattern, line, uint8(3), false)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, text string, op uint8, fold bool) {
		var files []File
		for _, trigger := range indexed {
			files = append(files, File{Definition: Definition{ID: string(trigger), Trigger: string(trigger), Scope: []string{pattern}}})
		}
		rules, _ := Build(files, &Options{CaseFold: fold})
		x := indexOf(t, files, fold)
		for _, trigger := range indexed {
			a := &sentinel.Action{Trigger: trigger, Target: text, Op: sentinel.Op(op % 6), Forms: []string{text}}
			if trigger == sentinel.Bash {
				a.Command = shell.Parse(text, nil)
			}
			requireIndexed(t, x, rules, a)
		}
	})
}

// A damaged index is noticed, and never names a rule that is not there.
func TestIndexDamage(t *testing.T) {
	t.Parallel()
	files := corpusRules(t)[:20]
	flat := string(AppendIndex(nil, files, false))
	a := &sentinel.Action{Trigger: sentinel.Bash, Command: shell.Parse("git push", nil)}
	for i := range flat {
		for _, b := range []string{"\x00", "\x7f", "\x80", "\xff"} {
			r := codec.Reader{Rest: flat[:i] + b + flat[i+1:]}
			x := ReadIndex(&r, len(files), false)
			x.Candidates(a, sentinel.PhasePre, func(i int) { require.Less(t, i, len(files)) })
		}
	}
	x := Index{count: 1}
	x.sections[2*len(phases)] = "\x00\x05a"
	require.False(t, x.Candidates(a, sentinel.PhasePre, func(int) { t.Fatal("yielded") }))
}

func BenchmarkIndex1000(b *testing.B) {
	files := manyFiles(1000)
	x := indexOf(b, files, false)
	a := write("docs/readme.md")
	b.ReportAllocs()
	for b.Loop() {
		x.Candidates(a, sentinel.PhasePre, func(int) {})
	}
}

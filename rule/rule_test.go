package rule

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

func build(t testing.TB, text string, opts *Options) *Rule {
	t.Helper()
	rules, _ := Build([]File{Parse("r.yaml", []byte(text))}, opts)
	require.Len(t, rules, 1)
	return rules[0]
}

func write(forms ...string) *sentinel.Action {
	return &sentinel.Action{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Target: forms[0], Path: forms[0], Forms: forms, Root: "/repo"}
}

func remove(form string) *sentinel.Action {
	a := write(form)
	a.Op = sentinel.OpDelete
	return a
}

func restore(form string) *sentinel.Action {
	a := write(form)
	a.Op, a.DerivedFrom = sentinel.OpEdit, "git restore "+form
	return a
}

func read(form string) *sentinel.Action {
	return &sentinel.Action{Trigger: sentinel.FileRead, Target: form, Path: form, Forms: []string{form}, Root: "/repo"}
}

func bash(line string) *sentinel.Action {
	return &sentinel.Action{Trigger: sentinel.Bash, Target: line, Forms: []string{line}, Command: shell.Parse(line, nil)}
}

func mcp(server, tool string) *sentinel.Action {
	return &sentinel.Action{Trigger: sentinel.MCP, Target: server + ":" + tool, Server: server, MCPTool: tool,
		Forms: []string{server + ":" + tool, tool, server}}
}

func TestSpec(t *testing.T) {
	t.Parallel()
	f := Parse("rules/a.yaml", []byte("\nseverity: ask\ntrigger: bash\nscope: [x]\nbackend: claude\nmodel: m\nprompt: p\n"+
		"message: say\nfallback: [builtin]\nwhen: \"true\"\n"))
	require.Empty(t, f.Problems)
	f.Abs = "/repo/.claude/sentinel/rules/a.yaml"
	rules, problems := Build([]File{f}, &Options{IDPrefix: "user:", DefaultMode: "shadow", Backends: []string{"claude", "builtin"}})
	require.Empty(t, problems)
	require.Equal(t, &sentinel.RuleSpec{
		ID: "user:a", Source: "/repo/.claude/sentinel/rules/a.yaml:2", Trigger: sentinel.Bash, Severity: sentinel.SeverityAsk,
		Shadow: true, Prompt: "p", Message: "say", Backend: "claude", Model: "m", Fallback: []string{"builtin"},
	}, rules[0].Spec())
	require.Same(t, rules[0].Spec(), rules[0].Spec())
	require.True(t, rules[0].Conditional())
	require.Equal(t, []string{"x"}, rules[0].Definition().Scope)

	r := build(t, "prompt: x\nmode: enforce\n", &Options{DefaultMode: "shadow"})
	require.False(t, r.Spec().Shadow, "the rule's own mode counts first")
	require.Equal(t, "r.yaml:1", r.Spec().Source)
	require.Equal(t, sentinel.SeverityBlock, r.Spec().Severity)
	require.Equal(t, sentinel.Any, r.Spec().Trigger)
	require.Nil(t, r.Spec().Fallback)
	require.False(t, r.Conditional())
	require.True(t, build(t, "prompt: x\nmode: shadow\n", nil).Spec().Shadow)
	require.False(t, build(t, "prompt: x\n", nil).Spec().Shadow)
}

func TestBuildProblems(t *testing.T) {
	t.Parallel()
	files := []File{
		Parse("a/one.yaml", []byte("prompt: x\n")),
		Parse("b/one.yaml", []byte("# c\nprompt: y\n")),
		Parse("c/one.yaml", []byte("prompt: z\n")),
		Parse("d.yaml", []byte("prompt: z\nbackend: claud\nfallback: [mine, nobody]\n")),
		Parse("e.yaml", []byte("when: \"true\"\n")),
		Parse("f.yaml", []byte("when: \"true\"\nbackend: builtin\n")),
		Parse("g h.yaml", []byte("prompt: z\n")),
		Parse("i.yaml", []byte("severity: info\nmessage: z\n")),
	}
	rules, problems := Build(files, &Options{Backend: "ollama", Backends: []string{"ollama", "claude", "builtin", "mine"}})
	require.Equal(t, `warning: b/one.yaml:2: the id `+"`one`"+` is taken by a/one.yaml:1, and this rule is called one~2: give it another
warning: c/one.yaml:1: the id `+"`one`"+` is taken by a/one.yaml:1, and this rule is called one~3: give it another
warning: d.yaml:1: unknown backend `+"`claud`; did you mean `claude`?"+`; known are ollama, claude, builtin or mine
warning: d.yaml:1: unknown backend `+"`nobody`"+`; known are ollama, claude, builtin or mine
warning: e.yaml:1: the rule is judged by ollama and has no `+"`prompt`: until it has one `when` decides. Write a prompt, or `backend: builtin`"+`
warning: g h.yaml:1:1: the file's name cannot be an id: write `+"`id: NAME`"+` of letters, digits and . _ - :; until then the rule is called g-h
`, report(problems))
	var ids []string
	var broken []bool
	for _, r := range rules {
		ids = append(ids, r.Spec().ID)
		broken = append(broken, r.Spec().Err != nil)
	}
	require.Equal(t, []string{"one", "one~2", "one~3", "d", "e", "f", "g-h", "i"}, ids)
	require.NotContains(t, broken, true, "what is doubtful holds all the same")
	require.Equal(t, "builtin", rules[4].Spec().Backend, "a model cannot be asked without a prompt")

	rules, problems = Build(files[4:5], &Options{Backend: "builtin"})
	require.Empty(t, problems)
	require.NoError(t, rules[0].Spec().Err)

	rules, problems = Build(nil, nil)
	require.Empty(t, rules)
	require.Empty(t, problems)
}

// TestJudgedByNobody shows a rule that would never be judged: the configuration
// asks no model, and the rule has nothing else to judge by.
func TestJudgedByNobody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		opts   Options
		broken bool
	}{
		{"prompt: x\n", Options{Backend: "builtin"}, true},
		{"prompt: x\n", Options{Backend: "builtin", Fallback: []string{"builtin"}}, true},
		{"prompt: x\nfallback: []\n", Options{Backend: "builtin", Fallback: []string{"ollama"}}, true},
		{"prompt: x\n", Options{Backend: "builtin", Fallback: []string{"ollama"}}, false},
		{"prompt: x\nfallback: [claude]\n", Options{Backend: "builtin"}, false},
		{"prompt: x\nbackend: claude\n", Options{Backend: "builtin"}, false},
		{"prompt: x\nwhen: \"true\"\n", Options{Backend: "builtin"}, false},
		{"prompt: x\nseverity: info\n", Options{Backend: "builtin"}, false},
		{"prompt: x\n", Options{Backend: "ollama"}, false},
		{"prompt: x\n", Options{}, false},
		{"message: x\n", Options{Backend: "builtin"}, true},
		{"message: x\n", Options{Backend: "ollama"}, false},
	} {
		rules, problems := Build([]File{Parse("x.yaml", []byte(c.rule))}, &c.opts)
		require.Equal(t, c.broken, rules[0].Spec().Err != nil, "%s %+v", c.rule, c.opts)
		if c.broken {
			require.ErrorContains(t, rules[0].Spec().Err, "write `when: …`")
		} else {
			require.False(t, slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning }), c.rule)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	const billing = "trigger: file_write\nscope: [\"src/billing/**\"]\nexclude: [\"**/*.test.ts\"]\nprompt: x\n"
	const anything = "scope: [\"src/**\", \"git push --force*\", \"pg:*\", \"../no path\"]\nprompt: x\n"
	for _, tc := range []struct {
		name, rule string
		action     *sentinel.Action
		pattern    string // "-" for no match
		why        string
	}{
		{"write", billing, write("src/billing/a.ts"), "src/billing/**", ""},
		{"elsewhere", billing, write("src/a.ts"), "-", "no pattern matches"},
		{"excluded", billing, write("src/billing/a.test.ts"), "-", "excluded by **/*.test.ts"},
		{"link in", billing, write("link.ts", "src/billing/a.ts"), "src/billing/**", ""},
		{"link out of the exclude", billing, write("src/billing/a.test.ts", "src/billing/a.ts"), "src/billing/**", ""},
		{"link from an excluded place", billing, write("x/a.test.ts", "src/billing/a.test.ts"), "-", "excluded by **/*.test.ts"},
		{"folder removed", billing, remove("src"), "src/billing/**", ""},
		{"folder restored", billing, restore("src"), "src/billing/**", ""},
		{"folder beyond the bounds", "trigger: file_write\nscope: [\"**/secret.ts\"]\nprompt: x\n", remove("src/**"), "**/secret.ts", ""},
		{"project beyond the bounds", "trigger: file_write\nscope: [\"**/secret.ts\"]\nprompt: x\n", remove("**"), "**/secret.ts", ""},
		{"folder within the bounds", "trigger: file_write\nscope: [\"**/secret.ts\"]\nprompt: x\n", remove("src"), "-", "no pattern matches"},
		{"another folder beyond the bounds", "trigger: file_write\nscope: [\"docs/**/x.ts\"]\nprompt: x\n", remove("src/**"), "-", "no pattern matches"},
		{"folder edited", billing, write("src"), "-", "no pattern matches"},
		{"another trigger", billing, bash("ls"), "-", "trigger"},
		{"read", billing, read("src/billing/a.ts"), "-", "trigger"},
		{"read rule", "trigger: file_read\nscope: [.env]\nprompt: x\n", read("a/.env"), ".env", ""},
		{"read rule, write", "trigger: file_read\nscope: [.env]\nprompt: x\n", write(".env"), "-", "trigger"},
		{"no scope", "trigger: file_write\nprompt: x\n", write("a"), "", ""},
		{"no scope, exclude", "trigger: file_write\nexclude: [a]\nprompt: x\n", write("a"), "-", "excluded by a"},
		{"any never reads", "prompt: x\n", read("a"), "-", "trigger"},
		{"any, no scope", "prompt: x\n", mcp("a", "b"), "", ""},
		{"any, path", anything, write("src/a.ts"), "src/**", ""},
		{"any, command", anything, bash("cd x && git push --force"), "git push --force*", ""},
		{"any, tool", anything, mcp("pg", "drop"), "pg:*", ""},
		{"any, other tool", anything, mcp("fs", "src"), "-", "no pattern matches"},
		{"tool", "trigger: mcp\nscope: [drop_table]\nprompt: x\n", mcp("pg", "drop_table"), "drop_table", ""},
		{"tool, exclude", "trigger: mcp\nscope: [pg]\nexclude: [\"pg:read_*\"]\nprompt: x\n", mcp("pg", "read_row"), "-", "excluded by pg:read_*"},
		{"tool, no scope", "trigger: mcp\nexclude: [\"fs:*\"]\nprompt: x\n", mcp("fs", "x"), "-", "excluded by fs:*"},
		{"command", "trigger: bash\nscope: [\"rm -rf*\"]\nprompt: x\n", bash("sudo rm -rf /"), "rm -rf*", ""},
		{"command excluded", "trigger: bash\nscope: [\"rm *\"]\nexclude: [\"rm build/*\"]\nprompt: x\n", bash("rm build/x"), "-", "excluded by rm build/*"},
		{"exclude exempts one command only", "trigger: bash\nscope: [\"rm *\"]\nexclude: [\"echo *\"]\nprompt: x\n", bash("rm -rf / ; echo ok"), "rm *", ""},
		{"command, no scope", "trigger: bash\nprompt: x\n", bash("ls"), "", ""},
		{"command, only exclude", "trigger: bash\nexclude: [\"ls*\"]\nprompt: x\n", bash("ls; rm x"), "", ""},
		{"command, only exclude, exempt", "trigger: bash\nexclude: [\"ls*\"]\nprompt: x\n", bash("ls -l"), "-", "excluded by ls*"},
		{"not parsed", "trigger: bash\nscope: [\"rm -rf*\"]\nprompt: x\n",
			&sentinel.Action{Trigger: sentinel.Bash, Target: "sudo rm -rf /"}, "rm -rf*", ""},
		{"no forms", billing, &sentinel.Action{Trigger: sentinel.FileWrite, Target: "src/billing/a.ts"}, "src/billing/**", ""},
		{"no trigger", "prompt: x\n", &sentinel.Action{}, "-", "trigger"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := build(t, tc.rule, nil)
			require.NoError(t, r.Spec().Err)
			m := r.Match(tc.action)
			assert.Equal(t, tc.pattern != "-", m.OK)
			assert.Equal(t, tc.why, m.Why)
			if m.OK {
				assert.Equal(t, tc.pattern, m.Pattern)
				assert.NotEmpty(t, m.Form)
			}
			assert.Equal(t, m, r.Match(tc.action), "the second time as the first")
		})
	}
}

func TestMatchedCommand(t *testing.T) {
	t.Parallel()
	a := bash("cd x && sudo git push --force")
	m := build(t, "trigger: bash\nscope: [\"git push --force*\"]\nprompt: x\n", nil).Match(a)
	require.True(t, m.OK)
	require.Equal(t, "git", m.Command.Program)
	require.Equal(t, []string{"sudo"}, m.Within)
	require.NotEmpty(t, m.Spans)
	require.Nil(t, build(t, "prompt: x\n", nil).Match(a).Command)
	require.Nil(t, build(t, "prompt: x\n", nil).Match(write("a")).Command)
}

func TestFold(t *testing.T) {
	t.Parallel()
	const text = "trigger: file_write\nscope: [\"src/**\"]\nprompt: x\n"
	require.False(t, build(t, text, nil).Match(write("SRC/a")).OK)
	require.True(t, build(t, text, &Options{CaseFold: true}).Match(write("SRC/a")).OK)
}

// TestBroken shows to what a broken rule applies.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text    string
		yes, no []*sentinel.Action
	}{
		{"nonsense", []*sentinel.Action{write("a"), bash("ls"), mcp("a", "b")}, []*sentinel.Action{read("a")}},
		{"trigger: bash\nscope: [\"rm *\"]\nwhen: 1 +", []*sentinel.Action{bash("rm x")}, []*sentinel.Action{bash("ls"), write("a")}},
		{"trigger: bash\nscope: [\"\"]\nprompt: x", []*sentinel.Action{bash("ls")}, []*sentinel.Action{write("a")}},
		{"trigger: shell\nscope: [\"src/**\"]\nbackend: builtin", []*sentinel.Action{write("src/a")}, []*sentinel.Action{write("a")}},
		{"trigger: file_write\nscope: [\"src/**\"]\nexclude: [\"\"]\nprompt: {a: b}", []*sentinel.Action{write("src/a")}, []*sentinel.Action{write("a")}},
	} {
		r := build(t, tc.text, nil)
		require.Error(t, r.Spec().Err, tc.text)
		for _, a := range tc.yes {
			assert.True(t, r.Match(a).OK, "%s: %s", tc.text, a.Target)
		}
		for _, a := range tc.no {
			assert.False(t, r.Match(a).OK, "%s: %s", tc.text, a.Target)
		}
		_, err := r.When(context.Background(), tc.yes[0], sentinel.Match{})
		assert.ErrorIs(t, err, r.Spec().Err)
	}
}

func TestBrokenRuleCanBeRepaired(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := Parse("rules/r.yaml", []byte("nonsense"))
	f.Abs = filepath.Join(root, "rules", "r.yaml")
	rules, _ := Build([]File{f}, nil)
	own := func(op sentinel.Op, forms ...string) *sentinel.Action {
		a := write(forms...)
		a.Root, a.Op = root, op
		return a
	}
	r := rules[0]
	require.False(t, r.Match(own(sentinel.OpEdit, "rules/r.yaml")).OK)
	require.False(t, r.Match(own(sentinel.OpCreate, filepath.ToSlash(f.Abs))).OK)
	require.False(t, r.Match(own(sentinel.OpCreate, "link.yaml", "rules/r.yaml")).OK)
	require.True(t, r.Match(own(sentinel.OpDelete, "rules/r.yaml")).OK, "who removes it repairs nothing")
	require.True(t, r.Match(own(sentinel.OpMove, "rules/r.yaml")).OK)
	require.True(t, r.Match(own(sentinel.OpEdit, "rules/other.yaml")).OK)
	require.True(t, r.Match(own(sentinel.OpEdit, "RULES/r.yaml")).OK)
	derived := own(sentinel.OpEdit, "rules/r.yaml")
	derived.DerivedFrom = "sed -i"
	require.True(t, r.Match(derived).OK)

	rules, _ = Build([]File{f}, &Options{CaseFold: true})
	require.False(t, rules[0].Match(own(sentinel.OpEdit, "RULES/r.yaml")).OK)

	f = Parse("rules/r.yaml", []byte("prompt: x"))
	f.Abs = filepath.Join(root, "rules", "r.yaml")
	rules, _ = Build([]File{f}, nil)
	require.True(t, rules[0].Match(own(sentinel.OpEdit, "rules/r.yaml")).OK, "a rule that works is about its own file too")
}

func TestWhen(t *testing.T) {
	t.Parallel()
	a := write("src/a.ts")
	a.Content = "secret"
	ctx := context.Background()
	yes, err := build(t, "prompt: x\n", nil).When(ctx, a, sentinel.Match{OK: true})
	require.NoError(t, err)
	require.True(t, yes, "without a when it is always meant")

	r := build(t, "trigger: file_write\nprompt: x\nwhen: content == \"secret\"\n", nil)
	require.NoError(t, r.Spec().Err)
	yes, err = r.When(ctx, a, r.Match(a))
	require.NoError(t, err)
	require.True(t, yes)
	b := write("src/b.ts")
	yes, err = r.When(ctx, b, r.Match(b))
	require.NoError(t, err)
	require.False(t, yes)
}

func TestWhenFolds(t *testing.T) {
	t.Parallel()
	const text = "trigger: file_write\nbackend: builtin\nwhen: glob(path, \"SRC/**\")\n"
	for fold, want := range map[bool]bool{false: false, true: true} {
		r := build(t, text, &Options{CaseFold: fold})
		require.NoError(t, r.Spec().Err)
		a := write("src/a.ts")
		yes, err := r.When(context.Background(), a, r.Match(a))
		require.NoError(t, err)
		require.Equal(t, want, yes)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	r := build(t, "scope: [\"src/**\", \"rm *\", \"pg:*\"]\nprompt: x\nwhen: tool == \"\" or tool != \"\"\n", nil)
	require.NoError(t, r.Spec().Err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, a := range []*sentinel.Action{write("src/a"), bash("rm x"), mcp("pg", "x")} {
				m := r.Match(a)
				assert.True(t, m.OK)
				ok, err := r.When(context.Background(), a, m)
				assert.NoError(t, err)
				assert.True(t, ok)
			}
		}()
	}
	wg.Wait()
}

func manyFiles(n int) []File {
	files := make([]File, n)
	for i := range files {
		files[i] = Parse(fmt.Sprintf("rule%d.yaml", i), fmt.Appendf(nil,
			"trigger: file_write\nscope: [\"src/part%d/**\", \"lib/**/*.part%d\"]\nprompt: |\n%s\nwhen: content != \"\"\n",
			i, i, strings.Repeat("  What is written here must not break the rules of the house.\n", 8)))
	}
	return files
}

func BenchmarkParse24(b *testing.B) {
	for b.Loop() {
		manyFiles(24)
	}
}

func BenchmarkBuild1000(b *testing.B) {
	files := manyFiles(1000)
	b.ReportAllocs()
	for b.Loop() {
		Build(files, nil)
	}
}

func BenchmarkNoMatch1000(b *testing.B) {
	files := manyFiles(1000)
	a := write("docs/readme.md")
	for b.Loop() {
		rules, _ := Build(files, nil)
		for _, r := range rules {
			if r.Match(a).OK {
				b.Fatal("matched")
			}
		}
	}
}

package rule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// pushAction is `cd api && sudo git push`, with an effect of each kind.
func pushAction() *sentinel.Action {
	return &sentinel.Action{
		Trigger: sentinel.Bash, Tool: "Bash", Target: "cd api && sudo git push", Agent: "codex",
		Root: "/p", Dir: "/p/sub", Args: []byte(`{"command":"cd api && sudo git push","timeout":5}`),
		Command: &shell.Line{
			Text: "cd api && sudo git push",
			Commands: []shell.Command{
				{Program: "cd", Text: "cd api", Args: []string{"api"}, Operands: []string{"api"}, Certain: true},
				{Program: "git", Subcommand: "push", Text: "git push", Args: []string{"push"}, Operands: []string{"push"}, Wrappers: []string{"sudo"}, Dir: "api"},
			},
			Effects: []shell.Effect{
				{Kind: shell.EffectCreate, Path: "new", Dir: "api"},
				{Kind: shell.EffectEdit, Path: "../top", Dir: ""},
				{Kind: shell.EffectAppend, Path: "/etc/hosts"},
				{Kind: shell.EffectDelete, Path: "/p/gone"},
				{Kind: shell.EffectMove, Path: "from", To: "to", Dir: "/p"},
				{Kind: shell.EffectRead, Path: "~/.netrc"},
				{Kind: shell.EffectRead, Path: "where", DirUnknown: true},
			},
		},
	}
}

func writeAction() *sentinel.Action {
	return &sentinel.Action{
		Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Tool: "Edit", Target: "src/a.ts", Path: "src/a.ts",
		Forms: []string{"src/a.ts"}, Root: "/p", Dir: "/p", Content: "new", Old: "old",
	}
}

func mcpAction(args string) *sentinel.Action {
	return &sentinel.Action{Trigger: sentinel.MCP, Tool: "mcp__db__query", Server: "db", MCPTool: "query", Args: []byte(args)}
}

func TestWhenVariables(t *testing.T) {
	t.Parallel()
	removed := writeAction()
	removed.Op = sentinel.OpDelete
	read := &sentinel.Action{Trigger: sentinel.FileRead, Path: "a", Root: "/p"}
	for _, c := range []struct {
		action *sentinel.Action
		when   string // true of the action
	}{
		{pushAction(), `trigger == "bash" and tool == "Bash" and agent == "codex" and cwd == "/p/sub"`},
		{pushAction(), `command == "cd api && sudo git push" and path == "" and content == "" and operation == "" and server == ""`},
		{pushAction(), `not command.unparsed and command.unparsed == "" and "" == command.unparsed and len(command.unparsed) == 0`},
		{pushAction(), `len(commands) == 2 and commands[1].program == "git" and commands[1].wrappers == ["sudo"] and commands[1].dir == "api"`},
		{pushAction(), `commands[0].certain and not commands[1].certain and commands[1].subcommand == "push" and commands[1].text == "git push"`},
		{pushAction(), `cmd.program == "git"`},
		{pushAction(), `writes == ["sub/api/new", "top", "/etc/hosts", "to"]`},
		{pushAction(), `removes == ["gone", "from"]`},
		{pushAction(), `reads == ["~/.netrc", "where"]`},
		{pushAction(), `args.timeout == 5`},
		{writeAction(), `path == "src/a.ts" and content == "new" and old_content == "old" and operation == "edit"`},
		{writeAction(), `writes == ["src/a.ts"] and len(removes) == 0 and len(reads) == 0 and len(commands) == 0 and cmd.program == ""`},
		{removed, `removes == ["src/a.ts"] and len(writes) == 0 and operation == "delete"`},
		{read, `reads == ["a"] and len(writes) == 0 and trigger == "file_read"`},
		{mcpAction(`{"sql":"DROP","n":[1,{"x":true}]}`), `server == "db" and tool == "query" and args.sql == "DROP" and args.n[1].x == true`},
		{mcpAction(`{"a-b":1}`), `args["a-b"] == 1 and len(args) == 1`},
		{mcpAction(``), `len(args) == 0`},
		{mcpAction(`[1]`), `len(args) == 0`},
		{mcpAction(`{`), `len(args) == 0`},
		{mcpAction(`{}`), `not (args.sql contains "x") and not (lower(args.sql) matches "x") and (args.n ?? 3) == 3`},
		{mcpAction(`{"n":15,"l":["a"]}`), `args.n contains "5" and args.l contains "[\"a\"]" and ("x" + args.n) == "x15"`},
	} {
		w, err := compileWhen(c.when)
		require.NoError(t, err, c.when)
		got, err := w.eval(context.Background(), c.action, sentinel.Match{OK: true, Command: second(c.action)})
		require.NoError(t, err, c.when)
		assert.True(t, got, c.when)
		not, err := compileWhen("not (" + c.when + ")")
		require.NoError(t, err, c.when)
		got, err = not.eval(context.Background(), c.action, sentinel.Match{OK: true, Command: second(c.action)})
		require.NoError(t, err, c.when)
		assert.False(t, got, "not (%s)", c.when)
	}
}

func TestWhenCmd(t *testing.T) {
	t.Parallel()
	w, err := compileWhen(`cmd.program == "cd"`)
	require.NoError(t, err)
	a := pushAction()
	for _, matched := range []*shell.Command{nil, &a.Command.Commands[0]} {
		got, err := w.eval(context.Background(), a, sentinel.Match{OK: true, Command: matched})
		require.NoError(t, err)
		assert.True(t, got, "the first when the scope matched none: %v", matched)
	}
}

// TestWhenFolder: where a command works is told from the project's root, wherever that lies.
func TestWhenFolder(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"npm i":                        "web",
		"cd ../api && npm i":           "api",
		"cd src && npm i":              "web/src",
		"cd .. && npm i":               ".",
		"npm --prefix ../api/b i":      "api/b",
		"cd /web/project/api; npm i":   "api",
		"cd /web/other && npm i":       "/web/other",
		"cd ~other/web && npm i":       "",
		"npm i --prefix src":           "web/src",
		"npm -w ./src i":               "web/src",
		"npm -w src i":                 "",
		`cd "$DIR" && npm i`:           "",
		`cd "$DIR"; cd /web; npm i`:    "/web",
		"(cd api); npm i":              "web",
		"bash -c 'cd ../api && npm i'": "api",
	} {
		a := sentinel.Action{Trigger: sentinel.Bash, Target: line, Root: "/web/project", Dir: "/web/project/web", Command: shell.Parse(line, nil)}
		commands := a.Command.Commands
		got := folderOf(&a, &commands[slices.IndexFunc(commands, func(c shell.Command) bool { return c.Program == "npm" })])
		assert.Equal(t, want, got, line)
		w, err := compileWhen(`within(cmd.folder, "web")`)
		require.NoError(t, err)
		in, err := w.eval(context.Background(), &a, sentinel.Match{OK: true, Command: &commands[len(commands)-1]})
		require.NoError(t, err)
		assert.Equal(t, strings.HasPrefix(want, "web"), in, line)
	}
}

// second is the second command of an action, if it is one with two.
func second(a *sentinel.Action) *shell.Command {
	if a.Command == nil || len(a.Command.Commands) < 2 {
		return nil
	}
	return &a.Command.Commands[1]
}

func TestWhenFunctions(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]bool{
		`glob(path, "src/**")`:                              true,
		`glob("a/.env", ".env")`:                            true,
		`glob(path, "src/*/x")`:                             false,
		`within(path, "src")`:                               true,
		`within("src", "src")`:                              true,
		`within("src2/a", "src")`:                           false,
		`within("src/../etc", "src")`:                       false,
		`within("/p/src/a", "src")`:                         true,
		`within("src/a", "/p")`:                             true,
		`within("/q/a", ".")`:                               false,
		`within("a/b", ".")`:                                true,
		`within("", ".")`:                                   false,
		`within("", "")`:                                    false,
		`within("a", "")`:                                   true,
		`within("/x", "/")`:                                 true,
		`within("~/.ssh/id", "~/.ssh")`:                     true,
		`within("~/.ssh/../x", "~/.ssh")`:                   false,
		`within("C:/a/b", "C:\\a")`:                         true,
		`len(secrets("AKIAIOSFODNN7REALKEY")) >= 0`:         true,
		`len(secrets("nothing"))  == 0`:                     true,
		`any(secrets("x"), .kind == "y" and .start < .end)`: false,
		`hasFlag(cmd, "-f")`:                                false,
	} {
		w, err := compileWhen(when)
		require.NoError(t, err, when)
		got, err := w.eval(context.Background(), writeAction(), sentinel.Match{OK: true})
		require.NoError(t, err, when)
		assert.Equal(t, want, got, when)
	}
	assert.False(t, hasFlag(nil, "-f"))
}

// TestWhenFold: where case does not matter, paths are compared without it.
func TestWhenFold(t *testing.T) {
	t.Parallel()
	w, err := compileWhen(`glob(path, "SRC/**") and within(path, "Src")`)
	require.NoError(t, err)
	got, err := w.eval(context.Background(), writeAction(), sentinel.Match{OK: true})
	require.NoError(t, err)
	assert.False(t, got)
	w.fold = true
	got, err = w.eval(context.Background(), writeAction(), sentinel.Match{OK: true})
	require.NoError(t, err)
	assert.True(t, got)
}

// TestWhenForms: a symbolic link leads round no condition.
func TestWhenForms(t *testing.T) {
	t.Parallel()
	a := writeAction()
	a.Path, a.Forms = "link", []string{"link", "src/billing/a.ts"}
	for when, want := range map[string]bool{
		`path startsWith "src/"`:                     true,
		`path == "link"`:                             true,
		`any(writes, within(#, "src/billing"))`:      true,
		`path == "other"`:                            false,
		`path == "link" and path startsWith "src/"`:  false,
		`operation == "edit" and path == "src/a.ts"`: false,
	} {
		w, err := compileWhen(when)
		require.NoError(t, err)
		got, err := w.eval(context.Background(), a, sentinel.Match{OK: true, Form: "link"})
		require.NoError(t, err)
		assert.Equal(t, want, got, when)
	}
}

func TestCheckWhen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		when    string
		trigger sentinel.Trigger
		at      string
		message string // a part of it
	}{
		{`contnt contains "x"`, sentinel.Any, "1:1", `unknown name "contnt"; did you mean "content"?`},
		{`path == "a" and contnt contains "x"`, sentinel.FileWrite, "1:17", `did you mean "content"?`},
		{"path == \"a\" and\n  foobar", sentinel.Any, "2:3", `the variables are path, content,`},
		{`hasFlg(cmd, "-f")`, sentinel.Bash, "1:1", `did you mean "hasFlag"?`},
		{`any(commands, .progam == "git")`, sentinel.Bash, "1:16", `a command has no field "progam"; did you mean "program"?`},
		{`any(commands, .zzzzzzzz == "git")`, sentinel.Bash, "1:16", "it has program, subcommand,"},
		{`any(secrets(content), .knd == "x")`, sentinel.Any, "1:24", `a secret has no field "knd"; did you mean "kind"?`},
		{`command.program == "git"`, sentinel.Bash, "1:9", "the parsed commands are in commands and cmd"},
		{`path`, sentinel.Any, "1:1", "the expression gives a text; compare it"},
		{`args.force`, sentinel.MCP, "1:1", "a value of any type; compare it"},
		{`secrets(content) > 0`, sentinel.Any, "1:18", "a list of secrets and int"},
		{`path == "a"`, sentinel.Bash, "1:1", `"path" is always empty in a rule with trigger bash`},
		{`any(commands, .program == path)`, sentinel.Bash, "1:27", `"path" is always empty`},
		{`command contains "x"`, sentinel.FileWrite, "1:1", `"command" is always empty in a rule with trigger file_write`},
		{`content == ""`, sentinel.FileRead, "1:1", "always empty"},
		{`server == "x"`, sentinel.Bash, "1:1", "always empty"},
		{`len(writes) > 0`, sentinel.MCP, "1:5", "always empty"},
		{`any(commands, any(.args, any(.flags, true)))`, sentinel.Bash, "1:15", "2 deep"},
		{`$env["path"] == "a"`, sentinel.Any, "1:1", "write the variable's own name"},
		{`glob(path, "[^a]")`, sentinel.Any, "1:12", "write [!a]"},
		{`command matches "("`, sentinel.Bash, "1:9", "missing closing )"},
		{`path ==`, sentinel.Any, "1:7", "put quotes around the expression"},
		{`path == "a`, sentinel.Any, "1:11", "literal not terminated"},
		{`content.includes("x")`, sentinel.FileWrite, "1:9", "a text has no method `includes`; write `content contains \"…\"`"},
		{`content = "x"`, sentinel.FileWrite, "1:9", "`=` is not an operator; did you mean `==`?"},
		{``, sentinel.Any, "1:1", "unexpected token EOF"},
		{`reduce(writes, #acc + #, "") == ""`, sentinel.Any, "1:1", "reduce is not available"},
		{`repeat("x", 1000000) == ""`, sentinel.Any, "1:1", "repeat is not available"},
		{`now().Year() == 2026`, sentinel.Any, "1:1", "now is not available"},
		{`ran(command)`, sentinel.Bash, "1:1", "the pattern of ran(…) has to be written out"},
		{`last(wrote(path)) > 0`, sentinel.Any, "1:6", "the pattern of wrote(…) has to be written out"},
		{`any(["a"], wrote(#))`, sentinel.Any, "1:12", "has to be written out"},
		{`let f = wrote; f("a")`, sentinel.Any, "1:9", "wrote is a function"},
		{`wrote("[^a]")`, sentinel.Any, "1:7", "write [!a]"},
		{`changed("a")`, sentinel.Any, "1:1", "write `phase: stop`, or `wrote`, which looks at the session"},
		{strings.Repeat(`path == "a" or `, 2000) + "true", sentinel.Any, "1:", "nodes"},
	} {
		err := checkWhen(c.when, c.trigger, "")
		var fault *whenError
		if !assert.Truef(t, errors.As(err, &fault), "%.60s: %v", c.when, err) {
			continue
		}
		assert.True(t, strings.HasPrefix(err.Error(), c.at), "%.60s: %v", c.when, err)
		assert.Contains(t, fault.Message, c.message, "%.60s", c.when)
	}
	for when, trigger := range map[string]sentinel.Trigger{
		`path == "a" or command == "b" or server == "c"`: sentinel.Any,
		`tool == "x" and args.y == 1 and cwd != ""`:      sentinel.Bash,
		`any(reads, # == "x")`:                           sentinel.FileRead,
		`any(commands, any(.args, # == "x"))`:            sentinel.Bash,
		`let p = lower(path); p == "a"`:                  sentinel.FileWrite,
		`last(writes) == "a" or last(ran("make")) > 0`:   sentinel.Bash,
	} {
		assert.NoError(t, checkWhen(when, trigger, ""), when)
	}
}

// TestWhenBounds holds that an expression that takes too long or too much is
// given up, and never gives a silent false.
func TestWhenBounds(t *testing.T) {
	t.Parallel()
	many := pushAction()
	many.Command = &shell.Line{Commands: make([]shell.Command, 3000)}
	many.Command.Commands[2999].Program = "rm"
	text := writeAction()
	text.Content = strings.Repeat("a b\n", 1<<18)
	list := mcpAction(`{"l":[` + strings.Repeat("1,", whenList) + `2]}`)
	args := pushAction()
	args.Command = &shell.Line{Commands: []shell.Command{{Args: make([]string, whenList+1)}}}
	for _, c := range []struct {
		why    string
		action *sentinel.Action
		when   string
		want   error
	}{
		{"loops end by the clock", text, `any(split(content, "\n"), any(split(content, " "), # == "x"))`, errWhenSlow},
		{"a list that was cut is no false", many, `any(commands, .program == "rm")`, errWhenList},
		{"nor one within arguments", list, `any(args.l, # == 2)`, errWhenList},
		{"nor one within a command", args, `any(cmd.args, # == "x")`, errWhenList},
	} {
		w, err := compileWhen(c.when)
		require.NoError(t, err, c.why)
		got, err := w.eval(context.Background(), c.action, sentinel.Match{OK: true})
		assert.ErrorIs(t, err, c.want, c.why)
		assert.False(t, got)
	}

	w, err := compileWhen(`any(commands, .program == "")`)
	require.NoError(t, err)
	got, err := w.eval(context.Background(), many, sentinel.Match{OK: true})
	require.NoError(t, err, "what is found before the cut is found")
	assert.True(t, got)

	w, err = compileWhen(`len(1..1000000) == 0`)
	require.NoError(t, err)
	_, err = w.eval(context.Background(), many, sentinel.Match{})
	assert.ErrorContains(t, err, "memory budget exceeded")

	w, err = compileWhen(`args.a > 3`)
	require.NoError(t, err)
	_, err = w.eval(context.Background(), mcpAction(`{}`), sentinel.Match{})
	assert.ErrorContains(t, err, "could not be evaluated: 1:")

	clock := newClock(context.Background())
	joined, err := clock.join("a", "b")
	require.NoError(t, err)
	assert.Equal(t, "ab", joined)
	_, err = clock.join("", strings.Repeat("a", whenText))
	assert.ErrorIs(t, err, errWhenText, "text is not joined for ever")
	w, err = compileWhen(`len(map(1..1000, content + content)) == 0`)
	require.NoError(t, err)
	_, err = w.eval(context.Background(), text, sentinel.Match{})
	assert.Error(t, err, "by whichever bound it meets first")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w, err = compileWhen(`any(split(content, "\n"), any(split(content, " "), # == "x"))`)
	require.NoError(t, err)
	_, err = w.eval(ctx, text, sentinel.Match{})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestWhenLoopsEnd holds that a loop itself ends by the clock, so that nothing
// goes on after an evaluation was given up.
func TestWhenLoopsEnd(t *testing.T) {
	t.Parallel()
	for _, when := range []string{
		`any(1..1000, # > 5000)`, `len(filter(1..1000, # > 5000)) > 0`, `count(1..1000, any(1..1, # > 3)) > 0`, `len(map(1..1000, #)) == 0`,
	} {
		w, err := compileWhen(when)
		require.NoError(t, err)
		clock := newClock(context.Background())
		clock.limit.next, clock.limit.last = time.Time{}, time.Time{}
		_, err = w.run(w.newEnv(writeAction(), sentinel.Match{}, "a", trackedFiles{}, clock))
		assert.ErrorIs(t, err, errWhenSlow, when)
	}
}

// TestTimeLimit holds that a process that was not let compute has not used its
// time up, and that there is an end all the same.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	computed := &computing{}
	computed.during(func() {})
	l := limitOf(whenTime, computed)
	require.False(t, l.over())
	l.next, l.begun = time.Now().Add(-time.Second), computed.time()+time.Hour
	require.False(t, l.over(), "it stood still")
	require.True(t, l.next.After(time.Now()), "nobody looks again before it can be over")
	l.next, l.begun = time.Now().Add(-time.Second), computed.time()-time.Hour
	require.True(t, l.over())
	l = limitOf(whenTime, computed)
	l.next, l.last, l.begun = time.Time{}, time.Time{}, computed.time()+time.Hour
	require.True(t, l.over())
}

func TestWhenConcurrently(t *testing.T) {
	t.Parallel()
	w, err := compileWhen(`glob(path, "src/**") or any(commands, .program == "git") or len(args) > 0`)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for _, a := range []*sentinel.Action{pushAction(), writeAction(), mcpAction(`{"a":1}`)} {
		wg.Go(func() {
			for range 20 {
				got, err := w.eval(context.Background(), a, sentinel.Match{OK: true})
				assert.NoError(t, err)
				assert.True(t, got)
			}
		})
	}
	wg.Wait()
}

func FuzzWhen(f *testing.F) {
	for _, when := range []string{
		`any(commands, .program == "git" and hasFlag(#, "-f"))`, `glob(path, "src/**")`, `within(path, "src")`, `path`, `command.unparsed`,
		`let x = args.a; x contains "b"`, `args.a + args.b == "c"`, `count(1..10, # > 3) == 1`, `len(secrets(content)) > 0 ? true : false`,
		`any(commands, any(.args, # matches "a+"))`, `$env`, `"a" in ["a"]`, `not`, `((((`, `content[0:3] == "abc"`, `args?.a?.b == nil`,
	} {
		f.Add(when)
	}
	actions := []*sentinel.Action{pushAction(), writeAction(), mcpAction(`{"a":{"b":[1,"x"]}}`)}
	f.Fuzz(func(t *testing.T, when string) {
		w, err := compileWhen(when)
		if err != nil {
			var fault *whenError
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
				t.Fatalf("%q: %#v", when, err)
			}
			return
		}
		for _, a := range actions {
			if ok, err := w.eval(context.Background(), a, sentinel.Match{OK: true}); ok && err != nil {
				t.Errorf("%q: true and %v", when, err)
			}
		}
	})
}

// BenchmarkWhen is a condition on a rule that matched: the budget is a
// millisecond for compiling and evaluating it.
func BenchmarkWhen(b *testing.B) {
	a := pushAction()
	for _, when := range []string{
		`cmd.program == "git"`,
		`any(commands, .program == "git" and .subcommand == "push" and hasFlag(#, "-f", "--force"))`,
		`glob(path, "src/**") and (len(secrets(content)) > 0 or content matches "(?i)password")`,
	} {
		b.Run(fmt.Sprintf("compile+eval/%d", len(when)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w, err := compileWhen(when)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.eval(context.Background(), a, sentinel.Match{OK: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
		w, err := compileWhen(when)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("eval/%d", len(when)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.eval(context.Background(), a, sentinel.Match{OK: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestWhenBounded holds that text beyond a bound of the parser is not a
// reason to call a line clean.
func TestWhenBounded(t *testing.T) { // not parallel: `when` has a clock
	line := func(text string) *sentinel.Action {
		return &sentinel.Action{Trigger: sentinel.Bash, Target: text, Forms: []string{text}, Command: shell.Parse(text, nil), Certain: true}
	}
	const push = "git push --force"
	hidden := []*sentinel.Action{
		line(strings.Repeat("echo a; ", 2100) + push),
		line(strings.Repeat("eval ", 100) + push),
		line(strings.Repeat("sudo ", 100) + push),
		line("for c in {1..999} '" + push + "'; do $c; done"),
	}
	for _, c := range []struct {
		when string
		want bool
		err  error
	}{
		{`any(commands, .program == "git" and hasFlag(#, "--force"))`, false, errWhenBounded},
		{`cmd.program == "rm"`, false, errWhenBounded},
		{`any(writes, # == "x") or any(reads, # == "x")`, false, errWhenBounded},
		{`"x" in removes`, false, errWhenBounded},
		{`command.bounded`, true, nil},
		{`command contains "nowhere"`, false, nil},
	} {
		w, err := compileWhen(c.when)
		require.NoError(t, err, c.when)
		for i, a := range hidden {
			got, err := w.eval(context.Background(), a, sentinel.Match{OK: true})
			assert.ErrorIs(t, err, c.err, "%s: %d", c.when, i)
			assert.Equal(t, c.want, got, "%s: %d", c.when, i)
		}
		if c.err == nil {
			continue
		}
		got, err := w.eval(context.Background(), line("ls"), sentinel.Match{OK: true})
		require.NoError(t, err, c.when)
		assert.False(t, got)
	}
	w, err := compileWhen(`not command.bounded`)
	require.NoError(t, err)
	got, err := w.eval(context.Background(), line("ls"), sentinel.Match{OK: true})
	require.NoError(t, err)
	assert.True(t, got)

	found, err := compileWhen(`any(commands, hasFlag(#, "--force"))`)
	require.NoError(t, err)
	for _, text := range []string{
		strings.Repeat("echo a; ", 1100) + push, strings.Repeat("eval ", 20) + push, strings.Repeat("sudo ", 40) + push,
		"for c in {1..20} '" + push + "'; do eval $c; done",
	} {
		got, err := found.eval(context.Background(), line(text), sentinel.Match{OK: true})
		require.NoError(t, err)
		assert.True(t, got, "within the bounds it is found")
	}
}

// TestWhenMessages holds the numbers in the messages against the bounds.
func TestWhenMessages(t *testing.T) {
	t.Parallel()
	assert.ErrorContains(t, errWhenSlow, (whenTime + whenGrace).String())
	assert.ErrorContains(t, errWhenText, fmt.Sprintf("%d MB", whenText>>20))
	assert.ErrorContains(t, errWhenList, fmt.Sprintf("first %d elements", whenList))
}

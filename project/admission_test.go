package project_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/filelock"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// A hookDesk is a project whose hooks an agent waits for, with a clock that the test
// sets.
type hookDesk struct {
	t    *testing.T
	dir  string
	opts project.Options
	now  time.Time
}

func newHookDesk(t *testing.T, files tree) *hookDesk {
	t.Helper()
	if files[".claude/sentinel/config.yaml"] == "" {
		files[".claude/sentinel/config.yaml"] = "backend: builtin\nlog_file: log.jsonl\n"
	}
	repo := tree{}
	for name, text := range files {
		if !strings.HasPrefix(name, "user/") {
			name = "repo/" + name
		}
		repo[name] = text
	}
	dir := repo.write(t)
	d := &hookDesk{t: t, dir: filepath.Join(dir, "repo"), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	d.opts = project.Options{
		StateDir: filepath.Join(dir, "state"), UserDir: filepath.Join(dir, "user"), ForAgent: true,
		Now: func() time.Time { return d.now },
	}
	return d
}

// decide answers an event as a hook does, the record included.
func (d *hookDesk) decide(ev sentinel.Event) sentinel.Decision {
	d.t.Helper()
	p := project.Open([]string{d.dir}, &d.opts)
	dec, err := p.Evaluate(d.t.Context(), ev)
	require.NoError(d.t, err)
	require.NoError(d.t, p.Record(ev, dec))
	return dec
}

// allow does what a person does with a code.
func (d *hookDesk) allow(code string) {
	d.t.Helper()
	require.Len(d.t, code, 4)
	stopped, err := d.gate().FindStopped(code)
	require.NoError(d.t, err)
	require.NoError(d.t, d.gate().Allow(stopped, "ann"))
}

func (d *hookDesk) gate() *gate.Gate { return project.Open([]string{d.dir}, &d.opts).Gate() }

func (d *hookDesk) log() []map[string]any {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, "log.jsonl"))
	require.NoError(d.t, err)
	var lines []map[string]any
	for line := range strings.Lines(string(data)) {
		var r map[string]any
		require.NoError(d.t, json.Unmarshal([]byte(line), &r))
		lines = append(lines, r)
	}
	return lines
}

// command is a command in a folder.
func command(dir, line string) sentinel.Event {
	args, _ := json.Marshal(map[string]string{"command": programtest.Line(line)})
	return sentinel.Event{Phase: sentinel.PhasePre, Agent: "gemini", Session: "s", Dir: dir, Tool: sentinel.ToolCall{Name: "run_shell_command", Args: args}}
}

// numbered is an event with an id of its own.
func numbered(ev sentinel.Event, id string) sentinel.Event {
	ev.Tool.ID = id
	return ev
}

// A user allows one action in one project, for every agent.
func TestWhatACodeIsBoundTo(t *testing.T) {
	t.Parallel()
	content := func(ev sentinel.Event, text string) sentinel.Event {
		ev.Tool.Args, _ = json.Marshal(map[string]string{"file_path": "src/a.go", "content": text})
		return ev
	}
	for _, tt := range []struct {
		name  string
		other func(d *hookDesk, ev sentinel.Event) sentinel.Event
		pass  bool
	}{
		{"the same", func(_ *hookDesk, ev sentinel.Event) sentinel.Event { return ev }, true},
		{"another session", func(_ *hookDesk, ev sentinel.Event) sentinel.Event { ev.Session = "other"; return ev }, true},
		{"another agent", func(_ *hookDesk, ev sentinel.Event) sentinel.Event { ev.Agent = "codex"; return ev }, true},
		{"the path in another form", func(d *hookDesk, ev sentinel.Event) sentinel.Event {
			ev.Tool.Args, _ = json.Marshal(map[string]string{"file_path": "./src/../src/a.go", "content": "x"})
			return ev
		}, true},
		{"another content", func(_ *hookDesk, ev sentinel.Event) sentinel.Event { return content(ev, "y") }, false},
		{"another path", func(d *hookDesk, _ sentinel.Event) sentinel.Event { return write(d.dir, "src/b.go") }, false},
		{"another project", func(d *hookDesk, ev sentinel.Event) sentinel.Event { return write(d.dir, "inner/src/a.go") }, false},
		{"a command that writes the same", func(d *hookDesk, _ sentinel.Event) sentinel.Event { return command(d.dir, "printf x > src/a.go") }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newHookDesk(t, tree{
				".claude/sentinel/rules/a.yaml":       guard("src/**"),
				"inner/.claude/sentinel/rules/a.yaml": guard("src/**"),
			})
			ev := write(d.dir, "src/a.go")
			stopped := d.decide(numbered(ev, "1"))
			require.Equal(t, sentinel.VerdictBlock, stopped.Verdict)
			d.allow(stopped.Code)
			want := sentinel.VerdictBlock
			if tt.pass {
				want = sentinel.VerdictAllow
			}
			require.Equal(t, want, d.decide(numbered(tt.other(d, ev), "2")).Verdict)
			if !tt.pass {
				require.Equal(t, sentinel.VerdictAllow, d.decide(numbered(ev, "3")).Verdict, "what was allowed still may pass")
			}
		})
	}
}

// The same command in another folder is another action; the order of an MCP
// tool's arguments is nothing.
func TestCommandsAndToolsThatAreTheSame(t *testing.T) {
	t.Parallel()
	mcp := func(dir, args string) sentinel.Event {
		return sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: dir, Tool: sentinel.ToolCall{Name: "mcp__db__drop", Args: json.RawMessage(args)}}
	}
	rules := tree{
		".claude/sentinel/rules/a.yaml": "trigger: bash\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: no\n",
		".claude/sentinel/rules/b.yaml": "trigger: mcp\nwhen: \"true\"\nscope: [\"db\"]\nmessage: no\n",
		"sub/x":                         "",
	}
	d := newHookDesk(t, rules)
	d.allow(d.decide(command(d.dir, "rm -rf x")).Code)
	require.Equal(t, sentinel.VerdictBlock, d.decide(command(filepath.Join(d.dir, "sub"), "rm -rf x")).Verdict)
	d.allow(d.decide(numbered(mcp(d.dir, `{"table":"a","n":1}`), "1")).Code)
	require.Equal(t, sentinel.VerdictBlock, d.decide(numbered(mcp(d.dir, `{"table":"b","n":1}`), "2")).Verdict)
	require.Equal(t, sentinel.VerdictAllow, d.decide(numbered(mcp(d.dir, ` { "n":1, "table":"a" } `), "3")).Verdict)
}

// A person's yes counts at once, also for an agent that does not number its calls
// and tries again within the moment in which that looks like a second hook; and
// both hooks of such a call pass.
func TestAPersonsYesBeatsAnAnswerOfAMomentAgo(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": "trigger: bash\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: no\n"})
	ev := command(d.dir, "rm -rf x")
	first := d.decide(ev)
	second := d.decide(ev)
	require.True(t, second.Relayed)
	require.Equal(t, first.Code, second.Code)
	require.Equal(t, first.Reason(), second.Reason())
	d.allow(first.Code)

	passed := d.decide(ev)
	require.Equal(t, sentinel.VerdictAllow, passed.Verdict)
	require.False(t, passed.Relayed)
	require.True(t, passed.Findings[0].Waived)
	twin := d.decide(ev)
	require.Equal(t, sentinel.VerdictAllow, twin.Verdict)
	require.True(t, twin.Relayed)

	d.now = d.now.Add(3 * time.Second)
	require.Equal(t, sentinel.VerdictBlock, d.decide(ev).Verdict, "once")

	var what []string
	for _, r := range d.log() {
		what = append(what, fmt.Sprint(r["level"], " ", r["mode"], " ", r["verdict"]))
	}
	require.Equal(t, []string{
		"eval <nil> <nil>", "decision <nil> block",
		"allowed <nil> <nil>",
		"eval allowed <nil>", "decision allowed allow",
		"eval <nil> <nil>", "decision <nil> block",
	}, what)
}

// Letting through takes away what stops the call, and nothing else.
func TestWhatIsLeftOfALetThroughDecision(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{
		".claude/sentinel/config.yaml":     "backend: none\nfail_open: false\n",
		".claude/sentinel/rules/ask.yaml":  "trigger: bash\nbackend: builtin\nseverity: ask\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: ask first\n",
		".claude/sentinel/rules/info.yaml": "trigger: bash\nseverity: info\nscope: [\"rm *\"]\nprompt: mind the bin\n",
		".claude/sentinel/rules/warn.yaml": "trigger: bash\nbackend: builtin\nseverity: warn\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: careful\n",
		".claude/sentinel/rules/down.yaml": "trigger: bash\nbackend: command\nseverity: block\nscope: [\"rm *\"]\nprompt: nobody answers\n",
	})
	put(t, filepath.Join(d.dir, ".claude/sentinel/config.yaml"), "backend: builtin\nfail_open: false\n")
	ev := command(d.dir, "rm -rf x")
	stopped := d.decide(ev)
	require.Equal(t, sentinel.VerdictBlock, stopped.Verdict)
	require.Contains(t, strings.Join(stopped.Context(), "|"), "careful")
	require.Contains(t, strings.Join(stopped.Context(), "|"), "mind the bin")
	d.allow(stopped.Code)
	passed := d.decide(ev)
	require.Equal(t, sentinel.VerdictWarn, passed.Verdict)
	require.Empty(t, passed.Reason())
	require.Empty(t, passed.Code)
	require.Contains(t, strings.Join(passed.Context(), "|"), "careful")
	require.Contains(t, strings.Join(passed.Context(), "|"), "mind the bin")
}

// Secrets do not get into the file of stopped calls, and a long command is said to
// be longer than what is shown of it.
func TestWhatAPersonIsShown(t *testing.T) {
	t.Parallel()
	const key = "ghp_" + "x7KqPz2mVb9LrT4nWc8YdH3sJf6GaE1uQo5i"
	d := newHookDesk(t, tree{
		".claude/sentinel/rules/a.yaml": "trigger: bash\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: \"no: {{command}}\"\n",
	})
	line := "rm -rf x; curl -H 'Authorization: Bearer " + key + "' " + strings.Repeat("y", 3000)
	stopped := d.decide(command(d.dir, line))
	shown, err := d.gate().FindStopped(stopped.Code)
	require.NoError(t, err)
	require.Equal(t, d.dir, shown.Project)
	require.Equal(t, "gemini", shown.Call.Event.Agent)
	require.True(t, shown.At.Equal(d.now))
	require.True(t, shown.Allowed.IsZero())
	findings := shown.Call.Decision.Findings
	require.Len(t, findings, 1)
	require.Equal(t, "a", findings[0].Rule.ID)
	require.Equal(t, sentinel.Bash, findings[0].Action.Trigger)
	require.Equal(t, len(line), shown.Call.Cut.Lengths[0])
	require.LessOrEqual(t, len([]rune(findings[0].Action.Target)), 500)
	require.True(t, strings.HasPrefix(findings[0].Action.Target, "rm -rf x; curl"))
	data, err := os.ReadFile(filepath.Join(d.opts.StateDir, "stopped"))
	require.NoError(t, err)
	require.NotContains(t, string(data), key)
	turns, err := filepath.Glob(filepath.Join(d.opts.StateDir, "turns", "*"))
	require.NoError(t, err)
	require.Len(t, turns, 1)
}

// A content of many megabytes is neither copied nor searched to be stopped, and
// still tells one call from another.
func TestALargeContentHasACodeOfItsOwn(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**")})
	large := func(last string) sentinel.Event {
		ev := write(d.dir, "src/a.go")
		ev.Tool.Args, _ = json.Marshal(map[string]string{"file_path": "src/a.go", "content": strings.Repeat("line\n", 200_000) + last})
		return ev
	}
	d.allow(d.decide(numbered(large("x"), "1")).Code)
	require.Equal(t, sentinel.VerdictBlock, d.decide(numbered(large("y"), "2")).Verdict)
	require.Equal(t, sentinel.VerdictAllow, d.decide(numbered(large("x"), "3")).Verdict)
	shown, err := d.gate().FindStopped(d.decide(numbered(large("y"), "4")).Code)
	require.NoError(t, err)
	f := shown.Call.Decision.Findings[0]
	require.Equal(t, "src/a.go", f.Action.Target)
	require.Equal(t, "the content is too large to say more", f.Reason)
}

// Many rules at one call: a person sees the first of them and how many there are.
func TestManyRulesThatStopOneCall(t *testing.T) {
	t.Parallel()
	rules := tree{".claude/sentinel/config.yaml": "backend: builtin\ncollect_all: true\n"} // however slow the machine is
	for i := range 20 {
		rules[fmt.Sprintf(".claude/sentinel/rules/r%02d.yaml", i)] = "trigger: bash\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: \"" + strings.Repeat("é", 3000) + "\"\n"
	}
	d := newHookDesk(t, rules)
	stopped := d.decide(command(d.dir, "rm "+strings.Repeat("ü ", 5000)))
	shown, err := d.gate().FindStopped(stopped.Code)
	require.NoError(t, err)
	require.Len(t, shown.Call.Decision.Findings, 3)
	require.Equal(t, 17, shown.Call.Cut.Findings)
}

// No answer is waited for, no code is given and nothing is written where no
// agent acts on the answer, or no rule applies.
func TestNothingIsWrittenForACheck(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**")})
	d.opts.NoLog = true
	require.Equal(t, sentinel.VerdictAllow, d.decide(write(d.dir, "docs/a.md")).Verdict)
	d.opts.ForAgent = false
	require.Empty(t, d.decide(write(d.dir, "src/a.go")).Code)
	require.NoDirExists(t, filepath.Join(d.opts.StateDir, "turns"))
	require.NoFileExists(t, filepath.Join(d.opts.StateDir, "stopped"))
}

// Without a place to write, a call is stopped all the same, without a code.
func TestNoCodeWithoutAPlace(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"none": "", "a file": filepath.Join(t.TempDir(), "file")} {
		d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**")})
		if d.opts.StateDir = dir; dir != "" {
			put(t, dir, "")
		}
		for range 2 {
			dec := d.decide(write(d.dir, "src/a.go"))
			require.Equal(t, sentinel.VerdictBlock, dec.Verdict, name)
			require.Empty(t, dec.Code, name)
			require.False(t, dec.Relayed, name)
		}
		_, err := d.gate().FindStopped("K7QX")
		require.Error(t, err, name)
	}
}

// An answer of another process that is not a decision does not count.
func TestForgedAnswersAreNotBelieved(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`{}`, `[]`, `{"decision":"undecided"}`, `{"decision":"maybe"}`, `{"decision":"block"}`, `{"version":2,"decision":"allow"}`,
		`{"decision":"block","findings":[{"rule_id":"a","severity":"block","action":9,"outcome":"violation","verdict":"block"}]}`,
		`{"decision":"block","findings":[{"rule_id":"a","severity":"block","action":-1,"outcome":"violation","verdict":"block"}]}`,
		`{"decision":"block","findings":[{"rule_id":"a","severity":"block","outcome":"violation","verdict":"allow"}]}`,
		`{"decision":"block","findings":[{"rule_id":"a","severity":"block","outcome":"?","verdict":"block"}]}`,
	} {
		d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**")})
		ev := write(d.dir, "src/a.go")
		d.decide(ev)
		files, err := filepath.Glob(filepath.Join(d.opts.StateDir, "turns", "*"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		forge(t, d.opts.StateDir, files[0], answer, true)
		dec := d.decide(ev)
		require.Equal(t, sentinel.VerdictBlock, dec.Verdict, answer)
		require.False(t, dec.Relayed, answer)
	}
}

// forge puts another answer into a file in which one hook leaves it for the next.
func forge(t *testing.T, stateDir, path, answer string, sealed bool) {
	t.Helper()
	key, err := state.Key(stateDir)
	require.NoError(t, err)
	seal := state.NewSealed(key, "claims 1")
	data, err := seal.Read(path)
	require.NoError(t, err)
	var note map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &note))
	note["answer"] = json.RawMessage(answer)
	data, err = json.Marshal(note)
	require.NoError(t, err)
	if sealed {
		require.NoError(t, seal.Write(path, data))
		return
	}
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// A process of the agent cannot answer in the place of a hook.
func TestAnAnswerOfAnotherProgramIsNone(t *testing.T) {
	t.Parallel()
	const allow = `{"version":1,"decision":"allow"}`
	for _, sealed := range []bool{true, false} {
		d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**")})
		ev := write(d.dir, "src/a.go")
		require.Equal(t, sentinel.VerdictBlock, d.decide(ev).Verdict)
		files, err := filepath.Glob(filepath.Join(d.opts.StateDir, "turns", "*"))
		require.NoError(t, err)
		forge(t, d.opts.StateDir, files[0], allow, sealed)
		require.Equal(t, sealed, d.decide(ev).Verdict == sentinel.VerdictAllow, "sealed: %v", sealed)
	}
}

// A change in the rules or the configuration is judged, although there was
// an answer a moment ago.
func TestAnAnswerOfOtherRulesIsNone(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**") + "severity: ask\n"})
	ev := write(d.dir, "src/a.go")
	require.Equal(t, sentinel.VerdictAsk, d.decide(ev).Verdict)
	require.True(t, d.decide(ev).Relayed)
	put(t, filepath.Join(d.dir, ".claude/sentinel/rules/a.yaml"), guard("src/**"))
	dec := d.decide(ev)
	require.False(t, dec.Relayed)
	require.Equal(t, sentinel.VerdictBlock, dec.Verdict)
	put(t, filepath.Join(d.dir, ".claude/sentinel/config.yaml"), "backend: builtin\nfail_open: false\n")
	require.False(t, d.decide(ev).Relayed)
}

func TestPauseOfAProject(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{
		".claude/sentinel/rules/a.yaml":       guard("src/**"),
		"inner/.claude/sentinel/rules/b.yaml": guard("**"),
		"user/rules/c.yaml":                   guard("*.pem"),
	})
	p := project.Open([]string{d.dir}, &d.opts)
	require.False(t, p.Gate().Paused())
	for _, length := range []time.Duration{-1, 0, gate.MaxPause + 1} {
		_, err := p.Gate().Pause(length, false, "ann")
		require.ErrorContains(t, err, "up to 8h")
	}
	pause, err := p.Gate().Pause(time.Minute, false, "ann")
	require.NoError(t, err)
	require.Equal(t, []gate.Pause{pause}, p.Gate().Pauses())
	require.True(t, p.Gate().Paused())

	dec := d.decide(write(d.dir, "src/a.go"))
	require.Equal(t, sentinel.VerdictAllow, dec.Verdict)
	require.Len(t, dec.Findings, 1)
	require.Equal(t, sentinel.OutcomeSkipped, dec.Findings[0].Outcome)
	require.True(t, dec.Findings[0].Waived)
	require.Equal(t, sentinel.VerdictAllow, d.decide(write(d.dir, "x.pem")).Verdict, "the user's own rules")
	require.Equal(t, sentinel.VerdictBlock, d.decide(write(d.dir, "inner/x")).Verdict, "another project")
	require.Equal(t, sentinel.VerdictAsk, d.decide(command(d.dir, "sentinel trust")).Verdict, "Sentinel's own rules")
	require.Equal(t, sentinel.VerdictAsk, d.decide(write(d.dir, filepath.Join(d.opts.StateDir, "paused"))).Verdict, "Sentinel's own files")

	d.now = d.now.Add(time.Minute)
	require.Equal(t, sentinel.VerdictBlock, d.decide(write(d.dir, "src/a.go")).Verdict)

	_, err = p.Gate().Pause(time.Hour, true, "ann")
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictAllow, d.decide(write(d.dir, "inner/x")).Verdict)
	require.NoError(t, p.Gate().EndPause(false, "ann"), "of this project there is none")
	require.True(t, p.Gate().Paused())
	require.NoError(t, p.Gate().EndPause(true, "ann"))
	require.False(t, p.Gate().Paused())
	require.Equal(t, sentinel.VerdictBlock, d.decide(write(d.dir, "inner/x")).Verdict)
}

// Where no project applies there is only everywhere to pause.
func TestPauseOutsideOfAProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := project.Open([]string{dir}, &project.Options{StateDir: filepath.Join(dir, "state")})
	_, err := p.Gate().Pause(time.Minute, false, "ann")
	require.ErrorContains(t, err, "--all")
	_, err = project.Open([]string{dir}, nil).Gate().Pause(time.Minute, true, "ann")
	require.ErrorContains(t, err, "HOME")
	_, err = p.Gate().Pause(time.Minute, true, "ann")
	require.NoError(t, err)
	require.True(t, p.Gate().Paused())
	require.False(t, project.Open([]string{dir}, nil).Gate().Paused())
	require.Empty(t, project.Open([]string{dir}, nil).Gate().Pauses())
}

// A strict project that cannot read a call stops it, and lets it pass while it is
// paused.
func TestPauseOfWhatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/config.yaml": "backend: builtin\nfail_open: false\ntool_map: {Odd: bash}\n", ".claude/sentinel/rules/a.yaml": guard("x")})
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: d.dir, Tool: sentinel.ToolCall{Name: "Odd", Args: json.RawMessage(`{"command":7}`)}}
	p := project.Open([]string{d.dir}, &d.opts)
	dec, err := p.Evaluate(t.Context(), ev)
	require.Error(t, err)
	require.Equal(t, sentinel.VerdictUndecided, dec.Verdict)
	require.Empty(t, dec.Code)
	_, err = p.Gate().Pause(time.Minute, false, "ann")
	require.NoError(t, err)
	dec, err = project.Open([]string{d.dir}, &d.opts).Evaluate(t.Context(), ev)
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictAllow, dec.Verdict)
}

// A warning that the agent may not have read, because the call was stopped, is given
// again.
func TestAStoppedCallUsesNoWarningUp(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{
		".claude/sentinel/config.yaml":     "backend: builtin\ncollect_all: true\n",
		".claude/sentinel/rules/stop.yaml": "trigger: bash\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: no\n",
		".claude/sentinel/rules/warn.yaml": "trigger: bash\nseverity: warn\nwhen: \"true\"\nscope: [\"git *\", \"rm *\"]\nmessage: careful\n",
	})
	require.Equal(t, sentinel.VerdictBlock, d.decide(command(d.dir, "rm x")).Verdict)
	require.Len(t, d.decide(command(d.dir, "git push")).Context(), 1)
	require.Empty(t, d.decide(command(d.dir, "git pull")).Context(), "once")
}

// A user sees as much of a call that many rules stop as of one that a single rule
// stops.
func TestManyRulesHideNothingOfACommand(t *testing.T) {
	t.Parallel()
	rules := tree{".claude/sentinel/config.yaml": "backend: builtin\ncollect_all: true\n"}
	for i := range 4 {
		rules[fmt.Sprintf(".claude/sentinel/rules/r%d.yaml", i)] = "trigger: bash\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: \"" + strings.Repeat("m", 400) + "\"\n"
	}
	d := newHookDesk(t, rules)
	stopped := d.decide(command(d.dir, "rm "+strings.Repeat("y ", 500)))
	shown, err := d.gate().FindStopped(stopped.Code)
	require.NoError(t, err)
	for _, f := range shown.Call.Decision.Findings {
		require.Len(t, f.Action.Target, 500)
		require.Equal(t, strings.Repeat("m", 249)+"…", f.Reason)
	}
}

// A call that could not be judged is not held: another hook of it, which has no
// answer to wait for, judges at once.
func TestACallThatIsNotDecidedIsNotHeld(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/config.yaml": "backend: builtin\nfail_open: false\ntool_map: {Odd: bash}\n", ".claude/sentinel/rules/a.yaml": guard("x")})
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: d.dir, Tool: sentinel.ToolCall{Name: "Odd", Args: json.RawMessage(`{"command":7}`)}}
	dec, err := project.Open([]string{d.dir}, &d.opts).Evaluate(t.Context(), ev)
	require.ErrorIs(t, err, project.ErrStrict)
	require.Equal(t, sentinel.VerdictUndecided, dec.Verdict)
	files, err := filepath.Glob(filepath.Join(d.opts.StateDir, "turns", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	claim, err := os.OpenFile(files[0], os.O_RDWR, 0)
	require.NoError(t, err)
	defer claim.Close()
	require.NoError(t, filelock.Try(claim))
}

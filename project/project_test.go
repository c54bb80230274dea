package project_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/project"
)

// A tree is files by their names below a temporary folder.
type tree map[string]string

func (files tree) write(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// guard is a rule that blocks writes to a path, with no model.
func guard(path string) string {
	return "trigger: file_write\nbackend: builtin\nwhen: \"true\"\nscope: [\"" + path + "\"]\nmessage: not here\n"
}

func write(dir, path string) sentinel.Event {
	args, _ := json.Marshal(map[string]string{"file_path": path, "content": "x"})
	return sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: dir, Tool: sentinel.ToolCall{Name: "Write", Args: args}}
}

func verdict(t *testing.T, p *project.Project, ev sentinel.Event) string {
	t.Helper()
	d, err := p.Evaluate(t.Context(), ev)
	require.NoError(t, err)
	return d.Verdict.String()
}

func TestFoldersAreFoundFromEverywhere(t *testing.T) {
	t.Parallel()
	dir := tree{
		"repo/.claude/sentinel/rules/a.yaml":         guard("src/**"),
		"repo/src/deep/x.go":                         "",
		"repo/pkg/.claude/sentinel/rules/b.yaml":     guard("gen/**"),
		"repo/pkg/gen/y.go":                          "",
		"user/rules/c.yaml":                          guard("**/*.pem"),
		"elsewhere/named/sentinel/rules/d.yaml":      guard("*.txt"),
		"elsewhere/.claude/sentinel/rules/other.yml": guard("other/**"),
		"empty/z": "",
	}.write(t)
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	linked := os.Symlink(at("repo"), at("alias")) == nil || runtime.GOOS != "windows"

	for _, c := range []struct {
		name   string
		opts   project.Options
		starts []string
		event  sentinel.Event
		want   string
	}{
		{"in the root", project.Options{}, []string{at("repo")}, write(at("repo"), "src/x.go"), "block"},
		{"in a folder below", project.Options{}, []string{at("repo/src/deep")}, write(at("repo/src/deep"), "x.go"), "block"},
		{"another path", project.Options{}, []string{at("repo")}, write(at("repo"), "docs/x.md"), "allow"},
		{"the inner project, by its own root", project.Options{}, []string{at("repo/pkg")}, write(at("repo/pkg"), "gen/y.go"), "block"},
		{"the outer project guards the inner too", project.Options{}, []string{at("repo/pkg")}, write(at("repo/pkg"), "../src/x.go"), "block"},
		{"by the root that the agent names", project.Options{}, []string{at("empty"), at("repo")}, write(at("empty"), at("repo/src/x.go")), "block"},
		{"by the path alone: cd is no way out", project.Options{}, []string{at("empty")}, write(at("empty"), at("repo/src/x.go")), "block"},
		{"by the path of the inner project", project.Options{}, []string{at("empty")}, write(at("empty"), at("repo/pkg/gen/y.go")), "block"},
		{"through an alias", project.Options{}, []string{at("empty")}, write(at("empty"), at("alias/src/x.go")), "block"},
		{"in an alias", project.Options{}, []string{at("alias/src")}, write(at("alias/src"), "x.go"), "block"},
		{"nowhere", project.Options{}, []string{at("empty")}, write(at("empty"), "x.go"), "allow"},
		{"a folder that is gone", project.Options{}, []string{at("gone")}, write(at("gone"), "x.go"), "allow"},
		{"the user's rules hold everywhere", project.Options{UserDir: at("user")}, []string{at("empty")}, write(at("empty"), "key.pem"), "block"},
		{"the user's rules beside a project's", project.Options{UserDir: at("user")}, []string{at("repo")}, write(at("repo"), "docs/key.pem"), "block"},
		{"a folder named directly", project.Options{ConfigDir: at("elsewhere/named/sentinel")}, []string{at("empty")}, write(at("empty"), "a.txt"), "block"},
		{"and then no other", project.Options{ConfigDir: at("elsewhere/named/sentinel")}, []string{at("repo")}, write(at("repo"), "src/x.go"), "allow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(c.name, "alias") && !linked {
				t.Skip("Windows lets this user make no symbolic links")
			}
			require.Equal(t, c.want, verdict(t, project.Open(c.starts, &c.opts), c.event))
		})
	}
}

func TestUserRulesComeFirstUnderTheirOwnNames(t *testing.T) {
	t.Parallel()
	dir := tree{"repo/.claude/sentinel/rules/a.yaml": guard("*.pem"), "user/rules/a.yaml": guard("*.pem")}.write(t)
	p := project.Open([]string{filepath.Join(dir, "repo")}, &project.Options{UserDir: filepath.Join(dir, "user")})
	d, err := p.Evaluate(t.Context(), write(filepath.Join(dir, "repo"), "key.pem"))
	require.NoError(t, err)
	require.Len(t, d.Findings, 2)
	require.Equal(t, "user:a", d.Findings[0].Rule.ID)
	require.Equal(t, "a", d.Findings[1].Rule.ID)
}

func TestNoRepositorySwitchesTheUsersRulesOff(t *testing.T) {
	t.Parallel()
	dir := tree{
		"repo/.claude/sentinel/config.yaml":  "tool_map: {Bash: bash}\nfail_open: true\nbackend: ollama\ndefault_mode: shadow\n",
		"repo/.claude/sentinel/rules/a.yaml": guard("nothing"),
		"user/rules/a.yaml":                  guard("*.pem"),
	}.write(t)
	p := project.Open([]string{filepath.Join(dir, "repo")}, &project.Options{UserDir: filepath.Join(dir, "user")})
	require.Equal(t, "block", verdict(t, p, write(filepath.Join(dir, "repo"), "key.pem")))
}

func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	const strict = "fail_open: false\n"
	for _, c := range []struct {
		name    string
		files   tree
		path    string // what is written
		want    string
		problem string
		reason  string
	}{
		{"a broken rule, open", tree{"rules/a.yaml": "prompt: {a: b}\n"}, "x.go", "allow", "prompt", ""},
		{"a broken rule, strict, in its scope", tree{"config.yaml": strict, "rules/a.yaml": "trigger: file_write\nscope: [\"src/**\"]\nprompt: [x]\n"}, "src/x.go", "block", "must be text", "rules/a.yaml:3:9"},
		{"a broken rule, strict, outside its scope", tree{"config.yaml": strict, "rules/a.yaml": "trigger: file_write\nscope: [\"src/**\"]\nprompt: [x]\n"}, "doc/x.go", "allow", "must be text", ""},
		{"a broken rule that says nothing of its scope", tree{"config.yaml": strict, "rules/a.yaml": "{"}, "x.go", "block", "a.yaml", "a.yaml"},
		{"repairing it is asked about", tree{"config.yaml": strict, "rules/a.yaml": "{"}, ".claude/sentinel/rules/a.yaml", "ask", "a.yaml", ""},
		{"an empty rule", tree{"config.yaml": strict, "rules/a.yaml": ""}, "x.go", "block", "empty", "empty"},
		{"a broken configuration, open", tree{"config.yaml": "fail_open: maybe\n"}, "x.go", "allow", "fail_open", ""},
		{"a broken configuration, strict by what parses", tree{"config.yaml": "fail_open: false\nmax_parallel: x\n"}, "x.go", "block", "max_parallel", "config.yaml:2:15"},
		{"a configuration of a newer version, strict", tree{"config.yaml": "fail_open: false\nsandbox: {network: []}\ndefault_mode: sample\n"}, "x.go", "allow", "sandbox", ""},
		{"no YAML at all, strict by a line", tree{"config.yaml": "fail_open: false\n\t{{{\n"}, "x.go", "block", "config.yaml", "config.yaml"},
		{"repairing the configuration is asked about", tree{"config.yaml": "fail_open: false\n\t{{{\n"}, ".claude/sentinel/config.yaml", "ask", "config.yaml", ""},
		{"rules_dir leads out", tree{"config.yaml": strict + "rules_dir: ../../../../etc\n"}, "x.go", "block", "rules_dir", "rules_dir"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := tree{}
			for name, text := range c.files {
				files[".claude/sentinel/"+name] = text
			}
			dir := files.write(t)
			p := project.Open([]string{dir}, nil)
			d, err := p.Evaluate(t.Context(), write(dir, c.path))
			require.NoError(t, err)
			require.Equal(t, c.want, d.Verdict.String(), d.Reason())
			require.Contains(t, d.Reason(), c.reason)
			require.NotEmpty(t, p.Folders[0].Problems())
			var all []string
			for _, pr := range p.Folders[0].Problems() {
				all = append(all, pr.Error())
			}
			require.Contains(t, strings.Join(all, "\n"), c.problem)
		})
	}
}

func TestWhatIsNoRuleFile(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml":            "fail_open: false\n",
		".claude/sentinel/rules/sub/deep/a.yml":   guard("x.go"),
		".claude/sentinel/rules/b.json":           `{"trigger":"file_write","backend":"builtin","when":"true","scope":["y.go"]}`,
		".claude/sentinel/rules/a.tests.yaml":     "not a rule",
		".claude/sentinel/rules/c.draft.yaml":     "not a rule",
		".claude/sentinel/rules/readme.md":        "not a rule",
		".claude/sentinel/rules/.hidden.yaml":     "not a rule",
		".claude/sentinel/drafts/evil.draft.yaml": guard("**"),
		".claude/sentinel/drafts/evil.yaml":       guard("**"),
	}.write(t)
	p := project.Open([]string{dir}, nil)
	require.Empty(t, p.Folders[0].Problems())
	require.Len(t, p.Folders[0].Rules(), 2)
	require.Equal(t, "block", verdict(t, p, write(dir, "x.go")))
	require.Equal(t, "block", verdict(t, p, write(dir, "y.go")))
	require.Equal(t, "allow", verdict(t, p, write(dir, "z.go")))
}

func TestTheCompiledFormIsNeverStale(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/rules/a.yaml": guard("a"), ".claude/sentinel/rules/b.yaml": guard("b")}.write(t)
	opts := &project.Options{CacheDir: filepath.Join(t.TempDir(), "cache"), StateDir: t.TempDir()}
	rules := filepath.Join(dir, ".claude", "sentinel", "rules")
	blocked := func() string {
		p := project.Open([]string{dir}, opts)
		var out []string
		for _, path := range []string{"a", "b", "c"} {
			if verdict(t, p, write(dir, path)) == "block" {
				out = append(out, path)
			}
		}
		return strings.Join(out, " ")
	}
	old := time.Now().Add(-time.Hour)
	age := func() { // so that the stamps are believed
		entries, err := os.ReadDir(rules)
		require.NoError(t, err)
		for _, e := range entries {
			require.NoError(t, os.Chtimes(filepath.Join(rules, e.Name()), old, old))
		}
	}
	require.Equal(t, "a b", blocked())
	require.Equal(t, "a b", blocked(), "from the compiled form")

	age()
	require.Equal(t, "a b", blocked())
	put(t, filepath.Join(rules, "a.yaml"), guard("c")) // the same size
	if runtime.GOOS != "windows" {                     // which tells no such time
		require.NoError(t, os.Chtimes(filepath.Join(rules, "a.yaml"), old, old))
	}
	require.Equal(t, "b c", blocked(), "same size and time of writing: the time of the change tells")

	put(t, filepath.Join(rules, "new.yaml"), guard("a"))
	require.Equal(t, "a b c", blocked(), "an added file")
	require.NoError(t, os.Remove(filepath.Join(rules, "b.yaml")))
	require.Equal(t, "a c", blocked(), "a removed file")
	put(t, filepath.Join(dir, ".claude/sentinel/config.yaml"), "default_mode: shadow\n")
	require.Empty(t, blocked(), "an added configuration")
	require.NoError(t, os.Remove(filepath.Join(dir, ".claude/sentinel/config.yaml")))
	require.Equal(t, "a c", blocked(), "a removed configuration")
}

func TestADamagedOrForeignCacheIsNotBelieved(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/rules/a.yaml": guard("a")}.write(t)
	cache := filepath.Join(t.TempDir(), "cache")
	opts := &project.Options{CacheDir: cache, StateDir: t.TempDir()}
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, ".claude/sentinel/rules/a.yaml"), old, old))
	open := func() *project.Project { return project.Open([]string{dir}, opts) }
	open()
	files, err := filepath.Glob(filepath.Join(cache, "rules", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	whole, err := os.ReadFile(files[0])
	require.NoError(t, err)

	damage := map[string]func(){
		"a byte changed": func() {
			b := []byte(string(whole))
			b[len(b)/2] ^= 1
			require.NoError(t, os.WriteFile(files[0], b, 0o600))
		},
		"cut":   func() { require.NoError(t, os.WriteFile(files[0], whole[:len(whole)/2], 0o600)) },
		"empty": func() { require.NoError(t, os.WriteFile(files[0], nil, 0o600)) },
		"writable by all": func() {
			require.NoError(t, os.WriteFile(files[0], nil, 0o600))
			require.NoError(t, os.Chmod(files[0], 0o666))
		},
		"a link": func() {
			require.NoError(t, os.Remove(files[0]))
			programtest.Link(t, "/etc/hostname", files[0])
		},
		"a folder":          func() { require.NoError(t, os.Remove(files[0])); require.NoError(t, os.Mkdir(files[0], 0o700)) },
		"cannot be written": func() { require.NoError(t, os.RemoveAll(cache)); require.NoError(t, os.WriteFile(cache, nil, 0o600)) },
	}
	for _, name := range []string{"a byte changed", "cut", "empty", "writable by all", "a link", "a folder", "cannot be written"} {
		damage[name]()
		require.Equal(t, "block", verdict(t, open(), write(dir, "a")), name)
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml":  "backends: {ollama: {url: \"http://203.0.113.7:11434\"}}\nlog_file: ../outside.log\nfail_open: false\n",
		".claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: x\n",
	}.write(t)
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state"), Deadline: 2 * time.Second}
	p := project.Open([]string{dir}, opts)
	d, err := p.Evaluate(t.Context(), write(dir, "a"))
	require.NoError(t, err)
	require.Equal(t, "block", d.Verdict.String())
	require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrRefused)
	require.Contains(t, d.Reason(), "sentinel trust")
	require.Empty(t, p.Inspect().LogFile())

	folder := p.Folders[0]
	require.NoError(t, folder.Trust(opts.StateDir))
	require.True(t, folder.Trusted(opts.StateDir))
	require.Equal(t, filepath.Join(filepath.Dir(dir), "outside.log"), p.Inspect().LogFile())

	put(t, filepath.Join(dir, ".claude/sentinel/config.yaml"), "log_file: ../outside2.log\n")
	require.Empty(t, project.Open([]string{dir}, opts).Inspect().LogFile(), "what was changed since has to be trusted anew")
	require.NoError(t, folder.Untrust(opts.StateDir))
	require.NoError(t, folder.Untrust(opts.StateDir))
	require.False(t, folder.Trusted(opts.StateDir))
}

func TestCloudModelsNeedTrust(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml":  "fail_open: false\nbackends: {ollama: {url: \"http://127.0.0.1:1\"}}\n",
		".claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: x\nmodel: gpt-oss:120b-cloud\n",
		".claude/sentinel/rules/b.yaml": "trigger: file_write\nprompt: x\nmodel: gemma3:4b\n",
	}.write(t)
	d, err := project.Open([]string{dir}, nil).Evaluate(t.Context(), write(dir, "a"))
	require.NoError(t, err)
	require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrRefused)
	require.ErrorIs(t, d.Findings[1].Err, sentinel.ErrUnavailable)
}

func TestRecord(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml":  "log_file: logs/sentinel.log\n",
		".claude/sentinel/rules/a.yaml": guard("a"),
	}.write(t)
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	p := project.Open([]string{dir}, opts)
	record := func(ev sentinel.Event) {
		d, err := p.Evaluate(t.Context(), ev)
		require.NoError(t, err)
		require.NoError(t, p.Record(ev, d))
	}
	log := filepath.Join(dir, "logs", "sentinel.log")
	record(write(dir, "b"))
	require.NoFileExists(t, log, "a call that matches nothing writes nothing")
	record(write(dir, "a"))
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(data), "\n"), "an evaluation and the decision")

	unknown := write(dir, "a")
	unknown.Tool.Name = "Frobnicate"
	record(unknown)
	notes, err := os.ReadFile(filepath.Join(opts.StateDir, "notes.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(notes), "Frobnicate")
}

func TestSentinelGuardsItself(t *testing.T) {
	t.Parallel()
	dir := tree{"repo/.claude/sentinel/config.yaml": "backend: builtin\n"}.write(t)
	repo := filepath.Join(dir, "repo")
	opts := &project.Options{StateDir: filepath.Join(dir, "state"), CacheDir: filepath.Join(dir, "cache")}
	p := project.Open([]string{repo}, opts)
	require.Equal(t, "ask", verdict(t, p, write(repo, filepath.Join(dir, "state", "trust", "x"))))
	require.Equal(t, "ask", verdict(t, p, write(repo, filepath.Join(dir, "cache", "rules", "x"))))
	require.Equal(t, "allow", verdict(t, p, write(repo, "x")))
	for command, want := range map[string]string{
		"sentinel trust": "ask",
		"sentinel hook --agent claude < prompt.json":     "ask",
		"cd /tmp && /usr/local/bin/sentinel init --user": "ask",
		"sentinel pause 1h && git push --force":          "ask",
		"sentinel config set fail_open true":             "ask",
		"sentinel rules severity x --to block":           "ask",
		"sentinel rules promote x --to block":            "ask",
		"sentinel drafts promote x":                      "ask",
		"sentinel drafts dismiss x":                      "ask",
		"sentinel drafts":                                "allow",
		"sudo sentinel allow 4711":                       "ask",
		"bash -c 'sentinel uninstall'":                   "ask",
		"sentinel check --bash 'sentinel trust'":         "allow",
		"sentinel rules list":                            "allow",
		"sentinel config get backend":                    "allow",
		"sentinel init --dry-run=false":                  "ask",
		"sentinel trust --help=false":                    "ask",
		"echo sentinel trust":                            "allow",
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		require.Equal(t, want, verdict(t, p, sentinel.Event{Phase: sentinel.PhasePre, Dir: repo, Tool: sentinel.ToolCall{Name: "Bash", Args: args}}), command)
	}
}

// The deadline of an event bounds its judges, whatever time the configuration gives
// them.
func TestTheDeadlineBoundsTheJudges(t *testing.T) {
	t.Parallel()
	dir := tree{
		"repo/.claude/sentinel/config.yaml":  "backend: slow\nfail_open: false\ntimeout_ms: 60000\n",
		"repo/.claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: is it?\n",
	}.write(t)
	repo := filepath.Join(dir, "repo")
	slow := sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
		<-ctx.Done()
		return sentinel.Response{}, ctx.Err()
	})
	p := project.Open([]string{repo}, &project.Options{
		Deadline: time.Second, // also for a slow machine to match the rule in
		Backends: map[string]func(config.Config) (sentinel.Backend, error){"slow": func(config.Config) (sentinel.Backend, error) { return slow, nil }},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	d, err := p.Evaluate(ctx, write(repo, "x"))
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictBlock, d.Verdict)
	require.NoError(t, ctx.Err(), "the deadline came first")
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	at := func(parts ...string) string { return filepath.Join(parts...) }
	home, other := t.TempDir(), t.TempDir()
	cache := ".cache"
	if runtime.GOOS == "darwin" {
		cache = "Library/Caches"
	}
	type folders struct{ User, Cache, State, Home, Config, Runtime string }
	for name, c := range map[string]struct {
		env  map[string]string
		want folders
	}{
		"a home": {map[string]string{"HOME": home}, folders{
			User: at(home, ".config/sentinel"), Cache: at(home, cache, "sentinel"), State: at(home, ".local/state/sentinel"), Home: home,
		}},
		"a home as Windows names it": {map[string]string{"USERPROFILE": home, "XDG_CONFIG_HOME": other}, folders{
			User: at(other, "sentinel"), Cache: at(home, cache, "sentinel"), State: at(home, ".local/state/sentinel"), Home: home,
		}},
		"folders without a home": {map[string]string{"XDG_STATE_HOME": other, "XDG_RUNTIME_DIR": home, "SENTINEL_CONFIG_DIR": "here"}, folders{
			State: at(other, "sentinel"), Config: "here", Runtime: home,
		}},
		"a relative folder does not count": {map[string]string{"XDG_STATE_HOME": "state"}, folders{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := project.Environment(func(name string) string { return c.env[name] })
			require.Equal(t, c.want, folders{o.UserDir, o.CacheDir, o.StateDir, o.Home, o.ConfigDir, o.RuntimeDir})
			require.Equal(t, c.env["HOME"], o.Getenv("HOME"))
		})
	}
}

// Evaluate is Match and Judge in every phase; at the end of a turn, too, the rules of that
// moment judge the actions that the event has.
func TestEvaluateIsMatchAndJudge(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/rules/a.yaml": guard("src/**") + "severity: block\nphase: stop\n", ".claude/sentinel/rules/b.yaml": guard("lib/**") + "severity: block\n"}.write(t)
	p := project.Open([]string{dir}, nil)
	for _, phase := range []sentinel.Phase{sentinel.PhasePre, sentinel.PhasePost, sentinel.PhaseStop, sentinel.PhaseStart, sentinel.PhaseEnd, sentinel.PhasePrompt, sentinel.PhaseUnknown, 99} {
		for _, path := range []string{"src/a.ts", "lib/a.ts", "x.ts"} {
			ev := sentinel.Event{Phase: phase, Dir: dir, Root: dir, Tool: sentinel.ToolCall{Name: "Write"}, Actions: []sentinel.Action{{Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Path: path}}}
			d, err := p.Evaluate(t.Context(), ev)
			judged, judgeErr := p.Match(t.Context(), ev).Judge(t.Context())
			require.Equal(t, judged.Verdict, d.Verdict, "%s in %s", path, phase)
			require.Equal(t, judgeErr != nil, err != nil, "%s in %s", path, phase)
			want := sentinel.VerdictAllow
			switch {
			case phase == sentinel.PhaseUnknown || phase == 99:
				want = sentinel.VerdictUndecided
			case phase == sentinel.PhaseStop && path == "src/a.ts", phase == sentinel.PhasePre && path == "lib/a.ts":
				want = sentinel.VerdictBlock
			}
			require.Equal(t, want, d.Verdict, "%s in %s", path, phase)
		}
	}
}

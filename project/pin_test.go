package project_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/project"
)

const strictConfig = "backend: builtin\nfail_open: false\nlog_file: log.jsonl\n"

// A pinned is a project whose rule was seen by a hook.
func newPinned(t *testing.T) *hookDesk {
	t.Helper()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**"), ".claude/sentinel/config.yaml": strictConfig, "user/config.yaml": ""})
	d.opts.CacheDir = filepath.Join(d.dir, "../cache")
	d.stops(true)
	return d
}

func (d *hookDesk) rules(name string) string {
	return filepath.Join(d.dir, ".claude/sentinel", filepath.FromSlash(name))
}

// stops reports whether the guarded write is stopped, twice: the second time by the
// compiled form.
func (d *hookDesk) stops(want bool) {
	d.t.Helper()
	for range 2 {
		require.Equal(d.t, want, d.decide(write(d.dir, "src/a.go")).Verdict == sentinel.VerdictBlock)
	}
}

// told is what a new session hears.
func (d *hookDesk) told() string {
	d.t.Helper()
	return project.Open([]string{d.dir}, &d.opts).Notices().Held(sentinel.Event{Phase: sentinel.PhaseStart, Session: d.t.Name() + string(rune('a'+len(d.notes()))), Dir: d.dir})
}

func (d *hookDesk) notes() string {
	data, _ := os.ReadFile(filepath.Join(d.opts.StateDir, "notes.jsonl"))
	return string(data)
}

func (d *hookDesk) folder() *project.Folder {
	return project.Open([]string{d.dir}, &d.opts).Nearest()
}

func (d *hookDesk) accept() {
	d.t.Helper()
	p := project.Open([]string{d.dir}, &d.opts)
	require.NoError(d.t, p.Pins().Accept(p.Nearest()))
}

func TestWhatIsPinnedStaysInForce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*hookDesk){
		"gone":            func(d *hookDesk) { require.NoError(d.t, os.RemoveAll(filepath.Join(d.dir, ".claude"))) },
		"a rule gone":     func(d *hookDesk) { require.NoError(d.t, os.Remove(d.rules("rules/a.yaml"))) },
		"rules gone":      func(d *hookDesk) { require.NoError(d.t, os.RemoveAll(d.rules("rules"))) },
		"conflict":        func(d *hookDesk) { put(d.t, d.rules("rules/a.yaml"), "<<<<<<< HEAD\n"+guard("src/**")) },
		"NUL bytes":       func(d *hookDesk) { put(d.t, d.rules("rules/a.yaml"), "\x00\x00\x00") },
		"empty rule":      func(d *hookDesk) { put(d.t, d.rules("rules/a.yaml"), "") },
		"shadow":          func(d *hookDesk) { put(d.t, d.rules("rules/a.yaml"), guard("src/**")+"mode: shadow\n") },
		"exclude":         func(d *hookDesk) { put(d.t, d.rules("rules/a.yaml"), guard("src/**")+"exclude: [\"src/a.go\"]\n") },
		"narrower":        func(d *hookDesk) { put(d.t, d.rules("rules/a.yaml"), guard("src/b/**")) },
		"warning":         func(d *hookDesk) { put(d.t, d.rules("rules/a.yaml"), guard("src/**")+"severity: warn\n") },
		"fail_open":       func(d *hookDesk) { put(d.t, d.rules("config.yaml"), "backend: builtin\nlog_file: log.jsonl\n") },
		"shadow for all":  func(d *hookDesk) { put(d.t, d.rules("config.yaml"), strictConfig+"default_mode: shadow\n") },
		"another backend": func(d *hookDesk) { put(d.t, d.rules("config.yaml"), "backend: ollama\nfail_open: false\n") },
		"rules elsewhere": func(d *hookDesk) { put(d.t, d.rules("config.yaml"), strictConfig+"rules_dir: others\n") },
		"config NUL":      func(d *hookDesk) { put(d.t, d.rules("config.yaml"), strings.Repeat("\x00", 40)) },
		"config empty":    func(d *hookDesk) { put(d.t, d.rules("config.yaml"), "") },
		"config gone":     func(d *hookDesk) { require.NoError(d.t, os.Remove(d.rules("config.yaml"))) },
		"config conflict": func(d *hookDesk) { put(d.t, d.rules("config.yaml"), "<<<<<<< a\n"+strictConfig) },
		"a file in its place": func(d *hookDesk) {
			require.NoError(d.t, os.RemoveAll(d.rules("")))
			put(d.t, filepath.Join(d.dir, ".claude/sentinel"), "x")
		},
		"link to nowhere": func(d *hookDesk) {
			require.NoError(d.t, os.RemoveAll(filepath.Join(d.dir, ".claude")))
			programtest.Link(d.t, "/nowhere/at/all", filepath.Join(d.dir, ".claude"))
		},
		"link elsewhere": func(d *hookDesk) {
			require.NoError(d.t, os.RemoveAll(filepath.Join(d.dir, ".claude")))
			programtest.Link(d.t, d.t.TempDir(), filepath.Join(d.dir, ".claude"))
		},
		"unreadable": func(d *hookDesk) {
			if os.Getuid() <= 0 {
				d.t.Skip("root reads everything")
			}
			require.NoError(d.t, os.Chmod(d.rules(""), 0))
			d.t.Cleanup(func() { os.Chmod(d.rules(""), 0o755) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.Contains(name, "link") {
				t.Skip("links need a right of their own")
			}
			d := newPinned(t)
			require.Empty(t, d.told())
			change(d)
			d.stops(true)
			require.True(t, d.folder().Held())
			require.False(t, d.folder().Config.FailOpen)
			require.Contains(t, d.told(), "sentinel accept")
			require.Contains(t, d.notes(), `"kind":"pin"`)
		})
	}
}

// A state that stops as much or more is in force at once, and counts from then on.
func TestWhatIsStrongerIsTakenOver(t *testing.T) {
	t.Parallel()
	d := newPinned(t)
	put(t, d.rules("rules/b.yaml"), guard("lib/**"))
	put(t, d.rules("rules/a.yaml"), guard("src/**")+"# a comment\n")
	d.stops(true)
	require.False(t, d.folder().Held())
	require.Empty(t, d.told())
	require.NoError(t, os.Remove(d.rules("rules/b.yaml")))
	require.Equal(t, sentinel.VerdictBlock, d.decide(write(d.dir, "lib/a.go")).Verdict)
	require.Contains(t, d.told(), "b is gone")
}

// An accepted state is known, and so is the one before: the way between them is free.
func TestAnAcceptedStateIsKnown(t *testing.T) {
	t.Parallel()
	d := newPinned(t)
	weak := guard("src/**") + "severity: warn\n"
	put(t, d.rules("rules/a.yaml"), weak)
	d.stops(true)
	d.accept()
	for range 2 {
		d.stops(false)
		require.Empty(t, d.told())
		put(t, d.rules("rules/a.yaml"), guard("src/**"))
		d.stops(true)
		require.Empty(t, d.told())
		put(t, d.rules("rules/a.yaml"), weak)
	}
	d.stops(false)
	put(t, d.rules("rules/a.yaml"), guard("src/**")+"severity: info\nprompt: x\n")
	require.Contains(t, d.told(), "sentinel accept", "a third state is not")
}

// A folder that is gone can be accepted, and comes back as it was.
func TestAcceptedWithoutRules(t *testing.T) {
	t.Parallel()
	d := newPinned(t)
	require.NoError(t, os.RemoveAll(filepath.Join(d.dir, ".claude")))
	d.stops(true)
	require.NoError(t, os.RemoveAll(filepath.Join(d.dir, ".claude"))) // the log is there again
	d.accept()
	d.stops(false)
	require.Empty(t, d.told())
	put(t, d.rules("config.yaml"), strictConfig)
	put(t, d.rules("rules/a.yaml"), guard("src/**"))
	d.stops(true)
}

// Commands of the user pin what they write, and nothing else.
func TestRepin(t *testing.T) {
	t.Parallel()
	d := newPinned(t)
	put(t, d.rules("rules/a.yaml"), guard("src/**")+"severity: warn\n")
	put(t, d.rules("config.yaml"), "backend: builtin\nlog_file: log.jsonl\n")
	p := project.Open([]string{d.dir}, &d.opts)
	require.NoError(t, p.Pins().Repin(p.Nearest(), d.rules("config.yaml")))
	d.stops(true)
	require.True(t, d.folder().Config.FailOpen)
	require.True(t, d.folder().Held(), "the rule is still the pinned one")
	p = project.Open([]string{d.dir}, &d.opts)
	require.NoError(t, p.Pins().Repin(p.Nearest(), d.rules("rules/a.yaml")))
	d.stops(false)
	require.Empty(t, d.told())
}

func TestPinFalse(t *testing.T) {
	t.Parallel()
	d := newPinned(t)
	put(t, d.rules("config.yaml"), strictConfig+"pin: false\n")
	require.NoError(t, os.Remove(d.rules("rules/a.yaml")))
	d.stops(true) // a repository cannot say it
	problems := project.Open([]string{d.dir}, &project.Options{}).Inspect().Problems()
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "`pin` counts in your own configuration alone")
	put(t, filepath.Join(d.opts.UserDir, "config.yaml"), "pin: false\n")
	d.stops(false)
	require.Empty(t, d.told())
}

// A pin that does not verify is dropped, never believed, and the person is told until
// they accept what there is.
func TestAPinThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*hookDesk, string){
		"another key": func(d *hookDesk, _ string) { require.NoError(d.t, os.Remove(filepath.Join(d.opts.StateDir, "key"))) },
		"damaged": func(d *hookDesk, file string) {
			data, err := os.ReadFile(file)
			require.NoError(d.t, err)
			data[len(data)-3] ^= 1
			require.NoError(d.t, os.WriteFile(file, data, 0o600))
		},
		"cut": func(d *hookDesk, file string) { require.NoError(d.t, os.Truncate(file, 10)) },
		"newer": func(d *hookDesk, file string) {
			data, err := os.ReadFile(file)
			require.NoError(d.t, err)
			data[4]++
			require.NoError(d.t, os.WriteFile(file, data, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newPinned(t)
			files, err := filepath.Glob(filepath.Join(d.opts.StateDir, "pins", "*"))
			require.NoError(t, err)
			require.Len(t, files, 1)
			damage(d, files[0])
			d.stops(true)
			require.Contains(t, d.told(), "cannot be used")
			put(t, d.rules("rules/a.yaml"), guard("src/**")+"severity: warn\n")
			d.stops(false)
			require.Contains(t, d.told(), "cannot be used")
			if name == "newer" {
				return
			}
			d.accept()
			require.Empty(t, d.told())
			require.NoError(t, os.RemoveAll(d.rules("rules")))
			require.Contains(t, d.told(), "sentinel accept")
		})
	}
}

// Where nothing can be kept the guard goes on with what the repository has, and says so.
func TestAPinThatCannotBeKept(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**")})
	put(t, d.opts.StateDir, "a file in the place of the folder")
	d.stops(true)
	require.Contains(t, d.told(), "cannot be kept")
	require.Contains(t, d.told(), "doctor", "to accept would not help")
	put(t, d.rules("rules/a.yaml"), guard("src/**")+"severity: warn\n")
	d.stops(false)
}

// Two working trees, a clone of a clone and a repository that was moved have pins of
// their own.
func TestPinsBelongToAFolder(t *testing.T) {
	t.Parallel()
	d := newPinned(t)
	other := filepath.Join(filepath.Dir(d.dir), "worktree")
	put(t, filepath.Join(other, ".claude/sentinel/config.yaml"), strictConfig)
	put(t, filepath.Join(other, ".claude/sentinel/rules/a.yaml"), guard("src/**")+"severity: warn\n")
	two := *d
	two.dir = other
	for range 2 {
		two.stops(false)
		d.stops(true)
		require.Empty(t, two.told())
		require.Empty(t, d.told())
	}
	moved := *d
	moved.dir = d.dir + "-moved"
	require.NoError(t, os.Rename(d.dir, moved.dir))
	moved.stops(true)
	require.Empty(t, moved.told())
}

// A command that shows something pins nothing, and shows what is in force.
func TestOnlyAnAgentsHookPins(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": guard("src/**")})
	shows := d.opts
	shows.ForAgent = false
	project.Open([]string{d.dir}, &shows)
	require.NoDirExists(t, filepath.Join(d.opts.StateDir, "pins"))
	d.stops(true)
	require.NoError(t, os.Remove(d.rules("rules/a.yaml")))
	p := project.Open([]string{d.dir}, &shows)
	require.Equal(t, pin.KindGone, p.Nearest().Differences()[0].Kind)
	require.Len(t, p.Nearest().Rules(), 1)
	require.Empty(t, p.Pins().OnDisk().Nearest().Rules())
}

// A rule file that is broken from the beginning is not pinned, and the person hears of
// it once in a session.
func TestABrokenRuleIsTold(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": "<<<<<<< HEAD\n" + guard("src/**"), ".claude/sentinel/rules/b.yaml": guard("lib/**")})
	p := project.Open([]string{d.dir}, &d.opts)
	ev := write(d.dir, "README.md")
	ev.Session = "s"
	require.Contains(t, p.Notices().Held(ev), "1 file of "+d.dir+" cannot be understood: .claude/sentinel/rules/a.yaml")
	require.Empty(t, p.Notices().Held(ev))
	put(t, d.rules("rules/a.yaml"), guard("src/**"))
	d.stops(true)
	require.Empty(t, d.told())
}

// Damage to an unknown configuration makes the project strict.
func TestADamagedConfigurationIsStrict(t *testing.T) {
	t.Parallel()
	for text, strict := range map[string]bool{
		strings.Repeat("\x00", 100): true, "\xff\xfe\x01": true, "fail_open: true\x00": true,
		"": false, "backend: builtin\n": false,
	} {
		dir := tree{".claude/sentinel/config.yaml": text}.write(t)
		require.Equal(t, strict, project.Open([]string{dir}, &project.Options{}).Strict(), "%q", text)
	}
}

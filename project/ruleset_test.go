package project

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/selfprotect"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// writeRules writes files below a project's folder of rules.
func writeRules(t testing.TB, dir string, files map[string]string) {
	for name, text := range files {
		path := filepath.Join(dir, ".claude", "sentinel", filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// opener opens a project as hooks do, one after the other: files are old enough to
// be believed.
func opener(t testing.TB, dir string) func() *Folder {
	opts := &Options{CacheDir: t.TempDir(), StateDir: t.TempDir(), Now: func() time.Time { return time.Now().Add(time.Hour) }}
	return func() *Folder {
		p := Open([]string{dir}, opts)
		require.Len(t, p.Folders, 1)
		return p.Folders[0]
	}
}

func commandLine(line string) []sentinel.Action {
	return []sentinel.Action{{Trigger: sentinel.Bash, Target: line, Forms: []string{line}, Command: shell.Parse(line, nil)}}
}

func ids(rules []*rule.Rule) []string {
	var all []string
	for _, r := range rules {
		all = append(all, r.Spec().ID)
	}
	return all
}

var someRules = map[string]string{
	"rules/b.yaml":     "trigger: bash\nscope: [\"git push*\"]\nprompt: x\n",
	"rules/a.yaml":     "trigger: bash\nscope: [\"rm *\"]\nprompt: x\n",
	"rules/c.yaml":     "trigger: file_write\nscope: [\"src/**\"]\nprompt: x\n",
	"rules/sub/d.yaml": "prompt: x\n",
	"rules/e.yaml":     "trigger: bash\nscope: [\"git push*\"]\nprompt: x\nwhen: 1 +\n",
	"rules/f.yaml":     "trigger: bash\nscope: [\"git *\"]\nseverity: info\npost: true\nprompt: x\nbackend: nosuch\n",
}

func TestOnlyRulesThatMayApplyAreBuilt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRules(t, dir, someRules)
	open := opener(t, dir)
	first := open()
	require.True(t, first.rules.isBuilt(), "the files have to be parsed")
	whole := first.Rules()

	f := open()
	require.False(t, f.rules.isBuilt())
	found := f.candidates(t.Context(), sentinel.PhasePre, commandLine("git push -f"))
	require.Equal(t, []string{"b", "e", "d"}, ids(found), "in the order of their files; a broken rule is one of them")
	require.Error(t, found[1].Spec().Err)
	require.Equal(t, []string{"f"}, ids(f.candidates(t.Context(), sentinel.PhasePost, commandLine("git push -f"))))
	require.Equal(t, []string{"a", "d"}, ids(f.candidates(t.Context(), sentinel.PhasePre, commandLine("rm x"))))
	require.Same(t, found[2], f.candidates(t.Context(), sentinel.PhasePre, commandLine("rm x"))[1], "each is built once")
	require.False(t, f.rules.isBuilt())

	require.Equal(t, first.version(), f.version())
	require.Equal(t, ids(whole), ids(f.Rules()))
	require.Equal(t, first.Problems(), f.Problems())
	require.Len(t, f.Problems(), 2)
	require.Same(t, found[0], f.Rules()[1])
	for i, r := range f.Rules() {
		want := *whole[i].Spec()
		require.Equal(t, fmt.Sprint(want.Err), fmt.Sprint(r.Spec().Err))
		want.Err = r.Spec().Err
		require.Equal(t, want, *r.Spec())
	}
}

// Whatever happens to a folder between two hooks, the second has its rules.
func TestChangedFoldersAreReadAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, rules string)
		want   []string // that a push meets
	}{
		"nothing":   {func(*testing.T, string) {}, []string{"b", "e", "d"}},
		"a new one": {func(t *testing.T, rules string) { put(t, rules+"/n.yaml", "trigger: bash\nprompt: x\n") }, []string{"b", "e", "n", "d"}},
		"one less":  {func(t *testing.T, rules string) { require.NoError(t, os.Remove(rules+"/b.yaml")) }, []string{"e", "d"}},
		"renamed": {func(t *testing.T, rules string) {
			require.NoError(t, os.Rename(rules+"/b.yaml", rules+"/z.yaml"))
		}, []string{"e", "d", "z"}},
		"edited": {func(t *testing.T, rules string) {
			put(t, rules+"/a.yaml", "trigger: bash\nscope: [\"git push*\"]\nprompt: x\n")
		}, []string{"a", "b", "e", "d"}},
		"broken": {func(t *testing.T, rules string) { put(t, rules+"/c.yaml", "trigger: bash\nscope: [\n") }, []string{"b", "c", "e", "d"}},
		"an id twice": {func(t *testing.T, rules string) {
			put(t, rules+"/a.yaml", "id: b\ntrigger: bash\nscope: [\"git push*\"]\nprompt: x\n")
		}, []string{"b", "b~2", "e", "d"}},
		"a folder": {func(t *testing.T, rules string) {
			require.NoError(t, os.Mkdir(rules+"/x.yaml", 0o755))
		}, []string{"b", "e", "d", "broken:.claude:sentinel:rules:x.yaml"}},
		"a folder without rules": {func(t *testing.T, rules string) { require.NoError(t, os.Mkdir(rules+"/x", 0o755)) }, []string{"b", "e", "d"}},
		"the configuration": {func(t *testing.T, rules string) {
			put(t, rules+"/../config.yaml", "default_mode: shadow\n")
		}, []string{"b", "e", "d"}},
		"a broken configuration": {func(t *testing.T, rules string) {
			put(t, rules+"/../config.yaml", "max_parallel: x\n")
		}, []string{"b", "e", "d", "broken:.claude:sentinel:config.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeRules(t, dir, someRules)
			open := opener(t, dir)
			open()
			c.change(t, filepath.Join(dir, ".claude", "sentinel", "rules"))
			for range 3 {
				var met []string
				for _, r := range open().candidates(t.Context(), sentinel.PhasePre, commandLine("git push -f")) {
					if !r.Spec().Post && r.Match(&commandLine("git push -f")[0]).OK {
						met = append(met, r.Spec().ID)
					}
				}
				require.Equal(t, c.want, met)
			}
		})
	}
}

func put(t *testing.T, path, text string) {
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// A compiled file that is replaced or damaged while it is in use costs time, not
// rules.
func TestCompiledFileIsReplaced(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f *Folder){
		"gone":     func(f *Folder) { require.NoError(t, os.Remove(f.rules.snapshot.path)) },
		"replaced": func(f *Folder) { require.NoError(t, os.WriteFile(f.rules.snapshot.path, make([]byte, 1<<16), 0o600)) },
		"another":  func(f *Folder) { f.rules.snapshot.table = f.rules.snapshot.table[:tableStep] + f.rules.snapshot.table },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeRules(t, dir, someRules)
			open := opener(t, dir)
			open()
			f := open()
			require.False(t, f.rules.isBuilt())
			change(f)
			f.rules.snapshot.bodies = ""
			require.Len(t, f.candidates(t.Context(), sentinel.PhasePre, commandLine("git push -f")), len(someRules), "all of them")
			require.Len(t, f.Rules(), len(someRules))
			require.Len(t, f.Problems(), 2)
		})
	}
}

// The order in which the system lists a folder has no part in what holds.
func TestLinksAreFollowedInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRules(t, dir, map[string]string{"rules/z.yaml": "prompt: x\n"})
	shared := filepath.Join(dir, "shared")
	require.NoError(t, os.Mkdir(shared, 0o755))
	put(t, filepath.Join(shared, "s.yaml"), "prompt: x\n")
	for _, name := range []string{"b", "a", "c"} {
		programtest.Link(t, shared, filepath.Join(dir, ".claude/sentinel/rules", name))
	}
	open := opener(t, dir)
	for range 2 {
		f := open()
		require.True(t, f.rules.isBuilt(), "a link may lead elsewhere next time")
		require.Equal(t, filepath.Join(dir, ".claude/sentinel/rules/a/s.yaml")+":1", f.Rules()[0].Spec().Source)
		require.Len(t, f.Rules(), 2)
	}
}

// Many events at once see the same rules, and a large folder is looked through by
// several goroutines.
func TestRulesAreReadByManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("rules/r%04d.yaml", i)] = fmt.Sprintf("trigger: bash\nscope: [\"deploy%04d *\"]\nbackend: builtin\nwhen: \"true\"\n", i)
	}
	writeRules(t, dir, files)
	open := opener(t, dir)
	open()
	f := open()
	require.False(t, f.rules.isBuilt())
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			line := fmt.Sprintf("deploy%04d now", i)
			ev := sentinel.Event{Phase: sentinel.PhasePre, Dir: dir, Actions: commandLine(line)}
			p := &Project{Folders: []*Folder{f}, opts: Options{Logger: slog.New(slog.DiscardHandler)}}
			d, err := p.Evaluate(t.Context(), ev)
			if err != nil || d.Verdict != sentinel.VerdictBlock {
				t.Errorf("%s: %v %v", line, d.Verdict, err)
			}
		})
	}
	wait.Wait()
	require.False(t, f.rules.isBuilt())
	require.Len(t, f.Rules(), len(files))
}

// A panicky is a rule with a fault of its own.
type panicky struct{ sentinel.RuleSpec }

func (p *panicky) Spec() *sentinel.RuleSpec { return &p.RuleSpec }

func (*panicky) Match(*sentinel.Action) sentinel.Match { panic("no") }

// A rule that panics when it is matched counts as one that could not be judged, and
// takes no other rule with it.
func TestARuleThatPanicsIsNotLeftOut(t *testing.T) {
	t.Parallel()
	broken := &panicky{sentinel.RuleSpec{ID: "p", Severity: sentinel.SeverityBlock}}
	actions := commandLine("rm x")
	rules := about(t.Context(), append(selfprotect.Bounds(), broken), actions)
	require.Equal(t, []sentinel.Rule{broken}, rules)
	book, err := sentinel.New(rules, nil)
	require.NoError(t, err)
	d, err := book.Evaluate(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Actions: actions})
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictBlock, d.Verdict)
}

// isBuilt reports whether all rules are built.
func (s *ruleSet) isBuilt() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot == nil
}

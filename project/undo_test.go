package project_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

const undoRule = "trigger: bash\nseverity: ask\nundo: trash\nscope: [\"rm *\"]\nwhen: \"true\"\nmessage: Look.\n"

// A command that loses nothing is named where all rules let it pass, and only for a
// stopped call.
func TestUndoIsNamed(t *testing.T) {
	t.Parallel()
	notOnWindows(t)
	other := func(head string) tree {
		return tree{".claude/sentinel/rules/a.yaml": undoRule, ".claude/sentinel/rules/b.yaml": head + "\nscope: [\"mv *\"]\nmessage: No.\n"}
	}
	for _, tt := range []struct {
		name    string
		rules   tree
		command string
		named   bool
		put     bool // in the place of the call, where that is wanted
	}{
		{"asked", tree{".claude/sentinel/rules/a.yaml": undoRule}, "rm -r src", true, true},
		{"blocked", tree{".claude/sentinel/rules/a.yaml": strings.Replace(undoRule, "ask", "block", 1)}, "rm -r src", true, false},
		{"without undo", tree{".claude/sentinel/rules/a.yaml": strings.Replace(undoRule, "undo: trash\n", "", 1)}, "rm -r src", false, false},
		{"another way", tree{".claude/sentinel/rules/a.yaml": strings.Replace(undoRule, "trash", "stash", 1)}, "rm -r src", false, false},
		{"not known to the last word", tree{".claude/sentinel/rules/a.yaml": undoRule}, "rm -r $src", false, false},
		{"not stopped", tree{".claude/sentinel/rules/a.yaml": undoRule}, "ls", false, false},
		{"only warned of", tree{".claude/sentinel/rules/a.yaml": strings.Replace(undoRule, "ask", "warn", 1)}, "rm -r src", false, false},
		{"a rule stops it too", other("trigger: bash\nseverity: ask\nwhen: \"true\""), "rm -r src", false, false},
		{"a rule warns of it", other("trigger: bash\nseverity: warn\nwhen: \"true\""), "rm -r src", true, true},
		{"a model would be asked about it", other("trigger: bash\nseverity: block\nbackend: ollama\nprompt: Is it?"), "rm -r src", true, false},
		{"a rule about it in shadow", other("trigger: bash\nseverity: block\nmode: shadow\nbackend: ollama\nprompt: Is it?"), "rm -r src", true, true},
		{"a rule that fails about it", other("trigger: bash\nseverity: block\nwhen: \"cmd.args[99] == '1'\""), "rm -r src", true, false},
		{"a rule about the file", tree{
			".claude/sentinel/rules/a.yaml": undoRule,
			".claude/sentinel/rules/b.yaml": "trigger: file_write\nscope: [\"src/**\"]\nwhen: \"true\"\nmessage: No.\n",
		}, "rm -r src", false, false},
		{"another rule without undo blocks it", tree{
			".claude/sentinel/rules/a.yaml": undoRule,
			".claude/sentinel/rules/b.yaml": "trigger: bash\nseverity: block\nscope: [\"rm *\"]\nwhen: \"true\"\nmessage: No.\n",
		}, "rm -r src", false, false},
		{"another rule wants another way", tree{
			".claude/sentinel/rules/a.yaml": undoRule, ".claude/sentinel/rules/b.yaml": strings.Replace(undoRule, "trash", "stash", 1),
		}, "rm -r src", false, false},
		{"another rule wants the same", tree{
			".claude/sentinel/rules/a.yaml": undoRule, ".claude/sentinel/rules/b.yaml": strings.Replace(undoRule, "trash", "any", 1),
		}, "rm -r src", true, true},
		{"a rule in shadow has none", tree{
			".claude/sentinel/rules/a.yaml": undoRule,
			".claude/sentinel/rules/b.yaml": "trigger: bash\nseverity: block\nmode: shadow\nscope: [\"rm *\"]\nwhen: \"true\"\nmessage: No.\n",
		}, "rm -r src", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.rules[".claude/sentinel/config.yaml"] = "backend: builtin\noffer_undo: true\n"
			d := newHookDesk(t, tt.rules)
			p := project.Open([]string{d.dir}, &d.opts)
			docket := p.Match(t.Context(), command(d.dir, tt.command))
			dec, err := docket.Judge(t.Context())
			require.NoError(t, err)
			docket.Undo(t.Context(), &dec, true)
			require.Equal(t, tt.named, dec.Instead != "", dec.Instead)
			require.Equal(t, tt.put, dec.Input != nil)
			docket.Undo(t.Context(), &dec, false)
			evaluated := d.decide(command(d.dir, tt.command))
			require.Equal(t, tt.named, evaluated.Instead != "")
			require.Nil(t, evaluated.Input, "nobody can put it there")
		})
	}
}

// A call that is made again finds the folder of the first one in the trash, and gets another.
func TestUndoDoesNotReuseAFolder(t *testing.T) {
	t.Parallel()
	notOnWindows(t)
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": undoRule})
	p := project.Open([]string{d.dir}, &d.opts)
	docket := p.Match(t.Context(), command(d.dir, "rm -r src"))
	dec, err := docket.Judge(t.Context())
	require.NoError(t, err)
	docket.Undo(t.Context(), &dec, false)
	_, trash, _ := strings.Cut(dec.Instead, "mkdir -p ")
	trash, _, _ = strings.Cut(trash, " && ")
	require.NoError(t, os.MkdirAll(trash, 0o700))
	docket.Undo(t.Context(), &dec, false)
	require.Contains(t, dec.Instead, trash+"-2/")
}

// A person who lets the call itself through gets that.
func TestUndoOfWhatIsAllowed(t *testing.T) {
	t.Parallel()
	notOnWindows(t)
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": undoRule})
	first := d.decide(command(d.dir, "rm -r src"))
	require.NotEmpty(t, first.Instead)
	d.allow(first.Code)
	second := d.decide(command(d.dir, "rm -r src"))
	require.Equal(t, sentinel.VerdictAllow, second.Verdict)
	require.Empty(t, second.Instead)
}

// The trash takes what is moved into it. To change what is there is asked about, and no
// link leads out of it.
func TestOwnTrash(t *testing.T) {
	t.Parallel()
	notOnWindows(t)
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": undoRule, "src/x": "x"})
	trash := d.opts.StateDir + "-trash/repo-12345678"
	for line, want := range map[string]sentinel.Verdict{
		"mkdir -p " + trash + "/20260301-a && mv -n -- src " + trash + "/20260301-a/":   sentinel.VerdictAllow,
		"cp -r " + trash + "/20260301-a/src .":                                          sentinel.VerdictAllow,
		"rm -r " + trash:                                                                sentinel.VerdictAsk,
		"rm -r " + d.opts.StateDir + "-trash":                                           sentinel.VerdictAsk,
		"mv " + trash + "/20260301-a /tmp":                                              sentinel.VerdictAsk,
		"echo x >> " + trash + "/20260301-a/src/x":                                      sentinel.VerdictAsk,
		"ln -s " + d.opts.StateDir + "/key " + trash + "/k && echo x > " + trash + "/k": sentinel.VerdictAsk,
		"echo x > " + trash + "/../../state/key":                                        sentinel.VerdictAsk,
	} {
		require.Equal(t, want, d.decide(command(d.dir, line)).Verdict, line)
	}
}

// What is named instead of a case of a pack's rule passes all rules of all packs.
func TestUndoOfEveryCaseOfThePacks(t *testing.T) {
	t.Parallel()
	notOnWindows(t)
	files, err := packs.Files(packs.All)
	require.NoError(t, err)
	rules, cases := tree{}, []string{}
	for _, f := range files {
		parsed := rule.Parse(f.Name, f.Data)
		text := string(f.Data)
		if d := parsed.Definition; d.Undo == "" && (d.Severity == "ask" || d.Severity == "block") && sentinel.Trigger(d.Trigger).Covers(sentinel.Bash) {
			text += "\nundo: any\n"
		}
		rules[".claude/sentinel/rules/"+filepath.Base(f.Name)] = text
		for _, c := range parsed.Definition.Tests {
			if c.Bash != "" && c.Expect == "violation" {
				cases = append(cases, c.Bash)
			}
		}
	}
	d := newHookDesk(t, rules)
	d.opts.ForAgent, d.opts.NoLog = false, true
	p := project.Open([]string{d.dir}, &d.opts)
	require.Empty(t, p.Inspect().Problems())
	named := 0
	for _, line := range cases {
		dec, err := p.Evaluate(t.Context(), command(d.dir, line))
		require.NoError(t, err, line)
		if dec.Instead == "" {
			continue
		}
		named++
		again, err := p.Evaluate(t.Context(), command(d.dir, dec.Instead))
		require.NoError(t, err, line)
		require.LessOrEqual(t, again.Verdict, sentinel.VerdictWarn, "%s\ninstead of %s", dec.Instead, line)
	}
	t.Logf("%d of %d cases", named, len(cases))
	require.Greater(t, named, 20)
}

// notOnWindows: what undoes a command is for a POSIX shell, and only recognised elsewhere.
func notOnWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("nothing is undone on Windows: what would run instead is for a POSIX shell")
	}
}

package scribe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scribe"
)

// billingDraft is a repository with one draft.
func billingDraft(t *testing.T) *repo {
	t.Helper()
	r := newRepo(t, finds(billing()), writesRule(billingRule))
	require.Len(t, r.learned("s1", r.billingSession()...).Drafts, 1)
	return r
}

func TestPromote(t *testing.T) {
	t.Parallel()
	r := billingDraft(t)
	p, err := scribe.Promote(t.Context(), "no-direct-billing", r.opts)
	require.NoError(t, err)
	require.Equal(t, r.path(".claude/sentinel/rules/no-direct-billing.yaml"), p.Path)
	require.Empty(t, r.drafts())
	text := r.read(".claude/sentinel/rules/no-direct-billing.yaml")
	require.Equal(t, string(p.Text), text)
	require.True(t, strings.HasPrefix(text, `# Learned from user_feedback, first seen 2026-05-04, observed once; promoted 2026-05-04.
# Evidence: "Never modify the billing module directly; go through src/billing/api.ts."
# Session s1, confidence 0.9, model fake.
id: no-direct-billing
`), text)
	require.NotContains(t, text, "_draft")
	f := rule.Parse("x.yaml", []byte(text))
	require.Empty(t, f.Problems)
	require.Len(t, f.Definition.Tests, 3)
	require.Len(t, p.Cases, 3)
	require.Equal(t, scribe.Promoted, r.only().State)

	_, err = scribe.Promote(t.Context(), "no-direct-billing", r.opts)
	require.ErrorContains(t, err, "there is no draft")

	r.answers(finds(billing()))
	require.Equal(t, 1, r.learned("s2", r.billingSession()...).Duplicate, "it is not proposed again")
}

func TestPromoteRefuses(t *testing.T) {
	t.Parallel()
	draft := func(id, text string) func(*repo) {
		return func(r *repo) { r.write(".claude/sentinel/drafts/"+id+".draft.yaml", text) }
	}
	const good = "id: d\ntrigger: bash\nscope: [\"sudo *\"]\nprompt: It must not use sudo.\n"
	tests := map[string]struct {
		id      string
		prepare func(*repo)
		want    string
	}{
		"a path":            {"../x", draft("d", good), "is not the id of a draft"},
		"a path below":      {"a/b", draft("d", good), "is not the id of a draft"},
		"an absolute path":  {"/etc/passwd", draft("d", good), "is not the id of a draft"},
		"a hidden one":      {".hidden", draft("d", good), "is not the id of a draft"},
		"capitals":          {"D", draft("d", good), "is not the id of a draft"},
		"empty":             {"", draft("d", good), "is not the id of a draft"},
		"missing":           {"other", draft("d", good), "there is no draft"},
		"another id inside": {"d", draft("d", strings.Replace(good, "id: d", "id: ../../evil", 1)), "`id: d`"},
		"broken": {"d", draft("d", strings.Replace(good, "sudo *", "", 1)),
			"d.draft.yaml:3"},
		"its own case fails":   {"d", draft("d", good+"tests:\n  - {bash: ls, expect: violation}\n"), "bash ls: expect violation, but the rule does not reach it"},
		"a rule has the id":    {"d", func(r *repo) { draft("d", good)(r); r.rule("r.yaml", strings.Replace(good, "sudo *", "su *", 1)) }, "has the id `d` already"},
		"a rule says the same": {"d", func(r *repo) { draft("d", good)(r); r.rule("r.yaml", strings.Replace(good, "id: d", "id: e", 1)) }, "the rule `e` says the same"},
		"a file has the name": {"d", func(r *repo) {
			draft("d", good)(r)
			r.write(".claude/sentinel/rules/d.yaml", "")
		}, "exists already"},
		"provenance out of place": {"d", draft("d", "{id: d, trigger: bash, scope: [\"sudo *\"], prompt: x,\n _draft: {source: x}}\n"), "`_draft:` at the left margin"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			tt.prepare(r)
			before := r.drafts()
			_, err := scribe.Promote(t.Context(), tt.id, r.opts)
			require.ErrorContains(t, err, tt.want)
			require.Equal(t, before, r.drafts(), "the draft stays")
			_, err = os.Stat(r.path(".claude/sentinel/rules/evil.yaml"))
			require.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

// A draft that a person wrote by hand needs no id and no origin.
func TestPromoteWithoutAnID(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".claude/sentinel/drafts/d.draft.yaml", "trigger: bash\nscope: [\"sudo *\"]\nprompt: It must not use sudo.\n")
	done, err := scribe.Promote(t.Context(), "d", r.opts)
	require.NoError(t, err)
	require.NotContains(t, string(done.Text), "\nid:")
}

// A hostile draft of a cloned repository cannot write its comment into the rule.
func TestPromoteComment(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".claude/sentinel/drafts/d.draft.yaml", "id: d\ntrigger: bash\nscope: [\"sudo *\"]\nprompt: It must not use sudo.\n"+
		"_draft:\n  source: \"x\\nseverity: info\"\n  evidence: \"a\\nexclude: ['**']\\r\\u2028b\"\n  session: \"s\\nid: z\"\n  confidence: 1\n  model: m\n  times_observed: 3\n")
	_, err := scribe.Promote(t.Context(), "d", r.opts)
	require.NoError(t, err)
	text := r.read(".claude/sentinel/rules/d.yaml")
	for _, line := range strings.Split(strings.SplitN(text, "id: d\n", 2)[0], "\n") {
		require.True(t, line == "" || strings.HasPrefix(line, "# "), line)
	}
	f := rule.Parse("d.yaml", []byte(text))
	require.Empty(t, f.Problems)
	require.Empty(t, f.Definition.Exclude)
}

// Folders that lead out of the project are not used.
func TestLinkedFolders(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for _, name := range []string{".claude/sentinel/drafts", ".sentinel"} {
		r := newRepo(t, finds(billing()), writesRule(billingRule))
		if err := os.Symlink(outside, r.path(name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		_, err := r.reflect("s1", r.billingSession()...)
		require.Error(t, err, name)
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Empty(t, entries, name)
	}
}

// Nor is what lies there shown to the user, a session or a model.
func TestLinkedDraftsAreNotRead(t *testing.T) {
	t.Parallel()
	from := billingDraft(t)
	r := newRepo(t, finds(billing()), writesRule(billingRule))
	if err := os.Symlink(from.path(".claude/sentinel/drafts"), r.path(".claude/sentinel/drafts")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	_, err := scribe.Drafts(r.opts)
	require.ErrorContains(t, err, "leads out of the project")
	require.NotEmpty(t, scribe.Notice(from.opts.Dir, "s", &scribe.NoticeOptions{Now: r.opts.Now}))
	require.Empty(t, scribe.Notice(r.opts.Dir, "s", &scribe.NoticeOptions{Now: r.opts.Now}))
	_, err = r.reflect("s1", r.billingSession()...)
	require.Error(t, err)
	require.Len(t, r.model.Requests(), 2)
	require.NotContains(t, r.model.Requests()[1].Prompt, "no-direct-billing: draft")
}

func TestDismiss(t *testing.T) {
	t.Parallel()
	r := billingDraft(t)
	d, err := scribe.Dismiss(t.Context(), "no-direct-billing", r.opts)
	require.NoError(t, err)
	require.Equal(t, "no-direct-billing", d.ID)
	require.Empty(t, r.drafts())
	require.Equal(t, scribe.Dismissed, r.only().State)
	gone, err := scribe.OpenStore(r.path(".sentinel/scribe")).Dismissals()
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.Equal(t, billing().Statement, gone[0].Statement)
	_, err = scribe.Dismiss(t.Context(), "../x", r.opts)
	require.ErrorContains(t, err, "is not the id of a draft")

	// The same words: no second call.
	c := billing()
	c.Statement = "never modify the BILLING module directly – go through src/billing/api.ts!"
	r.answers(finds(c))
	require.Empty(t, r.learned("s2", r.billingSession()...).Drafts)

	// Other words: the second call finds it in the list.
	c.Statement = "Billing code is to be changed by its API only"
	r.answers(finds(c), covered("dismissed/"+gone[0].ID, "The person dismissed it."))
	require.Equal(t, 1, r.learned("s3", r.billingSession()...).Dismissed)
	r.model.Verify(t)

	// Another convention on the same scope is proposed.
	c.Statement = "Files of the billing module begin with a licence header"
	r.answers(finds(c), writesRule(strings.Replace(billingRule, "no-direct-billing", "billing-licence", 1)))
	require.Equal(t, []string{"billing-licence"}, r.learned("s4", r.billingSession()...).Drafts)
}

// A draft that was dismissed before it was observed here, as by a colleague whose
// file was merged, counts too.
func TestDismissedElsewhere(t *testing.T) {
	t.Parallel()
	r := newRepo(t, finds(billing()))
	r.write(".sentinel/scribe/dismissed.jsonl", `{"statement":"Never modify the billing module directly: go through src/billing/api.ts"}`+"\n{broken\n")
	require.Equal(t, 1, r.learned("s1", r.billingSession()...).Dismissed)
	require.Equal(t, scribe.Dismissed, r.only().State)
}

func TestNotice(t *testing.T) {
	t.Parallel()
	r := billingDraft(t)
	at := func(days int) *scribe.NoticeOptions {
		return &scribe.NoticeOptions{StateDir: t.TempDir(), Now: func() time.Time { return today.AddDate(0, 0, days) }}
	}
	require.Equal(t, "1 draft rule is waiting for the user's review: `sentinel drafts` shows it.", scribe.Notice(r.opts.Dir, "s", at(7)))
	require.Empty(t, scribe.Notice(r.opts.Dir, "s", at(8)), "seven days")
	once := at(0)
	require.NotEmpty(t, scribe.Notice(r.opts.Dir, "s", once))
	require.Empty(t, scribe.Notice(r.opts.Dir, "s", once), "once per session")
	require.NotEmpty(t, scribe.Notice(r.opts.Dir, "another", once))
	none := at(0)
	none.MaxAge = -1
	require.Empty(t, scribe.Notice(r.opts.Dir, "s", none))
	require.Empty(t, scribe.Notice(t.TempDir(), "s", nil))
	r.write(".claude/sentinel/drafts/old.draft.yaml", "\x1b[2J: [")
	r.write(".claude/sentinel/drafts/second.draft.yaml", strings.ReplaceAll(r.read(".claude/sentinel/drafts/no-direct-billing.draft.yaml"), "no-direct-billing", "second"))
	require.Equal(t, "2 draft rules are waiting for the user's review: `sentinel drafts` shows them.", scribe.Notice(r.opts.Dir, "s", at(1)))
}

// A draft that cannot be read is listed as one that is broken.
func TestBrokenDrafts(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".claude/sentinel/drafts/garbage.draft.yaml", "\x00\xff: [")
	r.write(".claude/sentinel/drafts/rule.yaml", "id: no-draft\n")
	r.write(".claude/sentinel/drafts/UPPER.draft.yaml", "id: x\n")
	require.NoError(t, os.Mkdir(r.path(".claude/sentinel/drafts/folder.draft.yaml"), 0o755))
	drafts, err := scribe.Drafts(r.opts)
	require.NoError(t, err)
	require.Len(t, drafts, 2)
	for _, d := range drafts {
		require.True(t, d.Broken(), d.ID)
		require.Empty(t, d.Try(t.Context(), r.opts))
		_, err := scribe.Promote(t.Context(), d.ID, r.opts)
		require.Error(t, err)
	}
	_, err = scribe.Dismiss(t.Context(), "garbage", r.opts)
	require.NoError(t, err, "it can be taken away")
	require.NoFileExists(t, filepath.Join(r.opts.Dir, "drafts", "garbage.draft.yaml"))
}

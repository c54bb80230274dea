package e2e

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// verified is what `sentinel verify --last --json` says.
type verified struct {
	Sessions []struct {
		Agent                 string
		Transcripts, Problems []string
		Calls, Checked, Late  int
		Never                 int `json:"never_seen"`
		Extra                 int `json:"not_in_transcript"`
		Listed                []unseenCall
	}
}

type unseenCall struct {
	Tool, Subject, State, Why, Said string
	Rules                           []string
}

// verify wants `sentinel verify --last` to say that the last session's calls were
// checked, as many as these. An agent that keeps no transcript that can be read has its
// receipts alone.
func (r *repository) verify(checked int, readable bool) {
	r.t.Helper()
	res := r.sentinel("", "verify", "--last", "--json")
	var v verified
	require.NoError(r.t, json.Unmarshal([]byte(res.stdout), &v), "%s%s", res.stdout, res.stderr)
	require.Len(r.t, v.Sessions, 1)
	s := v.Sessions[0]
	assert.Equal(r.t, checked, s.Checked, "%+v", v)
	assert.Zero(r.t, s.Never+s.Late+s.Extra, "%+v", v)
	if readable {
		assert.Zero(r.t, res.exit, "%+v", v)
		assert.NotEmpty(r.t, s.Transcripts)
	} else {
		assert.Equal(r.t, 2, res.exit, "%+v", v)
		assert.Len(r.t, s.Problems, 1)
	}
}

// A session of Claude Code without the hook: each call that a rule is about is named.
func TestVerifyNamesWhatClaudeDidUnseen(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
	settings, _ := r.read(".claude/settings.json")
	r.write(".claude/settings.json", "{}")
	r.claude(write(r.path("src/billing/invoice.ts"), "export {}\n"), write(r.path("notes.md"), "a note\n"))
	r.write(".claude/settings.json", settings)

	res := r.sentinel("", "verify", "--json")
	var v verified
	require.NoError(t, json.Unmarshal([]byte(res.stdout), &v), "%s%s", res.stdout, res.stderr)
	require.Equal(t, 1, res.exit, "%+v", v)
	unseen := slices.IndexFunc(v.Sessions[0].Listed, func(c unseenCall) bool { return c.Subject == "src/billing/invoice.ts" })
	require.GreaterOrEqual(t, unseen, 0, "%+v", v)
	require.Equal(t, "never_seen", v.Sessions[0].Listed[unseen].State)
	require.Contains(t, v.Sessions[0].Listed[unseen].Rules, "protect-billing")
}

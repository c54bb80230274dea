package scribe_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/scribe"
)

const (
	draftFile = ".claude/sentinel/drafts/no-direct-billing.draft.yaml"
	otherRule = "id: other\ntrigger: bash\nscope: [\"sudo *\"]\nprompt: It must not use sudo.\n"
)

// A dismissal that was killed is finished by the next process, and its draft can no
// longer be promoted.
func TestKilledDismissal(t *testing.T) {
	t.Parallel()
	r := billingDraft(t)
	require.NoError(t, os.Rename(r.path(draftFile), r.path(draftFile+".dismissed")))
	_, err := scribe.Promote(t.Context(), "no-direct-billing", r.opts)
	require.ErrorContains(t, err, "there is no draft")

	r.write(".claude/sentinel/drafts/other.draft.yaml", otherRule)
	_, err = scribe.Promote(t.Context(), "other", r.opts)
	require.NoError(t, err)
	require.NoFileExists(t, r.path(draftFile+".dismissed"))
	gone, err := scribe.OpenStore(r.path(".sentinel/scribe")).Dismissals()
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.Equal(t, billing().Statement, gone[0].Statement)
	require.Equal(t, scribe.Dismissed, r.only().State)
}

// A promotion that was killed before it took the draft away holds: to dismiss the
// draft only takes it away.
func TestKilledPromotion(t *testing.T) {
	t.Parallel()
	r := billingDraft(t)
	draft := r.read(draftFile)
	p, err := scribe.Promote(t.Context(), "no-direct-billing", r.opts)
	require.NoError(t, err)
	r.write(draftFile, draft)

	_, err = scribe.Dismiss(t.Context(), "no-direct-billing", r.opts)
	require.NoError(t, err)
	gone, err := scribe.OpenStore(r.path(".sentinel/scribe")).Dismissals()
	require.NoError(t, err)
	require.Empty(t, gone)

	require.Empty(t, r.drafts())
	require.FileExists(t, p.Path)
	require.Equal(t, scribe.Promoted, r.only().State)

	r.write(draftFile, draft+"# changed since\n")
	_, err = scribe.Dismiss(t.Context(), "no-direct-billing", r.opts)
	require.NoError(t, err, "another draft is not this rule")
}

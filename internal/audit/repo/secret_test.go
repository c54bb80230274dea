package repo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// TestSecretsByCertainty tells credentials in a format of their own from what only
// a name speaks for: the first are confirmed, the second never.
func TestSecretsByCertainty(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "Q3EGRXVWZ7T2LPYD"
	password := "t7Qm" + "9wXz4Lp2"
	o := newOrigin(t)
	o.write("app.env", "AWS_KEY="+key+"\n")
	o.write("conf.yml", "db_password: \""+password+"\"\n")
	o.commit("work")
	rb := parse(t, `
  - {id: certain, type: secret, expect: {count: {max: 0}}, severity: critical}
  - {id: possible, type: secret, expect: {possible: {max: 0}}, severity: medium}
  - {id: all, type: secret}
`)
	all := Investigate(t.Context(), o.clone(nil), rb, nil)

	certain := parts(all, "certain")
	require.Len(t, certain, 1)
	require.Equal(t, "app.env:1", certain[0].Location.String())
	require.True(t, certain[0].Security())

	possible := parts(all, "possible")
	require.Len(t, possible, 1)
	require.Equal(t, "conf.yml:1", possible[0].Location.String())
	require.Equal(t, audit.False, possible[0].Outcome)
	require.Equal(t, audit.SeverityMedium, possible[0].Severity)
	require.False(t, possible[0].Security(), "a name alone confirms nothing")
	require.InDelta(t, 0.5, possible[0].Confidence, 0)

	require.Len(t, parts(all, "all"), 2)
	for _, id := range []string{"certain", "possible", "all"} {
		values := whole(t, all, id).Values
		require.Equal(t, 1, values["count"])
		require.Equal(t, 1, values["possible"])
	}
}

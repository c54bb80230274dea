package allow

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/record"
)

// The list is never silent about a call that waits: of those that a newer version stopped
// it has the number.
func TestShow(t *testing.T) {
	t.Parallel()
	waiting := []*gate.Stopped{{Code: "K7QX", Project: "/repo", At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local), Call: &record.Call{}}}
	const ours = "sentinel allow K7QX\nStopped at 12:00:00: a call of an agent in /repo\n\n"
	for _, c := range []struct {
		waiting []*gate.Stopped
		newer   int
		want    string
	}{
		{nil, 0, "No call waits for you.\n"},
		{waiting, 0, ours},
		{nil, 1, "1 call was stopped by a newer version of this program, which lists such calls and lets them through.\n"},
		{waiting, 2, ours + "2 calls were stopped by a newer version of this program, which lists such calls and lets them through.\n"},
	} {
		var out bytes.Buffer
		show(&command.Env{Stdout: &out}, c.waiting, c.newer)
		require.Equal(t, c.want, out.String())
	}
}

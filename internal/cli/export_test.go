package cli

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// ChildEnv is for tests of this package's outside.
var ChildEnv = childEnv

// Observe hands a decision over as a hook does, and returns what stood on the
// wire and what its observer is told.
func Observe(t *testing.T, at time.Time, ev sentinel.Event, d sentinel.Decision) (wire string, gotAt time.Time, gotEv sentinel.Event, got sentinel.Decision) {
	t.Helper()
	text, err := json.Marshal(newObservation(at, ev, d, d.Concluded()))
	require.NoError(t, err)
	var o observation
	require.NoError(t, json.Unmarshal(text, &o))
	gotEv, got = o.decode()
	return string(text), o.At, gotEv, got
}

// DecodeObservation takes what an observer's process finds on its input.
func DecodeObservation(input string) {
	var o observation
	if json.Unmarshal([]byte(input), &o) == nil {
		_, d := o.decode()
		for _, f := range d.Findings {
			_ = f.Err == nil || f.Err.Error() == ""
		}
	}
}

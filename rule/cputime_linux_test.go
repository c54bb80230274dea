package rule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOthersDoNotCount holds that an evaluation that waits has not computed, whatever
// the rest of the process does, and that one that computes has.
func TestOthersDoNotCount(t *testing.T) {
	t.Parallel()
	var waits computing
	begun, burnt, looked := make(chan bool), make(chan bool), make(chan bool)
	go waits.during(func() {
		close(begun)
		<-looked
	})
	<-begun
	var computes computing
	go computes.during(func() {
		for computes.time() < 50*time.Millisecond {
			continue
		}
		close(burnt)
	})
	<-burnt
	require.Less(t, waits.time(), 25*time.Millisecond)
	close(looked)
}

package lazy_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var word = lazy.Regexp{Source: `^\w+$`}

func TestRegexp(t *testing.T) {
	t.Parallel()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			require.True(t, word.Get().MatchString("one"))
			require.False(t, word.Get().MatchString("one two"))
		})
	}
	wait.Wait()
	require.Same(t, word.Get(), word.Get())
	require.Panics(t, func() { (&lazy.Regexp{Source: "("}).Get() })
}

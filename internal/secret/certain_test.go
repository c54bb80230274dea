package secret

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCertain holds the list of kinds that are not certain against the detectors.
func TestCertain(t *testing.T) {
	t.Parallel()
	for _, d := range detectors() {
		for _, kind := range d.kinds {
			want := d.rank == byFormat && kind != kindJWT
			require.Equal(t, want, Found{Kind: kind}.Certain(), kind)
		}
	}
}

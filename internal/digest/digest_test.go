package digest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/digest"
)

func TestHex(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{ // from FIPS 180-2
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		require.Equal(t, want, digest.Hex(in))
		require.Equal(t, want, digest.Hex([]byte(in)))
	}
}

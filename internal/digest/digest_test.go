package digest_test

import (
	"encoding/hex"
	"strings"
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
		sum := digest.Sum(in)
		require.Equal(t, want, hex.EncodeToString(sum[:]))
	}
	require.Equal(t, "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", digest.CSP("abc"))
}

// TestForms: the forms of lists are in stored files. The digests were computed from their
// description with another program.
func TestForms(t *testing.T) {
	t.Parallel()
	list := func(texts ...string) string {
		sum := digest.List(texts...)
		return hex.EncodeToString(sum[:])
	}
	require.Equal(t, "ea1cc672b17a5c99d273503a298965ef39b3616dfc46fb44022907c44f4e34fa", list("a", "bc"))
	require.Equal(t, "c150b536a0d7450f5d040d8dac8f6924ce08e5f015c594e343e9e485463ef3bb", list("ab", "c"))
	require.Equal(t, "95e98730d96605ac7a50fb8dfcd3e46bea8b14b5450f5ecb4fea105fa8564ac0", list(strings.Repeat("x", 300)))
	require.Equal(t, digest.Hex(""), list())

	require.Equal(t, "5310a58788781ab25d5ad7c3f85035824b4eb7bdfa394e0ac2186271472b5492", digest.HexList("a", "bc"), "1:a2:bc")
	require.Equal(t, digest.Hex(""), digest.HexList())

	lists := digest.NewLists()
	lists.Add("a", "bc")
	lists.Add()
	lists.Add(strings.Repeat("y", 5000))
	require.Equal(t, "6b6c9e7530bb68a4b2dd31bf48c0d9c4970fe543b7c00b2c8ca0bea000e780f7", lists.Hex())
}

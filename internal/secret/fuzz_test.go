package secret_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/secret"
)

func FuzzFind(f *testing.F) {
	for _, c := range readCases(f) {
		f.Add(c.text)
	}
	f.Add("\xff\"password\":\"\xff\xfe1a2b3c4d5e\"")
	kinds := secret.Kinds()
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range secret.Find(text) {
			require.True(t, end <= found.Start && found.Start < found.End && found.End <= len(text), "%v after %d", found, end)
			require.True(t, slices.Contains(kinds, found.Kind), found.Kind)
			end = found.End
		}
		// Text after a line end cannot hide the text before it.
		require.GreaterOrEqual(t, len(secret.Find(text+"\n\n")), len(secret.Find(text)))
	})
}

func FuzzMask(f *testing.F) {
	for _, c := range readCases(f) {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := secret.Find(text)
		masked := secret.Mask(text)
		if len(found) == 0 {
			require.Equal(t, text, masked)
		}
		for _, s := range found {
			// A secret shorter than eight bytes occurs elsewhere by chance, and one
			// could spell the replacement of another.
			if value := text[s.Start:s.End]; len(value) >= 8 && !strings.ContainsAny(value, "[]…") {
				require.NotContains(t, masked, value)
			}
		}
	})
}

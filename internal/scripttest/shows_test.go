package scripttest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/scripttest"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shows, out, err string
		fits            bool
	}{
		"a part":                   {"b\nc", "a\nb\n\nc\nd", "", true},
		"a line between":           {"a\nc", "a\nb\nc", "", false},
		"a line of any":            {"a\n…\nc", "a\nb\nc", "", true},
		"any text":                 {"a … c", "a b b c", "", true},
		"another order":            {"b\na", "a\nb", "", false},
		"the other stream goes on": {"a\nx\nb", "a\nb", "x", true},
		"neither stream has it":    {"a\ny", "a\nb", "x", false},
		"another time":             {"at 2026-01-02T03:04:05Z, 1.5 ms", "at 2027-11-12T13:14:15Z, 20 ms", "", true},
		"a folder":                 {"in /home/ann/shop/x.yaml", "in /tmp/1/repo/x.yaml", "", true},
		"an id":                    {"jbbwdu34tq.1 x", "aaaaaaaaaa.1 x", "", true},
		"another number":           {"3 calls", "4 calls", "", false},
		"another word":             {"BLOCK", "ALLOW", "", false},
		"nothing is shown":         {"", "a", "", true},
	} {
		err := scripttest.Shown(tt.shows, tt.out, tt.err)
		require.Equal(t, tt.fits, err == nil, "%s: %v", name, err)
	}
}

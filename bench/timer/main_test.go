package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain makes the test's own binary the program that is timed: with EXIT_AS
// among its arguments it ends with that status.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "EXIT_AS" {
		os.Exit(int(os.Args[2][0] - '0'))
	}
	os.Exit(m.Run())
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	values := []time.Duration{5, 1, 4, 2, 3}
	assert.Equal(t, time.Duration(1), quantile(values, 0))
	assert.Equal(t, time.Duration(3), quantile(values, 0.5))
	assert.Equal(t, time.Duration(5), quantile(values, 0.9))
	assert.Equal(t, time.Duration(5), quantile(values, 1))
	assert.Equal(t, []time.Duration{5, 1, 4, 2, 3}, values, "must stay in the order of the rounds")
}

func TestRun(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	stdin := filepath.Join(t.TempDir(), "stdin")
	require.NoError(t, os.WriteFile(stdin, nil, 0o600))
	ends := func(name, expected, status string) string {
		return strings.Join([]string{name + "=" + expected, "", stdin, self, "EXIT_AS", status}, ",")
	}

	var out bytes.Buffer
	require.NoError(t, run(&out, 3, 1, "", []string{ends("good", "0", "0"), ends("blocks", "2", "2")}))
	assert.Contains(t, out.String(), "3 runs each")
	assert.Contains(t, out.String(), "\n| good |")
	assert.Contains(t, out.String(), "\n| blocks |")

	for name, args := range map[string][]string{
		"other exit":      {ends("wrong", "0", "2")},
		"no program":      {},
		"no name":         {"0,,,true"},
		"too few fields":  {"a=0,,"},
		"missing program": {"a=0,,," + stdin + ".absent"},
		"missing stdin":   {strings.Replace(ends("a", "0", "0"), stdin, stdin+".absent", 1)},
	} {
		assert.Error(t, run(&out, 1, 0, "", args), name)
	}
	assert.Error(t, run(&out, 0, 0, "", []string{ends("good", "0", "0")}))
}

func TestVaried(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	require.NoError(t, os.WriteFile(from, []byte("call-N of N"), 0o600))
	require.NoError(t, varied(to, from, "N", 7))
	got, err := os.ReadFile(to)
	require.NoError(t, err)
	assert.Equal(t, "call-00000007 of 00000007", string(got))
	require.Error(t, varied(to, from+".absent", "N", 7))
}

package shell

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAround: what stands around a line hides none of its commands.
func TestAround(t *testing.T) {
	t.Parallel()
	around := []string{
		"{ :; } && {\n%\n}",
		"f0() { :; } && {\n%\n}",
		"f0() (:) || {\n%\n}",
		"function f0 { :; } && cat x0 | {\n%\n}",
		"f0() if :; then :; fi && {\n%\n} &",
		"f0() {\n%\n} && f0",
		"f0() { :; } && f1() {\n%\n} && f1",
		"time {\n%\n}",
		"coproc {\n%\n}",
		"! {\n%\n}",
		"if ! {\n%\n}; then :; fi",
		"until {\n%\n}; do :; done",
		"for f0 in a; do\n%\ndone",
		"case a in b) ;; a) {\n%\n} ;; esac",
		"(\n%\n) > /dev/null",
		"set -euo pipefail\n%",
		"x0=$(\n%\n)",
		"cat <(\n%\n)",
	}
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		for _, c := range readCases(t, file) {
			bare := Parse(c.text, nil)
			if bare.Unparsed != "" || bare.Bounded || strings.Contains(c.want, "powershell") {
				continue
			}
			for _, a := range around {
				whole := Parse(strings.Replace(a, "%", c.text, 1), nil)
				if whole.Unparsed != "" || strings.Contains(a, "} && f") && strings.ContainsAny(c.text, "$@") {
					continue // or its parameters are another's
				}
				seen := map[string]bool{}
				for i := range whole.Commands {
					seen[whole.Commands[i].Program] = true
				}
				for i := range bare.Commands {
					require.True(t, seen[bare.Commands[i].Program], "%s in %s is not seen of\n%s", bare.Commands[i].Text, a, c.text)
				}
			}
		}
	}
}

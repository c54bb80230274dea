package instructions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChangedPlace: a demand about the change of a path is about that path, wherever the sentence says
// so and whatever it is due before.
func TestChangedPlace(t *testing.T) {
	made := 0
	for _, due := range []string{"before committing", "before you push", "before opening a PR"} {
		for _, place := range []string{"`server/mail/`", "`server/mail/post.py`", "`server/mail` or `server/mail/post.py`"} {
			for _, line := range []string{
				"When changing %[1]s, run `make mail` %[2]s.", "If you touch %[1]s, run `make mail` %[2]s.", "After editing files in %[1]s, run `make mail` %[2]s.",
				"Run `make mail` %[2]s if you changed %[1]s.", "Run `make mail` %[2]s when you modify %[1]s.", "For changes in %[1]s, run `make mail` %[2]s.",
				"If %[1]s was changed, run `make mail` %[2]s.", "Whenever %[1]s changes, run `make mail` %[2]s.", "Run `make mail` (only when %[1]s changed) %[2]s.",
			} {
				line = fmt.Sprintf(line, place, due)
				for _, d := range draftsOf("# Rules\n\n- " + line + "\n") {
					made++
					require.Contains(t, d.YAML, "server/mail", line)
					require.NotContains(t, d.YAML, "*.{go", line)
					if strings.Contains(d.YAML, "since:") {
						require.Contains(t, d.YAML, "- write: server/mail", line)
					}
				}
			}
		}
	}
	require.Greater(t, made, 60)
}

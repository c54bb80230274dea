package rule

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// TestContentOfDeletion holds that a condition on the new content is never what a
// deletion violates, and that all others still are.
func TestContentOfDeletion(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]bool{
		`not (content contains "SPDX")`:                         false,
		`path endsWith ".go" and not (content contains "SPDX")`: false,
		`content == ""`: false,
		`not (path endsWith ".md" or content contains "SPDX")`:                         false,
		`let text = lower(content); not (text contains "spdx")`:                        false,
		`path startsWith "src/" or not (content contains "SPDX")`:                      true,
		`path startsWith "src/"`:                                                       true,
		`operation == "delete" and path startsWith "src/"`:                             true,
		`not (content contains "SPDX" and path endsWith ".md")`:                        true,
		`any(removes, # endsWith ".go") and (content == "" or path startsWith "src/")`: true,
		`len(secrets(content)) > 0`:                                                    false,
	} {
		r := build(t, "id: r\ntrigger: file_write\nbackend: builtin\nwhen: |\n  "+when+"\nmessage: m\n", nil)
		for _, op := range []sentinel.Op{sentinel.OpDelete, sentinel.OpMove, sentinel.OpCreate} {
			a := sentinel.Action{Trigger: sentinel.FileWrite, Op: op, Path: "src/a.go", Target: "src/a.go", Forms: []string{"src/a.go"}, Root: "/p", Dir: "/p"}
			got, err := r.When(context.Background(), &a, sentinel.Match{OK: true})
			require.NoError(t, err, when)
			if op == sentinel.OpDelete {
				require.Equal(t, want, got, when)
			}
		}
	}
	require.Equal(t, `a ==`, withoutContent(`a ==`), "what cannot be parsed stays as it is")
}

package rule

import (
	"context"
	"os"
	"path/filepath"
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

// TestAdds: what a file has already may stay, and one more may not come.
func TestAdds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "old.ts"), []byte("any\nany\n"), 0o600))
	for name, c := range map[string]struct {
		path, content, old, agent string
		op                        sentinel.Op
		adds                      bool
	}{
		"a new file":              {"new.ts", "any", "", "", sentinel.OpCreate, true},
		"a new file without":      {"new.ts", "many", "", "", sentinel.OpCreate, false},
		"an edit that keeps":      {"old.ts", "x: any = 1", "x: any", "", sentinel.OpEdit, false},
		"an edit with one more":   {"old.ts", "any, any", "any", "", sentinel.OpEdit, true},
		"an edit with one less":   {"old.ts", "any", "any, any", "", sentinel.OpEdit, false},
		"an edit that puts it in": {"old.ts", "any", "x", "", sentinel.OpEdit, true},
		"a file as it was":        {"old.ts", "any any", "", "", sentinel.OpCreate, false},
		"a file with one more":    {"old.ts", "any any any", "", "", sentinel.OpCreate, true},
		"an addition":             {"old.ts", "any", "", "", sentinel.OpAppend, true},
		"lines of a commit":       {"old.ts", "any", "", commit, sentinel.OpCreate, true},
		"changes of a commit":     {"old.ts", "any", "any", commit, sentinel.OpEdit, false},
		"a deletion":              {"old.ts", "", "", "", sentinel.OpDelete, false},
	} {
		a := sentinel.Action{Trigger: sentinel.FileWrite, Op: c.op, Path: c.path, Target: c.path, Forms: []string{c.path}, Content: c.content, Old: c.old, Agent: c.agent, Root: dir, Dir: dir}
		for when, want := range map[string]bool{`addsMatch("\\bany\\b")`: c.adds, `not addsMatch("\\bany\\b") and path == "none"`: false} {
			w, err := compileWhen(about(&a, when))
			require.NoError(t, err)
			got, err := w.eval(context.Background(), &a, sentinel.Match{OK: true})
			require.NoError(t, err)
			require.Equal(t, want, got, "%s: %s", name, when)
		}
	}
	require.ErrorContains(t, checkWhen(`addsMatch("(")`, sentinel.FileWrite, ""), "missing closing )")
	require.Error(t, checkWhen(`addsMatch("a")`, sentinel.Bash, ""))
}

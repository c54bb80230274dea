package syntax

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// A memo changes no answer, whatever is asked after what, and holds nothing once it
// is closed.
func TestMemo(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		Go:         "package x\n\nimport \"os/exec\"\n\nvar _ = exec.Command(\"x\")\n",
		Python:     "import os\n\nclass A(B):\n    pass\n\nos.system('x')\n",
		JavaScript: "const c = require('child_process');\nc.exec('x');\n",
	}
	probes := []rubric.Probe{
		{ID: "call", Call: "exec.Command"}, {ID: "system", Call: "os.system"}, {ID: "base", Base: "B"},
		{ID: "go", Lang: Go, Query: "(call_expression) @hit"}, {ID: "py", Lang: Python, Query: "(call) @hit"},
		{ID: "js", Lang: JavaScript, Query: "(call_expression) @hit"}, {ID: "again", Lang: Go, Query: "(import_spec) @hit"},
	}
	var group sync.WaitGroup
	for lang, source := range sources {
		for range 4 {
			group.Go(func() {
				f := File{Path: "x", Lang: lang, Source: []byte(source)}
				var queries []*Query
				var want []Result // before the memo holds anything; see Memo
				for i := range probes {
					q, err := Compile(&probes[i])
					if err != nil {
						t.Errorf("%s: %v", probes[i].ID, err)
						return
					}
					queries, want = append(queries, q), append(want, q.Find(t.Context(), f))
				}
				f.Memo = &Memo{}
				defer f.Memo.Close()
				for range 2 {
					for i, q := range queries {
						if got := q.Find(t.Context(), f); !equalResults(want[i], got) {
							t.Errorf("%s in %s: %+v, without a memo %+v", probes[i].ID, lang, got, want[i])
						}
					}
				}
			})
		}
	}
	group.Wait()
}

func equalResults(a, b Result) bool {
	if (a.Err == nil) != (b.Err == nil) || a.Broken != b.Broken || len(a.Hits) != len(b.Hits) {
		return false
	}
	for i := range a.Hits {
		if a.Hits[i].First != b.Hits[i].First || a.Hits[i].Last != b.Hits[i].Last || a.Hits[i].Snippet != b.Hits[i].Snippet {
			return false
		}
	}
	return true
}

func TestMemoKeepsOneTree(t *testing.T) {
	t.Parallel()
	var memo Memo
	f := File{Path: "x.py", Lang: Python, Source: []byte("f()\n"), Memo: &memo}
	q, err := Compile(&rubric.Probe{ID: "q", Lang: Python, Query: "(call) @hit"})
	require.NoError(t, err)
	require.Len(t, q.Find(t.Context(), f).Hits, 1)
	first := memo.tree
	require.NotNil(t, first)
	require.Len(t, q.Find(t.Context(), f).Hits, 1)
	require.Same(t, first, memo.tree, "it was read again")
	memo.Close()
	require.Nil(t, memo.tree)
	require.Len(t, q.Find(t.Context(), f).Hits, 1)
	memo.Close()
}

// A file that was too hard once is not tried by every query again.
func TestMemoRemembersWhatIsTooHard(t *testing.T) {
	t.Parallel()
	f := File{Path: "x.py", Lang: Python, Memo: &Memo{}}
	defer f.Memo.Close()
	f.keepHard(Python, context.Canceled)
	require.NoError(t, f.tooHard(Python), "another run may have the time")
	f.keepHard(Python, fmt.Errorf("%w: x.py", ErrTooHard))
	q, err := Compile(&rubric.Probe{ID: "q", Lang: Python, Query: "(call) @hit"})
	require.NoError(t, err)
	require.ErrorIs(t, q.Find(t.Context(), f).Err, ErrTooHard)
	f.Memo.Close()
	require.NoError(t, q.Find(t.Context(), f).Err)
}

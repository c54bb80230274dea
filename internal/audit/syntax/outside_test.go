package syntax

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// TestOutside leaves out matches within another one.
func TestOutside(t *testing.T) {
	t.Parallel()
	const source = "fn f() { g().unwrap(); }\n#[cfg(test)]\n#[allow(unused)]\nmod tests {\n    fn h() { g().unwrap(); }\n}\nfn i() { g().unwrap(); }\n"
	p := &rubric.Probe{ID: "p", Lang: Rust,
		Query:   `((call_expression function: (field_expression field: (field_identifier) @name)) @hit (#eq? @name "unwrap"))`,
		Outside: `((attribute_item) @attribute . (attribute_item)* . (mod_item) @hit (#match? @attribute "test"))`}
	q, err := Compile(p)
	require.NoError(t, err)
	r := q.Find(t.Context(), File{Path: "a.rs", Lang: Rust, Source: []byte(source)})
	require.NoError(t, r.Err)
	var lines []int
	for _, h := range r.Hits {
		lines = append(lines, h.First)
	}
	require.Equal(t, []int{1, 7}, lines)

	p.Outside = "(mod_item"
	_, err = Compile(p)
	require.ErrorContains(t, err, "syntax: probe p: outside: ")
}

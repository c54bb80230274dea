package trigger

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
)

// TestPartOfFile: a part of a file does not count as a whole new one, whatever the tool. Rules
// about what a write adds compare a whole new file with the old one.
func TestPartOfFile(t *testing.T) {
	t.Parallel()
	const unified = `--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n x\n-old\n+new\n`
	for _, tc := range []struct{ tool, args, want string }{
		{"mcp__fs__write_file", `{"path":"a","content":"x"}`, `file_write/create sub/a "x"`},
		{"mcp__fs__append_file", `{"path":"a","content":"x"}`, `file_write/append sub/a "x"`},
		{"mcp__fs__append_to_file", `{"path":"a","content":"x"}`, `file_write/append sub/a "x"`},
		{"mcp__fs__fileAppend", `{"path":"a","content":"x"}`, `file_write/append sub/a "x"`},
		{"fsAppend", `{"path":"a","text":"x"}`, `file_write/append sub/a "x"`},
		{"mcp__fs__write_file", `{"path":"a","content":"x","mode":"append"}`, `file_write/append sub/a "x"`},
		{"mcp__fs__write_file", `{"path":"a","content":"x","mode":"rewrite"}`, `file_write/create sub/a "x"`},
		{"mcp__fs__write_file", `{"path":"a","content":"x","append":true}`, `file_write/append sub/a "x"`},
		{"mcp__fs__write_file", `{"path":"a","content":"x","append":false}`, `file_write/create sub/a "x"`},
		{"mcp__fs__prepend_file", `{"path":"a","content":"x"}`, `file_write/edit sub/a "x"`},
		{"mcp__fs__file_insert", `{"path":"a","content":"x"}`, `file_write/edit sub/a "x"`},
		{"mcp__fs__write_file", `{"path":"a","content":"x","line":3}`, `file_write/edit sub/a "x"`},
		{"mcp__dev__edit_file_part", `{"path":"a","code_edit":"x"}`, `file_write/edit sub/a "x"`},
		{"Write", `{"file_path":"a","content":"x","mode":"append","line":3,"insert_text":"y"}`, `file_write/create sub/a "x\ny"`},
		{"Write", `{"file_path":"a","content":"x","patch":"@@ -1 +1 @@\n-x\n"}`, `file_write/create sub/a "x"`},
		{"Write", `{"file_path":"a","content":"x","old_string":"x"}`, `file_write/create sub/a "x"`},
		{"Write", `{"file_path":"a","content":"","diff":"x"}`, `file_write/create sub/a "x"`},
		{"write_file", `{"file_path":"a","content":"x","append":true}`, `file_write/create sub/a "x"`},
		{"mcp__fs__write_file", `{"path":"a","content":"x","code_edit":""}`, `file_write/create sub/a "x"`},
		{"editor", `{"path":"a","new_text":"x"}`, `file_write/create sub/a "x"`},
		{"editor", `{"path":"a","new_text":"x","insert_line":2}`, `file_write/edit sub/a "x"`},
		{"write_to_file", `{"path":"a","content":"x"}`, `file_write/create sub/a "x"`},
		{"write_to_file", `{"path":"a","diff":"x"}`, `file_write/edit sub/a "x"`},
		{"write_to_file", `{"path":"a","content":"x","diff":""}`, `file_write/create sub/a "x"`},
		{"write_to_file", `{"path":"a","diff":"` + unified + `"}`, `file_write/edit sub/a "--- a/a\n+++ b/a\nx\nnew\n" for "x\nold\n"`},
		{"mcp__fs__patch_file", `{"path":"a","patch":"` + unified + `"}`, `file_write/edit sub/a "--- a/a\n+++ b/a\nx\nnew\n" for "x\nold\n"`},
	} {
		got, err := mapCall(t, nil, "", tc.tool, tc.args)
		require.NoError(t, err, tc.args)
		assert.Equal(t, tc.want, brief(got[len(got)-1]), "%s %s", tc.tool, tc.args)
	}
}

// TestMovedByPatch: the text of a patch that moves a file is a part of it too.
func TestMovedByPatch(t *testing.T) {
	t.Parallel()
	got, err := mapCall(t, nil, "", "apply_patch", quoted("*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n+new\n*** End Patch"))
	require.NoError(t, err)
	require.Equal(t, []string{`file_write/move sub/a "new\n"`, `file_write/create sub/b "new\n" for "\n"`}, briefs(got))
}

// TestMergedWrites: what one of many files had is not what all of them had.
func TestMergedWrites(t *testing.T) {
	t.Parallel()
	var all gatherer
	for i := range derivedMax + 3 {
		name := fmt.Sprint("f", i)
		all.add(sentinel.Action{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Target: name, Path: name, Forms: []string{name}, Content: name, Old: "old", Certain: true})
	}
	actions := all.done()
	require.Len(t, actions, derivedMax+1)
	last := actions[derivedMax]
	require.Equal(t, "f256\nf257\nf258", last.Content)
	require.Empty(t, last.Old)
	require.Len(t, last.Forms, 3)
	require.False(t, last.Certain)
	require.Equal(t, "old", actions[derivedMax-1].Old)
}

// TestEffectsOfActions: an action says by which effects of its line it is made, also where it stands for several.
func TestEffectsOfActions(t *testing.T) {
	t.Parallel()
	got, err := mapCall(t, nil, "", "Bash", `{"command":"rm a; touch b; rm a; mv b c"}`)
	require.NoError(t, err)
	line, by := got[0].Command, map[string][]int{}
	require.Nil(t, got[0].Effects)
	for _, a := range got[1:] {
		for _, k := range a.Effects {
			e := line.Effects[k]
			require.Contains(t, []string{"sub/" + e.Path, "sub/" + e.To}, a.Path)
			what := a.Op.String() + " " + a.Path
			by[what] = append(by[what], e.Command)
		}
	}
	require.Equal(t, []int{0, 2}, by["delete sub/a"])
	require.Len(t, by, 4, by)

	var all gatherer
	for i := range derivedMax + 3 {
		all.add(sentinel.Action{Target: fmt.Sprint("f", i), Effects: []int{i}})
	}
	all.add(sentinel.Action{Target: "f258", Effects: []int{900}})
	require.Equal(t, []int{256, 257, 258, 900}, all.done()[derivedMax].Effects)
	all.add(sentinel.Action{Target: "f257"})
	require.Nil(t, all.done()[derivedMax].Effects, "one is not known")
	all.add(sentinel.Action{Target: "f999", Effects: []int{7}})
	require.Nil(t, all.done()[derivedMax].Effects, "one was not known")
}

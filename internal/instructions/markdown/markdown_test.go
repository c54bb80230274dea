package markdown

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// brief is a block in one line: its kind, its lines, the block that introduces it, and its text.
func brief(b *Block) string {
	s := [...]string{"text", "heading", "item", "row"}[b.Kind] + fmt.Sprintf(" %d", b.Line)
	if b.End > b.Line {
		s += fmt.Sprintf("-%d", b.End)
	}
	if b.Lead >= 0 {
		s += fmt.Sprintf(" of %d", b.Lead)
	}
	if b.Invisible {
		s += " hidden"
	}
	return strings.TrimSpace(s + ": " + b.Text())
}

func briefs(text string) (list []string) {
	all := Blocks(text)
	for i := range all {
		list = append(list, brief(&all[i]))
	}
	return list
}

// TestBlocks: what a text is split into.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"paragraphs", "One\ngoes on.\n\nTwo.\n", []string{"text 1-2: One goes on.", "text 4: Two."}},
		{"the end of Windows' lines", "One\r\ngoes on.\r\n\r\nTwo.\r\n", []string{"text 1-2: One goes on.", "text 4: Two."}},
		{"a byte order mark", "\ufeff# Title\n", []string{"heading 1: Title"}},
		{"headings", "# A #\n####### none\n#none\n## B\n", []string{"heading 1: A", "text 2-3: ####### none #none", "heading 4: B"}},
		{"labels", "One.\n**Two**: x\n✅ Three\nfour\n", []string{"text 1: One.", "text 2: **Two**: x", "text 3-4: ✅ Three four"}},
		{"items", "- a\n* b\n+ c\n• d\n1. e\n2) f\n- [ ] g\n- [x] h\n-i\n", []string{"item 1: a", "item 2: b", "item 3: c", "item 4: d", "item 5: e", "item 6: f", "item 7: g", "item 8-9: h -i"}},
		{"a list with a lead", "Do:\n\n- a\n  goes on\n  - b\n    - c\n- d\n", []string{"text 1: Do:", "item 3-4 of 0: a goes on", "item 5 of 1: b", "item 6 of 2: c", "item 7 of 0: d"}},
		{"a list below a heading", "# Never\n\n- a\n\nNo:\n- b\n", []string{"heading 1: Never", "item 3 of 0: a", "text 5: No:", "item 6 of 2: b"}},
		{"tabs", "- a\n\t- b\n", []string{"item 1: a", "item 2 of 0: b"}},
		{"what an item ends with", "- Never:\n- a\n- b\n", []string{"item 1: Never:", "item 2 of 0: a", "item 3 of 0: b"}},
		{"a paragraph of an item", "- a\n\n  more\n\nless\n", []string{"item 1: a", "text 3 of 0: more", "text 5: less"}},
		{"a quotation", "> One\n> two\n>> - a\n", []string{"text 1-2: One two", "item 3 of 0: a"}},
		{"lines", "a\n---\nb\n***\nc\n", []string{"text 1: a", "text 3: b", "text 5: c"}},
		{"tags alone", "a\n<br>\nb\n</details>\nc\n", []string{"text 1: a", "text 3: b", "text 5: c"}},
		{"imports", "- a\u200b\n- b\n@docs/a.md\n@b.md\nand see @c.md\n  @.hidden/d.md\n", []string{"text 1 hidden:", "item 2: b", "text 3: @docs/a.md", "text 4: @b.md", "text 5: and see @c.md", "text 6: @.hidden/d.md"}},
		{"a table", "| When | Do |\n|---|:-:|\n| x | y |\n|z||\n\n| Other | one |\n| --- | --- |\n| w | v |\n", []string{"row 3: x | y", "row 4: z", "row 8: w | v"}},
		{"code", "Run:\n```sh\nmake\n```\n- a\n  ~~~\n  # b\n  ~~~\n# C\n", []string{"text 1: Run:", "item 5 of 0: a", "heading 9: C"}},
		{"code without an end", "a\n```\n# b\n- c\n", []string{"text 1: a"}},
		{"a longer mark", "a\n````\n```\n# b\n````\n# C\n", []string{"text 1: a", "heading 6: C"}},
		{"no mark", "```a``` b\n", []string{"text 1: ```a``` b"}},
		{"code before all", "```\nx\n```\na\n", []string{"text 4: a"}},
		{"front matter", "---\na: b\n---\n# T\n", []string{"heading 4: T"}},
		{"no front matter", "---\nab\n---\n# T\n", []string{"text 2: ab", "heading 4: T"}},
		{"components", "a\n<Steps>\n# b\n<Step title=\"x\">\nc\n</Step>\n</Steps>\nd\n", []string{"text 1: a", "text 8: d"}},
		{"a component without an end", "a\n<Steps>\n# b\n", []string{"text 1: a", "heading 3: b"}},
		{"a comment", "a\n<!-- b\n# c\n--> d\n", []string{"text 1: a", "text 4: d"}},
		{"a comment in code", "```\n<!--\n```\na\n", []string{"text 4: a"}},
		{"an element that is not shown", "a <b hidden>c</b> d\n", []string{"text 1: a d"}},
		{"a definition", "a\n\n[//]: # (b)\n\nc\n", []string{"text 1: a", "text 5: c"}},
		{"no width", "a\nb\u200bc\n\n- d\u202ee\n- f\n", []string{"text 1 hidden: a", "text 4 hidden:", "item 5 of 0: f"}},
	} {
		require.Equal(t, c.want, briefs(c.text), c.name)
		checkBlocks(t, c.text)
	}
}

// TestCode: the code below a block, and what of it may be commands.
func TestCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text  string
		code        []string
		fences      []Fence
		shell       bool
		first, last int
	}{
		{"a shell", "a\n```bash -e\nmake x \\\n  y\n\ngo vet\n```\n", []string{"make x y", "", "go vet"}, []Fence{{3, "bash", []string{"make x \\", "  y", "", "go vet"}}}, true, 1, 7},
		{"no language", "a\n```\nmake\n```\n", []string{"make"}, []Fence{{3, "", []string{"make"}}}, false, 1, 4},
		{"another language", "a\n~~~Go\nx := 1\n~~~\n", nil, []Fence{{3, "go", []string{"x := 1"}}}, false, 1, 4},
		{"two", "a\n```sh\nb\n```\n```\nc\n```\n", []string{"b", "c"}, []Fence{{3, "sh", []string{"b"}}, {6, "", []string{"c"}}}, false, 1, 7},
		{"no end", "a\n```sh\nb\n", []string{"b", ""}, []Fence{{3, "sh", []string{"b", ""}}}, true, 1, 4},
		{"in an item", "- a\n  ```sh\n  b\n  ```\n", []string{"  b"}, []Fence{{3, "sh", []string{"  b"}}}, true, 1, 4},
	} {
		all := Blocks(c.text)
		require.Len(t, all, 1, c.name)
		b := &all[0]
		require.Equal(t, c.code, b.Code, c.name)
		require.Equal(t, c.fences, b.Fences, c.name)
		require.Equal(t, c.shell, b.Shell, c.name)
		require.Equal(t, []int{c.first, c.last}, []int{b.Line, b.CodeEnd}, c.name)
		checkBlocks(t, c.text)
	}
	long := Blocks("a\n```\n" + strings.Repeat("make\n", maxFence+10) + "```\n")
	require.Len(t, long[0].Fences[0].Lines, maxFence)
	require.Len(t, long[0].Code, 200)
}

// TestAround: the headings above a block, and the columns of its table.
func TestAround(t *testing.T) {
	t.Parallel()
	all := Blocks("# A\n## B\n- x\n### C\ny\n## D\nz\n# E\n| H | I |\n|---|---|\n| v | w |\n")
	got := map[string][]string{}
	for i := range all {
		got[all[i].Text()] = all[i].Section
	}
	require.Equal(t, map[string][]string{"A": nil, "B": {"A"}, "x": {"A", "B"}, "C": {"A", "B"}, "y": {"A", "B", "C"}, "D": {"A"}, "z": {"A", "D"}, "E": nil, "v | w": {"E"}}, got)
	require.Equal(t, []string{"H ", " I"}, all[len(all)-1].Heads)
}

// TestMatter: the front matter of a file, and its lines.
func TestMatter(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a: b\n", maxMatter/5+1)
	for text, want := range map[string]struct {
		head  string
		lines int
	}{
		"---\na: b\nc: d\n---\nx":   {"a: b\nc: d", 4},
		"\ufeff---\na: b\n---\nx":   {"a: b", 3},
		"---\r\na: b\r\n---\r\nx":   {"a: b", 3},
		"---\na: b\n---":            {},
		"---\na: b\n":               {},
		"---\nab\n---\n":            {},
		"x\n---\na: b\n---\n":       {},
		"----\na: b\n----\n":        {},
		"":                          {},
		"---\n" + long + "---\nx":   {},
		"---\na: b\n---\n" + long:   {"a: b", 3},
		"---\n---\na: b\n---\nx: y": {"---\na: b", 4},
	} {
		head, lines := Matter(text)
		require.Equal(t, want.head, head, "%.40q", text)
		require.Equal(t, want.lines, lines, "%.40q", text)
	}
}

// TestScan: what a page shows of a line, and what it does not.
func TestScan(t *testing.T) {
	t.Parallel()
	type seen struct{ shown, hidden string }
	for text, want := range map[string][]seen{
		"a <!-- b --> c":                                       {{"a  c", "b"}},
		"a <!-- b\nc\nd --> e":                                 {{"a ", "b"}, {"", "c"}, {" e", "d"}},
		"`<!-- a -->` b":                                       {{"`<!-- a -->` b", ""}},
		"`` ` <b hidden> `` c":                                 {{"`` ` <b hidden> `` c", ""}},
		"` <!-- a":                                             {{"` ", "a"}},
		"<p hidden>a<p>b</p>c</p>d":                            {{"d", "<p hidden>a<p>b</p>c</p>"}},
		"<P\n  STYLE='display: none'>a\n</p>b":                 {{"<P", ""}, {"", "<P   STYLE='display: none'>a"}, {"b", "</p>"}},
		"<img hidden> a":                                       {{"<img hidden> a", ""}},
		"<p class=\"hidden\">a</p>":                            {{"<p class=\"hidden\">a</p>", ""}},
		"<p style=\"opacity: 0.5\">a</p>":                      {{"<p style=\"opacity: 0.5\">a</p>", ""}},
		"<p style=\"opacity: 0\">a</p>":                        {{"", "<p style=\"opacity: 0\">a</p>"}},
		"<p style=\"color:transparent\">a</p>":                 {{"", "<p style=\"color:transparent\">a</p>"}},
		"[a]: #\n(b\nc)\nd":                                    {{"", "[a]: #"}, {"", "(b"}, {"", "c)"}, {"d", ""}},
		"[a]: # \"b\n\nc":                                      {{"", "[a]: # \"b"}, {"", ""}, {"c", ""}},
		"see [a]\n\n[a]: https://example.com \"b\"":            {{"see [a]", ""}, {"", ""}, {"[a]: https://example.com \"b\"", ""}},
		"```\n<!-- a\n```\n<!-- b -->":                         {{"```", ""}, {"<!-- a", ""}, {"```", ""}, {"", "b"}},
		"a < b and c <d":                                       {{"a < b and c <d", ""}},
		"<p" + strings.Repeat(" b", maxTag) + "\nhidden>a</p>": {{"<p" + strings.Repeat(" b", maxTag), ""}, {"hidden>a</p>", ""}}, // too long for a tag
		"<p" + strings.Repeat(" b", 9) + "\nhidden>a</p>":      {{"<p" + strings.Repeat(" b", 9), ""}, {"", "<p" + strings.Repeat(" b", 9) + " hidden>a</p>"}},
		"` a ``` <b hidden>` c":                                {{"` a ``` <b hidden>` c", ""}},
	} {
		var got []seen
		for _, l := range Scan(text) {
			require.False(t, l.Invisible)
			got = append(got, seen{strings.TrimRight(l.Shown, " "), l.Hidden})
		}
		for i := range want {
			want[i].shown = strings.TrimRight(want[i].shown, " ")
		}
		require.Equal(t, want, got, "%.60q", text)
	}
	for text, want := range map[string]bool{
		"plain\ttext": false, "Füße, हिन्दी": false, "⚠️ 1️⃣ 👩‍💻": false, "می\u200cخواهم": false, "a\u200bb": true, "a\u202eb": true, "a\ufe0fb": true, "\U000E0041": true, "a\x00b": true, "a\x1bb": true, "a\u00adb": true,
	} {
		lines := Scan(text)
		require.Equal(t, want, lines[0].Invisible, "%q", text)
		require.Equal(t, want, lines[0].Shown == "", "%q", text)
	}
}

// checkBlocks holds what is so for the blocks of each text.
func checkBlocks(t *testing.T, text string) {
	t.Helper()
	all, lines := Blocks(text), strings.Count(text, "\n")+1
	require.LessOrEqual(t, len(all), MaxBlocks)
	for i := range all {
		b := &all[i]
		require.True(t, 1 <= b.Line && b.Line <= b.End && b.End <= lines, brief(b))
		require.True(t, b.CodeEnd == 0 || b.End <= b.CodeEnd && b.CodeEnd <= lines, brief(b))
		require.True(t, i == 0 || all[i-1].End < b.Line || all[i-1].Kind == Heading && all[i-1].Line < b.Line, brief(b))
		require.True(t, -1 <= b.Lead && b.Lead < i, brief(b))
		if b.Lead >= 0 {
			require.Contains(t, all[b.Lead].Children, i, brief(b))
		}
		for _, c := range b.Children {
			require.Equal(t, i, all[c].Lead, brief(b))
		}
		for _, f := range b.Fences {
			require.True(t, b.Line < f.Line && f.Line <= lines+1 && f.Line+len(f.Lines) <= lines+1, brief(b))
		}
		require.LessOrEqual(t, len(b.Text()), MaxBlock)
		require.True(t, utf8.ValidString(b.Text()) || !utf8.ValidString(text), brief(b))
		require.True(t, b.Invisible || len(b.Lines) > 0, brief(b))
	}
}

// FuzzBlocks: the lines of blocks are lines of the text, and a block and its lead know one another.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{
		"", "# A\n\n- b\n  - c\n\n  d\n", "---\na: b\n---\n1. x\n```sh\nmake \\\n y\n", "| a | b |\n|---|---|\n| c | d |\n", "<!-- a\n- b --> c\n", "<p\nhidden>a</p>\n[a]: #\n(b)\n",
		"<Steps>\n<Tab>\n</Steps>\n", "> ~~~\n> x\n> ~~~\n", "a\u200b\r\n- b:\n- c\n@d.md\n", "\ufeff- [ ] `a` <b hidden>c", "```\n", "---\n---\n:\n---\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkBlocks(t, text)
		for _, l := range Scan(text) {
			require.False(t, l.Invisible && l.Shown != "")
		}
		head, n := Matter(text)
		require.LessOrEqual(t, n, strings.Count(text, "\n")+1)
		require.Equal(t, head == "", n == 0)
	})
}

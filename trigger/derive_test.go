package trigger

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// derived are the actions of effects in folder dir of root.
func derived(t testing.TB, root, dir string, line *shell.Line) []sentinel.Action {
	t.Helper()
	c := newCall(t.Context(), New(nil), sentinel.Event{Dir: filepath.Join(root, dir), Root: root, Tool: sentinel.ToolCall{Name: "Bash"}}, arguments{})
	return c.effects(line)
}

func one(t testing.TB, root string, e shell.Effect) sentinel.Action {
	t.Helper()
	got := derived(t, root, "", &shell.Line{Text: "the command", Effects: []shell.Effect{e}})
	require.Len(t, got, 1)
	require.Equal(t, "the command", got[0].DerivedFrom)
	return got[0]
}

func TestEffects(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/billing/a.go", "src/b.go")
	for _, tc := range []struct {
		effect shell.Effect
		want   string
	}{
		{shell.Effect{Kind: shell.EffectCreate, Path: "x", Content: "new\n", Certain: true}, `file_write/create x "new\n"`},
		{shell.Effect{Kind: shell.EffectEdit, Path: "x", Dir: "src", Content: "b", Old: "a", Certain: true}, `file_write/edit src/x "b" for "a"`},
		{shell.Effect{Kind: shell.EffectAppend, Path: "x", Dir: "/abs", Certain: true}, `file_write/append /abs/x`},
		{shell.Effect{Kind: shell.EffectRead, Path: "src/b.go", Certain: true}, `file_read src/b.go`},
		{shell.Effect{Kind: shell.EffectDelete, Path: "src/b.go", Certain: true}, `file_write/delete src/b.go`},
	} {
		got := one(t, root, tc.effect)
		require.Equal(t, tc.want, brief(got))
		require.True(t, got.Certain, tc.want)
		require.Equal(t, filepath.ToSlash(root), got.Root)
	}
	require.False(t, one(t, root, shell.Effect{Kind: shell.EffectCreate, Path: "x"}).Certain)
	require.False(t, one(t, root, shell.Effect{Kind: shell.EffectCreate, Path: "x", Certain: true, DirUnknown: true}).Certain)
	require.Empty(t, derived(t, root, "", &shell.Line{Effects: []shell.Effect{{Kind: shell.EffectCreate}, {Path: "x"}}}))
}

// Removing or moving a folder is removing and moving what lies below it.
func TestFoldersTakeTheirContent(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/billing/a.go", "src/web/b.go", "docs/x.md", "target/")
	link(t, filepath.Join(root, "docs"), filepath.Join(root, "src", "link"))
	link(t, filepath.Join(root, "src"), filepath.Join(root, "alias"))

	rm := one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "src", Certain: true})
	require.Equal(t, []string{"src", "src/billing", "src/link", "src/web", "src/billing/a.go", "src/web/b.go"}, rm.Forms)
	require.Equal(t, "src", rm.Path)
	require.True(t, rm.Certain)
	require.Contains(t, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "alias/billing"}).Forms, "src/billing/a.go")
	require.Equal(t, []string{"alias", "src"}, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "alias"}).Forms, "a link goes alone")
	require.Contains(t, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "."}).Forms, "src/billing/a.go")
	require.Contains(t, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: ".."}).Forms, "src/billing/a.go", "the project goes with what is around it")

	mv := derived(t, root, "src", &shell.Line{Effects: []shell.Effect{{Kind: shell.EffectMove, Path: "billing", To: "../paid", Certain: true}}})
	require.Len(t, mv, 2)
	require.Equal(t, sentinel.OpMove, mv[0].Op)
	require.Equal(t, []string{"src/billing", "src/billing/a.go"}, mv[0].Forms)
	require.Equal(t, sentinel.OpCreate, mv[1].Op)
	require.Equal(t, []string{"paid", "paid/a.go"}, mv[1].Forms)

	into := derived(t, root, "", &shell.Line{Effects: []shell.Effect{{Kind: shell.EffectMove, Path: "src/billing", To: "target", Certain: true}}})
	require.Equal(t, []string{"target/billing", "target/billing/a.go"}, into[1].Forms, "into a folder that is there")
}

// What lies beyond the bounds of the walk may be anything.
func TestFoldersBeyondTheBounds(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/1/2/3/4/5/6/x", "docs/a", "web/node_modules/1/2/3/4/5/6/x")
	rm := one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "src", Certain: true})
	require.Contains(t, rm.Forms, "src/**")
	require.False(t, rm.Certain)
	require.NotContains(t, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "docs"}).Forms, "docs/**")
	require.NotContains(t, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "web"}).Forms, "web/**", "tools fill node_modules again")
	require.Contains(t, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "."}).Forms, "**")
}

// git restores a folder with all that is in it.
func TestGitRestoresFolders(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/billing/a.go")
	for _, text := range []string{"git restore src", "git checkout main -- src", "git checkout -- src"} {
		got := derived(t, root, "", shell.Parse(text, nil))
		require.Len(t, got, 1, text)
		require.Equal(t, sentinel.OpEdit, got[0].Op)
		require.Equal(t, []string{"src", "src/billing", "src/billing/a.go"}, got[0].Forms, text)
	}
}

func TestPatternsInPaths(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/billing/a.go", "src/b.go", "x.log", "y.log", ".hidden.log", "pages/[id]/p.tsx")
	rm := one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "src/*", Certain: true})
	require.Equal(t, []string{"src", "src/*", "src/b.go", "src/billing", "src/billing/a.go"}, rm.Forms)
	require.Equal(t, "src/*", rm.Target)
	require.False(t, rm.Certain)

	logs := one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "*.log"})
	require.Equal(t, []string{"*.log", "x.log", "y.log"}, logs.Forms, "only what the pattern means, not all of the folder")

	but := one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "[!y]*.log"})
	require.Equal(t, []string{"[!y]*.log", "x.log"}, but.Forms, "a shell negates with !")

	there := one(t, root, shell.Effect{Kind: shell.EffectCreate, Path: "pages/[id]/p.tsx", Certain: true})
	require.Equal(t, []string{"pages/[id]/p.tsx"}, there.Forms, "a file of that very name")
	require.True(t, there.Certain)
	fresh := one(t, root, shell.Effect{Kind: shell.EffectCreate, Path: "pages/[slug]/p.tsx", Certain: true})
	require.Equal(t, "pages/[slug]/p.tsx", fresh.Path)

	mv := derived(t, root, "", &shell.Line{Effects: []shell.Effect{{Kind: shell.EffectMove, Path: "src/*.go", To: "docs"}}})
	require.Contains(t, mv[0].Forms, "src/b.go")
	require.Contains(t, mv[1].Forms, "docs/b.go")
}

func TestCopiesBringTheirContent(t *testing.T) {
	t.Parallel()
	root := tree(t, "tmp/a.go", "tmp/d/b.go", "src/", "one.go")
	cp := func(operands ...string) []string {
		got := derived(t, root, "", &shell.Line{
			Commands: []shell.Command{{Program: "cp", Operands: operands}},
			Effects:  []shell.Effect{{Kind: shell.EffectCreate, Path: operands[len(operands)-1], Certain: true}},
		})
		require.Len(t, got, 1)
		return got[0].Forms
	}
	require.Equal(t, []string{"src", "src/one.go"}, cp("one.go", "src"))
	require.Equal(t, []string{"new", "new/a.go", "new/d", "new/d/b.go"}, cp("tmp", "new"))
	require.Equal(t, []string{"src", "src/one.go", "src/tmp", "src/tmp/a.go", "src/tmp/d", "src/tmp/d/b.go"}, cp("one.go", "tmp", "src"))
	require.Equal(t, []string{"two.go"}, cp("one.go", "two.go"))
	require.Equal(t, []string{"new"}, cp("new/..", "new"), "a folder that holds the destination is no source")
}

// TestWhereCopiesGo: a copy puts files where the program puts them.
func TestWhereCopiesGo(t *testing.T) {
	t.Parallel()
	root := tree(t, "tmp/a.go", "tmp/d/b.go", "src/c.go")
	all := []string{"src/a.go", "src/tmp/a.go", "src/d/b.go", "src/tmp/d/b.go", "new/a.go"}
	for line, want := range map[string][]string{
		"cp -r tmp src":        {"src/tmp/a.go", "src/tmp/d/b.go"},
		"cp -rT tmp src":       {"src/a.go", "src/d/b.go"},
		"cp -r tmp/. src":      {"src/a.go", "src/d/b.go"},
		"cp tmp/*.go src":      {"src/a.go"},
		"cp -r tmp/* src":      {"src/a.go", "src/d/b.go"},
		"cp -r t* src":         {"src/tmp/a.go", "src/tmp/d/b.go"},
		"install tmp/*.go src": {"src/a.go"},
		"rsync -a tmp src":     {"src/tmp/a.go", "src/tmp/d/b.go"},
		"rsync -a tmp/ src":    {"src/a.go", "src/d/b.go"},
		"rsync -a tmp/ src/":   {"src/a.go", "src/d/b.go"},
		"rsync -a tmp/* src":   {"src/a.go", "src/d/b.go"},
		"rsync -a tmp/ new":    {"new/a.go"},
		"mv tmp/*.go src":      {"src/a.go"},
	} {
		var got []string
		for _, a := range derived(t, root, "", shell.Parse(line, nil)) {
			for _, form := range a.Forms {
				if slices.Contains(all, form) && !slices.Contains(got, form) {
					got = append(got, form)
				}
			}
		}
		require.ElementsMatch(t, want, got, line)
	}
}

func TestFolderOutsideTheRoot(t *testing.T) {
	t.Parallel()
	out := filepath.ToSlash(tree(t, "a/b/c"))
	got := one(t, tree(t), shell.Effect{Kind: shell.EffectDelete, Path: out, Certain: true})
	require.Equal(t, []string{out, out + "/a", out + "/a/b"}, got.Forms)
	require.False(t, got.Certain)
}

// The content of an archive is unknown, but it lands below the folder.
func TestWritesIntoFolder(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/billing/a.go")
	got := one(t, root, shell.Effect{Kind: shell.EffectCreate, Path: "src/billing", Command: -1, Certain: true})
	require.Equal(t, []string{"src/billing", "src/billing/*"}, got.Forms)
	require.False(t, got.Certain)
}

// However many files a command names, each can be matched.
func TestManyEffects(t *testing.T) {
	t.Parallel()
	line := &shell.Line{Text: strings.Repeat("é", 500)}
	for i := range 3 * derivedMax {
		name := fmt.Sprintf("f%d", i)
		line.Effects = append(line.Effects,
			shell.Effect{Kind: shell.EffectCreate, Path: name, Content: "c" + name, Certain: true},
			shell.Effect{Kind: shell.EffectCreate, Path: name, Content: "c" + name, Certain: true},
			shell.Effect{Kind: shell.EffectRead, Path: name, Certain: true})
	}
	got := derived(t, "/no-such-repo", "", line)
	require.Len(t, got, derivedMax+2)
	all := map[string]int{}
	for _, a := range got {
		require.Equal(t, derivedFromMax, utf8.RuneCountInString(a.DerivedFrom))
		for _, f := range a.Forms {
			all[string(a.Trigger)+f]++
		}
	}
	require.Len(t, all, 2*3*derivedMax)
	require.Contains(t, got[derivedMax].Content+got[derivedMax+1].Content, "\ncf700\n")
	require.False(t, got[derivedMax].Certain)
	require.Contains(t, got[derivedMax].Target, "and further files")
}

func TestPatchInACommand(t *testing.T) {
	t.Parallel()
	got := derived(t, "/no-such-repo", "sub", &shell.Line{Text: "apply_patch <<'X'\n" + patchText + "X\n"})
	require.Equal(t, patchWants(), briefs(got))
	require.False(t, got[0].Certain)
}

// The whole way, with the shell's own parser.
func TestCommandWritesFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/billing/a.ts", "install.sh")
	run := func(opts *Options, command string) []sentinel.Action {
		got, err := New(opts).MapTool(t.Context(), sentinel.Event{Dir: root, Root: root,
			Tool: sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":` + quoted(command) + `}`)}})
		require.NoError(t, err)
		require.Equal(t, command, got[0].Target)
		require.Equal(t, []string{command}, got[0].Forms)
		return got[1:]
	}
	for _, command := range []string{
		"cat > src/billing/a.ts <<'EOF'\nexport const x = 1\nEOF",
		"sed -i s/a/b/ src/billing/a.ts",
		"cd src/billing && echo x >> a.ts",
		"rm -rf src",
		"mv src /tmp/x",
		"rm -rf src/*",
	} {
		var forms []string
		for _, a := range run(nil, command) {
			if a.Trigger == sentinel.FileWrite {
				require.NotEmpty(t, a.DerivedFrom)
				forms = append(forms, a.Forms...)
			}
		}
		require.Contains(t, forms, "src/billing/a.ts", command)
	}
	require.Empty(t, run(nil, `git commit -m "echo x > src/billing/a.ts"`))
	require.Empty(t, run(&Options{NoDerive: true}, "rm -rf src"))
}

package trigger

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/shell"
)

// tree makes files and folders (names with a slash at the end) below a new
// folder, whose name has no links in it.
func tree(t testing.TB, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range names {
		p := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(p, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte("#!/bin/sh\n"), 0o644))
	}
	return root
}

// link makes a symbolic link, or skips where the system allows none.
func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
}

func resolverAt(t testing.TB, root string, opts Options) *resolver {
	t.Helper()
	return newResolver(t.Context(), pathStyle{windows: runtime.GOOS == "windows"}, opts, sentinel.Event{Dir: root, Root: root})
}

func TestForms(t *testing.T) {
	t.Parallel()
	root := tree(t, "src/billing/a.go", "docs/", "other/x")
	out := tree(t, "secret")
	link(t, filepath.Join(root, "src"), filepath.Join(root, "abs"))
	link(t, "../src/billing", filepath.Join(root, "docs", "rel"))
	link(t, out, filepath.Join(root, "out"))
	link(t, "missing/target", filepath.Join(root, "dangling"))
	link(t, "loop2", filepath.Join(root, "loop1"))
	link(t, "loop1", filepath.Join(root, "loop2"))
	link(t, root, filepath.Join(out, "back"))
	out = filepath.ToSlash(out)

	for _, tc := range []struct {
		dir, path string
		want      []string
		uncertain bool
	}{
		{"", "src/billing/a.go", []string{"src/billing/a.go"}, false},
		{"src", "billing/../billing/./a.go", []string{"src/billing/a.go"}, false},
		{"src", "new/b.go", []string{"src/new/b.go"}, false},
		{"", ".", []string{"."}, false},
		{"", root, []string{"."}, false},
		{"", "src//billing/", []string{"src/billing"}, false},
		{"", "abs/billing/a.go", []string{"abs/billing/a.go", "src/billing/a.go"}, false},
		{"docs", "rel/a.go", []string{"docs/rel/a.go", "src/billing/a.go"}, false},
		{"docs", "rel/new/deep.go", []string{"docs/rel/new/deep.go", "src/billing/new/deep.go"}, false},
		{"", "docs/rel/../x.go", []string{"docs/x.go", "src/x.go"}, false}, // editors go by the text, the kernel by the link
		{"", "dangling", []string{"dangling", "missing/target"}, false},
		{"", "out/secret", []string{"out/secret", out + "/secret"}, false},
		{"", "../../../../../../../../../../etc/passwd", []string{"/etc/passwd"}, false},
		{"", out + "/back/src/x", []string{out + "/back/src/x", "src/x"}, false},
		{"", "loop1/x", []string{"loop1/x"}, true},
		{"", "a\x00b", []string{"a\x00b"}, false},
		{"", "~/x", []string{"~/x"}, false},
		{"", strings.Repeat("a/", safefile.Longest()), []string{strings.Repeat("a/", safefile.Longest())[:safefile.Longest()-len(root)]}, true},
		{"", strings.Repeat("a", safefile.NameMax+1), []string{strings.Repeat("a", safefile.NameMax+1)}, true},
		{"", strings.Repeat("a/../", safefile.Longest()) + "src/billing", []string{"src/billing"}, true},
	} {
		r := resolverAt(t, root, Options{})
		forms, certain := r.forms(r.abs(root, tc.dir), tc.path)
		require.Equal(t, tc.want, forms, "%.80s", tc.path)
		require.Equal(t, !tc.uncertain, certain, "%.80s", tc.path)
	}
}

// The root itself may be a link, as /tmp is on macOS: each name of it counts.
func TestRootBehindLink(t *testing.T) {
	t.Parallel()
	real := tree(t, "src/a")
	alias := filepath.Join(tree(t), "alias")
	link(t, real, alias)
	r := resolverAt(t, alias, Options{})
	for _, p := range []string{"src/a", filepath.Join(alias, "src/a"), filepath.Join(real, "src/a")} {
		forms, _ := r.forms(alias, p)
		require.Equal(t, []string{"src/a"}, forms, p)
	}
	text, err := r.readScript(alias, filepath.Join(real, "src/a"))
	require.NoError(t, err)
	require.Equal(t, "#!/bin/sh\n", text)
}

func TestHomeAndCaseFold(t *testing.T) {
	t.Parallel()
	r := resolverAt(t, "/No-Such/Repo", Options{Home: "/home/me", CaseFold: true})
	forms, _ := r.forms("/No-Such/Repo", "~/.ssh/id")
	require.Equal(t, []string{"/home/me/.ssh/id"}, forms)
	forms, _ = r.forms("/", "/no-such/repo/Src/a")
	require.Equal(t, []string{"Src/a"}, forms, "the same folder, written otherwise")
	forms, _ = resolverAt(t, "/No-Such/Repo", Options{}).forms("/", "/no-such/repo/Src/a")
	require.Equal(t, []string{"/no-such/repo/Src/a"}, forms)
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	got, err := New(nil).MapTool(t.Context(), sentinel.Event{Tool: sentinel.ToolCall{Name: "Write", Args: json.RawMessage(`{"file_path":"a/../b"}`)}})
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, got[0].Forms)
}

// Windows paths are text here, so that they are tested on every system.
func TestWindowsPaths(t *testing.T) {
	t.Parallel()
	w := pathStyle{windows: true}
	for in, want := range map[string]string{
		`C:\repo\src\a.go`: "C:/repo/src/a.go", `/c/repo/a`: "C:/repo/a", `/c`: "C:/", `src\a`: "src/a", `/cc/x`: "/cc/x",
		`\\host\share\x`: "//host/share/x", `\\?\C:\repo\x`: "C:/repo/x", `//?/c:/repo/x`: "c:/repo/x", `\\.\C:\x`: "C:/x", `\??\C:\x`: "C:/x",
		`\\?\UNC\host\share\x`: "//host/share/x", `\\?\UNC\localhost\c$\x`: "C:/x", `\\localhost\C$\repo\x`: "C:/repo/x", `\\10.0.0.7\d$`: "D:/",
		`\\?\Volume{1}\x`: "//?/Volume{1}/x", `x.yaml::$DATA`: "x.yaml", `ab:c\.claude::$INDEX_ALLOCATION\x.`: "ab/.claude/x",
		`src. .\x.yaml. .`: "src/x.yaml", `C:x.yaml:s`: "C:x.yaml", `..\...\.`: "../.../.", "https://a.b/c:d": "https://a.b/c",
	} {
		require.Equal(t, want, w.slashes(in), in)
	}
	for in, want := range map[string]string{
		"C:/a/../../b": "C:/b", "//host/share/../x": "//host/share/x", "a/./b/..": "a", "//host/share": "//host/share/", "C:": "C:.",
	} {
		require.Equal(t, want, w.clean(in), in)
	}
	require.True(t, w.isAbs("C:/x"))
	require.True(t, w.isAbs("//host/share/x"))
	require.False(t, w.isAbs("C:x"))
	require.Equal(t, "D:/x", w.join("C:/repo", "D:/x"))
	require.Equal(t, "C:/repo/x", w.join("C:/repo", "x"))
	require.Equal(t, "C:/repo/x", w.join("C:/repo", "c:x"))
	require.Equal(t, "D:/x", w.join("C:/repo", "D:x"))
	require.Equal(t, `a\b`, pathStyle{}.slashes(`a\b`), "elsewhere a backslash is a letter")

	require.Equal(t, "C:/x", (&resolver{style: w}).expand("file:///C:/x"))

	m := New(&Options{CaseFold: true})
	m.style = w
	for path, want := range map[string][]string{
		`c:\Repo\src\a.go`:             {"src/a.go"},
		`\\?\C:\repo\src\a.go`:         {"src/a.go"},
		`\\localhost\C$\REPO\src\a.go`: {"src/a.go"},
		`\\127.0.0.1\c$\repo\src\a.go`: {"src/a.go"},
		`/c/repo/src/a.go`:             {"src/a.go"},
		`\repo\src\a.go`:               {"/repo/src/a.go", "src/a.go"},
		`C:..\src\a.go`:                {"src/a.go"},
		`..\src\a.go::$DATA`:           {"src/a.go"},
		`..\src.\a.go . `:              {"src/a.go"},
		`\\localhost\share\src\a.go`:   {"//localhost/share/src/a.go", "not certain"},
		`\\?\Volume{7}\repo\src\a.go`:  {"//?/Volume{7}/repo/src/a.go", "not certain"},
		`\\.\GLOBALROOT\x`:             {"//./GLOBALROOT/x", "not certain"},
		`\\fileserver\share\src\a.go`:  {"//fileserver/share/src/a.go"},
	} {
		args, err := json.Marshal(map[string]string{"file_path": path})
		require.NoError(t, err)
		got, err := m.MapTool(t.Context(), sentinel.Event{Dir: `C:\repo\sub`, Root: `C:\repo`, Tool: sentinel.ToolCall{Name: "Write", Args: args}})
		require.NoError(t, err)
		forms := got[0].Forms
		if !got[0].Certain {
			forms = append(forms, "not certain")
		}
		require.Equal(t, want, forms, path)
		require.Equal(t, "C:/repo", got[0].Root)
		require.Equal(t, "C:/repo/sub", got[0].Dir)
	}
	rel, ok := below("C:/ⱥb/c", "c:/Ⱥb/C/d", true) // the letters have not the same length
	require.True(t, ok)
	require.Equal(t, "d", rel)
}

func TestReadScript(t *testing.T) {
	t.Parallel()
	root := tree(t, "run.sh", "dir/")
	out := tree(t, "evil.sh")
	link(t, filepath.Join(out, "evil.sh"), filepath.Join(root, "leak.sh"))
	link(t, "run.sh", filepath.Join(root, "inside.sh"))
	require.NoError(t, os.WriteFile(filepath.Join(root, "big.sh"), make([]byte, shell.MaxRead+1), 0o644))
	r := resolverAt(t, root, Options{Home: out})
	for _, p := range []string{
		"run.sh", "dir/../run.sh", filepath.Join(root, "run.sh"), "inside.sh", "leak.sh", filepath.Join(out, "evil.sh"), "~/evil.sh",
	} {
		text, err := r.readScript(root, p)
		require.NoError(t, err, p)
		require.Equal(t, "#!/bin/sh\n", text)
	}
	text, err := r.readScript(root, "big.sh")
	require.NoError(t, err)
	require.Len(t, text, shell.MaxRead, "of a large file the beginning")
	link(t, "/proc/self/environ", filepath.Join(root, "kernel.sh"))
	for _, p := range []string{"dir", "missing", "../x", "~/x", "/proc/self/environ", "kernel.sh", "/dev/null", "loop"} {
		_, err := r.readScript(root, p)
		require.Error(t, err, p)
	}
}

func TestWalkBounds(t *testing.T) {
	t.Parallel()
	names := []string{"deep/1/2/3/4/5/6/x", "src/a"}
	for i := range 300 {
		names = append(names, fmt.Sprintf("node_modules/p%d/x", i))
	}
	root := tree(t, names...)
	r := resolverAt(t, root, Options{})
	got, whole, missed := r.walk(root, walkLevels)
	require.False(t, whole, "deep goes beyond the levels")
	require.True(t, missed)
	require.Contains(t, got, "deep/1/2/3/4")
	require.NotContains(t, got, "deep/1/2/3/4/5")

	require.NoError(t, os.RemoveAll(filepath.Join(root, "deep")))
	got, whole, missed = r.walk(root, walkLevels)
	require.True(t, whole)
	require.False(t, missed)
	require.Len(t, got, 3+2*300)
	require.Less(t, indexOf(got, "src/a"), indexOf(got, "node_modules/p0"), "what tools fill comes last")

	wide := tree(t)
	for i := range walkEntries + 5 {
		require.NoError(t, os.Mkdir(filepath.Join(wide, fmt.Sprintf("d%04d", i)), 0o755))
	}
	got, whole, missed = r.walk(wide, walkLevels)
	require.False(t, whole)
	require.True(t, missed)
	require.Len(t, got, walkEntries)

	filled := tree(t, "src/a", "node_modules/1/2/3/4/5/6/x")
	_, whole, missed = r.walk(filled, walkLevels)
	require.False(t, whole)
	require.False(t, missed, "what tools fill is not looked through, and nobody misses it")
	_, _, missed = r.walk(filepath.ToSlash(filled)+"/node_modules", walkLevels)
	require.False(t, missed)
}

func indexOf(list []string, s string) int {
	for i, have := range list {
		if have == s {
			return i
		}
	}
	return -1
}

// A call is seen from the root of another project as it would be mapped for it, for
// what lies in that project.
func TestFromAnotherRoot(t *testing.T) {
	t.Parallel()
	dir := tree(t, "here/x", "other/src/a.go", "other/src/deep/b.go", "other/docs/c.md", "around/inner/src/d.go")
	here, m := filepath.Join(dir, "here"), New(nil)
	mapped := func(root, command string) []sentinel.Action {
		args, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		actions, err := m.MapTool(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: here, Root: root, Tool: sentinel.ToolCall{Name: "Bash", Args: args}})
		require.NoError(t, err)
		return actions
	}
	for root, commands := range map[string][]string{
		filepath.Join(dir, "other"): {
			"echo x > ../other/src/a.go", "rm -rf ../other/src", "rm -rf ../other/docs ../other/src/deep", "cat ../other/docs/c.md", "mv ../other/src/a.go /elsewhere/a.go", "rm -rf ../other",
		},
		filepath.Join(dir, "around", "inner"): {"rm -rf ../around", "rm -rf ../around/inner/src"},
	} {
		for _, command := range commands {
			want := mapped(root, command)
			got := m.From(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: here, Root: root}, mapped(here, command))
			require.Len(t, got, len(want), command)
			for i := range want {
				require.Equal(t, want[i].Root, got[i].Root, command)
				require.Equal(t, want[i].Op, got[i].Op, command)
				for _, form := range want[i].Forms {
					if !filepath.IsAbs(form) || got[i].Trigger == sentinel.Bash {
						require.Contains(t, got[i].Forms, form, command)
					}
				}
			}
		}
	}
}

// What is listed below removed folders is bounded for the whole call; what is not
// looked at makes it a guess, and anything in those folders of the project.
func TestTheNamesOfACallAreBounded(t *testing.T) {
	t.Parallel()
	root := tree(t, "a/x", "b/y")
	r := resolverAt(t, root, Options{})
	r.walked = callEntries
	a := sentinel.Action{Op: sentinel.OpDelete, Forms: []string{"a"}, Certain: true}
	r.addBelow(&a)
	require.Equal(t, []string{"a", "a/**"}, a.Forms)
	require.False(t, a.Certain)
}

func TestAFolderOfACallThatIsTooLong(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("a/", 64_000)
	for _, ev := range []sentinel.Event{
		{Dir: long, Tool: sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"ls"}`)}},
		{Dir: "/", Root: long, Tool: sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"ls"}`)}},
		{Dir: "/", Tool: sentinel.ToolCall{Name: "run_in_terminal", Args: json.RawMessage(`{"command":"ls","cwd":"` + long + `"}`)}},
	} {
		ev.Phase = sentinel.PhasePre
		_, err := New(&Options{Args: map[string]ArgKeys{"run_in_terminal": {Dir: "cwd"}}}).MapTool(t.Context(), ev)
		require.ErrorIs(t, err, sentinel.ErrEvent)
		require.ErrorContains(t, err, "longer than a path can be")
	}
}

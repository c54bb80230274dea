package trigger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// Ways to apply a patch that an earlier call has written: F is the patch as it is
// named, D and B its folder and its name, R the project.
var waysToPatch = []string{
	"git apply F", "git apply -p1 F", "git apply --index F", "git apply -3 F", "git apply --reject --whitespace=fix F", "git apply < F", "git apply - < F",
	"cat F | git apply", "cat F | git apply -", "git am F", "git am < F", "git am --3way F", "cat F | git am", "git -C R apply F",
	"patch -p1 < F", "patch -p1 -i F", "patch --strip=1 --input=F", "patch -p1 --input F", "cat F | patch -p1", "patch -p1 -d R < F", "patch -d R -p1 -i F",
	"cd D && git -C R apply F", "f=F; git apply $f", "git apply /dev/stdin < F", "patch -p1 <<< \"$(cat F)\"", "git apply <(cat F)", "git apply \"F\"",
	"exec 3< F; git apply <&3", "head -n 99999 F | git apply", "git apply --unsafe-paths F", "busybox patch -p1 < F", "gpatch -p1 < F",
}

const guardPatch = `diff --git a/.claude/sentinel/rules/a.yaml b/.claude/sentinel/rules/a.yaml
--- a/.claude/sentinel/rules/a.yaml
+++ b/.claude/sentinel/rules/a.yaml
@@ -1 +1 @@
-severity: block
+severity: info
`

// TestEarlierPatches has every way to apply a patch that an earlier call has written, in
// the project and outside of it.
func TestEarlierPatches(t *testing.T) {
	t.Parallel()
	root, tmp, home := tree(t, "patches/"), tree(t), tree(t, "p/")
	m := New(&Options{Home: home})
	const guard = ".claude/sentinel/rules/a.yaml"
	long := strings.Repeat("--- a/src/a.go\n+++ b/src/a.go\n@@ -1 +1 @@\n-a\n+"+strings.Repeat("b", 1000)+"\n", 150) + guardPatch
	for place, folder := range map[string][2]string{
		"project": {"patches", filepath.Join(root, "patches")}, "outside": {tmp, tmp}, "home": {"~/p", filepath.Join(home, "p")},
	} {
		seen, all := 0, 0
		for name, text := range map[string]string{"x.patch": guardPatch, "long.patch": long} {
			require.NoError(t, os.WriteFile(filepath.Join(folder[1], name), []byte(text), 0o600))
			for _, way := range waysToPatch {
				if place != "outside" && strings.Contains(way, "cd D") || place == "home" && strings.Contains(way, "=F") {
					continue // F is relative, or its ~ is not expanded
				}
				line := strings.NewReplacer("F", folder[0]+"/"+name, "D", folder[0], "R", root).Replace(way)
				all++
				if slices.Contains(written(t, m, root, line), guard) {
					seen++
				} else {
					t.Errorf("%s: not seen: %s", place, line)
				}
			}
		}
		t.Logf("%s: %d of %d ways seen", place, seen, all)
	}
	huge := strings.Repeat(long, shell.MaxRead/len(long)+1)
	require.Greater(t, len(long), 2*64<<10)
	require.NoError(t, os.WriteFile(filepath.Join(tmp, "huge.patch"), []byte(huge+guardPatch), 0o600))
	for _, line := range []string{"git apply " + tmp + "/huge.patch", "patch -p1 < " + tmp + "/huge.patch", "cat " + tmp + "/huge.patch | git am"} {
		actions, err := m.MapTool(t.Context(), sentinel.Event{Dir: root, Root: root, Tool: bashCall(line)})
		require.NoError(t, err)
		assert.True(t, actions[0].Command.Bounded, line)
	}
	require.NotContains(t, written(t, m, root, "git apply --check "+tmp+"/x.patch"), guard)
	require.NotContains(t, written(t, m, root, "cat "+tmp+"/x.patch"), guard)
}

// written are the forms of the files that a command writes or removes.
func written(t *testing.T, m *Mapper, root, text string) []string {
	t.Helper()
	actions, err := m.MapTool(t.Context(), sentinel.Event{Dir: root, Root: root, Tool: bashCall(text)})
	require.NoError(t, err, text)
	var forms []string
	for _, a := range actions {
		if a.Trigger == sentinel.FileWrite {
			forms = append(forms, a.Forms...)
		}
	}
	return forms
}

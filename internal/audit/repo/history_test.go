package repo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const hashA = "0123456789012345678901234567890123456789"

func TestParseLog(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		hashA, hashA + " " + hashA, "1767225600", "a@example.com", "A\x1f\x1eB", "subject\n\nbody \x1f \x1e\n",
		hashA, "", "-5", "", "", "",
		hashA, "", "99999999999999", "b", "B", strings.Repeat("m", maxMessage+1),
	}, "\x00") + "\x00"
	var all []commit
	require.NoError(t, parseLog(strings.NewReader(text), func(c commit) { all = append(all, c) }))
	require.Len(t, all, 3)
	require.Equal(t, 2, all[0].parents)
	require.Equal(t, "A\x1f\x1eB", all[0].name)
	require.Equal(t, "subject", all[0].subject())
	require.Equal(t, "2026-01-01", all[0].time.Format("2006-01-02"))
	require.Equal(t, 1970, all[1].time.Year())
	require.Equal(t, 9999, all[2].time.Year())
	require.Len(t, all[2].message, maxMessage)

	for _, broken := range []string{hashA, hashA + "\x00\x00", "x\x00\x001\x00a\x00b\x00c\x00", strings.Repeat("a", maxToken+1)} {
		require.Error(t, parseLog(strings.NewReader(broken), func(commit) {}), "%.50q", broken)
	}
	require.NoError(t, parseLog(strings.NewReader(""), nil))
}

func TestParseAdditions(t *testing.T) {
	t.Parallel()
	text := "=" + hashA + "\x00\n3\t1\ta.go\x002\t0\tvendor/x.go\x00-\t-\tp.png\x004\t0\tgo.sum\x00=" + hashA + "\x00=" + hashA + "\x00\n1\t0\tnew\nline =\x00"
	var lines []int
	require.NoError(t, parseAdditions(strings.NewReader(text), func(a additions) { lines = append(lines, a.lines) }))
	require.Equal(t, []int{3, 0, 1}, lines)
	for _, broken := range []string{"x", "1\t2\ta\x00", "=" + hashA + "\x00x\t1\ta\x00", "=" + hashA + "\x001\x00", "=" + hashA + "\x00-1\t1\ta\x00", "=" + hashA + "\x00:1 2 3\x00a\x00", "=" + hashA + "\x00:1 2 3 4 A\x00", "=" + hashA + "\x001\t1\t\x00a\x00"} {
		require.Error(t, parseAdditions(strings.NewReader(broken), func(additions) {}), "%q", broken)
	}
}

// What is moved, copied or brought back was written once.
func TestMovedAndCopiedLines(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	body := strings.Repeat("a line of code\n", 20)
	o.write("a.go", "one\n"+body)
	o.commit("write a")
	o.git("mv", "a.go", "b name.go")
	o.commit("move it")
	o.git("mv", "b name.go", "c.go")
	o.write("c.go", "two\n"+body+"three\n")
	o.commit("move it and change two lines")
	o.write("d.go", "two\n"+body+"three\n")
	o.write("vendor/x/e.go", "other\n"+body)
	o.write("f.go", "new\n")
	o.commit("copy it, vendor another, and write one line")
	o.git("rm", "--quiet", "f.go")
	o.commit("remove it")
	o.write("g.go", "new\n")
	o.commit("bring it back under another name")
	all, err := o.clone(nil).additions(t.Context())
	require.NoError(t, err)
	var lines []int
	for _, a := range all {
		lines = append(lines, a.lines)
	}
	require.Equal(t, []int{0, 0, 1, 2, 0, 21}, lines)
}

func TestTelling(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]bool{
		"add a parser for manifests": true, "fix: the count of lines is off by one": true, "初 次 提交 说明 文字": true,
		"": false, "wip": false, "fix": false, "fix bug": false, "update readme": false, "a b c": false, "add files via upload": false,
		"test test test test": false, "...": false, "bug fixes and improvements": false,
	} {
		require.Equal(t, want, telling(subject), subject)
	}
}

// Each figure, on a history whose figures can be counted by hand.
func TestGitFigures(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("a.go", strings.Repeat("line\n", 10))
	o.commit("write the first ten lines")
	o.write("b.go", strings.Repeat("line\n", 30))
	o.write("vendor/x.go", strings.Repeat("line\n", 1000))
	o.commit("wip")
	o.git("checkout", "--quiet", "-b", "side", "HEAD~1")
	o.write("c.go", strings.Repeat("side\n", 10))
	o.commit("write ten lines at the side")
	o.git("checkout", "--quiet", "main")
	o.git("-c", "user.email=ADA@example.com", "merge", "--quiet", "--no-ff", "--message=merge the side", "side")
	r := o.clone(nil)
	all := Investigate(t.Context(), r, parse(t, `
  - {id: g, type: git, expect: {largest_add_share: {max: 0.5}}}
  - {id: one, type: git, metrics: [authors]}
`), nil)
	g := whole(t, all, "g")
	require.EqualValues(t, map[string]any{
		"commit_count": 4, "span_days": 2.0, "authors": 1, "merge_ratio": 0.25, "largest_add_share": 0.6, "message_quality": 0.667, "cadence": 0.5,
	}, g.Values)
	require.Equal(t, "false", g.Outcome.String())
	require.Equal(t, "4 commits by 1 author from 2026-01-02 to 2026-01-04; the largest adds 30 of 50 lines; largest_add_share is 0.6, expected at most 0.5", g.Summary)
	places := parts(all, "g")
	require.Equal(t, "this commit adds 30 of 50 lines", places[0].Summary)
	require.Equal(t, "false", places[0].Outcome.String())
	require.Equal(t, "fact", string(places[0].Kind))
	for _, p := range places[1:] {
		require.Equal(t, "claim", string(p.Kind), "a message is a claim")
		require.Equal(t, "true", p.Outcome.String())
		require.Len(t, p.Location.Commit, 40)
	}
	require.EqualValues(t, map[string]any{"authors": 1}, whole(t, all, "one").Values)

	none := Investigate(t.Context(), newOrigin(t).clone(nil), parse(t, `
  - {id: g, type: git}
  - {id: few, type: git, metrics: [commit_count], expect: {commit_count: {min: 4}}}
`), nil)
	require.Equal(t, "not_applicable", whole(t, none, "g").Outcome.String())
	require.Equal(t, "false", whole(t, none, "few").Outcome.String())
}

func TestSample(t *testing.T) {
	t.Parallel()
	h := &history{authors: map[string]struct{}{}, days: map[string]int{}, subjects: map[uint64]struct{}{}}
	for i := range 5000 {
		h.add(commit{hash: fmt.Sprint(i), message: "m", time: date(int64(i))})
	}
	h.sample = thin(h.sample)
	require.LessOrEqual(t, len(h.sample), sampleSize)
	require.Equal(t, "0", h.sample[0].hash)
	require.Equal(t, "4999", h.sample[len(h.sample)-1].hash)
}

func FuzzLog(f *testing.F) {
	f.Add(hashA + "\x00\x001\x00a\x00b\x00c\x00")
	f.Add("=" + hashA + "\x00\n1\t2\ta\x00")
	f.Fuzz(func(t *testing.T, text string) {
		_ = parseLog(strings.NewReader(text), func(c commit) {
			require.True(t, isHash(c.hash))
			require.LessOrEqual(t, len(c.message), maxMessage)
		})
		_ = parseAdditions(strings.NewReader(text), func(a additions) { require.GreaterOrEqual(t, a.lines, 0) })
	})
}

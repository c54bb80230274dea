package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

func sourcesOf(n int, size int64) []source {
	all := make([]source, n)
	for i := range all {
		all[i] = source{dir: "/r", name: fmt.Sprintf("r%05d.yaml", i), stamp: stamp{size: size}}
	}
	return all
}

// What is beyond the bounds of a folder is one rule that cannot be judged.
func TestBoundsOfAFolder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		files int
		size  int64
		read  int
		says  string
	}{
		{"as many as may be", maxRuleFiles, 1000, maxRuleFiles, ""},
		{"one more", maxRuleFiles + 1, 1000, maxRuleFiles, "2001 rule files, and 2000 are read"},
		{"as large as may be", 8, 1 << 20, 8, ""},
		{"one more", 9, 1 << 20, 8, "more than 8 MB"},
		{"too large to be read at all", 9, 1<<20 + 1, 9, ""},
	} {
		all := sourcesOf(tc.files, tc.size)
		read, beyond := within(place{dir: "/r", root: "/"}, "/r", all)
		require.Len(t, read, tc.read, tc.name)
		l := listing{files: all}
		require.Equal(t, tc.says == "", l.fits(), tc.name)
		if tc.says == "" {
			require.Empty(t, beyond, tc.name)
			continue
		}
		require.Len(t, beyond, 1)
		require.Contains(t, beyond[0].Problems[0].Message, tc.says)
		require.Contains(t, beyond[0].Problems[0].File, all[tc.read].name)
	}
}

func TestBoundsOfPatternsAndCases(t *testing.T) {
	t.Parallel()
	c := compiled{rules: make([]compiledRule, 3)}
	for i := range c.rules {
		c.rules[i].name = fmt.Sprintf("r%d", i)
		c.rules[i].file.Definition.Scope = make([]string, maxPatterns/2)
	}
	n, beyond := c.usable(place{dir: "/r", root: "/"}, "/r")
	require.Equal(t, 2, n)
	require.Contains(t, beyond[0].Problems[0].Message, "more than 20000 patterns")

	f := rule.File{Definition: rule.Definition{Tests: make([]rule.Case, maxTests)}}
	checkTests(&f)
	require.Empty(t, f.Problems)
	f.Definition.Tests = make([]rule.Case, maxTests+1)
	checkTests(&f)
	require.Contains(t, f.Problems[0].Message, "2001 cases")

	actions := []sentinel.Action{{}, {Command: &shell.Line{Commands: make([]shell.Command, 9)}}}
	require.Equal(t, 11*1000, pairs(1000, actions))
}

// Rules that there was no time to read count as not judged, and the next call goes on
// where this one stopped.
func TestReadingGoesOnAtTheNextCall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sources := sourcesOf(5, 1)
	for i := range sources {
		sources[i].dir = dir
		require.NoError(t, os.WriteFile(filepath.Join(dir, sources[i].name), []byte("trigger: bash\nprompt: x\n"), 0o600))
	}
	read := func(known []compiledRule, times int) *compiled {
		c := &compiled{}
		require.True(t, c.takeRules(place{dir: dir, root: dir}, sources, known, time.Now(), func() bool { times--; return times < 0 }))
		return c
	}
	first := read(nil, 2)
	require.Len(t, first.rules, 2)
	beyond := notRead(place{dir: dir, root: dir}, dir, sources[2:])
	require.Contains(t, beyond[0].Problems[0].Message, "this file and 2 after it: not read in the time")
	second := read(first.rules, 2)
	require.Len(t, second.rules, 4)
	require.Len(t, read(second.rules, 2).rules, 5)
}

// One rule is reported about one call a few times, then counted.
func TestFindingsOfOneRuleAreCounted(t *testing.T) {
	t.Parallel()
	many, other := &sentinel.RuleSpec{ID: "many"}, &sentinel.RuleSpec{ID: "other"}
	findings := []sentinel.Finding{{Rule: other, Reason: "other"}}
	for range 50 {
		findings = append(findings, sentinel.Finding{Rule: many, Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictBlock, Reason: "no", Message: "no"})
	}
	near := (&Part{}).collapsed(findings)
	require.Len(t, near, 1+maxSame)
	require.Equal(t, "no (and 40 more of this call)", near[maxSame].Message)
	require.Equal(t, "no", near[1].Message)
	far := (&Part{further: true}).collapsed(findings)
	require.Len(t, far, 2)
	require.Equal(t, "other", far[0].Reason)
	require.Equal(t, "no (and 49 more of this call)", far[1].Reason)
	require.True(t, strings.HasPrefix(findings[len(findings)-1].Reason, "no") && len(findings) == 51, "they are not changed")
}

// The folders that are looked at for further projects are bounded, and it is known when
// not all of them were.
func TestFurtherProjectsAreLookedForInSoManyFolders(t *testing.T) {
	t.Parallel()
	dir := safefile.Resolve(t.TempDir())
	var starts []string
	for i := range 3 {
		starts = append(starts, filepath.Join(dir, fmt.Sprint(i)))
		require.NoError(t, os.MkdirAll(filepath.Join(starts[i], filepath.FromSlash(configPath)), 0o700))
	}
	above := strings.Count(filepath.ToSlash(dir), "/") + 1 // with the root
	found, whole := findUpward(starts, nil, above+4)
	require.True(t, whole)
	require.Len(t, found, 3)
	found, whole = findUpward(starts, nil, above+2)
	require.False(t, whole)
	require.Len(t, found, 2)
}

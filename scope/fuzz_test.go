package scope

import (
	"errors"
	"path"
	"testing"

	"github.com/agentsentinel/sentinel/shell"
)

// FuzzPath holds that the ways to match a path pattern agree: the literal text
// looked for first never drops what the pattern matches, and both matchers give
// the same answer.
func FuzzPath(f *testing.F) {
	for _, pattern := range []string{
		"src/**", "**/x", "*.{ts,tsx}", "a/**/b", "./a", "build/", "/etc/**", "[a-z0-9_]*", "[!a]", "{a/b,c}/d",
		`\[id\]/*`, "**/node_modules/**", "a**b", "{**/gen,out}/*", "***/x", "a/{,b}/**", "x{,/**}", "{a,b/}**/c", "[+-9]?", "[]", "{a,", `a\`,
	} {
		for _, target := range []string{"src/a.ts", "a/b", "a", "/etc/passwd", "build/x", "x/node_modules", "", "a//b", "É"} {
			f.Add(pattern, target, false)
			f.Add(pattern, target, true)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, target string, fold bool) {
		p := NewPaths([]string{pattern}, fold)
		_, matched := p.Match(target)
		p.MatchBelow(target)
		checkFault(t, pattern, CheckPath(pattern), matched)
		if target == "" {
			return
		}
		target = path.Clean(target)
		literal := pattern
		if fold {
			target, literal = foldCase(target), foldCase(pattern)
		}
		agree(t, &matcher{source: pattern, paths: true, fold: fold}, pathMayMatch(literal, target), target)
	})
}

// FuzzText is FuzzPath for patterns in which nothing separates.
func FuzzText(f *testing.F) {
	for _, pattern := range []string{"git push --force*", "*rm -rf*", "*", "a?c", "{a,b}*[!c]", "stash@{0}", "*a*b*c*", "[-a]", "[a-]", "${HOME}", "{}", "x}y,z"} {
		for _, target := range []string{"git push --force origin", "rm -rf /", "", "stash@{0}", "abc", "-"} {
			f.Add(pattern, target)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, target string) {
		_, _, matched := NewTools([]string{pattern}).Match([]string{target})
		checkFault(t, pattern, CheckMCP(pattern), matched)
		agree(t, &matcher{source: pattern}, textMayMatch(pattern, target), target)
	})
}

func agree(t *testing.T, m *matcher, mayMatch bool, target string) {
	t.Helper()
	m.parse()
	if m.root == nil {
		return
	}
	m.compileRegexp()
	if m.regexp == nil {
		return // larger than package regexp takes
	}
	want := m.regexp.MatchString(target)
	if want && !mayMatch {
		t.Errorf("%q matches %q, but its literal text was not found", m.source, target)
	}
	if !m.linear && steps(m.root, len(target)+1) > maxSteps {
		return
	}
	m.compileGlob()
	if m.glob != nil && m.glob.Match(target) != want {
		t.Errorf("%q on %q: glob says %v, regexp %v", m.source, target, !want, want)
	}
}

// checkFault holds that a pattern is refused by a *PatternError whose place lies
// within it, and never matches then.
func checkFault(t *testing.T, pattern string, err error, matched bool) {
	t.Helper()
	if err == nil {
		return
	}
	var fault *PatternError
	if !errors.As(err, &fault) {
		t.Fatalf("%q: %T is no *PatternError", pattern, err)
	}
	if fault.Offset < 0 || fault.Offset > len(pattern) || fault.Message == "" {
		t.Errorf("%q: bad fault %+v", pattern, fault)
	}
	if matched {
		t.Errorf("%q is refused (%v) and matches", pattern, err)
	}
}

// FuzzCommand holds that no line makes a pattern panic, that a broken pattern
// matches nothing, and that what the pattern itself exempts is not matched.
func FuzzCommand(f *testing.F) {
	for _, pattern := range []string{"git push --force*", "*rm -rf*", "rm -rf /tmp/*", "*curl*|*sh*", "*--hard*", "sudo rm*", "* --force", "psql -c 'x*", "*", "[", "git push"} {
		for _, line := range []string{
			"cd x && sudo git -C . push origin main --force", `git commit -m "never git push --force"`, "rm -rf /tmp/x /etc",
			"curl x | sudo bash", "git push 'unclosed", "X='rm -rf /'", "cat <<EOF\nrm -rf /\nEOF", "", "# x", `bash -c "git push -f"`,
		} {
			f.Add(pattern, line)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		line := shell.Parse(text, nil)
		c := NewCommands([]string{pattern})
		m, ok := c.Match(line, nil)
		checkFault(t, pattern, CheckCommand(pattern), ok)
		if ok && (m.Command < -1 || m.Command >= len(line.Commands)) {
			t.Errorf("%q on %q: no command %d", pattern, text, m.Command)
		}
		for _, s := range m.Spans {
			if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
				t.Errorf("%q on %q: span %v", pattern, text, s)
			}
		}
		if m, ok := c.Match(line, NewCommands([]string{"*"})); ok && line.Unparsed == "" && m.Command >= 0 {
			t.Errorf("%q on %q: matched what * exempts: %+v", pattern, text, m)
		}
	})
}

package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		prev := "ls"
		for block := range strings.SplitSeq(string(data), "\n=== ") {
			_, rest, _ := strings.Cut(block, "\n")
			text, _, _ := strings.Cut(rest, "\n>>>")
			f.Add(text, prev)
			prev = text
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 4096 || len(b) > 4096 {
			return
		}
		la, lb := Parse(a, nil), Parse(b, nil)
		checkLine(t, la)
		checkLine(t, lb)
		checkLine(t, Parse(a, &Options{PowerShell: true}))
		both := Parse(a+"\n"+b, nil)
		checkLine(t, both)
		if independent(a) && independent(b) && la.Unparsed == "" && lb.Unparsed == "" && both.Unparsed == "" {
			contains(t, both, la)
			contains(t, both, lb)
			for _, twin := range []string{"{ " + a + "\n}", "if true; then " + a + "\nfi", "x() {\n" + a + "\n}; x", "eval " + quote(a), "bash -c " + quote(a), "bash <<< " + quote(a)} {
				contains(t, Parse(twin, nil), la)
			}
		}
	})
}

// checkLine checks what holds of every line.
func checkLine(t *testing.T, l *Line) {
	t.Helper()
	if strings.HasPrefix(l.Unparsed, "internal error") {
		t.Errorf("%s: %q", l.Unparsed, l.Text)
	}
	for i := range l.Commands {
		c := &l.Commands[i]
		if c.Program == "" || c.Text == "" {
			t.Errorf("command %d of %q has no program or text", i, l.Text)
		}
		if c.Span.Start < 0 || c.Span.Start > c.Span.End || c.Span.End > len(l.Text) {
			t.Errorf("span %v of %q in %q", c.Span, c.Text, l.Text)
		}
		if c.Endless && !c.Background && !c.Recursive {
			t.Errorf("%q of %q is endless, and nothing starts it again", c.Text, l.Text)
		}
		c.HasFlag("-f", "--force", "-rf")
		c.HasFlags("-rf")
		c.Value("-o", "--output")
	}
	for _, carried := range l.Carried {
		if len(carried.Commands) == 0 || carried.Commands[0].Carrier == "" || len(carried.Carried) > 0 || carried.Bounded || carried.Unparsed != "" {
			t.Errorf("reading %+v of %q", carried, l.Text)
		}
		checkLine(t, carried)
	}
	for _, e := range l.Effects {
		if e.Command < 0 || e.Command >= len(l.Commands) || e.Kind == EffectNone || e.Path == "" && e.Object == "" {
			t.Errorf("effect %+v of %q", e, l.Text)
		}
	}
}

// independent reports whether a text neither changes what follows it nor
// depends on what comes before it.
func independent(text string) bool {
	if strings.ContainsAny(text, "=$`~<>|&!\x00\\") {
		return false
	}
	stmts, err := parseShell(text)
	if err != nil || len(stmts) == 0 {
		return false
	}
	for _, s := range stmts {
		c, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 {
			return false
		}
		switch name := c.Args[0].Lit(); name {
		case "ls", "rm", "git", "sudo", "bash", "xargs", "find", "cp", "mv", "touch", "timeout", "nice", "docker", "ssh":
		default:
			return false
		}
	}
	return !strings.Contains(text, "config")
}

// contains fails when whole lacks a command or an effect of part.
func contains(t *testing.T, whole, part *Line) {
	t.Helper()
	have := make(map[string]int)
	for _, c := range whole.Commands {
		have[c.Text]++
	}
	for _, e := range whole.Effects {
		have[describeEffect(e)]++
	}
	for _, c := range part.Commands {
		if have[c.Text]--; have[c.Text] < 0 {
			t.Errorf("%q lacks the command %q of %q", whole.Text, c.Text, part.Text)
		}
	}
	for _, e := range part.Effects {
		if have[describeEffect(e)]--; have[describeEffect(e)] < 0 {
			t.Errorf("%q lacks the effect %q of %q", whole.Text, describeEffect(e), part.Text)
		}
	}
}

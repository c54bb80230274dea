package shell

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the expectations of testdata/*.txt anew; read the difference before keeping it")

// A goldenCase is one command line of testdata and what is expected of it.
//
//	=== what it shows
//	the command line, of one or more lines
//	>>>
//	run git push origin main --force [sudo] dir=x
//	create a.txt "content"
//
// "run" is a command that is certain and "guess" one that is not, in the order
// of Line.Commands; then the effects, "?" behind those that are guessed.
type goldenCase struct{ name, text, want string }

func readCases(t *testing.T, file string) []goldenCase {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var cases []goldenCase
	for block := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		if strings.TrimSpace(block) == "" {
			continue
		}
		name, rest, _ := strings.Cut(block, "\n")
		text, want, _ := strings.Cut(rest, "\n>>>")
		cases = append(cases, goldenCase{name, strings.TrimSuffix(text, "\n"), strings.TrimSpace(want)})
	}
	require.NotEmpty(t, cases)
	return cases
}

func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			cases := readCases(t, file)
			if *update {
				writeCases(t, file, cases)
				return
			}
			for _, c := range cases {
				got := describe(Parse(c.text, nil))
				assert.Equal(t, c.want, got, "%s\n%s", c.name, c.text)
			}
		})
	}
}

func writeCases(t *testing.T, file string, cases []goldenCase) {
	t.Helper()
	var b strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&b, "=== %s\n%s\n>>>\n%s\n\n", c.name, c.text, describe(Parse(c.text, nil)))
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.TrimSuffix(b.String(), "\n")), 0o644))
}

// describe writes a line in the form of the test data.
func describe(l *Line) string {
	var b strings.Builder
	for i := range l.Commands {
		c := &l.Commands[i]
		verb := "run"
		if !c.Certain {
			verb = "guess"
		}
		b.WriteString(verb + " " + oneLine(c.Text))
		if len(c.Wrappers) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(c.Wrappers, ", "))
		}
		if c.DirUnknown {
			b.WriteString(" dir=?")
		} else if c.Dir != "" {
			b.WriteString(" dir=" + c.Dir)
		}
		if len(c.Runs) > 0 {
			b.WriteString(" runs=" + strings.Join(c.Runs, ","))
		}
		if c.Script != "" {
			b.WriteString(" script=" + oneLine(c.Script))
		}
		if c.Recursive {
			b.WriteString(" recursive")
		}
		if c.Endless {
			b.WriteString(" endless")
		}
		if c.Interactive {
			b.WriteString(" interactive")
		}
		b.WriteByte('\n')
	}
	for _, e := range l.Effects {
		b.WriteString(describeEffect(e) + "\n")
	}
	if l.Unparsed != "" {
		b.WriteString("unparsed: " + oneLine(l.Unparsed) + "\n")
	}
	return strings.TrimSpace(b.String())
}

func describeEffect(e Effect) string {
	s := e.Kind.String()
	if !e.Certain {
		s += "?"
	}
	s += " " + oneLine(e.Path)
	if e.To != "" {
		s += " to " + oneLine(e.To)
	}
	if e.DirUnknown {
		s += " dir=?"
	} else if e.Dir != "" {
		s += " dir=" + e.Dir
	}
	if e.Old != "" {
		s += fmt.Sprintf(" -%q", e.Old)
	}
	if e.ContentKnown {
		s += fmt.Sprintf(" =%q", e.Content)
	} else if e.Content != "" {
		s += fmt.Sprintf(" ~%q", e.Content)
	}
	return s
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

// Command screen writes a picture of a terminal in which commands of Sentinel run. The
// text is what the commands print in a new folder with the recommended rules, so
// the picture is that of a real run and the same at any time.
//
// usage: go run ./tools/screen FILE.svg
package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/packs"
)

//go:generate go run . ../../docs/images/screen.svg

// commands are shown with what they print.
var commands = [][]string{
	{"check", "--bash", "cd api && bash -c 'git push --force origin main'"},
	{"check", "--bash", "sudo find src -delete"},
	{"check", "--bash", "rm -rf node_modules && git commit -m 'never git push --force'"},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: screen FILE.svg")
		os.Exit(2)
	}
	picture, err := screen()
	if err == nil {
		err = os.WriteFile(os.Args[1], picture, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "screen:", err)
		os.Exit(1)
	}
}

// screen runs the commands in a new folder, with a home of its own.
func screen() ([]byte, error) {
	dir, err := os.MkdirTemp("", "screen-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := setUp(dir); err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, args := range commands {
		text.WriteString("\x1b[32m$\x1b[0m sentinel")
		for _, arg := range args {
			text.WriteString(" " + quoted(arg))
		}
		out, err := run(dir, args...)
		if err != nil {
			return nil, err
		}
		text.WriteString("\n" + out + "\n")
	}
	return draw(strings.TrimSpace(text.String())), nil
}

// setUp makes the folder what "sentinel init --backend builtin" makes of it, without the
// hook of an agent.
func setUp(dir string) error {
	dir = filepath.Join(dir, ".claude", "sentinel")
	rules, err := packs.Files(packs.Recommended)
	files := append(rules, packs.File{Name: "../config.yaml", Data: []byte("backend: builtin\n")})
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "rules"), 0o755)
	}
	for _, f := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "rules", f.Name), f.Data, 0o644)
		}
	}
	return err
}

// run runs a command and returns what it prints.
func run(dir string, args ...string) (string, error) {
	var out bytes.Buffer
	env := command.Process()
	env.Args, env.Stdin, env.Stdout, env.Stderr, env.Dir, env.Environ, env.Color = args, &bytes.Buffer{}, &out, &out, dir, nil, true
	env.Getenv = func(name string) string { return map[string]string{"HOME": dir}[name] }
	if status := cli.Run(env); status == exit.Error {
		return "", fmt.Errorf("%q fails: %s", args, out.String())
	}
	return out.String(), nil
}

// quoted is a word as it is written for a shell.
func quoted(word string) string {
	switch {
	case !strings.ContainsAny(word, " '\"$&;"):
		return word
	case !strings.Contains(word, "'"):
		return "'" + word + "'"
	case !strings.ContainsAny(word, `"$`):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const (
	columns = 100
	advance = 8.4 // pixels of a character
	leading = 19
	margin  = 18
)

// draw is a terminal's text as SVG. Bold and green are what it knows of a terminal.
func draw(text string) []byte {
	lines := wrap(text)
	width, height := int(columns*advance)+2*margin, len(lines)*leading+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="A terminal: sentinel check stops a forced push and a deletion, and lets harmless commands pass">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#14181d"/>`+"\n", width, height)
	b.WriteString(`<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#dfe4ea">` + "\n")
	for i, line := range lines {
		if said := strings.TrimLeft(line, " "); said != "" {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`+"\n", margin+advance*float64(len(line)-len(said)), margin+leading*(i+1)-5, spans(said))
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// spans is a line with its escape sequences as elements.
func spans(line string) string {
	return strings.NewReplacer(
		"\x1b[1mBLOCK", `<tspan font-weight="bold" fill="#ff9d95">BLOCK`,
		"\x1b[1mASK", `<tspan font-weight="bold" fill="#f2c069">ASK`,
		"\x1b[1mALLOW", `<tspan font-weight="bold" fill="#8fd3a2">ALLOW`,
		"\x1b[1m", `<tspan font-weight="bold">`, "\x1b[32m", `<tspan fill="#8fd3a2">`, "\x1b[0m", "</tspan>",
	).Replace(html.EscapeString(line))
}

// wrap breaks lines at words where they are longer than the screen; what goes on is
// indented as its line is.
func wrap(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for utf8.RuneCountInString(line) > columns {
			at := strings.LastIndex(line[:columns], " ")
			if at <= len(indent) {
				break
			}
			lines = append(lines, line[:at])
			line = indent + line[at+1:]
		}
		lines = append(lines, line)
	}
	return lines
}

package main

import (
	"bytes"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/schemagen"
	"github.com/agentsentinel/sentinel/packs"
)

// TestScreen holds the picture of README: what these commands print, in a new repository.
// -update writes it.
func TestScreen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	repo := filepath.Join(home, "shop")
	require.NoError(t, exec.Command("git", "init", "--quiet", repo).Run())
	rules := filepath.Join(repo, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	files, err := packs.Files(packs.Recommended) // as init writes them
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(rules, f.Name), f.Data, 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(rules, "..", "config.yaml"), []byte("backend: builtin\n"), 0o644))
	env := &command.Env{
		Stdin: strings.NewReader(""), Stderr: io.Discard, Dir: repo, Now: command.Process().Now,
		Getenv: func(name string) string {
			return map[string]string{"HOME": home, "PATH": os.Getenv("PATH"), "COLUMNS": "96"}[name]
		},
	}
	var screen []string
	for _, run := range []struct {
		shown string
		args  []string
		keep  int // lines that are shown
	}{
		{`sentinel check --bash 'bash -c "git push --force origin main"'`, []string{"check", "--bash", `bash -c "git push --force origin main"`}, 9},
		{`sentinel check --bash 'git push origin feature/cart'`, []string{"check", "--bash", "git push origin feature/cart"}, 9},
		{`sentinel check --read .env`, []string{"check", "--read", ".env"}, 2},
	} {
		var out bytes.Buffer
		env.Args, env.Stdout = run.args, &out
		cli.Run(env)
		screen = append(screen, "$ "+run.shown)
		lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(out.String(), home, "~")), "\n")
		for _, line := range lines[:min(run.keep, len(lines))] {
			screen = append(screen, wrapped(strings.TrimRight(line, " "))...)
		}
		screen = append(screen, "")
	}
	schemagen.Golden(t, filepath.Join(top, "docs", "images", "terminal.svg"), []byte(picture(screen)), *update)
}

// wrapped is a line in parts that fit the picture.
func wrapped(line string) (parts []string) {
	for len(line) > columns {
		at := strings.LastIndex(line[:columns], " ")
		parts, line = append(parts, line[:at]), "  "+line[at+1:]
	}
	return append(parts, line)
}

const columns = 92

// picture is a terminal as SVG.
func picture(lines []string) string {
	const line = 20
	height := strconv.Itoa(len(lines)*line + 24)
	b := `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="` + height + `" viewBox="0 0 800 ` + height + `" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13.5">` +
		"\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#161b22\"/>\n"
	for i, text := range lines {
		colour := "#c9d1d9"
		switch {
		case strings.HasPrefix(text, "$ "):
			colour = "#7ee787"
		case text == "BLOCK" || text == "ASK":
			colour = "#ff7b72"
		}
		b += `<text x="16" y="` + strconv.Itoa(28+i*line) + `" fill="` + colour + `" xml:space="preserve">` + html.EscapeString(text) + "</text>\n"
	}
	return b + "</svg>\n"
}

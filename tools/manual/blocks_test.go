package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/pagetest"
	"github.com/agentsentinel/sentinel/internal/scripttest"
)

// blocks are those of all pages that somebody wrote, in their order. The catalogue is
// generated from the packs, whose tests run its cases.
func blocks(t *testing.T) (list []pagetest.Block) {
	t.Helper()
	all := manual(t)
	for _, pattern := range []string{"examples/*.md", "examples/*/*.md", "bench/*.md", "bench/*/*.md", "packaging/*/*.md", "plugin/*/skills/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			name, err := filepath.Rel(top, file)
			require.NoError(t, err)
			all[filepath.ToSlash(name)] = string(text)
		}
	}
	for page, text := range all {
		if !strings.HasPrefix(page, "docs/catalogue/") {
			list = append(list, pagetest.Blocks(page, text)...)
		}
	}
	slices.SortFunc(list, func(a, b pagetest.Block) int { return cmp.Or(strings.Compare(a.Page, b.Page), a.Line-b.Line) })
	return list
}

// claims are the blocks that are not checked here: testdata/blocks.yaml.
func claims(t *testing.T) []pagetest.Claim {
	t.Helper()
	list, err := pagetest.Claims(filepath.Join("testdata", "blocks.yaml"))
	require.NoError(t, err)
	return list
}

// claimed is the claim on a whole block.
func claimed(list []pagetest.Claim, b *pagetest.Block) (pagetest.Claim, bool) {
	for _, c := range list {
		if c.Command == "" && c.Given == "" && c.Fits(b) {
			return c, true
		}
	}
	return pagetest.Claim{}, false
}

// errUnknown is of a block that nothing here can check.
var errUnknown = errors.New("no check fits it: make it one that can be checked, or name in testdata/blocks.yaml the test that runs it, or why it cannot be run")

// TestBlocks checks each block of the manual by what it is, or knows which test does, or
// why no test can.
func TestBlocks(t *testing.T) {
	t.Parallel()
	list := claims(t)
	counts := map[string]int{}
	var fragments []pagetest.Block
	for _, b := range blocks(t) {
		how := "checked here"
		var err error
		if c, ok := claimed(list, &b); ok && c.Test != "" {
			how = "run by another test"
		} else if ok && c.Golden != "" {
			err = inGolden(&b, c.Golden)
		} else if ok {
			how = "not run"
		} else if b.Kind == "go" {
			fragments = append(fragments, b)
		} else if b.IsShell() {
			how = "run here" // by TestConsole
		} else {
			err = check(t, &b)
		}
		counts[how]++
		counts["all"]++
		if err != nil {
			t.Errorf("%s:%d, under %q, begins %q: %v", b.Page, b.Line, b.Heading, b.Begins(), err)
		}
	}
	t.Log(counts)
	require.Greater(t, counts["checked here"]+counts["run here"], 45)
	require.LessOrEqual(t, counts["not run"], 20, "too much of the manual is not run")
	compiled(t, fragments, list)
}

// check checks a block that is not a command.
func check(t *testing.T, b *pagetest.Block) error {
	t.Helper()
	switch b.Kind {
	case "json", "jsonl":
		return checkJSON(b)
	case "yaml":
		return checkYAML(t, b)
	case "python":
		return parsed(t, b, "python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	case "js":
		return parsed(t, b, "node", "--check", "-")
	case "mermaid":
		return checkMermaid(b)
	}
	return errUnknown
}

// inGolden wants each line of a block in a golden file, in this order: … is any text. The
// file may be one of Go with the lines as strings.
func inGolden(b *pagetest.Block, name string) error {
	data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	var lines strings.Builder
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if text, err := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(line), ",")); err == nil {
			line = text
		}
		lines.WriteString(line + "\n")
	}
	return scripttest.Shown(strings.ReplaceAll(b.Text, "\n", "\n…\n"), lines.String())
}

// parsed has a program read the block, where there is that program.
func parsed(t *testing.T, b *pagetest.Block, program string, args ...string) error {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Logf("%s:%d is not parsed: there is no %s", b.Page, b.Line, program)
		return nil
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(b.Text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

// TestClaims: what testdata/blocks.yaml names is there, and each entry is about a block.
func TestClaims(t *testing.T) {
	t.Parallel()
	all := blocks(t)
	for i, c := range claims(t) {
		if !slices.ContainsFunc(all, func(b pagetest.Block) bool { return c.Fits(&b) }) {
			t.Errorf("entry %d of testdata/blocks.yaml is about no block: %+v", i+1, c)
		}
		if c.Test != "" {
			require.NoError(t, c.Exists(top), "entry %d of testdata/blocks.yaml", i+1)
		}
	}
}

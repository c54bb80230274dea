package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

const top = "../.."

// manual are the pages in Markdown below docs, and those at the top, by their paths from
// the top.
func manual(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	read := func(name string) {
		data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
		require.NoError(t, err)
		found[name] = strings.ReplaceAll(string(data), "\r\n", "\n")
	}
	require.NoError(t, fs.WalkDir(os.DirFS(top), "docs", func(name string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			read(name)
		}
		return err
	}))
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "plugin/README.md"} {
		read(name)
	}
	return found
}

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	span    = regexp.MustCompile("`[^`\n]+`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// anchors are those of the headings of a page, as GitHub makes them.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		name := strings.ToLower(strings.TrimSpace(m[1]))
		name = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(name, "$1")
		name = regexp.MustCompile(`[^\p{L}\p{N}\- _]`).ReplaceAllString(name, "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}

// TestLinks follows each link of the pages to a file of the repository, and to a heading
// in it.
func TestLinks(t *testing.T) {
	t.Parallel()
	all, links := manual(t), 0
	for page, text := range all {
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(fence.ReplaceAllString(text, ""), ""), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			links++
			to := path.Join(path.Dir(page), file)
			if file == "" {
				to = page
			}
			info, err := os.Stat(filepath.Join(top, filepath.FromSlash(to)))
			if err != nil {
				t.Errorf("%s: the link %s goes to no file", page, m[1])
				continue
			}
			if info.IsDir() {
				to += "/README.md"
			}
			if anchor != "" && all[to] != "" && !anchors(all[to])[anchor] {
				t.Errorf("%s: %s has no heading for the link %s", page, to, m[1])
			}
		}
	}
	require.Greater(t, links, 300)
}

// TestIndex: docs/README.md leads to every page.
func TestIndex(t *testing.T) {
	t.Parallel()
	all := manual(t)
	linked := map[string]bool{"docs/README.md": true}
	for _, m := range link.FindAllStringSubmatch(all["docs/README.md"], -1) {
		file, _, _ := strings.Cut(m[1], "#")
		linked[path.Join("docs", file)] = true
	}
	for _, m := range link.FindAllStringSubmatch(all["docs/agents/README.md"], -1) { // generated
		linked[path.Join("docs/agents", m[1])] = true
	}
	for page := range all {
		if strings.HasPrefix(page, "docs/") && !strings.HasPrefix(page, "docs/catalogue/") && !linked[page] {
			t.Errorf("docs/README.md does not link to %s", page)
		}
	}
}

// references may be long: one looks things up in them.
var references = []string{
	"docs/rules.md", "docs/when.md", "docs/configuration.md", "docs/reference/cli.md", "docs/hook-protocol.md", "docs/agents/README.md",
	"docs/audit/rubric.md", "docs/audit/spec.md", "docs/limits.md", "docs/threat-model.md", "docs/catalogue/README.md",
	"docs/opentelemetry.md",
}

// generated is a part of a page that is made of the code. Its words are not counted.
var generated = regexp.MustCompile(`(?s)<!-- (?:[\w-]+: generated|agents: [^>]*) -->.*?<!-- end[^>]*-->`)

// TestPagesAreShort holds the size of the pages, and that of the manual, without what is
// generated.
func TestPagesAreShort(t *testing.T) {
	t.Parallel()
	total := 0
	for page, text := range manual(t) {
		words := len(strings.Fields(generated.ReplaceAllString(text, "")))
		if !slices.Contains(references, page) && words > 1500 {
			t.Errorf("%s has %d words: split or cut it, 1,500 are the limit", page, words)
		}
		if strings.HasPrefix(page, "docs/") && !strings.HasPrefix(page, "docs/catalogue/") && page != "docs/reference/cli.md" {
			total += len(strings.Fields(generated.ReplaceAllString(text, "")))
		}
	}
	t.Logf("%d words", total)
	require.LessOrEqual(t, total, 39_700)
}

// TestCommandsOfThePages: each command that a page names is there, with its flags.
func TestCommandsOfThePages(t *testing.T) {
	t.Parallel()
	roots, _ := commands()
	call := regexp.MustCompile("(?m)(?:^|[`$] ?|&& |then )(sentinel(?:-audit)?) ([a-z][^`\n#|&]*)")
	calls := 0
	for page, text := range manual(t) {
		if strings.HasPrefix(page, "docs/catalogue/") || page == "docs/reference/cli.md" {
			continue
		}
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			calls++
			if said := unknown(roots, m[1], strings.Fields(quoted.ReplaceAllString(m[2], "X"))); said != "" {
				t.Errorf("%s: %s: %s", page, strings.TrimSpace(m[0]), said)
			}
		}
	}
	require.Greater(t, calls, 200)
}

var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"|\([^)]*\)`)

// unknown says what of a command line there is not; "" where all of it is.
func unknown(roots []*cobra.Command, program string, args []string) string {
	root := roots[slices.IndexFunc(roots, func(r *cobra.Command) bool { return r.Name() == program })]
	cmd, _, err := root.Find(args)
	switch {
	case err != nil && len(args) > 0 && args[0] != "…":
		return err.Error()
	case err != nil, cmd.DisableFlagParsing:
		return ""
	}
	for _, arg := range args {
		name, isFlag := strings.CutPrefix(strings.TrimRight(arg, ".,;:…]"), "--")
		name, _, _ = strings.Cut(name, "=")
		name = strings.TrimSuffix(name, "[")
		if isFlag && regexp.MustCompile(`^[a-z-]+$`).MatchString(name) && name != "help" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			return "there is no flag --" + name
		}
	}
	return ""
}

// TestSchemaIDs: the $id of each schema is the address of its file, so that an editor and
// SchemaStore find it.
func TestSchemaIDs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(top, "docs", "reference", "json", "*", "*.json"))
	require.NoError(t, err)
	for _, name := range []string{"rule", "config", "internal/audit/rubric"} {
		files = append(files, filepath.Join(top, filepath.FromSlash(name), "schema.json"))
	}
	require.Greater(t, len(files), 25)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		name, err := filepath.Rel(top, file)
		require.NoError(t, err)
		require.Contains(t, string(data), `"$id": "https://raw.githubusercontent.com/agentsentinel/sentinel/main/`+filepath.ToSlash(name)+`"`)
		require.Contains(t, string(data), `"$schema": "http://json-schema.org/draft-07/schema#"`, name)
	}
}

package instructions

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// more is a case of a form as a case of its draft: a command, mcp: and a tool, or write:, edit:, read: and a path,
// which :TEXT may follow.
func more(s, expect string) ruletext.Case {
	kind, rest, _ := strings.Cut(s, ":")
	p, content, _ := strings.Cut(rest, ":")
	switch kind {
	case "write":
		return ruletext.Case{Write: p, Content: content + "\n", Expect: expect}
	case "edit":
		return ruletext.Case{Write: p, Content: content + "\n", Old: "x\n", Expect: expect}
	case "mcp":
		return ruletext.Case{MCP: rest, Expect: expect}
	case "read":
		return ruletext.Case{Read: p, Expect: expect}
	}
	return ruletext.Case{Bash: s, Expect: expect}
}

// TestForms: each form makes a draft of the lines that it is about, which stops and lets
// pass what it should beyond its own cases.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	for _, f := range forms.All().Forms {
		require.NotEmpty(t, f.Cases, f.Name)
		for _, c := range f.Cases {
			t.Run(f.Name+"/"+c.Line, func(t *testing.T) {
				file := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + c.Line + "\n"}
				all := statement.Of(&file)
				require.Len(t, all, 1)
				require.NotEqual(t, statement.Description, all[0].Kind)
				var drafts []Draft
				p := &survey.Project{}
				if len(c.Files) > 0 {
					p = treeOf(t, file, c.Files...)
				}
				p.Commands = c.Commands
				for _, d := range Drafts(&all[0], p) {
					if d.Form == f.Name {
						drafts = append(drafts, d)
					}
				}
				if len(drafts) == 0 {
					explain(t, &all[0], p)
				}
				require.NotEmpty(t, drafts)
				if c.Severity != "" {
					require.Contains(t, drafts[0].YAML, "severity: "+c.Severity)
				}
				require.Contains(t, drafts[0].YAML, "source: CLAUDE.md:3\n")
				for i, line := range c.Stops {
					d := drafts[min(i, len(drafts)-1)]
					if len(drafts) == 1 || f.Rule == "requires" || len(drafts) == len(c.Stops) {
						require.Empty(t, with(t, d, after(f.Rule, more(line, ruletext.Violation), c.Files)))
					}
				}
				for _, line := range c.Passes {
					for _, d := range drafts {
						require.Empty(t, with(t, d, more(line, ruletext.Pass)))
					}
				}
			})
		}
	}
}

// TestDocumentedLines: each line that the page has as an example makes a rule.
func TestDocumentedLines(t *testing.T) {
	page, err := os.ReadFile("../../docs/coverage.md")
	require.NoError(t, err)
	_, rows, _ := strings.Cut(string(page), "| the line is about | for example |\n|---|---|\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	lines := 0
	for row := range strings.SplitSeq(rows, "\n") {
		for line := range strings.SplitSeq(strings.Split(row, "|")[2], " · ") {
			f := statement.File{Path: "CLAUDE.md", Text: "- " + strings.TrimSpace(line) + "\n"}
			s := statement.Of(&f)[0]
			assert.NotEmpty(t, Drafts(&s, &survey.Project{}), line)
			lines++
		}
	}
	require.Greater(t, lines, 15)
}

// treeOf returns a project with instructions and some files.
func treeOf(t *testing.T, of statement.File, files ...string) *survey.Project {
	t.Helper()
	root, all := t.TempDir(), map[string]string{}
	for _, f := range files {
		all[f] = "x"
	}
	write(t, root, all)
	p := survey.Of(root, []statement.File{of})
	return &p
}

// after lets files change before a command for which something is required.
func after(rule string, c ruletext.Case, files []string) ruletext.Case {
	if (rule == "requires" || rule == "never-skip") && c.Bash != "" {
		c.Before = []ruletext.Step{{Write: "src/b.ts"}, {Write: "b.go"}}
		for _, f := range files {
			c.Before = append(c.Before, ruletext.Step{Write: f})
		}
	}
	if (rule == "also" || rule == "also-file") && c.Bash != "" && len(files) > 0 { // the first is the one that others have to change with
		c.Before = []ruletext.Step{{Write: files[0]}}
	}
	return c
}

// with says what is wrong with a draft that has one more case.
func with(t *testing.T, d Draft, c ruletext.Case) string {
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &doc))
	doc["tests"] = append(doc["tests"].([]any), c)
	data, err := yaml.Marshal(doc)
	require.NoError(t, err)
	return ruletext.Read(d.ID, data).Faults(ruletext.Imagined)
}

// explain logs why a statement has no draft.
func explain(t *testing.T, s *statement.Statement, p *survey.Project) {
	for _, c := range candidates(s) {
		forms.NameActs(&c)
		t.Logf("seen as %q", c.Words)
		hits := forms.All().Find(&c)
		for i := range hits {
			b := builder{s: s, p: p, hit: &hits[i], quote: c.Quote}
			t.Logf("%s %v", hits[i].Form.Name, hits[i].Slots)
			for _, r := range builders()[hits[i].Form.Rule](&b) {
				r.Source, r.Quote, r.Severity = "CLAUDE.md:3", c.Quote, hits[i].Severity
				r.ID = slug(hits[i].Form.Name, r.ID)
				if r.Trigger != "" && r.When == "" && r.Requires == nil {
					r.When = "true"
				}
				if r.When != "" {
					r.Backend = sentinel.Builtin
				}
				data, err := r.Render()
				t.Logf("%s%v %s", data, err, ruletext.Read(r.ID, data).Faults(ruletext.Imagined))
			}
		}
	}
}

package instructions

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/rule"
)

// casesOfTestdata are the texts of the cases in testdata, and of the forms.
func casesOfTestdata(t *testing.T) (list []string) {
	for _, c := range preciseCases(t) {
		list = append(list, "# Rules\n\n"+c.Text)
	}
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			list = append(list, "# Rules\n\n- "+c.Line+"\n")
		}
	}
	return list
}

var (
	// advised are commands that a message tells to run, and names that it gives as examples.
	advised = regexp.MustCompile(`(?:Use|use) ([^ .]+(?: [^.]*?)?) instead|(?:Commit|Merge|Open it) with (g(?:it|h) [^.]+?)\.$|, as in ([a-z][\w:./-]+(?: [\w:./-]+)+)\.`)
	shaped  = regexp.MustCompile("(?:Begin|Write)[^`]*`([^`]+)`")
	toRunIt = regexp.MustCompile("(?:use|run|via|with) `((?:make|just|npm|pnpm|uv|go|cargo|git|gh) [^`<>]+)`")
)

// TestAdvice: no rule stops what its own message, or its own line, tells to run or to write.
func TestAdvice(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	tried := 0
	for _, text := range casesOfTestdata(t) {
		for _, d := range draftsOf(text) {
			var r ruletext.Rule
			require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &r))
			if r.Trigger != "bash" || r.Requires != nil || strings.HasPrefix(d.Form, "always-option") || d.Form == "only-asked" || d.Form == "with-variable" { // they are about that command
				continue
			}
			var list []string
			for _, m := range advised.FindAllStringSubmatch(r.Message, -1) {
				list = append(list, strings.Split(strings.Join(m[1:], ""), " or ")...)
			}
			for _, m := range shaped.FindAllStringSubmatch(r.Message, -1) {
				list = append(list, "git commit -m '"+m[1]+"'", "gh pr create --title '"+m[1]+"'")
			}
			for _, m := range toRunIt.FindAllStringSubmatchIndex(text, -1) {
				if cmd := text[m[2]:m[3]]; !sentence.Denies.Get().MatchString(strings.ToLower(text[:m[0]])) && !strings.Contains(strings.ToLower(text[m[1]:min(m[1]+25, len(text))]), "only") {
					list = append(list, cmd)
				}
			}
			stopped := ruletext.Read(d.ID, []byte(d.YAML)).Trial()
			for _, cmd := range list {
				tried++
				if stopped(rule.Case{Bash: cmd}) {
					t.Errorf("%q: %s stops %q, which it tells to do: %s", text, d.ID, cmd, r.Message)
				}
			}
		}
	}
	require.Greater(t, tried, 100)
}

var (
	// shownName are examples of the names of branches, and of the first lines of messages.
	shownName = regexp.MustCompile("`([\\w.-]+/[\\w./-]+)`")
	shownHead = regexp.MustCompile("`(\\w+(?:\\(\\w+\\))?!?:)(?: [^`]*)?`|(?m:^(\\w+(?:\\(\\w+\\))?: )[a-z])")
)

// TestExamples: the names and the messages that a line about them shows are accepted by its rule.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	tried := 0
	more := []string{
		"Branches: `<number>-<type>/<topic>`, for example `12-bug/upload`.", "Branch names: `<type>/<area>/<topic>`, such as `feat/ui/menu`.", "Name branches `{type}/{number}` (e.g. `fix/12`).",
		"Use conventional commits: `feat:`, `fix:`, `speed:`, `cleanup(ui):`.", "Commit messages follow Conventional Commits, as in `deps(api): newer parser`.", "Commit format: `<type>: <subject>`, e.g. `wip: half of it`.",
		"Commit messages use conventional commits. Types: `feat:`, `hotfix:`, `i18n:`.", "PR titles follow Conventional Commits, such as `feature(ui): menu`.",
	}
	texts := append(casesOfTestdata(t), "# Rules\n\nFollow Conventional Commits:\n\n- `feature:` new things\n- `bug:` mends\n", "# Rules\n\nFollow Conventional Commits:\n\n```\nfeat(ui): add a menu\nhotfix: the thing\n```\n",
		"# Rules\n\nUse conventional commits.\n\nExamples:\n\n- `speed: faster start`\n", "# Rules\n\n- PR titles follow Conventional Commits.\n- Types of titles: `feat:`, `speed:`.\n")
	for _, l := range more {
		texts = append(texts, "# Rules\n\n- "+l+"\n")
	}
	for _, text := range texts {
		for _, d := range draftsOf(text) {
			var list []string
			switch {
			case d.Form == "branch-name":
				for _, m := range shownName.FindAllStringSubmatch(text, -1) {
					list = append(list, "git checkout -b "+m[1])
				}
			case strings.Contains(d.YAML, "Begin the message with a type"):
				for _, m := range shownHead.FindAllStringSubmatch(text, -1) {
					list = append(list, "git commit -m '"+strings.TrimSpace(m[1]+m[2])+" the thing'")
				}
			case strings.Contains(d.YAML, "Begin the title with a type"):
				for _, m := range shownHead.FindAllStringSubmatch(text, -1) {
					list = append(list, "gh pr create --title '"+strings.TrimSpace(m[1]+m[2])+" the thing'")
				}
			}
			stopped := ruletext.Read(d.ID, []byte(d.YAML)).Trial()
			for _, cmd := range list {
				if tried++; strings.Contains(cmd, "'type") {
					continue // a name for any of them
				}
				if stopped(rule.Case{Bash: cmd}) && !strings.Contains(d.YAML, "severity: warn") {
					t.Errorf("%q: %s stops %q, an example of its own line", text, d.ID, cmd)
				}
			}
		}
	}
	require.Greater(t, tried, 30)
}

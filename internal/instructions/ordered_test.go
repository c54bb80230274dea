package instructions

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestOrderedCommands: no rule stops the command that its line orders, whatever runs what.
func TestOrderedCommands(t *testing.T) {
	for _, wish := range []string{
		"Use `%s`, not `%s`.", "Use `%s` instead of `%s`.", "Use `%s`, never `%s`.", "Run it with `%s`, not `%s`.", "Prefer `%s` over `%s`.",
		"Do it through the wrapper: `%s`, not `%s`.", "Always use `%s` rather than `%s`.", "Run tests with `%s`, never `%s` on the host.",
	} {
		for _, c := range [][2]string{
			{"docker compose exec web pytest", "pytest"}, {"docker compose run --rm web npm test", "npm test"}, {"docker exec app composer", "composer"},
			{"bundle exec rake", "rake"}, {"uv run mypy", "mypy"}, {"poetry run ruff check", "ruff check"}, {"npx eslint", "eslint"}, {"pnpm exec tsc", "tsc"},
			{"./vendor/bin/sail artisan", "php artisan"}, {"sail artisan ...", "php artisan"}, {"ddev composer", "composer"}, {"lando artisan", "php artisan"},
			{"python3", "python"}, {"pip3", "pip"}, {"kubectl exec web -- rails", "rails"}, {"make check", "pytest"}, {"python -m pytest", "pytest"},
		} {
			line := strings.Replace(strings.Replace(wish, "%s", c[0], 1), "%s", c[1], 1)
			f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
			all := statement.Of(&f)
			list := Drafts(&all[0], &survey.Project{})
			require.NotEmpty(t, list, line)
			cmd := strings.TrimSuffix(c[0], " ...")
			for _, d := range list {
				require.Empty(t, with(t, d, more(cmd+" y", ruletext.Pass)), line)
				require.Contains(t, d.YAML, "se "+cmd+" instead", line)
			}
		}
	}
}

// wishes is a line of a case that wants a command in the place of another.
var wishes = regexp.MustCompile("(?:[Uu]se|[Pp]refer|[Rr]un|with) `([a-z./][^`<]*)`(?: instead of|,? not| over| rather than)")

// TestFormsOrdered: nor does a draft of a form's own cases.
func TestFormsOrdered(t *testing.T) {
	tried := 0
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			m := wishes.FindStringSubmatch(c.Line)
			if m == nil {
				continue
			}
			file := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + c.Line + "\n"}
			all := statement.Of(&file)
			for _, d := range Drafts(&all[0], &survey.Project{Commands: c.Commands}) {
				if strings.Contains(d.YAML, "trigger: bash") {
					tried++
					require.Empty(t, with(t, d, more(strings.TrimSuffix(m[1], "...")+" y", ruletext.Pass)), c.Line)
				}
			}
		}
	}
	require.Greater(t, tried, 3)
}

// TestInertRuns: no ban of a command stops a run of it that only prints, unless its line names that.
func TestInertRuns(t *testing.T) {
	for _, c := range [][2]string{
		{"Never run `cargo publish`.", "cargo publish --dry-run"}, {"Never run `terraform apply`.", "terraform apply -help"}, {"Never push.", "git push --dry-run"},
		{"Never run `npm publish` or `git push --force`.", "git push --force --dry-run"}, {"Run `cargo publish --dry-run`, not `cargo publish`.", "cargo publish --dry-run"},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + c[0] + "\n"}
		list := Drafts(&statement.Of(&f)[0], &survey.Project{})
		require.Len(t, list, 1, c[0])
		require.Empty(t, with(t, list[0], more(c[1], ruletext.Pass)), c[0])
	}
	for _, line := range []string{"Never run `cargo publish --dry-run`.", "Never run `cargo publish`, not even as a dry run."} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
		list := Drafts(&statement.Of(&f)[0], &survey.Project{})
		require.Len(t, list, 1, line)
		require.Empty(t, with(t, list[0], more("cargo publish --dry-run", ruletext.Violation)), line)
	}
}

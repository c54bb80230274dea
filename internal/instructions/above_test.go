package instructions

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// sentencesBelow are statements that make rules of many kinds.
var sentencesBelow = []string{
	"Run `make lint` before committing.", "Run `make docs` after changes.", "All tests must pass before pushing: `make test`.", "Never force push.", "Never use `eval`.",
	"Never use `Clock.now`.", "Use `pnpm`, not `npm`.", "Never edit `gen/`.", "Never commit secrets.", "No emojis in code.", "Use conventional commits.", "Sign off commits with `git commit -s`.",
}

// draftsBelow are the drafts of a sentence under a heading, and under a lead; "" for none.
func draftsBelow(heading, lead, sentence string) []Draft {
	text := "# The project\n\n## Rules\n\n"
	if heading != "" {
		text += "### " + heading + "\n\n"
	}
	if lead != "" {
		text += lead + "\n\n"
	}
	return draftsOf(text + "- " + sentence + "\n")
}

var sourceLine = lazy.Regexp{Source: `(?m)^source: .*$`}

// rulesOf are drafts without the line that says where they are from.
func rulesOf(list []Draft) (all []string) {
	for _, d := range list {
		all = append(all, sourceLine.Get().ReplaceAllString(d.YAML, ""))
	}
	return all
}

// TestTopics: a heading that is a topic limits nothing.
func TestTopics(t *testing.T) {
	for _, heading := range []string{"Rules", "Important", "Code style", "Git", "Testing", "Writing tests", "Making changes", "Writing code", "Code changes", "Creating pull requests", "Fixing bugs",
		"Contributing", "Development workflow", "If you are an AI agent", "For Claude", "For contributors", "For every change", "In general", "When to ask", "Style guide", "Editing guidelines", "Writing style", "Surgical changes",
		"Things to know", "Key principles (read first)", "1. Working on a task", "Under the hood", "On dependencies", "In this folder", "Safe changes"} {
		for _, s := range sentencesBelow {
			if !strings.HasPrefix(s, "Never use") || !notCode.Get().MatchString(heading) && !inTests.Get().MatchString(strings.ToLower(heading)+":") { // these are of code, and of tests, alone
				require.Equal(t, rulesOf(draftsBelow("", "", s)), rulesOf(draftsBelow(heading, "", s)), heading+": "+s)
			}
		}
	}
}

// TestCases: nothing blocks that does not hold in all cases. Below a lead or a heading that names a
// case, what is demanded makes a rule only where the tree has a place of that name, and the rule
// names the case.
func TestCases(t *testing.T) {
	always := []string{"no-secrets-in-files", "conventional-commits"}
	root := t.TempDir()
	write(t, root, map[string]string{"src/parser/a.ts": "x", "src/scheduler.ts": "x", "services/billing/a.ts": "x", "src/main.ts": "x"})
	placed := func(heading, lead string) (all string) {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n## " + heading + "\n\n" + lead + "\n\n- " + sentencesBelow[0] + "\n"}
		p := survey.Of(root, []statement.File{f})
		list := statement.Of(&f)
		for i := range list {
			for _, d := range Drafts(&list[i], &p) {
				all += d.YAML
			}
		}
		return all
	}
	for heading, want := range map[string][2]string{
		"When the parser breaks": {"When the parser breaks, ", "**/parser/**"}, "If you touch the scheduler": {"If you touch the scheduler, ", "**/scheduler.ts"}, "During onboarding": {}, "On Windows": {},
		"Windows": {}, "For the billing service": {"If this is about the billing service, ", "/billing/**"}, "When releasing": {}, "While a freeze is on": {},
		"When you work on the `tok` part (beta)": {}, "Only for hotfixes": {}, "For hotfixes only": {},
	} {
		for _, s := range sentencesBelow {
			for _, d := range draftsBelow(heading, "", s) {
				if !slices.Contains(always, d.ID) {
					require.NotContains(t, d.YAML, "severity: block", heading+": "+s)
				}
			}
		}
		require.Empty(t, draftsBelow(heading, "", sentencesBelow[0]), heading)
		require.Empty(t, draftsBelow("", heading+":", sentencesBelow[0]), heading)
		for _, got := range []string{placed(heading, ""), placed("Rules", heading+":")} {
			if want[0] == "" {
				require.Empty(t, got, heading)
				continue
			}
			require.Contains(t, got, want[0], heading)
			require.Contains(t, got, want[1], heading)
		}
	}
}

// TestOuterLists: the leads of the lists that a list is in are read, too.
func TestOuterLists(t *testing.T) {
	all := draftsOf("# Rules\n\n- If you touch Python code of the scheduler:\n  - Checks:\n    - Run `make lint` before committing.\n- If you touch the scheduler:\n  - Checks:\n    - Run `make lint` before committing.\n- In `web/`:\n  - Checks:\n    - Run `make web` before committing.\n- Run `make all` before committing.\n")
	require.Len(t, all, 3)
	require.Contains(t, all[0].YAML, "If you touch python code of the scheduler, run make lint first.")
	require.Contains(t, all[1].YAML, "- web/**")
	require.Contains(t, all[2].YAML, "severity: block")
}

// TestKindsOfWork: a heading about one kind of work limits what is to be done below it, and no
// prohibition.
func TestKindsOfWork(t *testing.T) {
	for _, heading := range []string{"Adding a codec", "How to add a backend", "Parser changes", "Breaking changes", "Releases", "Release process", "Upgrading the runtime", "Writing migrations with `ent`"} {
		require.Empty(t, draftsBelow(heading, "", sentencesBelow[0]), heading)
		for _, s := range []string{"Never force push.", "Never edit `gen/`.", "Never commit secrets."} {
			require.Equal(t, rulesOf(draftsBelow("", "", s)), rulesOf(draftsBelow(heading, "", s)), heading+": "+s)
		}
	}
}

// TestFolders: a lead or a heading about a folder is the scope of rules about files, and is
// named by the others.
func TestFolders(t *testing.T) {
	for _, title := range []string{"`web/`", "Web app (`web/`)", "In `web/`", "For pages below `web/`", "Working in `web/`", "Pages of the app in `web/`"} {
		for _, list := range [][2]string{{title, ""}, {"", title + ":"}} {
			at := func(s string) string {
				all := draftsBelow(list[0], list[1], s)
				require.Len(t, all, 1, title+": "+s)
				return all[0].YAML
			}
			for _, s := range []string{"Run `make lint` before committing.", "Run `make docs` after changes.", "Never use `Clock.now`.", "Never use `eval`."} {
				require.Contains(t, at(s), "severity: block", title+": "+s)
				require.Contains(t, at(s), "- web/**", title+": "+s)
			}
			require.Contains(t, at("Use `pnpm`, not `npm`."), `within(cmd.folder, "web")`, title)
			require.Contains(t, at("Never force push."), "severity: block", title)
		}
	}
	for _, title := range []string{"Not in `web/`", "Outside `web/`", "Run from `web/`", "Lint (`make lint`)", "Settings (`web/a.json`)", "From `web/`"} {
		for _, d := range draftsBelow(title, "", sentencesBelow[0]) {
			require.NotContains(t, d.YAML, "- web/**", title)
		}
	}
}

// TestToldAbove: what a program or others do, what is left open and what no longer holds is not
// demanded.
func TestToldAbove(t *testing.T) {
	for _, heading := range []string{"What the hook does", "What our hooks do", "Pre-commit checks (automated)", "Automated checks", "How it works", "For maintainers", "Reviewers", "Optional", "Optional steps", "Nice to have", "Old workflow", "Proposed",
		"Release steps (no longer used)", "Checks run by CI"} {
		require.Empty(t, draftsBelow(heading, "", sentencesBelow[0]), heading)
	}
	for _, lead := range []string{"The hook runs:", "CI checks:", "`make all` runs:", "Before each commit, the bot runs:", "It runs:", "These run automatically:", "The release script will:", "The bot must:", "Maintainers may:", "What CI does:"} {
		require.Empty(t, draftsBelow("", lead, sentencesBelow[0]), lead)
		require.Empty(t, draftsBelow("Before committing", lead, "`make lint`"), lead)
	}
	for _, heading := range []string{"Outside of the core", "Example workflow", "Unless you were told otherwise"} {
		for _, d := range draftsBelow(heading, "", sentencesBelow[0]) {
			require.Contains(t, d.YAML, "severity: warn", heading)
		}
	}
	require.NotEmpty(t, draftsBelow("", "You must:", sentencesBelow[0]))
}

// TestOneOf: alternatives are not demanded.
func TestOneOf(t *testing.T) {
	for _, text := range []string{
		"Before committing, run one of these:\n\n- `make lint`\n- `make test`\n", "Before committing, run either:\n\n```bash\nmake lint\nmake test\n```\n", "## Variants\n\nBefore committing:\n\n- `make lint`\n- `make lint-all`\n",
		"- Run `make lint` before committing, or\n- Run `make test` before committing.\n", "- Run `make lint` before committing.\n- Or run `make test` before committing.\n",
	} {
		require.Empty(t, draftsOf("# Rules\n\n"+text), text)
	}
	all := draftsOf("# Rules\n\nBefore committing, run:\n\n```bash\n# All\n./check\n# Only the pages\n./check --pages\n./check --api   # faster\nmake test\nmake test-unit  # unit tests only\n```\n")
	require.Len(t, all, 2)
	require.Equal(t, "run-before-check", all[0].ID)
	require.Equal(t, "run-before-make-test", all[1].ID)
}

// TestOtherPlace: an item that says only where forbids nothing by itself.
func TestOtherPlace(t *testing.T) {
	for _, text := range []string{"Do not use emojis anywhere:\n\n- in code\n- in commits\n", "Never:\n\n- in a commit\n"} {
		for _, d := range draftsOf("# Rules\n\n" + text) {
			require.NotEqual(t, "never-run-commit", d.ID, text)
		}
	}
	for list, ids := range map[string]string{"- comments\n- log lines\n": "no-emoji-in-files", "- commit messages\n- chat\n": "no-emoji-in-commits"} {
		all := draftsOf("# Rules\n\nDo not use emojis in:\n\n" + list)
		require.Len(t, all, 1, list)
		require.Equal(t, ids, all[0].ID)
	}
}

// TestListedTypes: the types of messages that a list names are permitted; a list or a sentence
// that permits other messages makes a rule that warns.
func TestListedTypes(t *testing.T) {
	for text, want := range map[string][]string{
		"Use conventional commits with these types:\n\n- `feat`: new\n- `bench`: timing\n- **tidy**: small\n": {"|bench|tidy)", "severity: block"},
		"Use conventional commits with these types: feat, fix, tidy, and bench.\n":                            {"|tidy|bench)", "severity: block"},
		"Use conventional commits:\n\n```\nfeat: new\nbench: timing\n```\n":                                   {"|bench)", "severity: block"},
		"Use conventional commits with these prefixes:\n\n- `fix:` mended\n- `Reland` again\n":                {`|^(?-i:Reland\b)`, "severity: block"},
		"PR titles must follow Conventional Commits and begin with:\n\n- `fix:` mended\n- `Reland` again\n":   {`|^(?-i:Reland\b)`, "severity: block"},
		"Use conventional commits with these types:\n\n- `feat`: new\n- anything else without a type\n":       {"severity: warn"},
		"Use conventional commits.\n\nMerge commits (`1.2.3`) are also valid.\n":                              {"severity: warn"},
		"Use conventional commits.\n\n- Keep the subject short.\n- Releases are exempt.\n":                    {"severity: warn"},
		"Use conventional commits.\n\n- Keep the subject short.\n- Name the issue.\n":                         {"severity: block"},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Commits\n\n" + text}
		p := survey.Of("", []statement.File{f})
		list := statement.Of(&f)
		var all []Draft
		for i := range list {
			all = append(all, Drafts(&list[i], &p)...)
		}
		require.Len(t, all, 1, text)
		for _, w := range want {
			require.Contains(t, all[0].YAML, w, text)
		}
	}
}

// TestMadeAgain: a demand to generate a file again names that file.
func TestMadeAgain(t *testing.T) {
	all := draftsOf("# Rules\n\n**Regenerate the API docs after changes:**\n```bash\nmake openapi\n```\n")
	require.Empty(t, all, "no call shows which changes these are")
	all = draftsOf("# Rules\n\n**Regenerate the Python docs after changes:**\n```bash\nmake openapi\n```\n")
	require.Len(t, all, 1)
	require.Contains(t, all[0].YAML, "severity: warn")
	require.Contains(t, all[0].YAML, "If this is about python docs, run make openapi first.")
	all = draftsOf("# Rules\n\nRun this after changes:\n```bash\nmake lint\n```\n")
	require.Len(t, all, 1)
	require.Contains(t, all[0].YAML, "severity: block")
}

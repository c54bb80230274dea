package scope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// TestSameRun holds that a pattern which says one of several ways to run something is about
// all of them, and that an index of patterns finds it for each.
func TestSameRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ways, narrower []string }{
		{[]string{"scripts/x.sh", "./scripts/x.sh", "bash scripts/x.sh", "bash ./scripts/x.sh", "sh scripts/x.sh", "source scripts/x.sh", ". scripts/x.sh", "zsh scripts/x.sh"}, []string{"bash -e scripts/x.sh a"}},
		{[]string{"scripts/x.sh --fast", "./scripts/x.sh --fast", "bash scripts/x.sh --fast"}, nil},
		{[]string{"./gradlew build", "bash gradlew build", "sh ./gradlew build"}, []string{"./gradlew build --info"}},
		{[]string{"python scripts/x.py", "python3 scripts/x.py", "./scripts/x.py", "python ./scripts/x.py"}, []string{"uv run scripts/x.py", "python -B scripts/x.py a"}},
		{[]string{"node scripts/x.js", "node ./scripts/x.js", "scripts/x.js"}, []string{"node --no-warnings scripts/x.js"}},
		{[]string{"python -m mypy src", "mypy src", "python3 -m mypy src"}, []string{"uv run mypy src", "poetry run python -m mypy src"}},
		{[]string{"python -m pytest -q", "pytest -q"}, []string{"uv run python -m pytest -q x"}},
		{[]string{"npm test", "npm run test"}, []string{"npm t", "npm run-script test", "npm tst -- -u"}},
		{[]string{"npm start", "npm run start"}, nil},
		{[]string{"pnpm typecheck", "pnpm run typecheck"}, []string{"pnpm --filter web typecheck", "pnpm --filter web run typecheck", "pnpm run --filter web typecheck"}},
		{[]string{"pnpm test", "pnpm run test"}, nil},
		{[]string{"yarn lint", "yarn run lint"}, []string{"yarn workspace web lint", "yarn workspace web run lint", "yarn lint --fix"}},
		{[]string{"bun dev", "bun run dev"}, nil},
		{[]string{"composer check", "composer run check"}, []string{"composer run-script check"}},
		{[]string{"rm -rf dist", "rm -rf ./dist"}, []string{"rm -rf dist/", "rm -fr ./dist/ x"}},
		{[]string{"prettier --write ./src", "prettier --write src"}, nil},
		{[]string{"kubectl apply --context prod", "kubectl apply --context=prod", "kubectl --context prod apply", "kubectl --context=prod apply"}, []string{"kubectl apply -f a.yaml --context=prod"}},
		{[]string{"aws s3 ls --profile prod", "aws --profile=prod s3 ls", "aws --profile prod s3 ls"}, []string{"aws s3 ls b --profile=prod"}},
		{[]string{"dbt run --target prod --select a", "dbt run --target=prod --select a", "dbt run --target prod --select=a", "dbt run --select=a --target=prod"}, nil},
	} {
		for _, pattern := range c.ways {
			for _, way := range c.ways {
				_, ok := scope.NewCommands([]string{pattern}).Match(shell.Parse(way, nil), nil)
				assert.True(t, ok, "pattern %q, line %q", pattern, way)
			}
			for _, way := range append(c.ways, c.narrower...) {
				line := shell.Parse(way, nil)
				for _, p := range []string{pattern + "*", pattern + " *"} {
					_, ok := scope.NewCommands([]string{p}).Match(line, nil)
					assert.True(t, ok, "pattern %q, line %q", p, way)
					assert.True(t, scope.FindInLine(line).Has(scope.CommandWord(p)), "%q has no %q of %q", way, scope.CommandWord(p), p)
				}
			}
		}
	}
}

// TestExemptAsWritten: what exempts a command is not read in further ways, since an option that
// takes no value could hide an operand.
func TestExemptAsWritten(t *testing.T) {
	t.Parallel()
	for pattern, line := range map[string]string{
		"rm --force /tmp/*": "rm --force /tmp/../etc", "rm --recursive dist*": "rm --recursive dist src", "git push --dry-run origin*": "git push --dry-run origin evil",
		"git switch -c *": "git -c core.hooksPath=/x switch main", "cp --force bak prod": "cp prod --force bak", "kubectl delete * --context dev*": "kubectl delete pod x --context=dev --context=prod",
	} {
		program, _, _ := strings.Cut(line, " ")
		m, ok := scope.NewCommands([]string{program + " *"}).Match(shell.Parse(line, nil), scope.NewCommands([]string{pattern}))
		assert.True(t, ok, "%q but %q should match %q", program, pattern, line)
		assert.Empty(t, m.ExcludedBy, line)
	}
	assert.NotPanics(t, func() { scope.NewCommands([]string{"bash ''"}).Match(shell.Parse("bash x.sh", nil), nil) })
}

// TestOtherRuns names what is not the same.
func TestOtherRuns(t *testing.T) {
	t.Parallel()
	for pattern, lines := range map[string][]string{
		"scripts/x.sh*":               {"cat scripts/x.sh", "bash other/x.sh", "x.sh", "echo scripts/x.sh", "bash -n scripts/x.sh", "vim scripts/x.sh", "cd sub && ./scripts/x.sh"},
		"./x.sh*":                     {"sub/x.sh", "bash sub/x.sh", "/usr/bin/xx.sh"},
		"bash scripts/x.sh*":          {"bash scripts/y.sh", "bash", "chmod +x scripts/x.sh"},
		"bash -c *":                   {"bash x.sh"},
		"docker run --network host *": {"docker run --network=bridge a", "docker run --network bridge a"},
		"kubectl * --context prod*":   {"kubectl --context dev apply -f prod", "kubectl apply --context=dev"},
		"dbt run --target prod":       {"dbt run --target=prod a", "dbt run --target=dev prod"},
		"bun test*":                   {"bun run test", "bun run test:unit"},
		"bun run test*":               {"bun test", "bun test a.test.ts"},
		"pnpm install*":               {"pnpm run install-hooks"},
		"pnpm run in*":                {"pnpm install"},
		"npm install*":                {"npm run install-hooks", "npm run install"},
		"npm run build*":              {"npm build-tools", "npm run rebuild"},
		"yarn add*":                   {"yarn run add", "yarn workspace web run added"},
		"python -m http*":             {"curl http://x"},
		"pip install*":                {"python -m pipenv install"},
		"mypy *":                      {"python -m mypyc x", "python -c mypy", "python -c pass -m mypy x", "python x.py -m mypy x"},
		"rm -rf dist":                 {"rm -rf ./distribution", "rm -rf ../dist", "rm -rf /dist", "rm -rf dist/x"},
		"rm -rf ./*":                  {"rm -rf /etc", "rm -rf ~/x", "rm -rf ../x", "rm -rf $HOME"},
		"git add .":                   {"git add ./a"},
		"go test ./...":               {"go test ./a"},
		"python scripts/x.py*":        {"python scripts/y.py", "python -c 'scripts/x.py'", "python -m scripts.x"},
	} {
		for _, text := range lines {
			m, ok := scope.NewCommands([]string{pattern}).Match(shell.Parse(text, nil), nil)
			assert.False(t, ok, "pattern %q, line %q: %+v", pattern, text, m)
		}
	}
}

// TestPathsOfPrograms holds that a script is known by its path, from wherever it is run.
func TestPathsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"uv run scripts/x.py", "uv run python scripts/x.py", "uv run ./scripts/x.py"} {
		_, ok := scope.NewCommands([]string{"scripts/x.py*"}).Match(shell.Parse(text, nil), nil)
		assert.True(t, ok, text)
	}
	for _, pattern := range []string{"scripts/x.sh*", "./scripts/x.sh*", "bash scripts/x.sh*", "scripts/*.sh*"} {
		for _, text := range []string{"cd scripts && ./x.sh", "cd scripts && bash x.sh", "(cd scripts; sh ./x.sh a)", "cd sub && ../scripts/x.sh", "sudo ./scripts/x.sh"} {
			line := shell.Parse(text, nil)
			_, ok := scope.NewCommands([]string{pattern}).Match(line, nil)
			assert.True(t, ok, "pattern %q, line %q", pattern, text)
			assert.True(t, scope.FindInLine(line).Has(scope.CommandWord(pattern)), "pattern %q, line %q", pattern, text)
		}
	}
	line := shell.Parse("/home/u/repo/scripts/x.sh -v", nil)
	_, ok := scope.NewCommands([]string{"./scripts/x.sh*"}).Match(line, nil)
	assert.True(t, ok, "by its absolute path")
}

// TestSameExemption holds that an exemption by a path is of that path alone.
func TestSameExemption(t *testing.T) {
	t.Parallel()
	all := scope.NewCommands([]string{"*"})
	for text, exempt := range map[string]bool{
		"bash scripts/ok.sh": true, "./scripts/ok.sh a": true, "pnpm check": true, "pnpm run check": true, "rm -rf ./dist": true,
		"/tmp/scripts/ok.sh": false, "bash /tmp/scripts/ok.sh": false, "cd /tmp && ./scripts/ok.sh": false,
		"rm -rf dist /": false, "rm -rf ./dist/../..": false, "pnpm run check-in": true, "pnpm install check": false,
	} {
		_, ok := all.Match(shell.Parse(text, nil), scope.NewCommands([]string{"scripts/ok.sh*", "pnpm check*", "rm -rf dist*"}))
		assert.Equal(t, !exempt, ok, text)
	}
}

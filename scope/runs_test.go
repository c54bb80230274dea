package scope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// TestRunsWithOptions: options of show and speed make no other run, those that choose less do.
func TestRunsWithOptions(t *testing.T) {
	t.Parallel()
	for pattern, c := range map[string]struct{ yes, no []string }{
		"go test ./...": {
			[]string{
				"go test -v ./...", "go test ./... -v", "go test -race -count=1 ./...", "go test ./... -timeout 5m", "go test -timeout=5m ./... -p 4",
				"go test -count 2 ./...", "go test -coverprofile=c.out ./...", "go test -json ./... -failfast", "env CI=1 go test -v ./...",
			},
			[]string{
				"go test -run TestX ./...", "go test ./... -short", "go test -count=0 ./...", "go test -count 0 ./...", "go test ./... -tags x", "go test -v ./pkg",
				"go test ./... -vet=off", "go test -skip . ./...", "go test ./... -n", "go test -list . ./...", "go test ./... -exec true", "go vet -v ./...", "go test -vn ./...",
			},
		},
		"go test -race ./...": {[]string{"go test -race -v ./...", "go test ./... -race"}, []string{"go test -v ./...", "go test ./..."}},
		"make test":           {[]string{"make -j4 test", "make -j 4 test", "make test -s", "make V=1 test", "make -sj4 test", "make -k test", "make --jobs=2 test"}, []string{"make -i test", "make test GO=true", "make test lint", "make -j4", "make -t test", "make -o x test"}},
		"cargo test":          {[]string{"cargo test -q", "cargo test --workspace", "cargo test -- --nocapture", "cargo test -j 2 -- --test-threads=1", "cargo -q test"}, []string{"cargo test --lib", "cargo test parse", "cargo test -p core", "cargo test -- --skip x", "cargo test --no-run"}},
		"npm test":            {[]string{"npm test --silent", "npm t -- --coverage", "npm test -- --watch=false", "npm run test -- --ci", "npm test --"}, []string{"npm test -- a.test.ts", "npm test -- -t name", "npm test --if-present", "npm test -- --passWithNoTests"}},
		"pnpm test":           {[]string{"pnpm test --coverage", "pnpm run test --silent", "pnpm test -- --ci"}, []string{"pnpm test src/a"}},
		"pytest":              {[]string{"pytest -q", "pytest -vv", "pytest -xvs", "pytest -n 4", "pytest -nauto", "pytest --tb=short", "python -m pytest -q", "pytest --maxfail 2", "pytest --cov=src"}, []string{"pytest tests/a.py", "pytest -k x", "pytest --lf", "pytest --co", "pytest -m slow", "pytest --ignore x", "pytest -qk x"}},
		"jest":                {[]string{"jest --ci --coverage", "npx jest -i", "jest --maxWorkers=2"}, []string{"jest a", "jest -t x", "jest --onlyChanged", "jest --passWithNoTests"}},
		"vitest run":          {[]string{"vitest run --coverage", "vitest run --reporter=dot"}, []string{"vitest", "vitest run a", "vitest run -t x"}},
		"mvn test":            {[]string{"mvn -q -B test", "mvn -T 4 test", "mvn test -ntp"}, []string{"mvn test -DskipTests", "mvn test -Dtest=A", "mvn -pl a test", "mvn -fn test"}},
		"./gradlew test":      {[]string{"./gradlew test --no-daemon", "./gradlew --console=plain test -i"}, []string{"./gradlew test --tests A", "./gradlew test -x compile", "./gradlew test --dry-run"}},
		"dotnet test":         {[]string{"dotnet test -v minimal --nologo", "dotnet test --logger trx"}, []string{"dotnet test --filter A", "dotnet test --no-build", "dotnet test a.csproj"}},
		"bundle exec rspec":   {[]string{"bundle exec rspec --format doc", "bundle exec rspec -fd --color"}, []string{"bundle exec rspec spec/a.rb", "bundle exec rspec -e x", "bundle exec rspec --tag x"}},
		"mix test":            {[]string{"mix test --trace", "mix test --seed 0"}, []string{"mix test --stale", "mix test test/a.exs", "mix test --only x"}},
		"phpunit":             {[]string{"phpunit --testdox", "vendor/bin/phpunit --colors=never"}, []string{"phpunit --filter x", "phpunit tests/A.php"}},
		"tox":                 {[]string{"tox -q", "tox -p auto", "tox -r"}, []string{"tox -e py312"}},
		"ruff check .":        {[]string{"ruff check . --output-format=github", "ruff check -q ."}, []string{"ruff check . --fix", "ruff check . --select E", "ruff check . --exit-zero"}},
		"eslint .":            {[]string{"eslint . --color --max-warnings 0", "eslint --cache ."}, []string{"eslint . --fix", "eslint src", "eslint . --no-eslintrc"}},
		"golangci-lint run":   {[]string{"golangci-lint run -v --timeout 5m"}, []string{"golangci-lint run --fast", "golangci-lint run ./a", "golangci-lint run --new"}},
		"tsc --noEmit":        {[]string{"npx tsc --noEmit --pretty", "tsc --pretty --noEmit"}, []string{"tsc --noEmit a.ts", "tsc"}},
		"scripts/check.sh":    {nil, []string{"scripts/check.sh -v"}},
	} {
		list := scope.NewRuns([]string{pattern})
		for _, line := range c.yes {
			m, ok := list.Match(shell.Parse(line, nil), nil)
			require.True(t, ok && m.Command >= 0, "%s is %s", line, pattern)
		}
		for _, line := range c.no {
			_, ok := list.Match(shell.Parse(line, nil), nil)
			require.False(t, ok, "%s is not %s", line, pattern)
		}
	}
	m, ok := scope.NewCommands([]string{"go test ./..."}).Match(shell.Parse("go test ./... -v", nil), nil)
	require.False(t, ok, "a rule about a command is about no other options: %v", m)
}

// TestRunsOfOtherPrograms: a file that has the name of a program is another one.
func TestRunsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for line, is := range map[string]string{
		"/usr/local/go/bin/go test ./...": "go test ./...", "/usr/bin/make test": "make test", "/opt/homebrew/bin/pytest": "pytest",
		"node_modules/.bin/jest": "jest", "./node_modules/.bin/jest": "jest", ".venv/bin/pytest": "pytest", "cd api && .venv/bin/pytest -q": "pytest",
		"../node_modules/.bin/jest": "jest", ".venv/bin/python -m pytest": "pytest", "~/.cargo/bin/cargo test": "cargo test", "/home/u/.local/bin/pytest": "pytest",
		"vendor/bin/phpunit": "phpunit", "bin/rspec": "bin/rspec", "./bin/rspec": "bin/rspec", "./gradlew test": "gradlew test", "./mvnw test": "./mvnw test",
		"./check.sh": "check.sh", "./go": "./go", "/nix/store/x-go/bin/go test ./...": "go test ./...",
	} {
		_, ok := scope.NewRuns([]string{is}).Match(shell.Parse(line, nil), nil)
		require.True(t, ok, "%s is %s", line, is)
	}
	for line, isNot := range map[string]string{
		"./go test ./...": "go test ./...", "/tmp/fake/go test ./...": "go test ./...", "bin/go test ./...": "go test ./...", "x/go test ./...": "go test *",
		"/tmp/node_modules/.bin/jest": "jest", "bin/rspec": "rspec", "~/fake/cargo test": "cargo test", "./make test": "make test",
		"$D/go test ./...": "go test ./...", "/tmp/.cargo/bin/cargo test": "cargo test",
	} {
		m, ok := scope.NewRuns([]string{isNot}).Match(shell.Parse(line, nil), nil)
		require.False(t, ok, "%s is not %s: %v", line, isNot, m)
	}
	_, ok := scope.NewCommands([]string{"go test*"}).Match(shell.Parse("./go test ./...", nil), nil)
	require.True(t, ok, "a rule about a command is about any of its name")
}

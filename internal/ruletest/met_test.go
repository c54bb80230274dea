package ruletest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/ruletest"
)

// TestMet: a run that succeeded meets an obligation about it, whatever the command itself writes,
// and one before the last change does not.
func TestMet(t *testing.T) {
	t.Parallel()
	for ran, lines := range map[string][]string{
		"go fmt ./...":                 {"go fmt ./...", "cd . && go fmt ./..."},
		"gofmt -w .":                   {"gofmt -w .", "sudo gofmt -w .", "cd api && gofmt -w .", "sed -i s/a/b/ a.go && gofmt -w ."},
		"cargo fmt --all":              {"cargo fmt --all"},
		"cargo fix":                    {"cargo fix"},
		"go generate ./...":            {"go generate ./..."},
		"npm run build":                {"npm run build", "rm -rf dist && npm run build"},
		"npm install":                  {"npm install"},
		"npx prettier --write .":       {"npx prettier --write ."},
		"npx eslint --fix .":           {"npx eslint --fix ."},
		"uv run ruff format .":         {"uv run ruff format .", "ruff check --fix . && uv run ruff format ."},
		"black .":                      {"black .", "isort . && black ."},
		"terraform fmt -recursive":     {"terraform fmt -recursive"},
		"dart format .":                {"dart format ."},
		"mix format":                   {"mix format"},
		"swiftformat .":                {"swiftformat ."},
		"clang-format -i src/*.c":      {"clang-format -i src/*.c"},
		"clang-format -i":              {"clang-format -i src/*.c", "clang-format -i *.c *.h"},
		"prettier --write":             {"prettier --write src/**/*.ts", "npx prettier --write 'src/**/*.ts'"},
		"eslint src/*.ts":              {"eslint src/*.ts"},
		"protoc --go_out=. a.proto":    {"protoc --go_out=. a.proto"},
		"make":                         {"make"},
		"git checkout -- a.go":         {"git checkout -- a.go"},
		"pre-commit run --all-files":   {"pre-commit run --all-files"},
		"pytest":                       {"pytest", "python -m pytest", "uvx pytest", "timeout 60 pytest", "poetry run pytest", "CI=1 pytest"},
		"python -m pytest":             {"python -m pytest", "python -m pytest -q"},
		"python3 -m unittest":          {"python3 -m unittest"},
		"python3.12 -m pytest":         {"python3.12 -m pytest"},
		"./venv/bin/python -m pytest":  {"./venv/bin/python -m pytest", "cd . && ./venv/bin/python -m pytest"},
		"uv run --group lint ty check": {"uv run --group lint ty check"},
		"uvx ruff check .":             {"uvx ruff check ."},
		"pipx run black .":             {"pipx run black ."},
		"hatch run test":               {"hatch run test"},
		"pixi run test":                {"pixi run test"},
		"conda run -n x pytest":        {"conda run -n x pytest"},
		"pnpm --filter web test":       {"pnpm --filter web test"},
		"npm --prefix web test":        {"npm --prefix web test"},
		"pnpm -r test":                 {"pnpm -r test"},
		"cargo +nightly fmt --all":     {"cargo +nightly fmt --all"},
		"timeout 60 npm test":          {"timeout 60 npm test"},
		"env CI=1 npm test":            {"env CI=1 npm test"},
		"cross-env CI=1 jest":          {"cross-env CI=1 jest"},
		"dotenv -e .env -- vitest run": {"dotenv -e .env -- vitest run"},
		"pip3 install -r a.txt":        {"pip3 install -r a.txt"},
		"docker compose run app black": {"docker compose run app black ."},
	} {
		for _, line := range lines {
			text := fmt.Sprintf("trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [%q, %q], since: [\"**\"]}\nmessage: m\ntests:\n", ran, ran+" *")
			text += fmt.Sprintf("  - {bash: git commit -m x, before: [{write: a.go}, {bash: %q}], expect: pass}\n", line)
			text += fmt.Sprintf("  - {bash: git commit -m x, before: [{bash: %q}, {write: a.go}], expect: violation}\n", line)
			text += fmt.Sprintf("  - {bash: git commit -m x, before: [{bash: %q}], expect: violation}\n", line+" && echo x > z.go")
			text += fmt.Sprintf("  - {bash: git commit -m x, before: [{write: a.go}, {bash: %q, failed: true}], expect: violation}\n", line)
			r, err := ruletest.Run(t.Context(), []ruletest.Suite{ruletest.NewSuite("/p/met.yaml", []byte(text))}, options())
			require.NoError(t, err)
			require.Empty(t, r.Problems, line)
			require.Equal(t, 4, r.Count(ruletest.Passed), "%s: %v", line, r.Results)
		}
	}
}

// TestNotMet: what is not known of a command has to be in the pattern, too.
func TestNotMet(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"go test ./... $FLAGS", "go test ./... *", "eslint src/*.js", "eslint src/*.ts &", "eslint src/*.ts | cat", "echo go test ./...", "setsid go test ./...", "go() { true; }; go test ./...",
		"alias go=true; go test ./...", "true # go test ./...", "bash -c 'go test ./...; true'", "git commit --allow-empty -m 'go test ./...'", "cat <<E\ngo test ./...\nE"} {
		text := fmt.Sprintf("trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"go test ./...\", \"go test ./... *\", \"eslint src/*.ts\"], since: [\"**\"]}\nmessage: m\ntests:\n"+
			"  - {bash: git commit -m x, before: [{write: a.go}, {bash: %q}], expect: violation}\n", line)
		r, err := ruletest.Run(t.Context(), []ruletest.Suite{ruletest.NewSuite("/p/met.yaml", []byte(text))}, options())
		require.NoError(t, err)
		require.Empty(t, r.Problems, line)
		require.Equal(t, 1, r.Count(ruletest.Passed), "%s: %v", line, r.Results)
	}
}

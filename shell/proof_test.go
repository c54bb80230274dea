package shell_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell"
)

// TestProves: only where nothing hides it, success of a line is success of a command in it.
func TestProves(t *testing.T) {
	t.Parallel()
	for line, proves := range map[string]bool{
		"go test ./...": true,
		"cd x && go test ./... && git commit -m x":      true,
		"sudo timeout 5 go test ./...":                  true,
		`bash -c "cd x && go test ./..."`:               true,
		"ls; go test ./...":                             true,
		"echo x | go test ./...":                        true,
		"(go test ./...)":                               true,
		"CGO_ENABLED=0 PYTHONPATH=. go test ./...":      true,
		"devbox run go test ./...":                      true,
		"nix develop && mise exec -- go test ./...":     true,
		"xvfb-run go test ./...":                        true,
		"flock lock go test ./...":                      true,
		"uv tool run go test ./...":                     true,
		"setsid go test ./...":                          false,
		"systemd-run go test ./...":                     false,
		"watch go test ./...":                           false,
		"git bisect run go test ./...":                  false,
		"heroku run go test ./...":                      false,
		"find . -exec go test {} ;":                     false,
		"go test ./... | tail":                          false,
		"go test ./... || true":                         false,
		"go test ./... ; git commit":                    false,
		"go test ./...\ngit commit":                     false,
		"go test ./... && ls || true":                   false,
		"go test ./... &":                               false,
		"! go test ./...":                               false,
		"if go test ./...; then ls; fi":                 false,
		"while go test ./...; do ls; done":              false,
		"echo $(go test ./...)":                         false,
		"false | xargs go test ./...":                   false,
		"ssh host go test ./...":                        false,
		`bash -c "go test ./... | tail"`:                false,
		"trap 'exit 0' EXIT; go test ./...":             false,
		"PATH=/tmp/x go test ./...":                     false,
		"export PATH=/tmp/x:$PATH; go test ./...":       false,
		"f() { go test ./...; }; f":                     false,
		"go test ./... && { ls; } || { echo; } && true": false,

		// variables that change what runs
		"GOFLAGS=-count=1 go test ./...":                 true,
		`export GOFLAGS="-v -count=2"; go test ./...`:    true,
		"NODE_OPTIONS=--max-old-space-size=4096 go test": true,
		"env MAKEFLAGS=-j4 go test ./...":                true,
		"MY_GOFLAGS=-n go test ./...":                    true,
		"GOFLAGS=-run=NONE go test ./...":                false,
		"GOFLAGS='-v -exec=true' go test ./...":          false,
		"export GOFLAGS=-n; go test ./...":               false,
		"GOFLAGS=-n; export GOFLAGS; go test ./...":      false,
		"GOFLAGS=$x go test ./...":                       false,
		"env MAKEFLAGS=-n go test ./...":                 false,
		"PYTEST_ADDOPTS='--co -q' go test ./...":         false,
		"BASH_ENV=/tmp/x bash -c 'go test ./...'":        false,
		"bash -c 'LD_PRELOAD=/tmp/x.so go test ./...'":   false,

		// what ends the line unless it succeeds
		"go test ./... || exit 1":                                   true,
		"go test ./... || exit 1; git commit":                       true,
		"cd x && go test ./... || { echo bad >&2; exit 1; }; ls":    true,
		"go test ./... || (echo bad; exit 1)":                       true,
		"go test ./... || (echo bad; exit 1); ls":                   false,
		"if ! go test ./...; then exit 1; fi":                       true,
		"if ! go test ./...; then echo bad; exit 2; fi; git commit": true,
		"go test ./... || exit 0":                                   false,
		"go test ./... || exit":                                     false,
		"go test ./... || exit $x":                                  false,
		"go test ./... || exit 256":                                 false,
		"go test ./... || { exit 0; exit 1; }":                      false,
		"go test ./... || { . x; exit 1; }":                         false,
		"go test ./... || exit 1 &":                                 false,
		"go test ./... || exit 1 | cat":                             false,
		"go test ./... || true || exit 1":                           false,
		"true || go test ./... || exit 1":                           false,
		"exit() { :; }; go test ./... || exit 1":                    false,
		"trap 'exit 0' EXIT; go test ./... || exit 1":               false,
		"(go test ./... || exit 1); ls":                             false,
		"{ go test ./... || exit 1; } | cat":                        false,
		"if go test ./...; then exit 1; fi":                         false,
		"if ! go test ./...; then exit 1; else exit 0; fi":          false,
		"if ! go test ./...; then ls; fi":                           false,
		"if ! { true || go test ./...; }; then exit 1; fi":          false,
		"if ! ls; then go test ./...; exit 1; fi":                   false,

		// what ends the line with success before it
		"exit 0; go test ./...":                           false,
		"exit; go test ./...":                             false,
		"exit $code; go test ./...":                       false,
		"exit 256; go test ./...":                         false,
		"[ -d x ] || exit 0; go test ./...":               false,
		"f() { exit 0; }; f; go test ./...":               false,
		"case x in y) exit 0;; esac; go test ./...":       false,
		`bash -c "exit 0; go test ./..."`:                 false,
		"return 0; go test ./...":                         false,
		"exec ls; go test ./...":                          false,
		"set -n; go test ./...":                           false,
		"set -o noexec; go test ./...":                    false,
		"[ -d x ] || exit 1; go test ./...":               true,
		"exec go test ./...":                              true,
		"exec bash -c 'exit 0'; go test ./...":            false,
		"exec bash -c 'ls'; go test ./...":                false,
		"[ -e x ] && exec sh -c 'exit 0'\ngo test ./...":  false,
		"exec bash -c 'ls'; exec bash -c 'go test ./...'": false,
		"exec 2>log; go test ./...":                       true,
		"set -x; go test ./...":                           true,
		`exec bash -c "cd x && go test ./..."`:            true,

		// set -e and pipefail
		"set -e; go test ./...; git commit":                               true,
		"set -e\ncd x\ngo test ./...\necho done":                          true,
		"set -eu; { go test ./...; }; ls":                                 true,
		"set -e; (go test ./...); ls":                                     true,
		"set -o errexit; go test ./...; ls":                               true,
		`bash -ec "go test ./...; ls"`:                                    true,
		`bash --norc -euo pipefail -c "go test ./... | tail; ls"`:         true,
		"set -euo pipefail; go test ./... 2>&1 | tail -5; ls":             true,
		"set -o pipefail; go test ./... | tail":                           true,
		"set -o pipefail && go test ./... | tail":                         true,
		"set -o pipefail; cd x && go test ./... | tee log | tail -3":      true,
		"set -e; go test ./... | tail; ls":                                false,
		"set -o pipefail; go test ./... | tail; ls":                       false,
		"set -e; go test ./... && ls; ls":                                 false,
		"set -e; go test ./... || true; ls":                               false,
		"set -e; ! go test ./...; ls":                                     false,
		"set -e; go test ./... & ls":                                      false,
		"set -e; set +e; go test ./...; ls":                               false,
		"set -e; { set +e; }; go test ./...; ls":                          false,
		"set -e; f() { set +e; }; f; go test ./...; ls":                   false,
		"set -e; eval \"$X\"; go test ./...; ls":                          false,
		"set -e; . ./x.sh; go test ./...; ls":                             false,
		"set -e; shopt -u x; go test ./...; ls":                           false,
		"set -e $X; go test ./...; ls":                                    false,
		"set $X; go test ./...; ls":                                       false,
		"(set -e); go test ./...; ls":                                     false,
		"set -e | cat; go test ./...; ls":                                 false,
		"true && set -e; go test ./...; ls":                               false,
		"(set -e; go test ./...; ls) || true":                             false,
		"{ set -e; go test ./...; ls; } && ls":                            false,
		"set -e; { go test ./...; ls; } && ls":                            false,
		"set -e; if go test ./...; then ls; fi":                           false,
		"set -e; while go test ./...; do ls; done; ls":                    false,
		"set -e; exit 0; go test ./...; ls":                               false,
		"set -e; trap 'exit 0' EXIT; go test ./...; ls":                   false,
		`set -e; bash -c "go test ./...; ls"`:                             false,
		`set -euo pipefail; bash -c "go test ./... | tail"`:               false,
		"set -o pipefail; set +o pipefail; go test ./... | tail":          false,
		"go$x test ./...":                                                 false,
		"g${x}o test ./...":                                               false,
		"set -e; $(go test ./...); ls":                                    false,
		`bash -c "set -e; go test ./...; ls" || true`:                     false,
		"set -o pipefail && { set +o pipefail; } && go test ./... | tail": false,
	} {
		parsed, found := shell.Parse(line, nil), false
		for i := range parsed.Commands {
			if parsed.Commands[i].Program == "go" {
				found = true
				require.Equal(t, proves, parsed.Proves(i), line)
			}
		}
		require.True(t, found, line)
	}
}

// TestGuards: what has succeeded whenever the last command of the line runs.
func TestGuards(t *testing.T) {
	t.Parallel()
	for line, guarded := range map[string]bool{
		"go test ./... && git commit":                             true,
		"cd x && go test ./... && git commit; ls":                 true,
		"(cd x && go test ./...) && git commit":                   true,
		"go test ./... && git add . && git commit":                true,
		"if go test ./...; then git commit; fi":                   true,
		"if ls; go test ./...; then git add .; git commit; fi":    true,
		"if ! go test ./...; then git commit; fi":                 false,
		"if go test ./...; then ls; else git commit; fi":          false,
		"if ls; then ls; elif go test ./...; then git commit; fi": true,
		"if go test ./...; then ls; elif ls; then git commit; fi": false,
		"if go test ./...; then ls; fi; git commit":               false,
		"if go test ./... || ls; then git commit; fi":             false,
		"go test ./... || exit 1; git commit":                     true,
		"go test ./... || { echo bad; exit 1; }\ngit commit":      true,
		"if ! go test ./...; then exit 1; fi; git commit":         true,
		`bash -c "go test ./... && git commit"`:                   true,
		"go test ./... ; git commit":                              false,
		"go test ./... || git commit":                             false,
		"go test ./... | tail && git commit":                      false,
		"go test ./... & git commit":                              false,
		"true || go test ./... && git commit":                     false,
		"go test ./... || true && git commit":                     false,
		"! go test ./... && git commit":                           false,
		"{ go test ./...; true; } && git commit":                  false,
		"true && (go test ./... & true) && git commit":            false,
		"PATH=/tmp:$PATH; go test ./... && git commit -a":         false,

		"(exit 0; go test ./...) && git commit":                    false,
		"set -e; go test ./...; git commit":                        true,
		"set -e\ncd x\ngo test ./...\ngit add .\ngit commit":       true,
		"set -eo pipefail; go test ./... | tail; git commit":       true,
		"set -o pipefail; go test ./... | tail && git commit":      true,
		"set -e; (go test ./...); git commit | cat":                true,
		"set -e; for f in a b; do go test ./...; git commit; done": true,
		"set -e; go test ./... | tail; git commit":                 false,
		"set -o pipefail; go test ./... | tail; git commit":        false,
		"set -e; if true; then go test ./...; git commit; fi":      true,
		"set -e; if (go test ./...; true); then git commit; fi":    false,
		"set -e; go test ./...; git commit || true":                true,
		"set -e; go test ./... && true; git commit":                false,
		"if set -e; then go test ./...; git commit; fi":            false,
		"set -e; cd x && (go test ./...; git commit)":              false,
		"git commit; set -e; go test ./...":                        false,
		"set -e; f() { go test ./...; git commit; }; f || true":    false,
	} {
		parsed, got := shell.Parse(line, nil), false
		for i := range parsed.Commands {
			if parsed.Commands[i].Program != "git" || parsed.Commands[i].Subcommand != "commit" {
				continue
			}
			for _, k := range parsed.Guards(i) {
				got = got || parsed.Commands[k].Program == "go"
			}
		}
		require.Equal(t, guarded, got, line)
	}
}

// TestGuardsOnce: each command of a long chain is one guard, however deep the chain is nested.
func TestGuardsOnce(t *testing.T) {
	t.Parallel()
	const links = 500
	for _, line := range []string{
		strings.Repeat("go vet && ", links) + "git commit",
		"set -e\n" + strings.Repeat("go vet\n", links) + "git commit",
		"true && (" + strings.Repeat("go vet && ", links) + "git commit)",
	} {
		parsed := shell.Parse(line, nil)
		guards := parsed.Guards(len(parsed.Commands) - 1)
		slices.Sort(guards)
		require.Len(t, slices.Compact(guards), len(guards))
		require.GreaterOrEqual(t, len(guards), links)
	}
}

// TestProvesInScripts: what a script or a recipe does ends neither the line nor what the line
// tells, unless the line reads it into its own shell.
func TestProvesInScripts(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json":  `{"scripts": {"prepare": "command -v husky && husky || exit 0", "check": "trap 'rm -f log' EXIT; tsc & lint & wait", "broken": "if then", "ok": "tsc"}}`,
		"Makefile":      "both:\n\t@set -eu; trap 'exit 0' EXIT; $(MAKE) a & $(MAKE) b & wait\na:\n\tmypy\nb:\n\tpyright\nall: a unit\nunit:\n\t-pytest\nremarks:\n\t-# nothing\n",
		"justfile":      "all: a && b\na:\n  mypy\nb:\n  -pyright\n",
		"Taskfile.yml":  "tasks: {all: {deps: [a], cmds: [{task: b}]}, a: mypy, b: {cmds: [pyright], ignore_error: true}, quiet: {ignore_error: true, cmds: [{task: a}]}, later: {cmds: [{defer: {task: a}}]}, there: {cmds: [{task: a, platforms: [windows]}]}}\n",
		"composer.json": `{"scripts":{"all":["@a","b"],"a":"mypy"}}`,
		"deno.json":     `{"tasks":{"all":{"command":"b","dependencies":["a"]},"a":"mypy"}}`,
		"quick.sh":      "[ -e x ] || exit 0\nenable -n test\n",
		"own.sh":        "go test ./...\nexit 0\n",
		"strict.sh":     "#!/bin/sh\nset -e\ngo test ./...\necho done\n",
		"last.sh":       "cd api\ngo test ./...\n",
		"lax.sh":        "go test ./...\necho done\n",
		"piped.sh":      "set -e\ngo test ./... | tee log\n",
		"late.sh":       "exit 0\ngo test ./...\n",
		"broken.sh":     "if then\n",
		"long.sh":       strings.Repeat("for i in 1 2 3; do echo a; done\n", 10_000),
	}
	opts := &shell.Options{ReadScript: func(name string) (string, error) {
		text, ok := files[name]
		if !ok {
			return "", fs.ErrNotExist
		}
		return text, nil
	}}
	for _, c := range []struct {
		line, text string
		proves     bool
	}{
		{"npm ci && npm run ok", "npm run ok", true},
		{"npm run check", "npm run check", true},
		{"npm run check && npm run ok", "npm run check", true},
		{"npm run broken", "npm run broken", true},
		{"npm run broken; npm run ok", "npm run ok", true},
		{"make both", "make both", true},
		{"make both && make a", "make a", true},
		{"make all", "make a", true},
		{"make all", "mypy", true},
		{"make all", "make unit", true},
		{"make all", "pytest", false},
		{"make -i a", "mypy", false},
		{"make -i all", "make a", false},
		{"make -o a all", "make a", false},
		{"make SHELL=true all", "mypy", false},
		{"just --no-deps all", "just a", false},
		{"task quiet", "task a", false},
		{"task quiet", "mypy", false},
		{"task later", "task a", false},
		{"task later", "mypy", false},
		{"task there", "task a", false},
		{"make remarks", "make remarks", true},
		{"just all", "just a", true},
		{"just all", "just b", true},
		{"just all", "mypy", true},
		{"just all", "pyright", false},
		{"task all", "task a", true},
		{"task all", "task b", true},
		{"task all", "mypy", true},
		{"task all", "pyright", false},
		{"composer all", "composer run a", true},
		{"deno task all", "deno task a", true},
		{"./quick.sh && go test ./...", "go test ./...", true},
		{"./long.sh", "long.sh", true},
		{"./long.sh && go test ./...", "go test ./...", true},
		{"bash quick.sh && go test ./...", "go test ./...", true},
		{"bash broken.sh; go test ./...", "go test ./...", true},
		{"(exit 0) && go test ./...", "go test ./...", true},
		{`bash -c "exit 0" && go test ./...`, "go test ./...", true},
		{". ./quick.sh && go test ./...", "go test ./...", false},
		{". ./broken.sh; go test ./...", "go test ./...", false},
		{"bash own.sh", "go test ./...", false},
		{"bash strict.sh", "go test ./...", true},
		{"./strict.sh && ls", "go test ./...", true},
		{"bash last.sh", "go test ./...", true},
		{"bash strict.sh || true", "go test ./...", false},
		{"bash lax.sh", "go test ./...", false},
		{"bash -e lax.sh", "go test ./...", false},
		{"sh piped.sh", "go test ./...", false},
		{"bash late.sh", "go test ./...", false},
		{"bash late.sh", "bash late.sh", true},
		{"npm run check", "tsc", false},
		{"make both", "mypy", false},
		{"trap 'exit 0' EXIT; npm run ok", "npm run ok", false},
		{"npm run ok &", "npm run ok", false},
	} {
		parsed, proves, found := shell.Parse(c.line, opts), false, false
		for i := range parsed.Commands {
			if parsed.Commands[i].Text == c.text {
				found, proves = true, proves || parsed.Proves(i)
			}
		}
		require.True(t, found, "%s: %s", c.line, c.text)
		require.Equal(t, c.proves, proves, "%s: %s", c.line, c.text)
	}
}

// TestFunctionOfSubshell: a function of one process that a reading of words in another calls is
// looked at in that one.
func TestFunctionOfSubshell(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`(f() { make; }; sometool "true && f && git commit -m x")`,
		`(f() { (true); }; sometool "true && f && git commit -m x")`,
		`(f() { { true; }; }; f && go test ./...)`,
	} {
		parsed := shell.Parse(line, nil)
		for _, l := range append(parsed.Carried, parsed) {
			for i := range l.Commands {
				l.Proves(i)
				l.Guards(i)
			}
		}
	}
}

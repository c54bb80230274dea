package rule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/rule"
)

// TestNotThere: a command or a file that the project does not have, where that is known.
func TestNotThere(t *testing.T) {
	t.Parallel()
	const makefile = "all: test\n\n.PHONY: test lint\ntest:\n\tgo test ./...\nlint fmt :\n\ttrue\nX := 1\n"
	const manifest = `{"scripts": {"test": "jest", "lint:js": "eslint ."}}`
	ran := func(patterns string) string {
		return "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [" + patterns + "]}\nmessage: m\n"
	}
	read := func(path string) string {
		return "before_first: {write: [\"src/**\"], read: [" + path + "]}\nmessage: m\n"
	}
	for name, c := range map[string]struct {
		rule  string
		files map[string]string
		want  string // a part of the warning; "" is none
	}{
		"a target":                 {ran(`"make test"`), map[string]string{"Makefile": makefile}, ""},
		"no target":                {ran(`"make nosuch"`), map[string]string{"Makefile": makefile}, "no Makefile has the target `nosuch`"},
		"one of several":           {ran(`"make nosuch", "make fmt"`), map[string]string{"Makefile": makefile}, ""},
		"none of several":          {ran(`"make nosuch", "./nosuch.sh"`), map[string]string{"Makefile": makefile}, "can never be met here"},
		"a variable is no target":  {ran(`"make X"`), map[string]string{"Makefile": makefile}, "target `X`"},
		"the beginning of one":     {ran(`"make li*"`), map[string]string{"Makefile": makefile}, ""},
		"of a part":                {ran(`"make nosuch"`), map[string]string{"Makefile": makefile, "web/Makefile": "nosuch:\n\ttrue\n"}, ""},
		"phony, without a rule":    {ran(`"make docs"`), map[string]string{"Makefile": makefile + ".PHONY: x \\\n docs # y\n"}, "no Makefile has a rule for `docs`"},
		"phony, and a file":        {ran(`"make check"`), map[string]string{"Makefile": makefile + ".PHONY: check\n", "check.c": ""}, "no Makefile has a rule for `check`"},
		"phony, with a rule":       {ran(`"make docs"`), map[string]string{"Makefile": makefile + ".PHONY: docs\ndocs:\n\ttrue\n"}, ""},
		"phony of another":         {ran(`"make nosuch"`), map[string]string{"Makefile": makefile + ".PHONY: docs\n"}, "no Makefile has the target `nosuch`"},
		"included":                 {ran(`"make nosuch"`), map[string]string{"Makefile": makefile + "-include more.mk\n"}, ""},
		"a pattern":                {ran(`"make nosuch"`), map[string]string{"Makefile": makefile + "%such: x\n"}, ""},
		"computed":                 {ran(`"make nosuch"`), map[string]string{"Makefile": makefile + "$(NAMES): x\n"}, ""},
		"a file":                   {ran(`"make nosuch"`), map[string]string{"Makefile": makefile, "nosuch.c": ""}, ""},
		"included by BSD":          {ran(`"make nosuch"`), map[string]string{"Makefile": makefile + ".include <prog.mk>\n"}, ""},
		"loaded":                   {ran(`"make nosuch"`), map[string]string{"Makefile": makefile + "load x.so\n"}, ""},
		"a Makefile is configured": {ran(`"make nosuch"`), map[string]string{"docs/Makefile": makefile, "configure.ac": ""}, ""},
		"a Makefile of CMake":      {ran(`"make nosuch"`), map[string]string{"docs/Makefile": makefile, "CMakeLists.txt": ""}, ""},
		"a folder that is made":    {ran(`"make build"`), map[string]string{"Makefile": makefile}, ""},
		"of npm itself":            {ran(`"npm run env"`), map[string]string{"package.json": manifest}, ""},
		"npm start of a server":    {ran(`"npm run start"`), map[string]string{"package.json": manifest, "server.js": ""}, ""},
		"no npm start":             {ran(`"npm run start"`), map[string]string{"package.json": manifest}, "script `start`"},
		"an expression":            {ran(`"pnpm run /^lint/"`), map[string]string{"package.json": manifest}, ""},
		"another manifest":         {ran(`"pnpm run nosuch"`), map[string]string{"package.json": manifest, "web/package.yaml": ""}, ""},
		"a file of bun":            {ran(`"bun run check.ts"`), map[string]string{"package.json": manifest, "check.ts": ""}, ""},
		"a sub-command":            {ran(`"deno task check"`), map[string]string{"deno.json": "{}"}, ""},
		"without its ending":       {ran(`"node scripts/check"`), map[string]string{"scripts/check.js": ""}, ""},
		"a folder":                 {ran(`"python tools"`), map[string]string{"tools/__main__.py": ""}, ""},
		"made by bazel":            {ran(`"./bazel-bin/check"`), nil, ""},
		"no Makefile":              {ran(`"make nosuch"`), nil, ""},
		"a script":                 {ran(`"npm run lint:js"`), map[string]string{"package.json": manifest}, ""},
		"no script":                {ran(`"npm run nosuch"`), map[string]string{"package.json": manifest}, "no package.json has the script `nosuch`"},
		"npm test":                 {ran(`"pnpm test"`), map[string]string{"package.json": `{"scripts": {}}`}, "script `test`"},
		"bun has tests":            {ran(`"bun test"`), map[string]string{"package.json": `{}`}, ""},
		"of a package":             {ran(`"npm run nosuch"`), map[string]string{"package.json": manifest, "web/package.json": `{"scripts": {"nosuch": "x"}}`}, ""},
		"of a dependency":          {ran(`"npm run nosuch"`), map[string]string{"package.json": manifest, "node_modules/x/package.json": `{"scripts": {"nosuch": "x"}}`}, "nosuch"},
		"no JSON":                  {ran(`"npm run nosuch"`), map[string]string{"package.json": "{"}, ""},
		"a file of a shell":        {ran(`"./scripts/check.sh"`), map[string]string{"scripts/check.sh": ""}, ""},
		"no file of a shell":       {ran(`"./scripts/check.sh"`), map[string]string{"scripts/other.sh": ""}, "`./scripts/check.sh` is not there"},
		"of another program":       {ran(`"python tools/check.py"`), nil, "`tools/check.py` is not there"},
		"in a folder below":        {ran(`"./check.sh"`), map[string]string{"web/check.sh": ""}, ""},
		"made":                     {ran(`"./build/check"`), nil, ""},
		"a program":                {ran(`"go test ./..."`), nil, ""},
		"a document":               {read("docs/a.md"), map[string]string{"docs/a.md": ""}, ""},
		"no document":              {read("docs/a.md"), nil, "`docs/a.md` is not there"},
		"an ignored document":      {read("docs/api/a.md"), map[string]string{".gitignore": "/docs/api/\n"}, ""},
		"ignored by its ending":    {read("docs/a.gen.md"), map[string]string{"docs/.gitignore": "*.gen.md\n"}, ""},
		"ignored for this clone":   {read("docs/a.md"), map[string]string{".git/info/exclude": "docs/a.md\n"}, ""},
		"not ignored":              {read("docs/a.md"), map[string]string{".gitignore": "*.md\n!a.md\n"}, "`docs/a.md` is not there"},
		"not ignored below":        {read("docs/a.md"), map[string]string{".gitignore": "*.md\n", "docs/.gitignore": "!a.md\n"}, "`docs/a.md` is not there"},
		"another one is ignored":   {read("docs/a.md"), map[string]string{".gitignore": "build/\n*.log\n"}, "`docs/a.md` is not there"},
		"an ignored script":        {ran(`"./scripts/gen.sh"`), map[string]string{".gitignore": "scripts/gen.sh\n"}, ""},
		"no document by name":      {read("A.md"), nil, "`A.md` is not there"},
		"a document by name":       {read("A.md"), map[string]string{"docs/A.md": ""}, ""},
		"a pattern of documents":   {read(`"docs/*.md"`), nil, ""},
		"stale files of a time":    {strings.Replace(ran(`"go test"`), "]}\nmessage: m", "], since: 30m}\nmessage: \"{{stale_files}}\"", 1), nil, "stale_files"},
		"stale files of a session": {strings.Replace(ran(`"go test"`), "]}\nmessage: m", "]}\nmessage: \"{{stale_files}}\"", 1), nil, "stale_files"},
		"stale files":              {strings.Replace(ran(`"go test"`), "]}\nmessage: m", "], since: [\"*.go\"]}\nmessage: \"{{stale_files}}\"", 1), nil, ""},
	} {
		root := t.TempDir()
		for file, content := range c.files {
			full := filepath.Join(root, file)
			require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
			require.NoError(t, os.WriteFile(full, []byte(content), 0o644))
		}
		built, _ := rule.Build([]rule.File{rule.ParseStrict("a.yaml", []byte(c.rule))}, nil)
		require.Len(t, built, 1, name)
		said := ""
		for _, p := range built[0].ScopeHints(rule.TreeAt(root)) {
			require.True(t, p.Warning, name)
			said += p.Message + "\n"
		}
		if c.want == "" {
			require.Empty(t, said, name)
		}
		require.Contains(t, said, c.want, name)
	}
}

// readOnlyAfter is a rule c: a document is read behind a command.
func readOnlyAfter(command string) string {
	return "c: trigger: file_read\nscope: [docs/a.md]\nrequires: {ran: [\"" + command + "\"]}"
}

// TestCircles: rules that wait for each other can never be met.
func TestCircles(t *testing.T) {
	t.Parallel()
	rules := func(lines ...string) rule.Rules {
		var files []rule.File
		for _, line := range lines {
			id, rest, _ := strings.Cut(line, ": ")
			if strings.Contains(rest, ": ") {
				files = append(files, rule.ParseStrict(id+".yaml", []byte(rest+"\nmessage: m\n")))
				continue
			}
			scope, ran, _ := strings.Cut(rest, " < ")
			files = append(files, rule.ParseStrict(id+".yaml", []byte("trigger: bash\nscope: [\""+scope+"*\"]\nrequires: {ran: ["+ran+"]}\nmessage: m\n")))
		}
		built, _ := rule.Build(files, nil)
		return built
	}
	for _, c := range []struct {
		rules []string
		never []string
	}{
		{[]string{`a: git commit < "make test"`, `b: make test < "make lint"`}, nil},
		{[]string{`a: make test < "make lint"`, `b: make lint < "make test"`}, []string{"a.yaml", "b.yaml"}},
		{[]string{`a: git commit < "make test"`, `b: make test < "make lint"`, `c: make lint < "make test"`}, []string{"a.yaml", "b.yaml", "c.yaml"}},
		{[]string{`a: make test < "make lint", "go vet"`, `b: make lint < "make test"`}, nil},
		{[]string{`a: make test < "make lint"`, `b: make lint < "make test", "go test"`}, nil},

		// a commit wants a change, the change a document that was read, and its reading a commit
		{[]string{"a: also: {changed: [\"src/**\"], with: [CHANGES]}", "b: before_first: {write: [CHANGES], read: [docs/a.md]}", readOnlyAfter("git commit")}, []string{"a.yaml", "b.yaml", "c.yaml"}},
		{[]string{"a: also: {changed: [\"src/**\"], with: [CHANGES]}", "b: before_first: {write: [CHANGES], read: [docs/a.md, docs/b.md]}", readOnlyAfter("git commit")}, nil},
		{[]string{"a: also: {changed: [\"src/**\"], with: [CHANGES]}", "b: before_first: {write: [CHANGES], read: [docs/a.md]}", readOnlyAfter("make docs")}, nil},
		{[]string{"a: also: {changed: [\"src/**\"], with: [CHANGES], by: pull_request}", "b: before_first: {write: [CHANGES], read: [docs/a.md]}", readOnlyAfter("git commit")}, nil},
		{[]string{"a: also: {changed: [\"src/**\"], with: [CHANGES]}", "b: also: {changed: [CHANGES], with: [\"src/**\"]}"}, nil},
		{[]string{"a: before_first: {write: [\"src/**\"], read: [docs/a.md]}", "b: before_first: {write: [\"docs/**\"], read: [src/a]}"}, nil},
	} {
		var never []string
		for _, p := range rules(c.rules...).Unmeetable(t.Context()) {
			require.Contains(t, p.Message, "waits for it in turn")
			never = append(never, p.File)
		}
		require.Equal(t, c.never, never, c.rules)
	}
}

// TestTreeIsListedOnce: the files of a project are listed for the first rule that names one, and for
// no other.
func TestTreeIsListedOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tree := rule.TreeAt(root)
	hints := func(ran string) int {
		built, _ := rule.Build([]rule.File{rule.ParseStrict("a.yaml", []byte("trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: ["+ran+"]}\nmessage: m\n"))}, nil)
		require.Len(t, built, 1)
		return len(built[0].ScopeHints(tree))
	}
	require.Zero(t, hints("go test ./..."))
	require.NoError(t, os.WriteFile(filepath.Join(root, "Makefile"), []byte("a:\n\ttrue\n"), 0o644))
	require.Equal(t, 1, hints("make b"), "it was not listed before the Makefile was there")
	require.NoError(t, os.WriteFile(filepath.Join(root, "b"), nil, 0o644))
	require.Equal(t, 1, hints("make b"), "it is not listed again")
}

package scope_test

import (
	"fmt"

	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// A pattern of commands is matched by its meaning: options may stand anywhere and be
// written in any way.
func ExampleCommands() {
	forced := scope.NewCommands([]string{"git push --force*"})
	harmless := scope.NewCommands([]string{"git push --force-with-lease*"})

	for _, text := range []string{
		`git push origin main`,
		`cd app && sudo git -C . push origin main -f`,
		`git commit -m "never git push --force"`,
		`git push --force-with-lease`,
	} {
		m, ok := forced.Match(shell.Parse(text, nil), harmless)
		fmt.Printf("%t %q\n", ok, m.Form)
	}
	// Output:
	// false ""
	// true "git push origin main -f"
	// false ""
	// false "git push --force-with-lease"
}

// A pattern of paths is a glob from the root of the project.
func ExamplePaths() {
	sources := scope.NewPaths([]string{"src/**/*.go"}, false)
	for _, path := range []string{"src/a.go", "src/x/y/b.go", "docs/a.go"} {
		pattern, ok := sources.Match(path)
		fmt.Println(path, ok, pattern)
	}
	// Output:
	// src/a.go true src/**/*.go
	// src/x/y/b.go true src/**/*.go
	// docs/a.go false
}

// A faulty pattern never matches, so a program looks at its patterns beforehand.
func ExampleCheckPath() {
	fmt.Println(scope.CheckPath("src/[a-"))
	// Output:
	// scope: pattern "src/[a-", character 5: the [ is never closed; write ], or \[ for a bracket
}

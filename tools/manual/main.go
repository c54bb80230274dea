// Command manual writes what a package of Sentinel installs besides the programs: manual
// pages below DIR/man and shell completions below DIR/completions. Its test writes the
// reference of the commands: docs/reference/cli.md, and the schemas of what they print as
// JSON.
//
// usage: go run ./tools/manual DIR
//
// The output depends on the commands alone; SOURCE_DATE_EPOCH is the date of the pages.
package main

//go:generate go test -run=^TestGenerated$ . -update

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/agentsentinel/sentinel/internal/auditcli"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual DIR")
		os.Exit(1)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write makes the files below dir. They do not depend on this machine.
func write(dir string) error {
	roots, _ := commands()
	pages := filepath.Join(dir, "man")
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Source: "Sentinel", Manual: "Sentinel"}
	for _, root := range roots {
		if err := doc.GenManTree(root, header, pages); err != nil {
			return err
		}
	}
	return completions(roots[0], filepath.Join(dir, "completions"))
}

// commands are the programs with all their commands, and what each prints as JSON.
func commands() (roots []*cobra.Command, prints map[*cobra.Command][]any) {
	prints = map[*cobra.Command][]any{}
	env := command.Process()
	env.Getenv = func(string) string { return "" }
	env.Prints = func(cmd *cobra.Command, values []any) { prints[cmd] = values }
	roots = []*cobra.Command{cli.Root(env), auditcli.Root(env)}
	for _, root := range roots {
		root.DisableAutoGenTag = true
	}
	roots[0].InitDefaultCompletionCmd()
	return roots, prints
}

// completions writes one file per shell.
func completions(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, generate := range map[string]func(io.Writer) error{
		"sentinel.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"sentinel.zsh":  root.GenZshCompletion,
		"sentinel.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"sentinel.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		if err := writeFile(filepath.Join(dir, name), generate); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, generate func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := generate(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

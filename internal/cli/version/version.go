// Package version is the command "sentinel version".
package version

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	cmddoctor "github.com/agentsentinel/sentinel/internal/cli/doctor"
	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/release"
	"github.com/agentsentinel/sentinel/internal/text"
)

// New makes the command version.
func New(env *command.Env) *cobra.Command {
	var asJSON, every bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Long: `Prints the version of this program. --all lists every program of this name on the PATH,
in the order in which an agent finds them, and those that hooks start from here, with
their versions and how each was installed.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every {
				return list(cmd.Context(), env, asJSON)
			}
			v := env.Build()
			if asJSON {
				return env.JSON(v)
			}
			fmt.Fprintf(env.Stdout, "%s %s %s %s\n", env.Program(), v, v.Go, v.Platform)
			return nil
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON object, or a list with --all", command.Build{}, []row{})
	cmd.Flags().BoolVar(&every, "all", false, "list all installed programs, and who starts them")
	return cmd
}

// row is a program as `version --all --json` prints it.
type row struct {
	doctor.Install
	By string `json:"installed_by"`
}

// list prints all programs.
func list(ctx context.Context, env *command.Env, asJSON bool) error {
	var rows []row
	versions := map[string]bool{}
	for _, p := range doctor.Installs(ctx, cmddoctor.Patient(env)) {
		versions[p.Version] = true
		_, tagged := release.Parse(strings.Fields(p.Version + " -")[0])
		rows = append(rows, row{p, release.Installed(release.Program{Path: p.Path, GOOS: runtime.GOOS, Arch: runtime.GOARCH, Tagged: tagged}, "").Name})
	}
	if asJSON {
		return env.JSON(rows)
	}
	w := env.Table()
	fmt.Fprintln(w, "PROGRAM\tVERSION\tINSTALLED BY\tON THE PATH\tSTARTED BY THE HOOKS OF")
	for i := range rows {
		r := &rows[i]
		path := text.When(r.OnPath, "yes") + text.Unless(r.OnPath, "no")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", text.OneLine(r.Path)+text.When(r.Self, " (this one)"), cmp.Or(r.Version, "?"), r.By, path, cmp.Or(strings.Join(r.Hooks, ", "), "-"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range rows {
		if rows[i].Problem != "" {
			env.Line("WARN  %s", rows[i].Problem)
		}
	}
	if len(versions) > 1 {
		env.Line("WARN  Versions differ. Keep one and remove the others; then run sentinel init --hooks, so that the hooks start the one that is left.")
	}
	return nil
}

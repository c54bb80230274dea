// Package upgrade is the command "sentinel upgrade".
package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/release"
	"github.com/agentsentinel/sentinel/internal/text"
)

// exitNewer is the exit status where there is a newer release.
const exitNewer = 2

// answer is what upgrade --check --json prints.
type answer struct {
	Version string `json:"version"` // that runs
	Newest  string `json:"newest"`
	Newer   bool   `json:"newer"`
	Path    string `json:"path"` // of the program
	release.Way
}

// New makes the command upgrade.
func New(env *command.Env) *cobra.Command {
	var check, asJSON bool
	var from string
	cmd := &cobra.Command{
		Use: "upgrade --check", Short: "Show whether there is a newer release, and how to get it",
		Long: `Asks the release server for the newest release. Shows which version runs, how it was
installed, and the one command that installs the newest. It downloads and changes nothing.
No other command, and no hook, looks for releases.

The server is GitHub's, or --from, or $SENTINEL_RELEASES: an https address, or one of this
machine, that answers {"tag_name": "v1.2.3"}. HTTPS_PROXY and NO_PROXY are used.

Exit status: 0 this is the newest; 1 it could not be found out; 2 there is a newer one.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !check {
				return errors.New("upgrade: nothing is upgraded by itself; `sentinel upgrade --check` says which command does it")
			}
			if env.Program() != command.DefaultName {
				return fmt.Errorf("upgrade: %s is a program of its own; who made it knows its releases", env.Program())
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			return look(ctx, env, cmp.Or(from, env.Getenv("SENTINEL_RELEASES"), release.Server), asJSON)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "look for a newer release")
	cmd.Flags().StringVar(&from, "from", "", "`ADDRESS` of the release server")
	env.JSONFlag(cmd, &asJSON, "print one JSON object", answer{})
	return cmd
}

func look(ctx context.Context, env *command.Env, from string, asJSON bool) error {
	newest, err := release.Newest(ctx, from)
	if err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	build := env.Build()
	a := answer{Version: build.Version, Newest: newest.String()}
	if a.Path, err = os.Executable(); err != nil {
		return fmt.Errorf("upgrade: the program's own path is not known: %w", err)
	}
	own, known := release.Parse(build.Version)
	info, _ := debug.ReadBuildInfo()
	a.Way = release.Installed(release.Program{
		Path: a.Path, GOOS: runtime.GOOS, Arch: runtime.GOARCH,
		Module: info != nil && info.Main.Sum != "", Tagged: known && !build.Modified && !release.IsPseudo(build.Version),
	}, a.Newest)
	a.Newer = known && own.Before(newest)
	if asJSON {
		if err := env.JSON(a); err != nil {
			return err
		}
	} else {
		a.print(env)
	}
	switch {
	case !known:
		return fmt.Errorf("upgrade: %s is no version of a release, so nobody can tell which is newer", text.OneLine(a.Version))
	case a.Newer:
		return exit.Status(exitNewer)
	}
	return nil
}

func (a *answer) print(env *command.Env) {
	env.Line("running  %s (%s, by %s)", text.OneLine(a.Version), text.OneLine(a.Path), a.Name)
	env.Line("newest   %s", a.Newest)
	if a.Newer || a.Version == "(devel)" {
		env.Line("upgrade  %s", a.Command)
	}
}

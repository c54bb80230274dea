// Package watch is the command "sentinel watch", which starts sentinel-watch.
package watch

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/project"
)

// watchCommand is the command that shows what watch shows. It is one of its own,
// so that no hook pays for a terminal interface.
const watchCommand = "sentinel-watch"

// New makes the command watch.
func New(env *command.Env) *cobra.Command {
	var logs []string
	var lines int
	var once, user bool
	cmd := &cobra.Command{
		Use: "watch", SuggestFor: []string{"log", "tail"}, Short: "Show decisions as they are made",
		Long: `Follows the log of this project: a list of decisions and the details of the selected one,
with a filter and a pause. Without a terminal it prints one line per decision. It starts
the command sentinel-watch, from this program's folder or the PATH.

Exit status: 0 ended by the user; 1 an error, or there is no log.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := env.Logs(project.Open([]string{env.Dir}, env.Options()), logs, user)
			if err != nil {
				return err
			}
			args := []string{"--lines", strconv.Itoa(lines)}
			if once {
				args = append(args, "--no-follow")
			}
			return command.Companion(env, watchCommand, append(append(args, "--"), files...))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&logs, "log", nil, "follow this `FILE` instead of the logs of this project")
	flags.BoolVar(&user, "user", false, "follow the log of your own folder instead of this project's")
	flags.IntVar(&lines, "lines", 10, "without a terminal: number of past decisions to print")
	flags.BoolVar(&once, "no-follow", false, "print them and end")
	cmd.MarkFlagsMutuallyExclusive("log", "user")
	return cmd
}

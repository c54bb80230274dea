// Package pause is the command "sentinel pause".
package pause

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command pause.
func New(env *command.Env) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use: "pause [DURATION|off]", Short: "Switch the rules of this project off for a time, as a person",
		Long: `sentinel pause 10m switches the rules of this project off for ten minutes; 8h is the
maximum. Agents are not stopped, no judge is asked, and the log records which rules
would have applied. Sentinel's own rules stay on. Without a duration the command shows
what is paused; "off" ends the pause.

Pausing asks first, works only in a terminal with a person at it, and is written to the
log.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p := project.Open([]string{env.Dir}, env.Options())
			switch {
			case asJSON && len(args) > 0:
				return errors.New("--json lists what is paused, and goes without a duration or off")
			case asJSON:
				return env.JSON(pauseRows(p))
			case len(args) == 0:
				return showPauses(env, p)
			case args[0] == "off":
				return endPause(env, p, all)
			}
			return startPause(env, p, args[0], all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "pause the rules of every project")
	env.JSONFlag(cmd, &asJSON, "print what is paused as one JSON list", []pauseRow{})
	return cmd
}

func startPause(env *command.Env, p *project.Project, text string, all bool) error {
	length, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a duration; write it as 10m, 90s or 2h, up to 8h", text)
	case length <= 0 || length > gate.MaxPause:
		return fmt.Errorf("a pause lasts up to 8h, not %s", text)
	}
	t, err := env.Person("sentinel pause")
	if err != nil {
		return err
	}
	defer t.Close()
	folder, err := p.Gate().Pausable(all)
	if err != nil {
		return err
	}
	// Asked, because a hook of git or a Makefile written by others can run
	// this command at the user's terminal.
	yes, err := t.Challenge(fmt.Sprintf("Switch the rules of %s off for %s?", pausedWhere(folder), length), env.Word)
	if err != nil {
		return err
	}
	if !yes {
		return errors.New("nothing was paused")
	}
	pause, err := p.Gate().Pause(length, all, person.Name())
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout, pauseLine(pause))
	return nil
}

// endPause needs no person: it switches rules on.
func endPause(env *command.Env, p *project.Project, all bool) error {
	was := p.Gate().Pauses()
	if err := p.Gate().EndPause(all, person.Name()); err != nil {
		return err
	}
	if len(p.Gate().Pauses()) < len(was) {
		fmt.Fprintln(env.Stdout, "the pause has ended")
	}
	return showPauses(env, p)
}

func showPauses(env *command.Env, p *project.Project) error {
	pauses := p.Gate().Pauses()
	if len(pauses) == 0 {
		fmt.Fprintln(env.Stdout, "nothing is paused here")
		return nil
	}
	for _, pause := range pauses {
		fmt.Fprintln(env.Stdout, pauseLine(pause))
	}
	return nil
}

// pauseRow is a pause as `pause --json` prints it.
type pauseRow struct {
	Folder string `json:"folder"` // "" means every project
	Since  string `json:"since"`  // RFC 3339, as is until
	Until  string `json:"until"`
	By     string `json:"by"`
}

func pauseRows(p *project.Project) []pauseRow {
	rows := []pauseRow{}
	for _, pause := range p.Gate().Pauses() {
		rows = append(rows, pauseRow{pause.Folder, pause.Since.UTC().Format(time.RFC3339), pause.Until.UTC().Format(time.RFC3339), pause.By})
	}
	return rows
}

func pauseLine(p gate.Pause) string {
	return fmt.Sprintf("paused until %s by %s: %s", command.Clock(p.Until), text.OneLine(p.By), pausedWhere(p.Folder))
}

// pausedWhere names what a pause is about.
func pausedWhere(folder string) string {
	if folder == "" {
		return "every project"
	}
	return text.OneLine(folder)
}

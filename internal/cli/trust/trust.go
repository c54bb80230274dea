// Package trust is the commands trust and untrust.
package trust

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command trust.
func New(env *command.Env) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use: "trust", Short: "Trust this repository's configuration as it is now",
		Long: `Until you trust it, a repository's configuration cannot send prompts to a server on
another machine, ask a judge that costs money (claude, copilot), start a program of the
repository as a judge, use your API keys, or write the log outside of the repository. Texts
of the rules of a clone inside another project are not shown to the agent.

trust shows what would be trusted, and asks. Trust is for the present content: a changed
configuration has to be trusted again.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return run(env, yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func run(env *command.Env, yes bool) error {
	p, f, err := nearest(env)
	if err != nil {
		return err
	}
	show(env, p.Inspect().Grants(f), f)
	if !yes {
		t, err := env.Dialog()
		if err != nil {
			return errors.New("nothing is trusted yet: there is no terminal to ask at. When you have read this, run `" + env.Called("sentinel trust --yes") + "`")
		}
		defer t.Close()
		if yes, err = t.Confirm("Trust this, as it is now?"); err != nil {
			return err
		}
		if !yes {
			return errors.New("nothing was changed")
		}
	}
	env.Repin(f, project.ConfigFile(f.Dir))
	if err := env.Reopened(f).Trust(env.StateDir()); err != nil {
		return err
	}
	env.Line("trusted: %s", text.OneLine(f.Dir))
	return nil
}

// maxTexts is how many texts of rules are shown.
const maxTexts = 30

// show prints what is trusted. All of it is from the repository: no text can leave
// its line.
func show(env *command.Env, grants []project.Grant, f *project.Folder) {
	env.Line("%s asks for:", text.OneLine(f.Dir))
	texts := 0
	for _, g := range grants {
		if g.Kind == "text" {
			if texts++; texts > maxTexts {
				continue
			}
		}
		waits := ""
		if g.Waits {
			waits = "waits: "
		}
		env.Line("  %-7s %s%s", g.Kind, waits, g.What)
	}
	if texts > maxTexts {
		env.Line("  and %s more", text.Count(texts-maxTexts, "text"))
	}
	if len(grants) == 0 {
		env.Line("  nothing")
	}
}

// NewUntrust makes the command untrust.
func NewUntrust(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "untrust", Short: "Revoke trust in this repository's configuration",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, f, err := nearest(env)
			if err != nil {
				return err
			}
			if err := f.Untrust(env.StateDir()); err != nil {
				return err
			}
			env.Line("no longer trusted: %s", text.OneLine(f.Dir))
			return nil
		},
	}
}

// nearest is the nearest project folder of this place.
func nearest(env *command.Env) (*project.Project, *project.Folder, error) {
	p := project.Open([]string{env.Dir}, env.Options()).Pins().OnDisk() // what is shown is what will be trusted
	for _, f := range p.Folders {
		if !f.User {
			return p, f, nil
		}
	}
	return nil, nil, fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", env.Place())
}

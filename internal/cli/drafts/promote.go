package drafts

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scribe"
)

// NewPromote makes the command promote.
func NewPromote(env *command.Env) *cobra.Command {
	var edit, asJSON bool
	cmd := &cobra.Command{
		Use: "promote ID", Short: "Turn a draft into an active rule",
		Long: `Shows the rule, checks it against its own cases and the existing rules, and moves it from
drafts to rules, with its source as a comment. It is in force from the next call on.
--edit opens the draft in $VISUAL or $EDITOR first.

Exit status: 0 the draft is a rule now; 1 it is not, with the reason.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runPromote(env, cmd, args[0], edit, asJSON) },
	}
	cmd.Flags().BoolVar(&edit, "edit", false, "edit the draft first")
	env.JSONFlag(cmd, &asJSON, "print one JSON object", promotionRow{})
	return cmd
}

func runPromote(env *command.Env, cmd *cobra.Command, id string, edit, asJSON bool) error {
	p := project.Open([]string{env.Dir}, env.Options())
	opts, err := p.Models().Scribe(nil, "")
	if err != nil {
		return err
	}
	path, err := scribe.DraftPath(id, opts)
	if err != nil && hasRule(p, id) {
		return fmt.Errorf("%s is no draft but a rule already; `sentinel rules severity %s --to block` changes what it does", id, id)
	}
	if err != nil {
		return err
	}
	if edit {
		if err := env.Edit(path); err != nil {
			return fmt.Errorf("%w; nothing was promoted", err)
		}
	}
	done, err := scribe.Promote(cmd.Context(), id, opts)
	if err != nil {
		return err
	}
	env.Repin(p.Nearest(), done.Path)
	name := place.Of(p.Nearest(), done.Path)
	reach, err := reachOf(cmd.Context(), env, p.Nearest(), done.ID)
	if err != nil {
		return err
	}
	if asJSON {
		return env.JSON(promotionRow{done.ID, done.Path, string(done.Text), done.Cases, reach})
	}
	fmt.Fprint(env.Stdout, text.Clean(install.Change{Target: install.Target{File: name}, After: done.Text}.Diff()))
	fmt.Fprintf(env.Stdout, "cases: %s\n", CaseCount(done.Cases))
	if reach != "" {
		fmt.Fprintf(env.Stdout, "scope: it %s\n", reach)
	}
	fmt.Fprintf(env.Stdout, "promoted: %s applies from the agent's next tool call (%s)\n", done.ID, name)
	setup.NoteNarrows(env.Options(), env.Dir, env.Line)
	return nil
}

// promotionRow is what `promote --json` prints.
type promotionRow struct {
	ID    string              `json:"id"`
	Path  string              `json:"path"`
	Text  string              `json:"text"`
	Cases []scribe.CaseResult `json:"cases"`
	Reach string              `json:"reach"` // how much of the project its scope is about; "" if unknown
}

func hasRule(p *project.Project, id string) bool {
	return slices.ContainsFunc(p.Folders, func(f *project.Folder) bool {
		return slices.ContainsFunc(f.Rules(), func(r *rule.Rule) bool { return r.Spec().ID == id })
	})
}

// reachOf says how much of the project a rule of the folder is about.
func reachOf(ctx context.Context, env *command.Env, f *project.Folder, id string) (string, error) {
	for _, r := range env.Reopened(f).Written() {
		if r.Spec().ID == id {
			return history.ReachOf(ctx, env.Dir, env.Options(), r)
		}
	}
	return "", nil
}

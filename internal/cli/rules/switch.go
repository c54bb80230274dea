package rules

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/authoring"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/explain"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// newSwitch makes rules enable and rules disable.
func newSwitch(env *command.Env, name string) *cobra.Command {
	short, long := "Switch rules off", "Writes `mode: off` into the file of each rule. The rule is no longer judged, and `rules\nlist` shows that. Comments and the rest of the file stay as they are."
	if name == "enable" {
		short, long = "Switch rules on again", "Sets the mode of each rule to the configuration's default_mode. Comments and the rest of\nthe file stay as they are."
	}
	return &cobra.Command{
		Use: name + " ID…", Short: short, Long: long + "\n\nExit status: 0 done, or nothing to change; 1 not done, with the reason.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, ids []string) error {
			p := files(env)
			for _, id := range ids {
				if err := setMode(env, p, id, name == "enable"); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// files opens the project as its files are, whatever is pinned.
func files(env *command.Env) *project.Project {
	o := env.Options()
	o.Unpinned = true
	return project.Open([]string{env.Dir}, o)
}

func setMode(env *command.Env, p *project.Project, id string, on bool) error {
	f, r, err := authoring.FindFile(p, id)
	if err != nil {
		return err
	}
	mode := "off"
	if on {
		mode = f.Config.DefaultMode
	}
	if r.Off() != on { // off already, or on already
		env.Line("%s is %s already (mode: %s)", text.OneLine(id), text.When(on, "on")+text.Unless(on, "off"), explain.Mode(r))
		return nil
	}
	file := authoring.SourceFile(r)
	before, perm, err := settings.Read(file)
	if err != nil {
		return err
	}
	after, err := authoring.WithMode(before, file, mode)
	if err != nil {
		return fmt.Errorf("%s: %w", place.Of(f, file), err)
	}
	if err := safefile.Replace(file, after, perm); err != nil {
		return err
	}
	fmt.Fprint(env.Stdout, text.Clean(install.Change{Target: install.Target{File: place.Of(f, file)}, Before: before, After: after}.Diff()))
	if on {
		env.Line("%s is on again: %s", text.OneLine(id), mode)
	} else {
		env.Line("%s is off. Switch it on again: sentinel rules enable %s", text.OneLine(id), text.OneLine(id))
	}
	env.Repin(f, file)
	for _, said := range alsoCalled(p, f, id) {
		env.Line("note: %s", said)
	}
	if on {
		setup.NoteNarrows(env.Options(), env.Dir, env.Line)
	}
	return nil
}

// alsoCalled tells of the rules with an id in other folders than f: each is in force by itself.
func alsoCalled(p *project.Project, f *project.Folder, id string) (said []string) {
	for _, other := range p.Folders {
		for _, r := range other.Rules() {
			if spec := r.Spec(); other.Dir != f.Dir && spec.ID == id && !r.Off() {
				said = append(said, fmt.Sprintf("another rule %s is in force: %s, %s", text.OneLine(id), spec.Source, spec.Severity))
			}
		}
	}
	return said
}

func newEdit(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "edit ID", Short: "Open a rule in your editor, and check it afterwards",
		Long: `Opens the rule's file in $VISUAL or $EDITOR, and reports its problems afterwards.

Exit status: 0 the rule is in force (warnings do not count); 1 it is not, with the reason.`,
		Args: cobra.ExactArgs(1),
		RunE: onFile(env, func(f *project.Folder, _ *rule.Rule, file string) error {
			if err := env.Edit(file); err != nil {
				return err
			}
			if err := report(env, f.Dir, file); err != nil {
				return err
			}
			env.Repin(f, file)
			return nil
		}),
	}
}

// onFile runs a command on the file of the rule that its argument names.
func onFile(env *command.Env, run func(f *project.Folder, r *rule.Rule, file string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		f, r, err := authoring.FindFile(files(env), args[0])
		if err != nil {
			return err
		}
		return run(f, r, authoring.SourceFile(r))
	}
}

// report says what is wrong with one file of the project, now.
func report(env *command.Env, dir, file string) error {
	broken := false
	for _, f := range files(env).Folders {
		tree := rule.TreeAt(f.Root)
		for _, r := range f.Written() {
			if f.Dir != dir || authoring.SourceFile(r) != file {
				continue
			}
			for _, pr := range append(append(f.Problems(), r.Hints()...), r.ScopeHints(tree)...) {
				if pr.File == r.Path() {
					broken = broken || !pr.Warning
					env.Line("%s", place.Problem(pr))
				}
			}
			if !broken {
				env.Line("%s: %s, %s", text.OneLine(r.Spec().ID), r.Spec().Severity, explain.Mode(r))
			}
		}
	}
	if broken {
		return exit.Status(exit.Error)
	}
	return nil
}

func newRemove(env *command.Env) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "rm ID", Short: "Remove a rule's file, after asking",
		Long: "Removes the file of a rule; `sentinel init` does not restore it. `sentinel rules disable`\nswitches a rule off and keeps its file.\n\nExit status: 0 removed; 1 not removed, with the reason.",
		Args: cobra.ExactArgs(1),
		RunE: onFile(env, func(f *project.Folder, r *rule.Rule, file string) error {
			if !yes {
				if err := confirm(env, r, place.Of(f, file)); err != nil {
					return err
				}
			}
			if err := os.Remove(file); err != nil {
				return err
			}
			env.Line("removed %s", text.OneLine(place.Of(f, file)))
			env.Repin(f, file)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove it without asking")
	return cmd
}

// confirm asks whether a rule is to be removed.
func confirm(env *command.Env, r *rule.Rule, file string) error {
	t, err := env.Dialog()
	if err != nil {
		return errors.New("rules rm asks before it removes a file, and there is no terminal; --yes removes it without asking")
	}
	defer t.Close()
	what := strings.TrimSpace(r.Spec().Severity.String() + " " + r.Spec().ID)
	if yes, err := t.Confirm("Remove " + text.OneLine(file) + " (" + text.OneLine(what) + ")?"); err != nil || !yes {
		return errors.New("nothing was removed")
	}
	return nil
}

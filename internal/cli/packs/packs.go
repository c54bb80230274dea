// Package packs is the command "sentinel packs" with its subcommands.
package packs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command packs.
func New(env *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "packs", Short: "List the packs of rules, and update them",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newList(env), newDiff(env), newUpdate(env))
	return cmd
}

// files are the pack files, compared with those of the nearest project. There is one of
// each of the names.
func files(env *command.Env, names ...string) (*project.Folder, []setup.PackFile, error) {
	o := env.Options()
	o.Unpinned = true // it is about the files
	f := project.Open([]string{env.Dir}, o).Nearest()
	if f == nil {
		return nil, nil, errors.New("no rules apply here; run `sentinel init` first")
	}
	all, err := setup.PackFiles(f)
	for _, name := range names {
		if err == nil && !slices.ContainsFunc(all, func(p setup.PackFile) bool { return named(p.Name, []string{name}) }) {
			return nil, nil, fmt.Errorf("no pack has a rule %q; `sentinel packs list` lists the packs", text.OneLine(name))
		}
	}
	return f, all, err
}

// packRow is a pack as `packs list --json` prints it.
type packRow struct {
	Pack    string   `json:"pack"`
	Rules   int      `json:"rules"`
	Here    int      `json:"here"`
	Changed []string `json:"changed"` // by their owner
	News    []string `json:"news"`    // this program delivers another text
	Removed []string `json:"removed"`
}

func newList(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the packs, and which of their rules are here", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, all, err := files(env)
			if err != nil {
				return err
			}
			var rows []packRow
			for _, pack := range packs.Names() {
				rows = append(rows, rowOf(pack, all))
			}
			if asJSON {
				return env.JSON(rows)
			}
			w := env.Table()
			fmt.Fprintln(w, "PACK\tRULES\tHERE\tCHANGED\tNEWS\tREMOVED")
			for _, r := range rows {
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\n", r.Pack, r.Rules, r.Here, len(r.Changed), len(r.News), len(r.Removed))
			}
			return w.Flush()
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON list", []packRow{})
	return cmd
}

func rowOf(pack string, all []setup.PackFile) packRow {
	r := packRow{Pack: pack, Changed: []string{}, News: []string{}, Removed: []string{}}
	for i := range all {
		f := &all[i]
		if !slices.Contains(f.Packs, pack) {
			continue
		}
		r.Rules++
		if f.Here != nil {
			r.Here++
		}
		if f.Changed() {
			r.Changed = append(r.Changed, f.Name)
		}
		if f.News() {
			r.News = append(r.News, f.Name)
		}
		if f.Removed() {
			r.Removed = append(r.Removed, f.Name)
		}
	}
	return r
}

func newDiff(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "diff [NAME…]", Short: "Show how the rules here differ from those that this version delivers",
		Long: "Shows the rules of packs, or the named ones, that differ from this version's. Lines with -\nare the ones here, lines with + the delivered ones.",
		RunE: func(_ *cobra.Command, names []string) error {
			f, all, err := files(env, names...)
			if err != nil {
				return err
			}
			shown := 0
			for i := range all {
				if p := &all[i]; p.Here != nil && !p.Same() && named(p.Name, names) {
					shown++
					show(env, f, p)
				}
			}
			if shown == 0 {
				env.Line("Nothing differs from what this version delivers.")
			}
			return nil
		},
	}
}

// named reports whether a file is one of those that the user names, or none is named.
func named(name string, names []string) bool {
	return len(names) == 0 || slices.Contains(names, name) || slices.Contains(names, strings.TrimSuffix(name, ".yaml"))
}

// show prints the difference and what is behind it.
func show(env *command.Env, f *project.Folder, p *setup.PackFile) {
	what := "this version delivers another text"
	switch {
	case p.Changed() && p.News():
		what = "it was changed here, and this version delivers another text"
	case p.Changed():
		what = "it was changed here; this version delivers nothing new"
	}
	env.Line("%s: %s", text.OneLine(p.Name), what)
	fmt.Fprint(env.Stdout, text.Clean(install.Change{Target: install.Target{File: place.Of(f, p.Path)}, Before: p.Here, After: p.Delivered}.Diff()))
}

func newUpdate(env *command.Env) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "update [NAME…]", Short: "Bring the rules of packs to this version",
		Long: `Replaces unchanged rules by this version's. For a rule that was changed here it shows the
difference and asks; if you replace it, the old file is kept as NAME.yaml.bak. Without a
terminal a changed rule stays as it is. Rules that were removed stay removed.

Exit status: 0 done, or nothing to do; 1 not done, with the reason.`,
		RunE: func(_ *cobra.Command, names []string) error {
			f, all, err := files(env, names...)
			if err != nil {
				return err
			}
			done, kept := 0, 0
			for i := range all {
				p := &all[i]
				if !p.News() || !named(p.Name, names) {
					continue
				}
				if p.Changed() && !yes && !agreed(env, f, p) {
					kept++
					continue
				}
				if err := update(env, f, p); err != nil {
					return err
				}
				done++
			}
			env.Line("%s updated, %d kept as changed here", text.Count(done, "rule"), kept)
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "replace changed rules without asking")
	return cmd
}

func update(env *command.Env, f *project.Folder, p *setup.PackFile) error {
	backup, err := p.Update(f.Dir)
	if err != nil {
		return err
	}
	env.Line("updated %s%s", text.OneLine(place.Of(f, p.Path)), text.When(backup != "", "; what was there is in "+text.OneLine(place.Of(f, backup))))
	env.Repin(f, p.Path)
	return nil
}

// agreed shows a rule that was changed here and asks whether to replace it.
func agreed(env *command.Env, f *project.Folder, p *setup.PackFile) bool {
	show(env, f, p)
	t, err := env.Dialog()
	if err != nil {
		return false
	}
	defer t.Close()
	yes, err := t.Confirm("Replace it? What is here is kept in " + text.OneLine(p.Name) + ".bak")
	return err == nil && yes
}

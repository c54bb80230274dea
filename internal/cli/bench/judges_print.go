package bench

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/judgebench"
	"github.com/agentsentinel/sentinel/internal/text"
)

// show prints a report.
func (f *judgesFlags) show(env *command.Env, r *judgebench.Report) error {
	if f.asJSON {
		return env.JSON(r)
	}
	for i := range r.Sources {
		if err := f.showSource(env, r, &r.Sources[i]); err != nil {
			return err
		}
	}
	for i := range r.Comparisons {
		f.showComparison(env, &r.Comparisons[i])
	}
	if f.compare != "" && len(r.Comparisons) == 0 {
		env.Line("Compared: no case was asked in both runs, of judges with the same names\n")
	}
	env.Line("%s", strings.ReplaceAll(r.Note, ". ", ".\n"))
	return nil
}

func (f *judgesFlags) showSource(env *command.Env, r *judgebench.Report, g *judgebench.Group) error {
	env.Line("%s", env.Bold(g.Title()))
	if g.Note != "" {
		env.Line("%s", g.Note)
	}
	w := env.Table()
	fmt.Fprintln(w, strings.ToUpper(strings.Join(judgebench.Columns, "\t")))
	for k := range g.Scores {
		fmt.Fprintln(w, strings.Join(g.Scores[k].Cells(), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if f.verbose {
		for k := range g.Scores {
			for _, x := range r.Wrong(&g.Scores[k]) {
				env.Line("  %s: expected %s: %s: %s", text.OneLine(g.Scores[k].Judge), x.Expect, text.OneLine(x.Answer), text.OneLine(x.Case))
			}
		}
	}
	env.Line("")
	return nil
}

// mostChanged is how many cases of a comparison are shown one by one.
const mostChanged = 20

func (f *judgesFlags) showComparison(env *command.Env, c *judgebench.Comparison) {
	env.Line("Compared: %s", c)
	shown := c.Changed
	if !f.verbose {
		shown = shown[:min(len(shown), mostChanged)]
	}
	for _, ch := range shown {
		env.Line("  %s was %s, is %s, labelled %s: %s", text.OneLine(ch.Rule), ch.Before, ch.Now, ch.Label, text.OneLine(ch.Action))
	}
	if more := len(c.Changed) - len(shown); more > 0 {
		env.Line("  … and %d more (--verbose)", more)
	}
	env.Line("")
}

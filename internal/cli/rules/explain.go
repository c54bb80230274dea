package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/explain"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/profile"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

func newExplain(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "explain ID", Short: "Show what a rule means and does",
		Long: `Shows where a rule is, what it is about, which judges are asked and in which order,
what each agent does with a violation, the results of its cases, and its record in the
log. Then follows the rule's page of the catalogue: what it stops and lets pass, what
the agent reads, its cases, how to change it, and its "when". No model is asked.

Exit status: 0 done; 1 there is no such rule, or an error.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return Explain(cmd.Context(), env, args[0], asJSON) },
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON object", explain.Rule{})
	return cmd
}

// Explain says what the rule with an id means. The error is a [project.NoRule] where
// there is none.
func Explain(ctx context.Context, env *command.Env, id string, asJSON bool) error {
	x, page, err := explainRule(env, ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		return env.JSON(x)
	}
	printRule(env, x)
	env.Line("\n%s", strings.TrimSuffix(env.Called(page), "\n"))
	return nil
}

func explainRule(e *command.Env, ctx context.Context, id string) (x explain.Rule, page string, err error) {
	o := e.Options()
	o.NoLog = true
	p := project.Open([]string{e.Dir}, o)
	builtIn := len(p.Folders) == 0
	if builtIn {
		p = project.Recommended(place.Root(e.Dir), o)
	}
	f, r, err := p.Inspect().Rule(id)
	if err != nil {
		return explain.Rule{}, "", err
	}
	x = explain.Of(e.Agents, p.Inspect(), f, r)
	x.ModeIs = e.Called(x.ModeIs)
	if builtIn {
		x.Owner = builtInOwner
	}
	x.Warnings = append(x.Warnings, warningsOf(f)[r.Path()]...)
	if !builtIn {
		x.Warnings = append(x.Warnings, alsoCalled(p, f, id)...)
		x.Hooks = append(x.Hooks, setup.Hooked(o, e.Dir)...)
		for _, n := range setup.NarrowsOf(p, o, e.Dir, id) {
			x.Warnings = append(x.Warnings, n.String())
		}
		x.Warnings = append(x.Warnings, paused(p)...)
	}
	var errs [3]error
	x.Log, errs[0] = explain.LogOf(ctx, p, id, e.Now())
	x.Cases, errs[1] = explain.CasesOf(ctx, p, f, r)
	page, errs[2] = explain.PageOf(f, r)
	return x, page, errors.Join(errs[:]...)
}

// paused says that the rules are switched off for a time.
func paused(p *project.Project) (said []string) {
	for _, pause := range p.Gate().Pauses() {
		said = append(said, "the rules are switched off until "+pause.Until.Local().Format(time.TimeOnly)+"; `sentinel pause off"+text.Unless(pause.Folder != "", " --all")+"` ends that")
	}
	return said
}

// builtInOwner is the owner of a rule that the program brings along.
const builtInOwner = "built in"

func printRule(p *command.Env, x explain.Rule) {
	row := func(name, format string, args ...any) {
		p.Line("%-10s %s", name, text.OneLine(fmt.Sprintf(format, args...)))
	}
	p.Line("%s", p.Bold(text.OneLine(x.ID)))
	row("file", "%s (%s)", x.Source, x.Owner)
	if x.Broken != "" {
		row("BROKEN", "%s", x.Broken)
	}
	for i, w := range x.Warnings {
		row(text.Unless(i > 0, "WARNING"), "%s", w)
	}
	row("trigger", "%s: %s", x.Trigger, x.About)
	for i, s := range x.Scope {
		row(text.Unless(i > 0, "scope"), "%s: %s", s.Pattern, s.Means)
	}
	for i, s := range x.Exclude {
		row(text.Unless(i > 0, "except"), "%s: %s", s.Pattern, s.Means)
	}
	if x.When != "" {
		row("when", "%s", x.WhenIs)
	}
	if x.Doubtful != "" {
		row("doubtful", "%s", x.Doubtful)
	}
	if x.Must != "" {
		row("must", "%s", x.Must)
	}
	if x.From != "" {
		row("from", "%s", x.From)
	}
	for i, j := range x.Judges {
		row(text.Unless(i > 0, "judges"), "%d. %s: %s", i+1, strings.TrimSpace(j.Backend+" "+j.Model), j.Means+text.Unless(j.Profile == "" || j.Profile == profile.Generic, ", by the profile "+j.Profile))
	}
	if x.Nobody != "" {
		row("", "if none can: %s", x.Nobody)
	}
	row("severity", "%s: %s", x.Severity, x.Means)
	printAgents(p, x.Agents)
	row("mode", "%s: %s", x.Mode, x.ModeIs)
	if x.Owner != builtInOwner {
		row("hook", "%s", cmp.Or(strings.Join(x.Hooks, ", "), setup.Unhooked(p.Options().Program)))
	}
	if x.Cases.Cases == 0 {
		row("cases", "none")
	} else {
		row("cases", "%d: %d passed, %d failed, %d errors, %d skipped (no recorded answer)", x.Cases.Cases, x.Cases.AsExpected, x.Cases.Failed, x.Cases.Errors, x.Cases.Unanswered)
	}
	row("telemetry", "%s", p.Called(x.Log.Line(x.ID)))
}

// printAgents shows agents that do the same together.
func printAgents(p *command.Env, list []explain.Agent) {
	var order []string
	by := map[string][]string{}
	for _, a := range list {
		if by[a.Does] == nil {
			order = append(order, a.Does)
		}
		by[a.Does] = append(by[a.Does], a.Agent)
	}
	for _, does := range order {
		p.Line("%-10s %s: %s", "", strings.Join(by[does], ", "), does)
	}
}

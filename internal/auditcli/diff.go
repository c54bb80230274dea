package auditcli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// diffFormats are those of the files of a comparison.
var diffFormats = []string{report.FormatJSON, report.FormatSARIF}

// checkDiff refuses what does not go with --diff, and lets no model be asked.
func (f *auditFlags) checkDiff(repo string) error {
	if !f.given("diff") {
		return nil
	}
	for _, flag := range []string{"doc", "file", "baseline", "resume", "backend", "model", "judge", "vision-backend", "vision-model", "samples"} {
		if f.given(flag) {
			return fmt.Errorf("--diff compares facts about two commits of one repository, and asks no model: leave out --%s", flag)
		}
	}
	switch {
	case f.diff == "":
		return errors.New("--diff needs a revision, as origin/main")
	case repo == "":
		return errors.New("--diff needs a repository (. is this folder)")
	}
	if !f.given("format") {
		f.formats = diffFormats
	}
	for _, format := range f.formats {
		if !slices.Contains(diffFormats, format) {
			return fmt.Errorf("--format: a comparison is not written as %q; there are %s", format, strings.Join(diffFormats, " and "))
		}
	}
	f.facts = true
	return nil
}

// auditDiff compares HEAD with the commit where it left the revision. Both are judged by the
// rubric of the earlier one: a change does not choose its own.
func (a *auditor) auditDiff(ctx context.Context, repo string) error {
	before, err := a.try(ctx, trial.Case{Repo: repo, Base: a.flags.diff, Rubric: a.rubric})
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(before.Failures, examination); i >= 0 {
		return fmt.Errorf("the earlier commit could not be examined: %s: %s", before.Failures[i].Stage, before.Failures[i].Err)
	}
	rb := a.rubric
	if rb == nil {
		if rb, err = rubric.Embedded(strings.TrimPrefix(before.Rubric.Source, "embedded: ")); err != nil {
			return err
		}
	}
	after, err := a.try(ctx, trial.Case{Repo: repo, Rubric: rb})
	if err != nil {
		return err
	}
	c := report.Compare(before, after)
	var paths []string
	if a.flags.writes() {
		if paths, err = report.WriteChange(a.flags.out, c, after, a.flags.formats); err != nil {
			return err
		}
	}
	if err := a.printDiff(c, after); err != nil {
		return err
	}
	for _, path := range paths {
		fmt.Fprintln(a.messages(), "written: "+path)
	}
	if err := a.status(after); err != nil {
		return err
	}
	return a.diffStatus(c)
}

func (a *auditor) printDiff(c *report.Comparison, after *audit.Record) error {
	if n := after.Subject.Dirty; n > 0 {
		complain(a.env, text.Plural(n, "file has", "files have")+" changes that are not committed, and were not compared")
	}
	if a.flags.asJSON {
		return c.JSON(a.env.Stdout)
	}
	return c.Text(a.env.Stdout, a.terminal())
}

// diffStatus returns the exit status for a comparison.
func (a *auditor) diffStatus(c *report.Comparison) error {
	switch {
	case len(c.GateWorse) > 0:
		complain(a.env, strings.Join(append([]string{"the gate got worse"}, c.GateWorse...), "\n"))
		return exit.Status(exit.Block)
	case len(c.GateLost) > 0:
		complain(a.env, strings.Join(append([]string{"the gate can no longer be decided"}, c.GateLost...), "\n"))
		return exit.Status(exit.Error)
	}
	return nil
}

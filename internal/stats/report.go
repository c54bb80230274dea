// Package stats is the report that "sentinel stats" gives on a log.
package stats

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/verify"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/telemetry"
)

// InForce are the rules in force here.
func InForce(p *project.Project) []telemetry.RuleInfo {
	var infos []telemetry.RuleInfo
	for _, f := range p.Folders {
		for _, r := range f.Rules() {
			if r.Off() {
				continue
			}
			infos = append(infos, telemetry.RuleInfo{ID: r.Spec().ID, Shadow: r.Spec().Shadow})
		}
	}
	return infos
}

// Knows returns an error for a rule that the user asks for and that does not exist.
func (r *Report) Knows(ids []string) error {
	for _, id := range ids {
		_, logged := r.Stats.Rule(id)
		if !logged && !slices.ContainsFunc(r.InForce, func(i telemetry.RuleInfo) bool { return i.ID == id }) {
			return fmt.Errorf("there is no rule %q here, and none in the log; `sentinel rules list` lists them", text.OneLine(id))
		}
	}
	return nil
}

// conventions are what the Scribe observed here, and what became of it.
type conventions struct {
	Observations map[scribe.State]int
	Repeated     int // were seen more than once
	Dismissals   int
	Drafts       int
	Last         []scribe.Observation // the latest, the newest first
	Problem      string
}

// maxObservations is how many of the latest observations are shown.
const maxObservations = 20

// LearnedIn is what was learned in a project, nil without a project.
func LearnedIn(p *project.Project) *conventions {
	opts, err := p.Models().Scribe(nil, "")
	if err != nil {
		return nil // no project: nothing is learned
	}
	l := &conventions{Observations: map[scribe.State]int{}}
	store := scribe.OpenStore(filepath.Join(opts.Root, ".sentinel", "scribe"))
	all, err := store.Observations()
	if err != nil {
		l.Problem = text.OneLine(err.Error())
	}
	for i := range all {
		l.Observations[all[i].State]++
		if all[i].Seen > 1 {
			l.Repeated++
		}
	}
	slices.SortStableFunc(all, func(a, b scribe.Observation) int { return b.Time.Compare(a.Time) })
	l.Last = all[:min(len(all), maxObservations)]
	dismissed, err := store.Dismissals()
	if err != nil {
		l.Problem = text.OneLine(err.Error())
	}
	l.Dismissals = len(dismissed)
	if drafts, err := scribe.Drafts(opts); err == nil {
		l.Drafts = len(drafts)
	}
	return l
}

// A Report is what `sentinel stats` has to say.
type Report struct {
	*telemetry.Stats
	Opts      *telemetry.StatsOptions
	Project   string
	Logs      []string
	Now       time.Time
	InForce   []telemetry.RuleInfo
	Broken    []string     // files that are not in force, in one line each
	Learned   *conventions // nil without a project
	FromLines []Line       // lines of instruction files that rules come from, without figures
	Pinned    []string     // projects whose pinned rules are in force instead of their own

	Verified *verify.Report // the last sessions, nil where that was not asked for
}

// Notable are what is remarkable about the rules that the user asks for.
func (r *Report) Notable() []telemetry.Sign {
	if len(r.Opts.Rules) == 0 && r.Opts.Session == "" && r.Opts.Agent == "" {
		return r.Signs(r.InForce)
	}
	return r.Signs(nil) // in a part of the log, that a rule is missing says nothing
}

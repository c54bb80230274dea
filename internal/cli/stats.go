package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/statspage"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/telemetry"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	since, until   string
	rules          []string
	session, agent string
	logs           []string
	user, asJSON   bool
	html           string
	findings       int
	explain        string
}

func newStats(env *Env) *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Say what was decided, how well, how fast and at what cost",
		Long: `Reads the log, with its rotated files, and says what the rules decided: over time
and by rule, what was contested or let through, how long judges took and what they
cost, and which rules somebody should look at.

T is a time back from now (90m, 2h, 7d, 4w), a date (2026-03-01) or a time
(2026-03-01T08:00:00Z).

Exit status: 0 done, also when the log is empty; 1 an error, or there is no log.`,
		Example: `  sentinel stats --since 7d
  sentinel stats --rule no-secrets --json
  sentinel stats --since 2026-03-01 --html report.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), env) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "count from this `T` on")
	flags.StringVar(&f.until, "until", "", "count what was before this `T`")
	flags.StringSliceVar(&f.rules, "rule", nil, "count this rule alone (its `ID`; may be repeated)")
	flags.StringVar(&f.session, "session", "", "count this session alone")
	flags.StringVar(&f.agent, "agent", "", "count this agent alone")
	flags.StringArrayVar(&f.logs, "log", nil, "read this `FILE`, and those it was rotated to, instead of the logs of this project")
	flags.BoolVar(&f.user, "user", false, "read the log of your own folder, not of this project")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	flags.StringVar(&f.html, "html", "", "write a page with charts to this `FILE`")
	flags.IntVar(&f.findings, "findings", 0, "how many of the last findings to show (5; with --json 100, with --html 300)")
	flags.StringVar(&f.explain, "explain", "", "tell all that is known of one call or finding, by the `ID` of its line in the log")
	cmd.MarkFlagsMutuallyExclusive("log", "user")
	cmd.MarkFlagsMutuallyExclusive("explain", "html")
	return cmd
}

func (f *statsFlags) run(ctx context.Context, env *Env) error {
	p := project.Open([]string{env.Dir}, env.project())
	logs, err := f.choose(env, p)
	if err != nil {
		return err
	}
	if f.explain != "" {
		return explainFinding(ctx, env, p, logs, f.explain, f.asJSON)
	}
	opts, err := f.options(env)
	if err != nil {
		return err
	}
	var files []string
	for _, path := range logs {
		files = append(files, telemetry.Files(path)...)
	}
	bar := env.progress("reading the log", 0)
	opts.Progress = func(done, total int64) {
		bar.Of(int(done>>20), int(total>>20), "MB")
	}
	s, err := telemetry.Aggregate(ctx, files, opts)
	bar.End()
	if err != nil {
		return err
	}
	r := &statsReport{Stats: s, opts: opts, logs: logs, now: env.Now(), inForce: ruleInfos(p)}
	if err := r.knows(f.rules); err != nil {
		return err
	}
	if len(f.logs) == 0 {
		r.learned = learnedIn(p)
	}
	return f.show(env, r)
}

// show prints or writes what was counted.
func (f *statsFlags) show(env *Env, r *statsReport) error {
	if f.html != "" {
		data, err := json.Marshal(r.object(env))
		if err != nil {
			return err
		}
		path := f.html
		if !filepath.IsAbs(path) {
			path = filepath.Join(env.Dir, path)
		}
		var page bytes.Buffer
		if err := statspage.Write(&page, data); err != nil {
			return err
		}
		if err := safefile.Replace(path, page.Bytes(), 0o644); err != nil {
			return err
		}
		if !f.asJSON {
			fmt.Fprintln(env.Stdout, "wrote "+env.short(path))
		}
	}
	switch {
	case f.asJSON:
		return json.NewEncoder(env.Stdout).Encode(r.object(env))
	case f.html == "":
		r.print(env)
	}
	return nil
}

// choose returns the logs that are read: those that the person names, or those
// of the projects that apply here, or else the user's own.
func (f *statsFlags) choose(env *Env, p *project.Project) ([]string, error) {
	if len(f.logs) > 0 {
		var paths []string
		for _, path := range f.logs {
			if !filepath.IsAbs(path) {
				path = filepath.Join(env.Dir, path)
			}
			if len(telemetry.Files(path)) == 0 {
				return nil, fmt.Errorf("there is no log %s", env.short(path))
			}
			paths = append(paths, path)
		}
		return paths, nil
	}
	logs, refused := p.Logs()
	var own, others []string
	for _, l := range logs {
		if l.Folder.User {
			own = append(own, l.Path)
		} else {
			others = append(others, l.Path)
		}
	}
	switch {
	case f.user && len(own) > 0:
		return own, nil
	case f.user:
		return nil, errors.New("your own folder keeps no log; `sentinel config set --user log_file sentinel.log` has one written")
	case len(others) > 0:
		return others, nil
	case len(own) > 0:
		return own, nil
	case len(refused) > 0:
		return nil, refused[0]
	case len(p.Folders) == 0:
		return nil, fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", env.place())
	}
	return nil, errors.New("no log is written here, since `log_file` is not set; " +
		"`sentinel config set log_file .claude/sentinel/sentinel.log` has one written from now on")
}

func (f *statsFlags) options(env *Env) (*telemetry.StatsOptions, error) {
	now := env.Now()
	o := &telemetry.StatsOptions{Rules: f.rules, Session: f.session, Agent: f.agent, Now: now, Pricing: env.pricing(), Recent: f.findings}
	var err error
	if o.Since, err = moment(f.since, now); err != nil {
		return nil, fmt.Errorf("--since: %w", err)
	}
	if o.Until, err = moment(f.until, now); err != nil {
		return nil, fmt.Errorf("--until: %w", err)
	}
	if !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until) {
		return nil, errors.New("--since must be before --until")
	}
	switch {
	case f.findings < 0 || f.findings > 10_000:
		return nil, fmt.Errorf("--findings must be from 0 to 10000, not %d", f.findings)
	case f.findings > 0:
	case f.html != "":
		o.Recent = 300
	case f.asJSON:
		o.Recent = 100
	default:
		o.Recent = 5
	}
	return o, nil
}

// moment reads a time as a person writes it: back from now, or a date.
func moment(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	if n, err := strconv.ParseFloat(s[:len(s)-1], 64); err == nil && n >= 0 && n < 100_000 {
		switch s[len(s)-1] {
		case 'd':
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		case 'w':
			return now.Add(-time.Duration(n * 7 * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q is no time; write how far back (90m, 2h, 7d, 4w) or a date (2026-03-01)", text.OneLine(s))
}

// ruleInfos are the rules in force here.
func ruleInfos(p *project.Project) []telemetry.RuleInfo {
	var infos []telemetry.RuleInfo
	for _, f := range p.Folders {
		for _, r := range f.Rules {
			infos = append(infos, telemetry.RuleInfo{ID: r.Spec().ID, Shadow: r.Spec().Shadow})
		}
	}
	return infos
}

// knows says which of the rules that a person asks for there is not.
func (r *statsReport) knows(ids []string) error {
	for _, id := range ids {
		_, logged := r.Stats.Rule(id)
		if !logged && !slices.ContainsFunc(r.inForce, func(i telemetry.RuleInfo) bool { return i.ID == id }) {
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

func learnedIn(p *project.Project) *conventions {
	opts, err := p.Scribe(nil, "")
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

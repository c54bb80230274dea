// Package stats is the command "sentinel stats".
package stats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/stats"
	"github.com/agentsentinel/sentinel/internal/statspage"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/verify"
	"github.com/agentsentinel/sentinel/project"
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

// New makes the command stats.
func New(env *command.Env) *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show what was decided, how accurately, how fast and at what cost",
		Long: `Reads the log and its rotated files, and shows what the rules decided over time and by
rule, what users contested or let through, how long judges took and what they cost, and
which rules need attention.

T is a time back from now (90m, 2h, 7d, 4w), a date (2026-03-01) or a time
(2026-03-01T08:00:00Z).

Exit status: 0 done, even with an empty log; 1 an error, or there is no log.`,
		Example: `  sentinel stats --since 7d
  sentinel stats --rule no-secrets --json
  sentinel stats --since 2026-03-01 --html report.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), env) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "count calls from `T` on")
	flags.StringVar(&f.until, "until", "", "count calls before `T`")
	flags.StringSliceVar(&f.rules, "rule", nil, "count only the rule `ID`; repeatable")
	flags.StringVar(&f.session, "session", "", "count only this session")
	flags.StringVar(&f.agent, "agent", "", "count only this agent")
	flags.StringArrayVar(&f.logs, "log", nil, "read this `FILE` and its rotated files instead of the logs of this project")
	flags.BoolVar(&f.user, "user", false, "read the log of your own folder instead of this project's")
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object", stats.Object{}, story{})
	flags.StringVar(&f.html, "html", "", "write a page with charts to this `FILE`")
	flags.IntVar(&f.findings, "findings", 0, "how many of the last findings to show (5; with --json 100, with --html 300)")
	flags.StringVar(&f.explain, "explain", "", "show everything known about one call or finding, by the `ID` of its line in the log")
	cmd.MarkFlagsMutuallyExclusive("log", "user")
	cmd.MarkFlagsMutuallyExclusive("explain", "html")
	return cmd
}

func (f *statsFlags) run(ctx context.Context, env *command.Env) error {
	p := project.Open([]string{env.Dir}, env.Options())
	logs, err := env.Logs(p, f.logs, f.user)
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
	var lines []stats.Line
	if len(f.logs) == 0 {
		lines = stats.LinesOf(p)
		opts.Together = stats.RulesOf(lines)
	}
	var files []string
	for _, path := range logs {
		files = append(files, telemetry.Files(path)...)
	}
	bar := env.Progress("reading the log", 0)
	opts.Progress = func(done, total int64) {
		bar.Of(int(done>>20), int(total>>20), "MB")
	}
	s, err := telemetry.Aggregate(ctx, files, opts)
	bar.End()
	if err != nil {
		return err
	}
	r := &stats.Report{Stats: s, Opts: opts, Now: env.Now(), InForce: stats.InForce(p), FromLines: lines}
	for _, f := range p.Folders {
		r.Broken = append(r.Broken, f.Broken()...)
	}
	for _, path := range logs {
		r.Logs = append(r.Logs, env.Short(path))
	}
	if err := r.Knows(f.rules); err != nil {
		return err
	}
	if len(f.logs) == 0 {
		if f := p.Nearest(); f != nil && !f.User {
			r.Project = filepath.Base(f.Root)
		}
		r.Learned = stats.LearnedIn(p)
		r.Verified = verify.Share(ctx, env.Dir, env.Options())
		for _, folder := range p.Folders {
			if folder.Held() {
				r.Pinned = append(r.Pinned, folder.Root)
			}
		}
	}
	return f.show(env, r)
}

// show prints or writes what was counted.
func (f *statsFlags) show(env *command.Env, r *stats.Report) error {
	if f.html != "" {
		data, err := json.Marshal(r.Object())
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
			fmt.Fprintln(env.Stdout, "wrote "+env.Short(path))
		}
	}
	switch {
	case f.asJSON:
		return env.JSON(r.Object())
	case f.html == "":
		print(r, env)
	}
	return nil
}

func (f *statsFlags) options(env *command.Env) (*telemetry.StatsOptions, error) {
	now := env.Now()
	o := &telemetry.StatsOptions{Rules: f.rules, Session: f.session, Agent: f.agent, Now: now, Pricing: env.Pricing(), Recent: f.findings}
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

// moment reads a time as the user writes it: back from now, or a date.
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

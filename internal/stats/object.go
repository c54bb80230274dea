package stats

import (
	"cmp"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/verify"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Object is the object that `stats --json` prints, and that the page shows.
type Object struct {
	Made     string               `json:"made"`
	Project  string               `json:"project"` // name of its folder; "" for logs that are named
	Logs     []string             `json:"logs"`
	Pinned   []string             `json:"pinned"` // projects whose pinned rules are in force
	Filters  statsFilters         `json:"filters"`
	Lines    telemetry.LineCounts `json:"lines"`
	First    string               `json:"first"`
	Last     string               `json:"last"`
	Totals   totalsJSON           `json:"totals"`
	Over     overJSON             `json:"over_time"`
	Rules    []Rule               `json:"rules"`
	Told     []Line               `json:"instructions"`
	Triggers []groupJSON          `json:"triggers"`
	Tools    []groupJSON          `json:"tools"`
	Agents   []groupJSON          `json:"agents"`
	Backends []groupJSON          `json:"backends"`
	Models   []groupJSON          `json:"models"`
	Judged   []telemetry.Count    `json:"targets_judged"`
	Violated []telemetry.Count    `json:"targets_violated"`
	Contests []contestJSON        `json:"contested"`
	Flaky    []telemetry.Flaky    `json:"flaky"`
	Signs    []telemetry.Sign     `json:"signs"`
	Spent    []spentJSON          `json:"spent"`
	Context  pipelineJSON         `json:"context"`
	Scribe   scribeJSON           `json:"scribe"`
	Findings []telemetry.Record   `json:"findings"`
	Left     telemetry.Left       `json:"left_out"`
	Broken   []string             `json:"not_in_force"`
	Verified verifiedJSON         `json:"verified"`
}

// verifiedJSON is what became of the calls of the last sessions, whatever the filters.
type verifiedJSON struct {
	Sessions int `json:"sessions"`
	verify.Counts
}

type statsFilters struct {
	Since   string   `json:"since"`
	Until   string   `json:"until"`
	Rules   []string `json:"rules"`
	Session string   `json:"session"`
	Agent   string   `json:"agent"`
}

type callsJSON struct {
	Allow     int64 `json:"allow"`
	Warn      int64 `json:"warn"`
	Ask       int64 `json:"ask"`
	Block     int64 `json:"block"`
	Undecided int64 `json:"undecided"`
}

type latencyJSON struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean_ms"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
	Max   float64 `json:"max_ms"`
}

type totalsJSON struct {
	telemetry.Tally
	telemetry.Usage
	Calls       callsJSON   `json:"calls"`
	CallLatency latencyJSON `json:"call_latency"`
	Sessions    int64       `json:"sessions"`
	Overridden  int64       `json:"overridden"`
	Pauses      int64       `json:"pauses"`
	AskedFor    int64       `json:"asked_for"`
	Tainted     int64       `json:"tainted"`
	Unseen      int64       `json:"unseen"`
}

type overJSON struct {
	Seconds int64        `json:"bucket_s"`
	Outside int64        `json:"outside"`
	Buckets []bucketJSON `json:"buckets"`
}

type bucketJSON struct {
	Start string `json:"start"`
	telemetry.Tally
	Calls callsJSON `json:"calls"`
}

// A Rule is a rule's part of an [Object].
type Rule struct {
	ID       string `json:"rule_id"`
	Trigger  string `json:"trigger"`
	Severity string `json:"severity"`
	Shadow   bool   `json:"shadow"`
	InForce  bool   `json:"in_force"`
	telemetry.Tally
	telemetry.Usage
	ShadowEvaluations int64          `json:"shadow_evaluations"`
	WouldBlock        int64          `json:"would_block"`
	WouldAsk          int64          `json:"would_ask"`
	WouldWarn         int64          `json:"would_warn"`
	Overridden        int64          `json:"overridden"`
	Paused            int64          `json:"paused"`
	AskedFor          int64          `json:"asked_for"`
	Tainted           int64          `json:"tainted"`
	Unseen            int64          `json:"unseen"`
	Contested         int64          `json:"contested"`
	Insisted          int64          `json:"insisted"`
	Repeated          int64          `json:"repeated_targets"`
	FlakyTargets      int64          `json:"flaky_targets"`
	Latency           latencyJSON    `json:"latency"`
	Confidence        confidenceJSON `json:"confidence"`
	First             string         `json:"first"`
	Last              string         `json:"last"`
	Over              []pointJSON    `json:"over_time"`
}

type confidenceJSON struct {
	Mean       float64 `json:"mean"`
	P50        float64 `json:"p50"`
	Violations float64 `json:"violations_mean"`
}

// pointJSON is a stretch of time of one rule.
type pointJSON struct {
	Start       string `json:"start"`
	Evaluations int64  `json:"evaluations"`
	Violations  int64  `json:"violations"`
}

type groupJSON struct {
	Name    string `json:"name"`
	Backend string `json:"backend"`
	telemetry.Tally
	telemetry.Usage
	Latency latencyJSON `json:"latency"`
}

type contestJSON struct {
	Rule     string `json:"rule_id"`
	Target   string `json:"target"`
	Tries    int64  `json:"tries"`
	Insisted int64  `json:"insisted"`
	Last     string `json:"last"`
}

type spentJSON struct {
	Day   string `json:"day"`
	Model string `json:"model"`
	Calls int64  `json:"calls"`
	telemetry.Usage
}

type pipelineJSON struct {
	Runs    int64 `json:"runs"`
	Done    int64 `json:"done"`
	Skipped int64 `json:"skipped"`
	Failed  int64 `json:"failed"`
	telemetry.Usage
	Latency   latencyJSON `json:"latency"`
	Last      string      `json:"last"`
	LastError string      `json:"last_error"`
}

type scribeJSON struct {
	pipelineJSON
	Observations map[string]int    `json:"observations"`
	Repeated     int               `json:"observed_repeatedly"`
	Dismissals   int               `json:"dismissals"`
	Drafts       int               `json:"drafts"`
	Problem      string            `json:"problem"`
	Latest       []observationJSON `json:"latest"`
}

type observationJSON struct {
	Time       string  `json:"ts"`
	State      string  `json:"state"`
	Statement  string  `json:"statement"`
	Source     string  `json:"source"`
	Confidence float64 `json:"confidence"`
	Seen       int     `json:"times_observed"`
}

// Points of the charts.
const (
	maxBuckets   = 96
	maxRulePoint = 32
)

// Object is the report as JSON.
func (r *Report) Object() Object {
	s := r.Stats
	var verified verifiedJSON
	if r.Verified != nil {
		verified = verifiedJSON{len(r.Verified.Sessions), r.Verified.Totals}
	}
	inForce := map[string]bool{}
	for _, i := range r.InForce {
		inForce[i.ID] = true
	}
	return Object{
		Made: text.Stamp(r.Now), Project: r.Project, Logs: list(r.Logs), Pinned: list(r.Pinned), First: text.Stamp(s.First), Last: text.Stamp(s.Last),
		Filters: statsFilters{
			Since: text.Stamp(r.Opts.Since), Until: text.Stamp(r.Opts.Until), Rules: list(r.Opts.Rules), Session: r.Opts.Session, Agent: r.Opts.Agent,
		},
		Lines: s.Lines,
		Totals: totalsJSON{
			Tally: s.Tally, Usage: s.Usage, Calls: callsObject(&s.Tally), CallLatency: latencyObject(&s.CallLatency),
			Sessions: s.Sessions, Overridden: s.Overridden, Pauses: s.Pauses, AskedFor: s.AskedFor, Tainted: s.Tainted, Unseen: s.Unseen,
		},
		Over:     overObject(s),
		Rules:    each(s.Rules, func(u *telemetry.RuleStats) Rule { return RuleOf(u, inForce[u.ID]) }),
		Told:     r.Counted(),
		Judged:   list(s.Judged),
		Violated: list(s.Violated),
		Triggers: each(s.Triggers, groupObject),
		Tools:    each(s.Tools, groupObject),
		Agents:   each(s.Agents, groupObject),
		Backends: each(s.Backends, groupObject),
		Models:   each(s.Models, groupObject),
		Contests: each(s.Contests, func(c *telemetry.Contest) contestJSON {
			return contestJSON{c.Rule, c.Target, c.Tries, c.Insisted, text.Stamp(c.Last)}
		}),
		Flaky: list(s.Flaky),
		Signs: list(r.Notable()), Broken: list(r.Broken),
		Spent: each(s.Spent, func(d *telemetry.Spent) spentJSON {
			return spentJSON{d.Day.Format(time.DateOnly), d.Model, d.Calls, d.Usage}
		}),
		Context: pipelineObject(&s.Context), Scribe: r.scribeObject(), Findings: list(s.Recent), Left: s.Left,
		Verified: verified,
	}
}

// each makes a list of the values of another one, never nil.
func each[T, U any](list []T, of func(*T) U) []U {
	out := make([]U, len(list))
	for i := range list {
		out[i] = of(&list[i])
	}
	return out
}

// list is a list that is never nil: JSON has no null for it.
func list[T any](values []T) []T { return append([]T{}, values...) }

func callsObject(t *telemetry.Tally) callsJSON {
	return callsJSON{t.Allowed, t.Warned, t.Asked, t.Blocked, t.Undecided}
}

func latencyObject(h *telemetry.Histogram) latencyJSON {
	return latencyJSON{h.Count(), micro(h.Mean()), micro(h.Quantile(0.5)), micro(h.Quantile(0.95)), micro(h.Max())}
}

// micro cuts milliseconds to the microsecond.
func micro(ms float64) float64 { return float64(int64(ms*1000+0.5)) / 1000 }

func overObject(s *telemetry.Stats) overJSON {
	buckets, width, outside := s.Over(maxBuckets)
	return overJSON{int64(width / time.Second), outside, each(buckets, func(b *telemetry.Bucket) bucketJSON {
		return bucketJSON{text.Stamp(b.Start), b.Tally, callsObject(&b.Tally)}
	})}
}

// RuleOf are the figures of a rule.
func RuleOf(r *telemetry.RuleStats, inForce bool) Rule {
	return Rule{
		ID: r.ID, Trigger: r.Trigger, Severity: r.Severity, Shadow: r.Shadow, InForce: inForce,
		Tally: r.Tally, Usage: r.Usage,
		ShadowEvaluations: r.ShadowEvaluations, WouldBlock: r.WouldBlock, WouldAsk: r.WouldAsk, WouldWarn: r.WouldWarn,
		Overridden: r.Overridden, Paused: r.Paused, AskedFor: r.AskedFor, Tainted: r.Tainted, Unseen: r.Unseen, Contested: r.Contested, Insisted: r.Insisted,
		Repeated: r.RepeatedTargets, FlakyTargets: r.FlakyTargets, Latency: latencyObject(&r.Latency),
		Confidence: confidenceJSON{micro(r.Confidence.Mean()), r.Confidence.Quantile(0.5), micro(r.Sure.Mean())},
		First:      text.Stamp(r.First), Last: text.Stamp(r.Last),
		Over: each(r.Over(maxRulePoint), func(b *telemetry.Bucket) pointJSON {
			return pointJSON{text.Stamp(b.Start), b.Evaluations, b.Violations}
		}),
	}
}

func groupObject(g *telemetry.Group) groupJSON {
	return groupJSON{g.Name, g.Backend, g.Tally, g.Usage, latencyObject(&g.Latency)}
}

func pipelineObject(p *telemetry.Pipeline) pipelineJSON {
	return pipelineJSON{p.Runs, p.Done, p.Skipped, p.Failed, p.Usage, latencyObject(&p.Latency), text.Stamp(p.Last), p.LastError}
}

func (r *Report) scribeObject() scribeJSON {
	out := scribeJSON{pipelineJSON: pipelineObject(&r.Scribe), Observations: map[string]int{}, Latest: []observationJSON{}}
	l := r.Learned
	if l == nil {
		return out
	}
	out.Repeated, out.Dismissals, out.Drafts, out.Problem = l.Repeated, l.Dismissals, l.Drafts, l.Problem
	for state, n := range l.Observations {
		out.Observations[string(state)] = n
	}
	out.Latest = each(l.Last, func(o *scribe.Observation) observationJSON {
		return observationJSON{text.Stamp(o.Time), string(o.State), o.Statement, string(o.Source), o.Confidence, cmp.Or(o.Seen, 1)}
	})
	return out
}

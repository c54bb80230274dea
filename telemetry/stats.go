package telemetry

import (
	"time"
)

// StatsOptions say what [Aggregate] counts. nil counts everything.
type StatsOptions struct {
	Since, Until time.Time // lines from Since on and before Until; the zero time sets no limit
	Rules        []string  // ids; empty means all. Lines about whole calls and about sessions are left out then
	Session      string    // "" means all
	Agent        string    // "" means all

	// Now is the time that lines can at most be from. More than a day later, a
	// line counts as [LineCounts.Ahead] and is left out of the timeline. The zero
	// value accepts any time.
	Now time.Time
	// Recent is how many of the last findings are kept: violations, near misses,
	// failures to judge, and calls that the user allowed.
	Recent int
	// Together are sets of ids of rules whose calls are counted: [Stats.Together].
	Together [][]string
	// Pricing returns what a model costs, for each million of tokens; nil costs nothing.
	Pricing func(model string) (input, output float64)
	// Progress is called with the bytes that have been read; may be nil.
	Progress func(done, total int64)
}

// A Tally counts lines of the log by their result.
type Tally struct {
	// Of rules, each on one action.
	Evaluations int64 `json:"evaluations"` // a judge said pass or violation
	Violations  int64 `json:"violations"`  // of those: with enough confidence; shadow rules too
	NearMisses  int64 `json:"near_misses"` // of those: the judge said violation, below the threshold
	Cached      int64 `json:"cached"`      // of those: answered by the cache
	Skipped     int64 `json:"skipped"`     // deliberately not judged
	Unavailable int64 `json:"unavailable"` // could not be judged
	Timeouts    int64 `json:"timeouts"`    // of Skipped and Unavailable: because time ran out
	Blocks      int64 `json:"blocks"`      // violations that stopped the action
	Asks        int64 `json:"asks"`        // violations that the user was asked about

	// Of whole calls, by the verdict.
	Allowed, Warned, Asked, Blocked, Undecided int64 `json:"-"`
}

// Calls is the number of whole calls.
func (t *Tally) Calls() int64 { return t.Allowed + t.Warned + t.Asked + t.Blocked + t.Undecided }

func (t *Tally) lines() int64 { return t.Evaluations + t.Skipped + t.Unavailable + t.Calls() }

func (t *Tally) add(o *Tally) {
	t.Evaluations += o.Evaluations
	t.Violations += o.Violations
	t.NearMisses += o.NearMisses
	t.Cached += o.Cached
	t.Skipped += o.Skipped
	t.Unavailable += o.Unavailable
	t.Timeouts += o.Timeouts
	t.Blocks += o.Blocks
	t.Asks += o.Asks
	t.Allowed += o.Allowed
	t.Warned += o.Warned
	t.Asked += o.Asked
	t.Blocked += o.Blocked
	t.Undecided += o.Undecided
}

// A Usage is what model calls cost.
type Usage struct {
	PromptTokens int64   `json:"prompt_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	Cost         float64 `json:"cost"` // by the pricing; 0 where none is known
}

func (u *Usage) add(r *Record) {
	u.PromptTokens += int64(r.PromptTokens)
	u.OutputTokens += int64(r.OutputTokens)
}

// RuleStats are the figures of one rule.
type RuleStats struct {
	ID       string
	Trigger  string // of its last line
	Severity string // of its last line that says so; "" in logs of older programs
	Shadow   bool   // its last line says that it is judged without a part in the verdict
	Tally
	Usage

	// The would-be results of a rule in shadow mode, by its severity.
	ShadowEvaluations, WouldBlock, WouldAsk, WouldWarn int64

	Overridden int64 // calls that it had stopped and the user allowed
	Paused     int64 // not judged because the user had paused it
	AskedFor   int64 // its violations that passed because the user had asked for the action
	Unseen     int64 // judged, and judges were not shown all of it
	Tainted    int64 // the judge's answer repeated the fence: a sign of manipulation

	Contested int64 // its blocks after which the same target was tried again soon
	Insisted  int64 // of those: the new try went through

	// Of the targets that were judged more than once, how many had both outcomes.
	// Both are estimates where there are very many targets.
	RepeatedTargets, FlakyTargets int64

	Latency     Histogram   // of evaluations that were not answered by the cache
	Confidence  Confidences // of all evaluations
	Sure        Confidences // of violations and near misses
	First, Last time.Time   // of its lines

	timeline timeline
	spent    map[string]*Usage // by model
}

// Over returns the rule's lines over time, as [Stats.Over] does.
func (r *RuleStats) Over(limit int) []Bucket {
	buckets, _, _ := r.timeline.dense(limit)
	return buckets
}

// A Group has the figures of evaluations with the same trigger, tool, agent, backend
// or model.
type Group struct {
	Name    string // of a model: the backend's, where the model has none
	Backend string // of models alone
	Tally
	Usage
	Latency Histogram // of evaluations that were not answered by the cache
}

// LineCounts say what the lines of the log were.
type LineCounts struct {
	Files    int   `json:"files"`
	Bytes    int64 `json:"bytes"`
	Read     int64 `json:"read"`            // all that are not empty
	Counted  int64 `json:"counted"`         // of those: that the filters let through
	Torn     int64 `json:"torn"`            // are not JSON, such as half a line
	Foreign  int64 `json:"foreign"`         // are JSON, but not a record
	TooLong  int64 `json:"too_long"`        // are longer than any record
	Unknown  int64 `json:"unknown_level"`   // have a level that this version does not know
	Ahead    int64 `json:"ahead_of_clock"`  // are from more than a day later than now
	Backward int64 `json:"clock_went_back"` // are more than five minutes older than the line before
}

// A Pipeline counts the runs of background work: summaries, or conventions.
type Pipeline struct {
	Runs, Done, Skipped, Failed int64
	Latency                     Histogram
	Usage
	Last      time.Time
	LastError string // of its last line that has one

	spent map[string]*Usage // by model
}

// Spent is what one model cost on one day.
type Spent struct {
	Day   time.Time // its beginning, UTC
	Model string
	Calls int64 // evaluations and runs that were not answered by the cache
	Usage
}

// A Contest is a target that was tried again soon after it had been blocked.
type Contest struct {
	Target   string
	Rule     string
	Tries    int64
	Insisted int64 // of those: went through
	Last     time.Time
}

// A Flaky is a target for which a rule's judge said both pass and violation,
// neither of them from the cache. For a file the content may have been another.
type Flaky struct {
	Rule       string `json:"rule_id"`
	Target     string `json:"target"`
	Pass       int64  `json:"pass"`
	Violations int64  `json:"violations"`
}

// Left counts the lines that have no row of their own, because there were too many
// different names. The totals include them, except for the cost of SpentCalls.
type Left struct {
	RuleLines  int64 `json:"rule_lines"`  // lines of further rules
	GroupLines int64 `json:"group_lines"` // of further triggers, tools, agents, backends and models
	SpentCalls int64 `json:"spent_calls"` // calls of further days and models
	Contests   int64 `json:"contests"`    // of further targets
}

// Stats are the figures of a log.
type Stats struct {
	Lines       LineCounts
	First, Last time.Time // of the lines that were counted; zero if none was
	Tally
	Usage
	CallLatency Histogram // of whole calls, milliseconds
	Sessions    int64     // different ones; an estimate where there are very many
	Overridden  int64     // findings of rules that the user allowed
	Pauses      int64     // times that the user paused the rules, or ended a pause
	AskedFor    int64     // violations that passed because the user had asked for the action
	Unseen      int64
	Tainted     int64

	Rules                                     []RuleStats // by id
	Triggers, Tools, Agents, Backends, Models []Group     // those with most evaluations first
	Judged                                    []Count     // targets by evaluations, those with most first
	Violated                                  []Count     // targets by violations
	Contests                                  []Contest   // those with most tries first
	Flaky                                     []Flaky     // those with most changes first
	Spent                                     []Spent     // by day, then model
	Context, Scribe                           Pipeline
	Recent                                    []Record // the last findings, in the order of the log
	Left                                      Left
	Together                                  []Together // of each of StatsOptions.Together

	timeline timeline
}

// Over returns the tallies over time: at most limit buckets of the same width.
// Single lines far away from all others, as from a clock that jumped, are left out
// and counted in outside.
func (s *Stats) Over(limit int) (buckets []Bucket, width time.Duration, outside int64) {
	return s.timeline.dense(limit)
}

// Rule returns the figures of a rule; ok is false when the log has none.
func (s *Stats) Rule(id string) (r *RuleStats, ok bool) {
	for i := range s.Rules {
		if s.Rules[i].ID == id {
			return &s.Rules[i], true
		}
	}
	return nil, false
}

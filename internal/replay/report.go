package replay

import (
	"time"

	"github.com/agentsentinel/sentinel"
)

// Next is the event that followed a call that a rule objects to, as a hint of whether
// the rule is right. If several are true the first of the list below counts.
type Next string

// What can follow.
const (
	Refused  Next = "refused"  // the user or a hook refused it: the rule agrees
	Undone   Next = "undone"   // it was taken back later: git restore, reset or revert, removed, or the inverse edit
	Repeated Next = "repeated" // the same call came again: it was wanted
	WentOn   Next = "went on"  // the session went on without an objection
	Ended    Next = "ended"    // the session ended there
)

// NextCounts counts what followed.
type NextCounts struct {
	Refused  int `json:"refused"`
	Undone   int `json:"undone"`
	Repeated int `json:"repeated"`
	WentOn   int `json:"went_on"`
	Ended    int `json:"ended"`
}

func (c *NextCounts) add(n Next, by int) {
	switch n {
	case Refused:
		c.Refused += by
	case Undone:
		c.Undone += by
	case Repeated:
		c.Repeated += by
	case WentOn:
		c.WentOn += by
	case Ended:
		c.Ended += by
	}
}

// Verdicts counts calls by the verdict on them.
type Verdicts struct {
	Block int `json:"block"`
	Ask   int `json:"ask"`
	Warn  int `json:"warn"`
	Allow int `json:"allow"`
}

func (v *Verdicts) add(verdict sentinel.Verdict, by int) {
	switch verdict {
	case sentinel.VerdictAllow:
		v.Allow += by
	case sentinel.VerdictWarn:
		v.Warn += by
	case sentinel.VerdictAsk:
		v.Ask += by
	default:
		v.Block += by
	}
}

// RuleCounts counts the findings of one rule. The counts are of actions: one call can
// have several. New and Gone are of calls.
type RuleCounts struct {
	Matched     int        `json:"matched"`    // its scope matched
	Violations  int        `json:"violations"` // of a shadow rule too
	Passed      int        `json:"passed"`
	Advised     int        `json:"advised"`     // an info rule gives its text
	Open        int        `json:"open"`        // a model would have to be asked
	Unavailable int        `json:"unavailable"` // it could not be judged
	Cached      int        `json:"cached"`      // judged by a cached answer
	New         int        `json:"new"`         // calls that get a stricter answer by this draft
	Gone        int        `json:"gone"`        // calls that get a milder answer, because a draft replaces it
	Next        NextCounts `json:"next"`        // after violations
}

// Rule is a rule of the report.
type Rule struct {
	ID       string `json:"rule_id"`
	Source   string `json:"source"` // file:line
	Trigger  string `json:"trigger"`
	Severity string `json:"severity"`
	Mode     string `json:"mode"`     // enforce or shadow
	Draft    bool   `json:"draft"`    // it is tried
	Replaces bool   `json:"replaces"` // and replaces the one in force with its id
	Replaced bool   `json:"replaced"` // it is in force, and a draft replaces it
	Broken   string `json:"broken"`   // why it cannot be judged: the problem of its file
	Failed   string `json:"failed"`   // why it could not be judged, the first time of Unavailable
	RuleCounts
}

// Finding is the result of one rule for one action.
type Finding struct {
	Rule       string  `json:"rule_id"`
	Draft      bool    `json:"draft"`
	Shadow     bool    `json:"shadow"`
	Severity   string  `json:"severity"`
	Trigger    string  `json:"trigger"`
	Target     string  `json:"target"`
	Outcome    string  `json:"outcome"` // pass, violation, skipped (it was not asked) or unavailable
	Open       bool    `json:"open"`    // a model would have to be asked, and was not
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
	Cached     bool    `json:"cached"`

	rule    int
	outcome sentinel.Outcome
	verdict sentinel.Verdict
	advised bool
}

// Call is a tool call that a rule objects to.
type Call struct {
	Transcript string    `json:"transcript"`
	Offset     int64     `json:"offset"` // of its line, in bytes
	Session    string    `json:"session"`
	Agent      string    `json:"agent"`
	Sub        bool      `json:"subagent"`
	Time       time.Time `json:"time,omitzero"`
	Tool       string    `json:"tool"`
	Target     string    `json:"target"` // the first thing it does
	Before     string    `json:"before"` // by the rules in force: allow, warn, ask or block
	After      string    `json:"after"`  // with the drafts; without any the same
	Next       Next      `json:"next"`
	Said       string    `json:"said"` // the user's next words, in one line
	Findings   []Finding `json:"findings"`
}

// Judge has the questions to one model.
type Judge struct {
	Backend      string  `json:"backend"`
	Model        string  `json:"model"`
	Calls        int     `json:"calls"`
	Cached       int     `json:"cached"` // questions with a cached answer
	PromptTokens int     `json:"prompt_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Cost         float64 `json:"cost"`
	Seconds      float64 `json:"seconds"`
}

// Estimate is the cost of asking all open questions: different questions, about four
// characters to a token, with the price and the time of the options.
type Estimate struct {
	Calls        int     `json:"calls"`
	Cached       int     `json:"cached"`
	PromptTokens int     `json:"prompt_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Cost         float64 `json:"cost"`
	Seconds      float64 `json:"seconds"`
	Judges       []Judge `json:"judges"`
}

// Unread is a transcript that could not be read, or not to its end.
type Unread struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// Report is the result of a replay.
type Report struct {
	Transcripts   int            `json:"transcripts"` // that were read
	Unread        []Unread       `json:"unread"`
	Agents        map[string]int `json:"agents"` // transcripts by agent
	Calls         int            `json:"calls"`
	Actions       int            `json:"actions"`
	Unknown       int            `json:"unknown_tools"`  // calls of unknown tools
	Misunderstood int            `json:"misunderstood"`  // calls with unusable arguments
	Before        Verdicts       `json:"before"`         // calls, by the rules in force
	After         Verdicts       `json:"after"`          // calls, with the drafts
	New           int            `json:"new"`            // calls that the drafts make stricter
	Gone          int            `json:"gone"`           // calls that the drafts make milder
	Rules         []Rule         `json:"rules"`          // every rule, even without counts
	Estimate      Estimate       `json:"estimate"`       // of the open questions before Ask
	Asked         int            `json:"asked"`          // questions that were put to models
	Open          int            `json:"open"`           // judgements that are still open
	Interrupted   bool           `json:"interrupted"`    // not everything was read or asked
	Found         []Call         `json:"found"`          // calls that a rule objects to
	LeftOut       int            `json:"found_left_out"` // further ones, that are only counted
}

// tally counts.
type tally struct {
	calls, actions, unknown, misunderstood int
	before, after                          Verdicts
	news, gone                             int
	rules                                  []RuleCounts
}

// add counts a call; with by -1 it removes the call.
func (t *tally) add(r *result, rules []ruleInfo, by int) {
	before, after := r.verdicts(rules)
	t.before.add(before, by)
	t.after.add(after, by)
	if after > before {
		t.news += by
	} else if after < before {
		t.gone += by
	}
	counted := map[int]bool{}
	for i := range r.findings {
		f := &r.findings[i]
		c := &t.rules[f.rule]
		c.count(f, by)
		if f.outcome != sentinel.OutcomeViolation {
			continue
		}
		c.Next.add(r.next, by)
		if counted[f.rule] {
			continue
		}
		counted[f.rule] = true
		if after > before && rules[f.rule].draft && f.verdict == after {
			c.New += by
		}
		if after < before && rules[f.rule].replaced && f.verdict == before {
			c.Gone += by
		}
	}
}

func (c *RuleCounts) count(f *Finding, by int) {
	c.Matched += by
	if f.Cached {
		c.Cached += by
	}
	switch {
	case f.Open:
		c.Open += by
		if f.outcome == sentinel.OutcomeViolation { // provisionally, by its fallback
			c.Violations += by
		}
	case f.advised:
		c.Advised += by
	case f.outcome == sentinel.OutcomeViolation:
		c.Violations += by
	case f.outcome == sentinel.OutcomePass:
		c.Passed += by
	case f.outcome == sentinel.OutcomeUnavailable:
		c.Unavailable += by
	}
}

// Report returns the result so far.
func (r *Replay) Report() Report {
	t := &r.total
	out := Report{
		Unread: []Unread{}, Agents: map[string]int{}, Calls: t.calls, Actions: t.actions, Unknown: t.unknown, Misunderstood: t.misunderstood,
		Before: t.before, After: t.after, New: t.news, Gone: t.gone,
		Rules: []Rule{}, Estimate: r.gauge.estimate(), Asked: r.gauge.asked, Interrupted: r.interrupted, Found: []Call{},
	}
	for i := range r.rules {
		out.Rules = append(out.Rules, r.rule(i))
		out.Open += t.rules[i].Open
	}
	keep := r.opts.Keep
	if keep <= 0 {
		keep = defaultKeep
	}
	for i := range r.sessions {
		s := &r.sessions[i]
		if s.err != nil {
			out.Unread = append(out.Unread, Unread{r.mask(s.path), r.mask(s.err.Error())})
		}
		if s.agent != "" {
			out.Transcripts++
			out.Agents[s.agent]++
		}
		for _, res := range s.results {
			switch {
			case !res.objects(r.rules):
			case len(out.Found) < keep:
				out.Found = append(out.Found, r.call(s, res))
			default:
				out.LeftOut++
			}
		}
	}
	return out
}

func (r *Replay) rule(i int) Rule {
	info := &r.rules[i]
	spec := info.spec
	out := Rule{
		ID: spec.ID, Source: spec.Source, Trigger: string(spec.Trigger), Severity: spec.Severity.String(), Mode: "enforce",
		Draft: info.draft, Replaces: info.replaces, Replaced: info.replaced, RuleCounts: r.total.rules[i], Failed: r.mask(r.why[i]),
	}
	if spec.Shadow {
		out.Mode = "shadow"
	}
	if spec.Err != nil {
		out.Broken = spec.Err.Error()
	}
	return out
}

// call returns a result for the report.
func (r *Replay) call(s *session, res *result) Call {
	before, after := res.verdicts(r.rules)
	out := Call{
		Transcript: s.path, Offset: res.offset, Session: r.mask(res.session), Agent: res.agent, Sub: res.sub, Time: res.time,
		Tool: res.tool, Target: r.mask(res.target), Before: before.String(), After: after.String(),
		Next: res.next, Said: r.mask(res.said), Findings: []Finding{},
	}
	for _, f := range res.findings {
		if f.outcome == sentinel.OutcomePass && !f.Open {
			continue
		}
		f.Outcome = f.outcome.String()
		f.Target, f.Reason = r.mask(f.Target), r.mask(f.Reason)
		out.Findings = append(out.Findings, f)
	}
	return out
}

func (r *Replay) mask(text string) string {
	if r.opts.Mask == nil {
		return text
	}
	return r.opts.Mask(text)
}

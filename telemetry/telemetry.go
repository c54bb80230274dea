// Package telemetry writes and reads the log of judgements: one JSON object on one
// line for every evaluation of a rule, and one for every decision.
//
// [Records] turns an event and its decision into records, [Log.Write] appends
// them to a file that many processes share, [Scan] and [Parse] read them back.
// A call that matches no rule leaves no record. A record has no file content, and
// the secrets in its targets, reasons and errors are masked.
//
// The first ten keys of a line are those of the original Python Sentinel. A line
// without other keys is read as a full evaluation. docs/telemetry.md describes every
// key for people who read the log.
package telemetry

import (
	"time"
)

// The levels of a record: what kind of line it is.
const (
	LevelEval        = "eval"        // a rule was judged
	LevelSkipped     = "skipped"     // a rule matched and was deliberately not judged: harmless
	LevelUnavailable = "unavailable" // a rule had to be judged and could not be
	LevelDecision    = "decision"    // the answer to a whole hook call
	LevelContext     = "context"     // the session's summary was brought up to date
	LevelScribe      = "scribe"      // conventions were learned
	LevelAllowed     = "allowed"     // the user allowed one call; one line for each rule that had stopped it
	LevelPaused      = "paused"      // the user paused the rules, or ended a pause
)

// ModeShadow is the mode of a rule that is judged and recorded without a part in
// the verdict.
const ModeShadow = "shadow"

// The modes of lines whose verdict the user decided.
const (
	ModeAllowed = "allowed" // the rule stopped the call, and the user had allowed it
	ModePaused  = "paused"  // the user had paused the rule, so it was not judged

	ModeAskedFor = "asked_for" // the rule would have asked, and the user had asked for it themselves
)

// Record is one line of the log. The fields have the order of the keys in a line. A
// key after the first eleven is left out where its value is zero.
type Record struct {
	Time       time.Time `json:"ts"`         // UTC, whole seconds
	RuleID     string    `json:"rule_id"`    // "" on a decision line
	Trigger    string    `json:"trigger"`    // file_write, file_read, bash or mcp
	Target     string    `json:"target"`     // path, command line or server:tool; masked, at most 1,000 characters
	Violation  bool      `json:"violation"`  // judged violated with enough confidence; false on a decision line
	Confidence float64   `json:"confidence"` // 0 to 1, as the judge stated it
	Reason     string    `json:"reason"`     // masked, at most 500 characters
	ElapsedMS  float64   `json:"elapsed_ms"` // milliseconds, to the microsecond; of a decision: of the whole call
	Model      string    `json:"model"`      // that answered, or was asked last
	Backend    string    `json:"backend"`    // that answered, or was asked last

	Level        string  `json:"level"`                   // one of the Level constants; readers keep levels they do not know
	Severity     string  `json:"severity,omitempty"`      // of the rule: block, ask, warn or info
	Outcome      string  `json:"outcome,omitempty"`       // pass, violation, skipped, unavailable
	Session      string  `json:"session,omitempty"`       // as the agent named it
	Agent        string  `json:"agent,omitempty"`         // claude, codex, …
	Tool         string  `json:"tool,omitempty"`          // as the agent named it
	CallID       string  `json:"call_id,omitempty"`       // the agent's id of the tool call: joins the lines of one call
	Threshold    float64 `json:"threshold,omitempty"`     // confidence from which a violation counts
	NearMiss     bool    `json:"near_miss,omitempty"`     // the judge said violation, below the threshold
	Cached       bool    `json:"cached,omitempty"`        // the answer came from the cache: nothing was asked, no tokens were spent
	PromptTokens int     `json:"prompt_tokens,omitempty"` // spent, over all backends asked
	OutputTokens int     `json:"output_tokens,omitempty"`
	Error        string  `json:"error,omitempty"`        // why it could not be judged; masked, at most 500 characters
	DerivedFrom  string  `json:"derived_from,omitempty"` // the command or tool that the action was found in; masked, at most 200 characters
	Muted        bool    `json:"muted,omitempty"`        // the agent did not get the text again that it had got in this session
	Tainted      bool    `json:"tainted,omitempty"`      // the judge's answer repeated the fence of the judged text: a sign of manipulation
	Mode         string  `json:"mode,omitempty"`         // ModeShadow, ModeAllowed, ModePaused, ModeAskedFor, else ""
	By           string  `json:"by,omitempty"`           // the user, on lines of LevelAllowed and LevelPaused
	ID           string  `json:"id,omitempty"`           // of the call on its decision line; of a finding that, a dot and its number
	Would        string  `json:"would,omitempty"`        // of a violated shadow rule, its effect otherwise: block, ask, warn
	Seen         float64 `json:"seen,omitempty"`         // share, below 1, of what was written or run that judges were shown; 0 where nothing was cut
	AskedFor     string  `json:"asked_for,omitempty"`    // the words with which the person asked for it; masked, at most 500 characters
	WaitedMS     float64 `json:"waited_ms,omitempty"`    // milliseconds of ElapsedMS spent waiting for a slot and for the GPU

	// Of decision lines.
	Verdict     string `json:"verdict,omitempty"`           // allow, warn, ask, block; undecided when there was an error
	Matched     int    `json:"rules_matched,omitempty"`     // findings of the call, one for each rule and action
	Judged      int    `json:"rules_judged,omitempty"`      // of those: passed or violated
	Unavailable int    `json:"rules_unavailable,omitempty"` // of those: could not be judged
}

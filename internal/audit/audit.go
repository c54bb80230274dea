// Package audit has the types of the courtroom: evidence of the detectives,
// opinions of the judges, and verdicts of the Chief Justice.
//
// The flow is fixed. Detectives collect [Evidence] in parallel (packages repo,
// document, vision), which is joined. Three judges give an [Opinion] on each
// [Criterion] of the rubric (package judges). The Chief Justice is code without a
// model (package justice). Package report writes the result, and package trial
// runs everything. Stages return values and change no shared data.
//
// A failure to look is never a fact: see [Outcome].
package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Outcome says what a probe found. The zero value means that it did not look.
type Outcome uint8

// The outcomes. Only True and False are facts about the audited side.
const (
	Unknown       Outcome = iota
	True                  // the expectation holds, or nothing is expected and something was observed
	False                 // the expectation does not hold
	NotApplicable         // the probe does not apply here: no such language, no document
	NotSupported          // this probe cannot examine it: a language without a grammar
	NotAvailable          // it could not be examined: too large, filtered, no text layer, no vision model
	Error                 // looking failed
)

var outcomeNames = [...]string{"unknown", "true", "false", "not_applicable", "not_supported", "not_available", "error"}

// String returns true, false, not_applicable, not_supported, not_available or error.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// Fact reports whether the outcome is a fact about the audited side.
func (o Outcome) Fact() bool { return o == True || o == False }

// MarshalText writes the outcome as [Outcome.String] names it.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the text of MarshalText.
func (o *Outcome) UnmarshalText(text []byte) error {
	for i, name := range outcomeNames {
		if name == string(text) {
			*o = Outcome(i)
			return nil
		}
	}
	return fmt.Errorf("audit: unknown outcome %q", text)
}

// Kind says how reliable evidence is.
type Kind string

// The kinds of evidence.
const (
	KindFact     Kind = "fact"     // exact: git, syntax, files, quotation. Only facts cap, gate and contradict
	KindObserved Kind = "observed" // found by code that goes by names, habits or sentences
	KindClaim    Kind = "claim"    // words of the audited side, as in a document, a comment, a commit message
	KindModel    Kind = "model"    // seen by a vision model
)

// Source is the detective that found evidence; each numbers its ids.
type Source string

// The sources.
const (
	SourceRepo   Source = "repo"
	SourceDocs   Source = "docs"
	SourceVision Source = "vision"
)

// Evidence is one thing that a detective found, or could not look for.
type Evidence struct {
	ID        string   `json:"id"` // repo#0, docs#3, vision#1: stable for equal input
	Source    Source   `json:"source"`
	Probe     string   `json:"probe"`    // id of the probe
	Criteria  []string `json:"criteria"` // ids of the criteria it belongs to; judges of others do not see it
	Kind      Kind     `json:"kind"`
	Outcome   Outcome  `json:"outcome"`
	Summary   string   `json:"summary"`             // the finding in one line
	Location  Location `json:"location"`            // zero when it is about the whole
	Snippet   string   `json:"snippet,omitempty"`   // quoted from there: hostile text
	Truncated bool     `json:"truncated,omitempty"` // more was found than is kept
	Values    Values   `json:"values,omitempty"`    // figures, by name

	// Part marks one of the places that the probe's own evidence counts. Rules
	// about facts look at the evidence of the whole.
	Part bool `json:"part,omitempty"`
	// Withheld says that there is prompt injection, as in "ignore your
	// instructions": judges see neither Snippet nor the path.
	Withheld bool `json:"withheld,omitempty"`
	// Waived is the reason of a waiver that covers it.
	Waived string `json:"waived,omitempty"`

	Confidence  float64     `json:"confidence"`         // 0 to 1; 1 for counts by code
	Category    Category    `json:"category,omitempty"` // of a finding; see [Evidence.Finding]
	Severity    Severity    `json:"severity,omitempty"`
	Confirmed   bool        `json:"confirmed,omitempty"` // of a finding with a severity: it is there, not only possible
	Remediation Remediation `json:"remediation,omitzero"`
}

// Security reports whether the evidence is a confirmed security finding without a
// waiver. The security override reads only such evidence.
func (e *Evidence) Security() bool {
	return e.Finding() == CategorySecurity && e.Severity != "" && e.Confirmed && e.Outcome == False && e.Kind == KindFact && e.Waived == ""
}

// Finding is what the finding is about; "" for evidence that is not one. A report that was
// written without categories has security findings alone.
func (e *Evidence) Finding() Category {
	if e.Category == "" && e.Severity != "" {
		return CategorySecurity
	}
	return e.Category
}

// Category says what a finding is about. Caps and gates count security findings alone.
type Category string

// The categories; "" means that evidence is not a finding.
const (
	CategorySecurity Category = "security"
	CategoryQuality  Category = "quality"
	CategoryStyle    Category = "style"
)

// Number gives evidence its ids in the order it has, each source from 0: repo#0,
// docs#0, vision#0.
func Number(evidence []Evidence) {
	next := map[Source]int{}
	for i := range evidence {
		e := &evidence[i]
		e.ID = fmt.Sprintf("%s#%d", e.Source, next[e.Source])
		next[e.Source]++
	}
}

// Severity is that of a finding.
type Severity string

// The severities; "" means that a finding has none, or that evidence is not one.
const (
	SeverityLow      Severity = "low"
	SeverityMedium   Severity = "medium"
	SeverityHigh     Severity = "high"
	SeverityCritical Severity = "critical"
)

// Rank orders severities: a higher one is worse, and 0 means none.
func (s Severity) Rank() int {
	return 1 + slices.Index([]Severity{SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical}, s)
}

// Location is a place in the repository or in a document.
type Location struct {
	Path   string `json:"path,omitempty"`   // from the repository's root with slashes, or the document's name
	First  int    `json:"first,omitempty"`  // line, from 1
	Last   int    `json:"last,omitempty"`   // inclusive
	Page   int    `json:"page,omitempty"`   // of a document, from 1
	Commit string `json:"commit,omitempty"` // full hash that the path is read at
}

// String writes path:first-last, or the page.
func (l Location) String() string {
	s := l.Path
	switch {
	case l.First > 0 && l.Last > l.First:
		s += fmt.Sprintf(":%d-%d", l.First, l.Last)
	case l.First > 0:
		s += fmt.Sprintf(":%d", l.First)
	case l.Page > 0:
		s += fmt.Sprintf(", page %d", l.Page)
	}
	return s
}

// Remediation is advice about evidence that is False.
type Remediation struct {
	Effort string `json:"effort,omitempty" yaml:"effort" enum:"low,medium,high" jsonschema:"How much work it is."`
	Text   string `json:"text,omitempty" yaml:"text" jsonschema:"What to do; {path} and {line} are replaced by the place."`
}

// At is the advice with a place in it; line 0 means no place.
func (r Remediation) At(path string, line int) Remediation {
	number := strconv.Itoa(line)
	if line == 0 {
		r.Text, number = strings.ReplaceAll(r.Text, "{path}:{line}", "{path}"), ""
	}
	r.Text = strings.NewReplacer("{path}", path, "{line}", number).Replace(r.Text)
	return r
}

// Judge is one of the three roles.
type Judge string

// The judges.
const (
	Prosecutor Judge = "prosecutor"
	Defense    Judge = "defense"
	TechLead   Judge = "tech_lead"
)

// Judges lists the roles in the order of reports.
func Judges() []Judge { return []Judge{Prosecutor, Defense, TechLead} }

// Title names the role for people: Prosecutor, Defense, Tech Lead.
func (j Judge) Title() string {
	switch j {
	case Prosecutor:
		return "Prosecutor"
	case Defense:
		return "Defense"
	case TechLead:
		return "Tech Lead"
	}
	return string(j)
}

// Opinion is the opinion of one judge on one criterion.
type Opinion struct {
	Judge     Judge    `json:"judge"`
	Criterion string   `json:"criterion"`
	Sample    int      `json:"sample"`                      // 0 for the first of --samples
	Score     int      `json:"score"`                       // on the criterion's scale; without an opinion Err says why
	Argument  string   `json:"argument"`                    // hostile text: a model's words
	Cited     []string `json:"cited_evidence"`              // ids that exist and belong to the criterion
	Invalid   []string `json:"invalid_citations,omitempty"` // cited, and removed

	Backend      string        `json:"backend"`
	Model        string        `json:"model"`
	Tries        int           `json:"tries"`
	Took         time.Duration `json:"took_ns"`
	PromptTokens int           `json:"prompt_tokens"`
	OutputTokens int           `json:"output_tokens"`
	Err          string        `json:"error,omitempty"`
}

// Valid reports whether there is a score on the criterion's scale.
func (o *Opinion) Valid(s Scale) bool { return o.Err == "" && s.Has(o.Score) }

// Verdict is the ruling of the Chief Justice on a criterion.
type Verdict string

// The verdicts.
const (
	Pass          Verdict = "PASS"
	Partial       Verdict = "PARTIAL"
	Fail          Verdict = "FAIL"
	NoVerdict     Verdict = "NO_VERDICT"     // too few opinions: shown, and left out of the total
	NotConsidered Verdict = "NOT_APPLICABLE" // the criterion does not apply here
)

// Result is the verdict on one criterion, with opinions and reasons.
type Result struct {
	Criterion   string    `json:"criterion"`
	Name        string    `json:"name"`
	Weight      float64   `json:"weight"`
	Verdict     Verdict   `json:"verdict"`
	Score       int       `json:"score"`     // on the criterion's scale; without a verdict 0, and not in JSON
	Raw         float64   `json:"raw_score"` // weighted mean before the rules
	Spread      int       `json:"spread"`    // highest minus lowest score
	Agreement   float64   `json:"agreement"` // between judges and samples, 0 to 1
	Opinions    []Opinion `json:"opinions"`
	Evidence    []string  `json:"evidence"` // ids of all that belongs to it
	Dissent     string    `json:"dissent_summary,omitempty"`
	Votes       []Vote    `json:"votes,omitempty"` // what the opinion of each judge counts as
	Trace       []Step    `json:"trace"`           // every rule that fired, in order
	Summary     string    `json:"summary"`
	Remediation []Advice  `json:"remediation"`
	Waived      string    `json:"waived,omitempty"` // the reason of a waiver
}

// Vote is what the opinion of a judge counts as, by the rule of evidence.
type Vote struct {
	Judge  Judge   `json:"judge"`
	Score  int     `json:"score"`     // as given; of several samples the median
	Weight float64 `json:"weight"`    // in the mean
	Counts float64 `json:"counts_as"` // in the mean
	Why    string  `json:"why"`
}

// Step is one rule of the Chief Justice that fired.
type Step struct {
	Rule   string  `json:"rule"` // weighted_mean, rule_of_evidence, fact_supremacy, security_override, …
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Why    string  `json:"why"`
}

// Advice is one thing to do, with its source.
type Advice struct {
	Text     string   `json:"text"`
	From     string   `json:"from"` // "probe go.exec", "Prosecutor", "Tech Lead"
	Location Location `json:"location"`
	Effort   string   `json:"effort,omitempty"`
}

package audit

import (
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/judges"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
)

// The words of the courtroom.
type (
	// Report is everything that an audit found, said and ruled.
	Report = audit.Record
	// Subject is the audited side.
	Subject = audit.Subject
	// Criterion is one measure of the rubric.
	Criterion = audit.Criterion
	// Result is the verdict on a criterion, with opinions and reasons.
	Result = audit.Result
	// Verdict is PASS, PARTIAL, FAIL, NO_VERDICT or NOT_APPLICABLE.
	Verdict = audit.Verdict
	// Overall is the sum of the results.
	Overall = audit.Overall
	// Gate says whether the audited side meets the demands of the rubric.
	Gate = audit.Gate
	// Evidence is one thing that a detective found, or could not find.
	Evidence = audit.Evidence
	// Outcome says what a probe found. Only True and False are facts.
	Outcome = audit.Outcome
	// Kind says how reliable evidence is.
	Kind = audit.Kind
	// Scale is the lowest and the highest score; nil is from 1 to 5.
	Scale = audit.Scale
	// Category says what a finding is about.
	Category = audit.Category
	// Severity is that of a finding.
	Severity = audit.Severity
	// Location is a place in the repository or in a document.
	Location = audit.Location
	// Judge is one of the three roles.
	Judge = audit.Judge
	// Opinion is a judge's score of a criterion, with reasons and citations.
	Opinion = audit.Opinion
	// Failure is a stage that failed.
	Failure = audit.Failure
	// Usage counts calls, tokens and costs of models.
	Usage = audit.Usage
	// Model is a model behind a backend.
	Model = judges.Model
	// Progress is the progress of a stage.
	Progress = trial.Progress
	// RubricError says what is wrong with a rubric, with lines.
	RubricError = rubric.InvalidError
)

// The roles of judges.
const (
	Prosecutor = audit.Prosecutor // looks for what is missing
	Defense    = audit.Defense    // looks for what is there
	TechLead   = audit.TechLead   // asks whether it works
)

// The verdicts.
const (
	Pass          = audit.Pass
	Partial       = audit.Partial
	Fail          = audit.Fail
	NoVerdict     = audit.NoVerdict     // too few opinions
	NotConsidered = audit.NotConsidered // the criterion does not apply
)

// The outcomes.
const (
	Unknown       = audit.Unknown
	True          = audit.True          // the expectation holds, or nothing is expected
	False         = audit.False         // the expectation does not hold
	NotApplicable = audit.NotApplicable // for example, no such language
	NotSupported  = audit.NotSupported  // for example, a language without a grammar
	NotAvailable  = audit.NotAvailable  // for example, too large
	Error         = audit.Error         // looking failed
)

// The kinds of evidence.
const (
	KindFact     = audit.KindFact     // exact, found by code
	KindObserved = audit.KindObserved // found by code that goes by names, habits or sentences
	KindClaim    = audit.KindClaim    // words of the audited side
	KindModel    = audit.KindModel    // seen by a vision model
)

// The categories of findings.
const (
	CategorySecurity = audit.CategorySecurity
	CategoryQuality  = audit.CategoryQuality
	CategoryStyle    = audit.CategoryStyle
)

// The severities.
const (
	SeverityLow      = audit.SeverityLow
	SeverityMedium   = audit.SeverityMedium
	SeverityHigh     = audit.SeverityHigh
	SeverityCritical = audit.SeverityCritical
)

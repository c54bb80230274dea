package audit

import "time"

// Record is the record of one audit. A report shows the record and nothing else.
type Record struct {
	Subject  Subject       `json:"subject"`
	Rubric   RubricRef     `json:"rubric"`
	Criteria []Criterion   `json:"criteria"` // all of the rubric, in its order, judged or not
	Probes   []Probe       `json:"probes"`   // all of the rubric, in its order
	Rules    Rules         `json:"rules"`    // with Criteria, Votes and Evidence, what every score can be recomputed from
	Program  string        `json:"program"`  // version of the command
	Started  time.Time     `json:"started"`
	Took     time.Duration `json:"took_ns"`
	Seed     int64         `json:"seed"`
	Samples  int           `json:"samples"` // opinions of each judge on each criterion
	Seats    []Seat        `json:"seats"`   // the judges; none with facts alone
	Evidence []Evidence    `json:"evidence"`
	Results  []Result      `json:"results"` // one for each criterion of the rubric, in its order; none with facts alone
	Overall  Overall       `json:"overall"`
	Gate     Gate          `json:"gate"`
	Usage    Usage         `json:"usage"`
	Failures []Failure     `json:"failures"` // stages that failed; the others went on
	Waivers  []Waiver      `json:"waivers,omitempty"`

	// Narrative explains the verdicts in one paragraph: which rules fired, and on
	// which criteria.
	Narrative string `json:"synthesis_narrative"`
}

// Subject is the audited side, as it was found.
type Subject struct {
	Name      string   `json:"name"`                // of the repository, or of the first document
	URL       string   `json:"url,omitempty"`       // of the remote, without credentials
	Local     string   `json:"local,omitempty"`     // the folder that was cloned
	Commit    string   `json:"commit,omitempty"`    // full hash
	Branch    string   `json:"branch,omitempty"`    // "" when HEAD is detached
	Dirty     int      `json:"dirty,omitempty"`     // files of the local folder with changes that are not committed, and so not audited
	Documents []string `json:"documents,omitempty"` // names, as given
	Languages []string `json:"languages,omitempty"` // of its files, most bytes first

	Unsearched []string `json:"unsearched,omitempty"` // languages into whose code the rubric does not look, though a probe could
}

// RubricRef says which rubric was applied.
type RubricRef struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  string `json:"source"` // file, or "embedded: general"
	Digest  string `json:"digest"` // sha256 of its text, in hex
}

// Criterion is one measure of an audit: a dimension of the rubric.
type Criterion struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Weight   float64           `json:"weight"`             // in the total
	Scale    Scale             `json:"scale,omitempty"`    // of its scores and caps
	Judges   map[Judge]float64 `json:"judge_weights"`      // what their opinions weigh
	Required []string          `json:"required,omitempty"` // ids of probes whose facts have to hold
	Caps     []Cap             `json:"caps,omitempty"`

	NotApplicable string `json:"not_applicable,omitempty"` // why it does not apply here
}

// Cap bounds the score of a criterion where a condition on its facts holds.
type Cap struct {
	When string `json:"when"`
	Max  int    `json:"max"`
	Rule string `json:"rule"` // of several with one name the lowest that holds applies
}

// Probe is a probe of the rubric, in words.
type Probe struct {
	ID       string `json:"id"`
	Looked   string `json:"looked_for"`
	Expected string `json:"expected,omitempty"` // "" where nothing was expected, and nothing is decided
	Kind     Kind   `json:"kind"`               // KindFact or KindObserved: what it finds, unless a document or a model says it
}

// Rules are the numbers of the rubric that turn opinions into verdicts.
type Rules struct {
	Scale        Scale   `json:"scale,omitempty"` // of the total and of the numbers below; those of a criterion are at the same share of its own
	Pass         float64 `json:"pass"`            // lowest score of PASS
	Partial      float64 `json:"partial"`         // lowest score of PARTIAL
	VarianceOver float64 `json:"variance_over"`   // spread above which judges disagree
	OnDissent    string  `json:"on_dissent"`      // reevaluate or report
	MinOpinions  int     `json:"min_opinions"`    // for a verdict
}

// Seat is a judge and its model.
type Seat struct {
	Judge   Judge  `json:"judge"`
	Backend string `json:"backend"`
	Model   string `json:"model"` // as the server named it; "" when nothing was answered
}

// Overall is the sum of the results.
type Overall struct {
	Score   float64 `json:"score"`   // weighted mean of the scores that count, on the scale of [Rules]; 0 without any, and not in JSON
	Verdict Verdict `json:"verdict"` // by the rubric's thresholds
	Counted int     `json:"counted"` // criteria with a verdict
	Total   int     `json:"total"`   // all criteria that apply
}

// Gate says whether the audited side meets the demands of the rubric.
type Gate struct {
	Passed  bool     `json:"passed"`  // every demand was examined, and is met
	Reasons []string `json:"reasons"` // why not, one for each demand that is not met
	// NotExamined are demands that could not be checked, with the reason.
	NotExamined []string `json:"not_examined,omitempty"`
	// NotAsked are demands on scores where no judge was to be asked.
	NotAsked []string `json:"not_asked,omitempty"`
}

// State is passed, failed, undecided, or facts only: no fact fails it, and scores
// were not asked for.
func (g *Gate) State() string {
	switch {
	case len(g.Reasons) > 0:
		return "failed"
	case len(g.NotExamined) > 0:
		return "undecided"
	case len(g.NotAsked) > 0:
		return "facts only"
	}
	return "passed"
}

// Waiver is a waiver of the rubric, with its effect.
type Waiver struct {
	Dimension string `json:"dimension,omitempty"`
	Probe     string `json:"probe,omitempty"`
	Path      string `json:"path,omitempty"` // pattern
	Reason    string `json:"reason"`
	Until     string `json:"until,omitempty"`   // its last day
	Expired   bool   `json:"expired,omitempty"` // and so not applied
	Covers    int    `json:"covers"`            // findings and dimensions; 0: it has no effect
}

// Usage counts calls, tokens and costs of the models.
type Usage struct {
	Calls        int     `json:"calls"`
	Cached       int     `json:"cached"` // of the calls: answered without asking
	PromptTokens int     `json:"prompt_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"` // by the prices of the configuration; 0 where none are given
}

// Failure is a stage that failed or panicked.
type Failure struct {
	Stage string `json:"stage"` // clone, repo, document, vision, bench
	Err   string `json:"error"`
}

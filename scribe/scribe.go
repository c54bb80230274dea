package scribe

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// Options say where things are, who is asked and how. A field's zero value means
// the default that the configuration documents; nil means all of them, and then
// there is no model to ask.
type Options struct {
	// Dir is the folder of configuration and rules, …/.claude/sentinel. Drafts
	// lie in its folder drafts.
	Dir string
	// Root is the project's folder. What is observed lies below it, in
	// .sentinel/scribe, and so do the documents that are read.
	Root string
	// RulesDir is where a promoted draft goes; "" means Dir/rules.
	RulesDir string

	// Rules are those that apply: what they cover is not proposed again.
	Rules []*rule.Rule
	// Build are the surroundings that a draft has to be a sound rule in; nil
	// checks it by itself.
	Build *rule.Options
	// Mapper says what a tool call of a transcript does. Without one drafts get
	// only the cases that follow from their own patterns.
	Mapper sentinel.ToolMapper

	// Backend is asked. Its calls have the priority P3 of the GPU lock.
	Backend sentinel.Backend
	// ExtractionModel finds conventions, SynthesisModel compares them with the
	// rules and writes drafts. "" means the backend's default.
	ExtractionModel, SynthesisModel string
	// Guidance is the user's wish of what to look for first.
	Guidance string
	// Think lets a thinking model think in synthesis.
	Think bool
	// ExtractionTimeout and SynthesisTimeout bound one call of the model, without
	// the wait for its slot. 0 means 15 s.
	ExtractionTimeout, SynthesisTimeout time.Duration
	// ExtractionTokens and SynthesisTokens bound an answer. 0 means 1000.
	ExtractionTokens, SynthesisTokens int
	// Temperature of all calls. 0 means 0.1, a negative one 0.
	Temperature float64

	// Budget bounds what of a transcript or document one call is shown, in
	// characters. 0 means 4000.
	Budget int
	// ExtractionConfidence is that from which a convention is kept as an
	// observation. 0 means 0.7, a negative one that every one is.
	ExtractionConfidence float64
	// DraftConfidence is that which a convention of a document needs besides to
	// become a draft. 0 means 0.8, a negative one that every one does.
	DraftConfidence float64
	// DocGlobs are the documents that Learn reads, as patterns of package scope
	// from Root. nil means CLAUDE.md, AGENTS.md, README.md, docs/**/*.md and
	// ADR*.md.
	DocGlobs []string
	// Progress is told how far Learn is, from one goroutine; nil tells nobody.
	Progress func(Progress)

	// FenceKey is the user's secret, by which what is shown to the model is
	// fenced. nil still gives a fence that does not occur in the text.
	FenceKey []byte
	Now      func() time.Time // nil means time.Now
	Logger   *slog.Logger     // nil discards
}

// The reference's defaults.
const (
	defaultTimeout              = 15 * time.Second
	defaultTokens               = 1000
	defaultTemperature          = 0.1
	defaultBudget               = 4000
	defaultExtractionConfidence = 0.7
	defaultDraftConfidence      = 0.8
)

// filled returns a copy of o in which every default stands.
func (o *Options) filled() *Options {
	c := Options{}
	if o != nil {
		c = *o
	}
	orDefault(&c.ExtractionTimeout, defaultTimeout)
	orDefault(&c.SynthesisTimeout, defaultTimeout)
	orDefault(&c.ExtractionTokens, defaultTokens)
	orDefault(&c.SynthesisTokens, defaultTokens)
	orDefault(&c.Temperature, defaultTemperature)
	orDefault(&c.Budget, defaultBudget)
	orDefault(&c.ExtractionConfidence, defaultExtractionConfidence)
	orDefault(&c.DraftConfidence, defaultDraftConfidence)
	if c.DocGlobs == nil {
		c.DocGlobs = []string{"CLAUDE.md", "AGENTS.md", "README.md", "docs/**/*.md", "ADR*.md"}
	}
	if c.RulesDir == "" {
		c.RulesDir = filepath.Join(c.Dir, "rules")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &c
}

// orDefault sets a value that was not set, and makes a negative one the 0 that
// was meant.
func orDefault[T int | float64 | time.Duration](v *T, d T) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
	}
}

// check says what is missing to ask a model.
func (o *Options) check() error {
	switch {
	case o.Backend == nil:
		return errors.New("scribe: there is no model to ask: Options.Backend is nil")
	case !filepath.IsAbs(o.Root) || !filepath.IsAbs(o.Dir):
		return errors.New("scribe: Options.Root and Options.Dir have to be absolute paths")
	}
	return nil
}

func (o *Options) stateDir() string { return filepath.Join(o.Root, ".sentinel", "scribe") }

// openState looks at the folder of what is observed, and makes it if need be: no
// link may stand on the way there.
func (o *Options) openState(create bool) error {
	f, err := state.OpenFolder(o.stateDir(), create)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !create:
		return nil
	case err != nil:
		return fmt.Errorf("scribe: %w", err)
	}
	return f.Close()
}

func (o *Options) draftsDir() string { return filepath.Join(o.Dir, "drafts") }

// A Session is what [Reflect] reads.
type Session struct {
	ID         string // as the agent sent it; hostile
	Agent      string // whose transcript it is; "" is found out from its content
	Transcript string // path of the transcript or of Sentinel's own journal
}

// Source is where a convention comes from.
type Source string

// The sources of the reference.
const (
	UserFeedback        Source = "user_feedback"         // the user said it, or rejected what the agent did
	AgentSelfCorrection Source = "agent_self_correction" // the agent ran into it and corrected itself
	Documentation       Source = "documentation"         // a document of the repository says so
)

// A Result is what a run of [Reflect] or [Learn] came to. Counts are of
// conventions where nothing else is said.
type Result struct {
	Calls int `json:"calls"` // questions to the model
	// PromptTokens and OutputTokens are as far as they were reported, without answers
	// out of a cache.
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"`

	Documents int      `json:"documents"` // Learn: documents that match
	Sections  int      `json:"sections"`  // Learn: parts of documents that were asked about
	Unchanged int      `json:"unchanged"` // Learn: parts that an earlier run has asked about
	Found     int      `json:"found"`     // in the model's answers
	Weak      int      `json:"weak"`      // below a threshold of confidence
	Unproven  int      `json:"unproven"`  // without evidence that stands in the text
	Refused   int      `json:"refused"`   // against Sentinel itself
	Duplicate int      `json:"duplicate"` // observed before
	Dismissed int      `json:"dismissed"` // the user does not want them
	Redundant int      `json:"redundant"` // a rule or draft covers them
	Failed    int      `json:"failed"`    // no draft could be made; tried again the next time
	Drafts    []string `json:"drafts"`    // ids of the new drafts
}

// Progress is how far [Learn] is.
type Progress struct {
	Document string // that is being read, from Root with slashes
	Done     int    // calls of the model that are behind us
	Total    int    // calls that are expected in all; it grows when conventions are found
}

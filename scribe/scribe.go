package scribe

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// Options are the folders, the model and the bounds of this package. A field's zero
// value means the default that the configuration documents. nil means all defaults and
// no model.
type Options struct {
	// Dir is the folder of configuration and rules, …/.claude/sentinel. Drafts
	// are in its folder drafts.
	Dir string
	// Root is the project's folder. It has the observations, in .sentinel/scribe,
	// and the documents to read.
	Root string
	// RulesDir is the folder of promoted drafts; "" means Dir/rules.
	RulesDir string

	// Rules are those in force. A convention that they cover is not proposed.
	Rules []*rule.Rule
	// Build are the options with which a draft has to be a sound rule. nil means
	// the defaults of package rule.
	Build *rule.Options
	// Mapper maps the tool calls of a transcript. Without one drafts only get cases
	// that follow from their own patterns.
	Mapper sentinel.ToolMapper

	// Backend is asked. Its calls have the priority P3 of the GPU lock.
	Backend sentinel.Backend
	// ExtractionModel finds conventions, SynthesisModel compares them with the
	// rules and writes drafts. "" means the backend's default.
	ExtractionModel, SynthesisModel string
	// Guidance is what the user wants the model to look for first.
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

	// Budget bounds the part of a transcript or document in one call, in
	// characters. 0 means 4000.
	Budget int
	// ExtractionConfidence is the least confidence of an observation. 0 means 0.7;
	// with a negative value every convention is kept.
	ExtractionConfidence float64
	// DraftConfidence is the least confidence with which a convention of a document
	// becomes a draft. 0 means 0.8; with a negative value every one does.
	DraftConfidence float64
	// DocGlobs are the documents that Learn reads, as patterns of package scope
	// from Root. nil means CLAUDE.md, AGENTS.md, README.md, docs/**/*.md and
	// ADR*.md.
	DocGlobs []string
	// Progress, unless nil, is called by Learn, from one goroutine at a time.
	Progress func(Progress)

	// FenceKey is the user's secret that makes the fence around the data
	// unpredictable. With nil the fence still does not occur in the data.
	FenceKey []byte
	Now      func() time.Time // nil means time.Now
	Logger   *slog.Logger     // nil discards
}

// The defaults of the original Python Sentinel.
const (
	defaultTimeout              = 15 * time.Second
	defaultTokens               = 1000
	defaultTemperature          = 0.1
	defaultBudget               = 4000
	defaultExtractionConfidence = 0.7
	defaultDraftConfidence      = 0.8
)

// filled returns a copy of o with all defaults set.
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

// orDefault sets a zero value to its default. A negative value means 0.
func orDefault[T int | float64 | time.Duration](v *T, d T) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
	}
}

// check returns an error if a model cannot be asked.
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

// openState checks the folder of observations, and creates it if it is missing. No part of its
// path may be a link.
func (o *Options) openState() error {
	f, err := state.OpenFolder(o.stateDir(), true)
	if err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	return f.Close()
}

func (o *Options) draftsDir() string { return filepath.Join(o.Dir, "drafts") }

// A Session is the input of [Reflect].
type Session struct {
	ID         string // as the agent sent it; hostile
	Agent      string // that wrote the transcript; "" means that the content says so
	Transcript string // path of the transcript or of Sentinel's own journal
}

// Source is the origin of a convention.
type Source string

// The sources, with the names of the original Python Sentinel.
const (
	UserFeedback        Source = "user_feedback"         // the user said it, or rejected an action of the agent
	AgentSelfCorrection Source = "agent_self_correction" // the agent ran into it and corrected itself
	Documentation       Source = "documentation"         // a document of the repository says so
)

// A Result is the result of [Reflect] or [Learn]. Counts are of conventions unless the
// comment says otherwise.
type Result struct {
	Calls int `json:"calls"` // questions to the model
	// PromptTokens and OutputTokens are those that backends reported, without cached
	// answers.
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"`

	Documents int      `json:"documents"` // Learn: documents that match
	Sections  int      `json:"sections"`  // Learn: parts of documents that were asked about
	Unchanged int      `json:"unchanged"` // Learn: parts that an earlier run has asked about
	Found     int      `json:"found"`     // in the model's answers
	Weak      int      `json:"weak"`      // below a threshold of confidence
	Unproven  int      `json:"unproven"`  // without evidence in the text
	Refused   int      `json:"refused"`   // against Sentinel itself
	Duplicate int      `json:"duplicate"` // observed before
	Dismissed int      `json:"dismissed"` // the user does not want them
	Redundant int      `json:"redundant"` // a rule or draft covers them
	Failed    int      `json:"failed"`    // no draft could be made; tried again the next time
	Drafts    []string `json:"drafts"`    // ids of the new drafts
}

// Progress is how far [Learn] is.
type Progress struct {
	Document string // the one that is read, relative to Root, with slashes
	Done     int    // calls of the model so far
	Total    int    // expected calls in all; it grows when conventions are found
}

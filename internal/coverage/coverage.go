// Package coverage says which lines of a project's instruction files its rules hold, and
// makes drafts of those that they could hold.
package coverage

import (
	"context"
	"encoding/json"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scribe"
)

// version is that of the JSON form of a [Report]: it grows when a key changes its meaning.
const version = 1

// A Report says of each statement of the instruction files what becomes of it.
type Report struct {
	Version    int                        `json:"version"`
	Directives int                        `json:"directives"`
	Hold       int                        `json:"hold"`      // directives that rules in force hold
	OnlyWarn   int                        `json:"only_warn"` // of Hold: by rules that only warn
	InPart     int                        `json:"in_part"`   // of Hold: not all that the line says
	Shadow     int                        `json:"shadow"`    // further ones, by rules in shadow mode alone
	States     map[instructions.State]int `json:"states"`
	Files      []File                     `json:"files"`
	Stale      []Stale                    `json:"stale"`    // rules whose words no line says any more
	Moved      []Stale                    `json:"moved"`    // rules whose words are on another line
	Problems   []Problem                  `json:"problems"` // what was not read, and hidden text
}

// A File is an instruction file.
type File struct {
	Path       string      `json:"path"`
	ImportedBy string      `json:"imported_by"`
	Directives int         `json:"directives"`
	Hold       int         `json:"hold"`
	OnlyWarn   int         `json:"only_warn"`
	InPart     int         `json:"in_part"`
	Statements []Statement `json:"statements"`

	Text string `json:"-"`
}

// A Statement is one thing that a file says.
type Statement struct {
	Line    int                `json:"line"`
	EndLine int                `json:"end_line"`
	Section []string           `json:"section"`
	Text    string             `json:"text"`
	Kind    statement.Kind     `json:"kind"`
	State   instructions.State `json:"state"`
	By      string             `json:"by"` // who said the kind: patterns, or model
	Rules   []string           `json:"rules"`
	Shadow  bool               `json:"shadow"`   // all of Rules are in shadow mode
	Warns   bool               `json:"warns"`    // those that are in force only warn
	Part    bool               `json:"part"`     // they do not hold all that it says
	NotHeld []string           `json:"not_held"` // of Part: names of the line, or a call, that they let pass
	Stale   []string           `json:"stale"`    // rules that were made of the line when it had other words
	Drafts  []Draft            `json:"drafts"`
	Linter  string             `json:"linter"`
	Why     string             `json:"why"`

	statement statement.Statement
	made      []instructions.Draft
}

// Holds reports whether a rule in force holds the statement.
func (s *Statement) Holds() bool { return s.State == instructions.InForce && !s.Shadow }

// A Draft is a rule that could hold a statement.
type Draft struct {
	ID    string `json:"id"`
	Form  string `json:"form"`
	Why   string `json:"why"`
	Doubt string `json:"doubt"` // [instructions.Draft.Doubt]
	Left  string `json:"left"`  // why `init --from` does not propose it; "" where it does
}

// Proposed is how many drafts of the statement `init --from` proposes.
func (s *Statement) Proposed() int { return len(s.proposed()) }

// proposed are the ids of these drafts.
func (s *Statement) proposed() (ids []string) {
	for i := range s.Drafts {
		if s.Drafts[i].Left == "" {
			ids = append(ids, s.Drafts[i].ID)
		}
	}
	return ids
}

// A Problem is a file, or a part of it, that was not read.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // 0 for the whole file
	Message string `json:"message"`
}

// The source of a statement's kind.
const (
	ByPatterns = "patterns"
	ByModel    = "model"
)

// A Reader reads the instruction files of a project and knows its rules.
type Reader struct {
	root   string
	rules  []*rule.Rule
	byID   map[string]*rule.Rule
	in     instructions.Rules
	finds  func(rule.Case) []found
	scribe *scribe.Options // where the project is set up
	survey survey.Project
	read   map[string][]statement.Statement // by file
}

// NewReader returns a reader for the folder root and the rules that apply there. The
// options are those that the project is opened with.
func NewReader(ctx context.Context, root string, o *project.Options) *Reader {
	own := *o
	own.NoModel, own.NoLog = true, true
	p := project.Open([]string{root}, &own)
	r := &Reader{root: root, byID: map[string]*rule.Rule{}, read: map[string][]statement.Statement{}}
	r.scribe, _ = p.Models().Scribe(nil, "") // without a project nothing is dismissed, and no rule holds
	for _, f := range p.Folders {
		f.Config.CollectAll = true // one rule's block must not hide which others stop a case
		for _, one := range f.Rules() {
			if one.Off() || one.Spec().Err != nil {
				continue
			}
			d := *one.Definition()
			d.ID, d.Mode = one.Spec().ID, "" // a rule in shadow mode is distinguished later
			r.rules, r.byID[d.ID], r.in.Definitions = append(r.rules, one), one, append(r.in.Definitions, d)
		}
	}
	known := map[string][]found{}
	var mu sync.Mutex // statements are judged at the same time
	r.finds = func(c rule.Case) []found {
		key, err := json.Marshal(c)
		if err != nil {
			return nil
		}
		mu.Lock()
		list, seen := known[string(key)]
		mu.Unlock()
		if !seen {
			list = finds(ctx, p, root, &c)
			mu.Lock()
			known[string(key)] = list
			mu.Unlock()
		}
		return list
	}
	r.in.Stops = func(c rule.Case) (ids []string) {
		for _, f := range r.finds(c) {
			if !f.warns {
				ids = append(ids, f.rule)
			}
		}
		return ids
	}
	return r
}

// found is a rule that is against a case.
type found struct {
	rule  string
	warns bool // it neither stops nor asks
}

// finds are the rules in force that are against the call of a case.
func finds(ctx context.Context, p *project.Project, root string, c *rule.Case) (list []found) {
	ev, err := (&ruletest.Case{Case: *c}).Event(root)
	if err != nil {
		return nil
	}
	d, err := p.Evaluate(ctx, ev)
	if err != nil {
		return nil
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Outcome == sentinel.OutcomeViolation && !f.Rule.Shadow {
			list = append(list, found{f.Rule.ID, f.Rule.Severity < sentinel.SeverityAsk})
		}
	}
	return list
}

// Read reads the files with these names, relative to the root, or those that agents read.
func (r *Reader) Read(names []string) *Report {
	files, problems := instructions.Find(r.root, instructions.Options{Names: names})
	r.survey = survey.Of(r.root, files)
	out := &Report{Version: version, Files: []File{}, Problems: []Problem{}}
	for _, p := range problems {
		out.Problems = append(out.Problems, Problem{text.OneLine(p.File), p.Line, text.OneLine(p.Message)})
	}
	for i := range files {
		f := File{Path: files[i].Path, ImportedBy: files[i].ImportedBy, Text: files[i].Text}
		said := statement.Of(&files[i])
		r.read[f.Path] = said
		f.Statements = make([]Statement, len(said))
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for k, s := range said {
			group.Go(func() error {
				f.Statements[k] = r.judged(s, ByPatterns)
				return nil
			})
		}
		group.Wait()
		out.Files = append(out.Files, f)
	}
	r.finish(out)
	return out
}

// judged says what becomes of a statement.
func (r *Reader) judged(s statement.Statement, by string) Statement {
	now := instructions.Judge(&s, &r.in, &r.survey)
	out := Statement{
		Line: s.Line, EndLine: s.EndLine, Section: list(s.Section), Text: text.OneLine(s.Text), Kind: s.Kind, State: now.State, By: by,
		Rules: list(now.Rules), NotHeld: []string{}, Stale: []string{}, Linter: now.Linter, Why: now.Why, Drafts: []Draft{}, statement: s, made: now.Drafts,
	}
	for _, d := range now.Drafts {
		out.Drafts = append(out.Drafts, Draft{ID: d.ID, Form: d.Form, Why: d.Why, Doubt: d.Doubt()})
	}
	return out
}

// list is a list that is never nil: JSON has no null for it.
func list(values []string) []string { return append([]string{}, values...) }

// Count sets the figures of the report by its statements.
func (r *Report) Count() {
	r.Directives, r.Hold, r.OnlyWarn, r.InPart, r.Shadow, r.States = 0, 0, 0, 0, 0, map[instructions.State]int{}
	for i := range r.Files {
		f := &r.Files[i]
		f.Directives, f.Hold, f.OnlyWarn, f.InPart = 0, 0, 0, 0
		for k := range f.Statements {
			s := &f.Statements[k]
			r.States[s.State]++
			f.Directives += one(s.State != instructions.NoDirective)
			f.Hold += one(s.Holds())
			f.OnlyWarn += one(s.Warns)
			f.InPart += one(s.Part)
			r.Shadow += one(s.Shadow)
		}
		r.Directives, r.Hold = r.Directives+f.Directives, r.Hold+f.Hold
		r.OnlyWarn, r.InPart = r.OnlyWarn+f.OnlyWarn, r.InPart+f.InPart
	}
}

// one is 1 for what counts.
func one(counts bool) int {
	if counts {
		return 1
	}
	return 0
}

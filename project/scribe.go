package project

import (
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scribe"
	"github.com/agentsentinel/sentinel/trigger"
)

// Scribe returns what package scribe needs to know of a folder: where its files
// are, the rules that apply, who is asked and how. f is one of p.Folders; nil
// means the nearest project. session is the agent's; "" means [CommandSession].
//
// The error says that there is no project to learn for. A backend that cannot be asked is
// an error only when it is asked, so that drafts can be read without one.
func (m *Models) Scribe(f *Folder, session string) (*scribe.Options, error) {
	p := m.project
	if f == nil {
		f = p.nearest()
	}
	if f == nil || f.User {
		return nil, fmt.Errorf("project: no .claude/sentinel applies here; run `%s` first", text.Command(p.opts.Program, "init"))
	}
	rulesDir, err := f.place().rulesDir(f.Config)
	if err != nil {
		return nil, fmt.Errorf("project: %w", err)
	}
	c, s := &f.Config, &f.Config.Scribe
	asked := backend.Lazy(func() (sentinel.Backend, error) { return p.Models().Asker(f, session)(c.ScribeBackend()) })
	return &scribe.Options{
		Dir: f.Dir, Root: f.Root, RulesDir: rulesDir,
		Rules: p.allRules(), Mapper: trigger.New(p.mapping(c)),
		Build: &rule.Options{
			CaseFold: foldsCase(), DefaultMode: c.DefaultMode, Backend: c.Backend, Fallback: c.Fallback, Backends: p.opts.backendNames(c),
			IsTool: p.opts.Agents.HasTool,
		},
		Backend:         asked,
		ExtractionModel: c.ExtractionModel(), SynthesisModel: c.SynthesisModel(),
		Guidance: s.Guidance, Think: s.Think,
		ExtractionTimeout: time.Duration(s.ExtractionTimeoutMS) * time.Millisecond,
		SynthesisTimeout:  time.Duration(s.SynthesisTimeoutMS) * time.Millisecond,
		ExtractionTokens:  s.ExtractionNumPredict, SynthesisTokens: s.SynthesisNumPredict,
		Temperature:          written(s.Temperature),
		Budget:               s.TranscriptBudgetChars,
		ExtractionConfidence: written(s.Thresholds.ExtractionConfidence),
		DraftConfidence:      written(s.Thresholds.DraftConfidence),
		DocGlobs:             s.DocGlobs,
		FenceKey:             p.opts.fenceKey(), Now: p.opts.now, Logger: p.opts.Logger,
	}, nil
}

// noticeOptions say when a session that starts in f hears of its drafts.
func (o *Options) noticeOptions(f *Folder) *scribe.NoticeOptions {
	age := time.Duration(f.Config.Scribe.Notification.MaxAgeDays) * 24 * time.Hour
	if age == 0 {
		age = -1
	}
	return &scribe.NoticeOptions{MaxAge: age, StateDir: o.StateDir, Program: o.Program, Now: o.Now}
}

// written is a number of the configuration where 0 has to be told from one that
// was not set: options take a negative one for it.
func written(v float64) float64 {
	if v == 0 {
		return -1
	}
	return v
}

// allRules are the rules of all folders.
func (p *Project) allRules() []*rule.Rule {
	var all []*rule.Rule
	for _, f := range p.Folders {
		all = append(all, f.Rules()...)
	}
	return all
}

package project

import (
	"context"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/rule"
)

// Judges is all that judges by one configuration, for a caller that judges what
// is past.
type Judges struct {
	Workshop
	Folder *Folder // nil without a user's folder
	Rules  []sentinel.Rule
	Alike  bool // tool calls are seen as by the judges before: the same names, paths from the same folder
}

// Judges returns the judges of an event here: Sentinel's own rules with the user's, then
// the projects, nearest first. Nothing is asked, and later changes of files have no
// effect.
func (i *Inspector) Judges() ([]Judges, error) {
	p := i.project
	user, nearest := p.user(), p.nearest()
	rules, err := p.ownRules(user.Rules())
	if err != nil {
		return nil, err
	}
	own := Judges{Rules: rules}
	if len(p.Folders) > 0 && p.Folders[0] == user {
		own.Folder = user
	}
	own.Workshop = p.mapped(user)
	if nearest != nil {
		own.Root = nearest.Root
	}
	all := []Judges{own}
	for _, f := range p.projects() {
		b := Judges{Workshop: p.mapped(f), Folder: f, Alike: f == nearest && sameTools(&f.Config, &user.Config)}
		b.Rules = rule.Rules(f.Rules()).Engine()
		all = append(all, b)
	}
	return all, nil
}

// mapped is a workshop that sees tool calls as the hook does: a caller's own
// mapper is asked first.
func (p *Project) mapped(f *Folder) Workshop {
	w := p.workshop(f)
	w.Engine.Mapper = configMapper{p, &f.Config}
	return w
}

// configMapper maps tool calls by the names of a configuration.
type configMapper struct {
	project *Project
	config  *config.Config
}

// MapTool implements [sentinel.ToolMapper].
func (m configMapper) MapTool(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	v := m.project.view(ctx, ev, "", m.config)
	return v.actions, v.err
}

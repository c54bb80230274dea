package project

import (
	"context"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/rule"
)

// A Bench is all that judges by one configuration, for a caller that judges what
// is past.
type Bench struct {
	Workshop
	Folder *Folder // nil where there is no user's folder
	Rules  []sentinel.Rule
	Alike  bool // tool calls are seen as by the bench before: the same names, paths from the same folder
}

// Benches are who would judge an event here: Sentinel's own rules with the user's,
// then the projects, nearest first. Nobody is asked about anything meanwhile, and
// nothing of it changes when files do.
func (p *Project) Benches() ([]Bench, error) {
	user, nearest := p.user(), p.nearest()
	rules, err := p.ownRules(user.Rules())
	if err != nil {
		return nil, err
	}
	own := Bench{Rules: rules}
	if len(p.Folders) > 0 && p.Folders[0] == user {
		own.Folder = user
	}
	own.Workshop = p.seated(user)
	if nearest != nil {
		own.Root = nearest.Root
	}
	all := []Bench{own}
	for _, f := range p.projects() {
		all = append(all, Bench{
			Workshop: p.seated(f), Folder: f, Rules: rule.Rules(f.Rules()).Engine(),
			Alike: f == nearest && sameTools(&f.Config, &user.Config),
		})
	}
	return all, nil
}

// seated is a workshop that sees tool calls as the hook does: a caller's own
// mapper is asked first.
func (p *Project) seated(f *Folder) Workshop {
	w := p.workshop(f)
	w.Engine.Mapper = seatMapper{p, &f.Config}
	return w
}

// seatMapper maps tool calls by the names of a configuration.
type seatMapper struct {
	project *Project
	config  *config.Config
}

// MapTool implements [sentinel.ToolMapper].
func (m seatMapper) MapTool(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	b := m.project.seat(ctx, ev, "", m.config)
	return b.actions, b.err
}

package project

import (
	"context"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/rule"
)

// Judges are all rules that judge by one configuration, for a caller that judges past
// calls again.
type Judges struct {
	Surroundings
	Folder *Folder // nil without a user's folder
	Rules  []sentinel.Rule
	Alike  bool // tool calls are seen as by the judges before: the same names, paths from the same folder
}

// Judges returns the judges of an event here: the self-protection rules with the
// user's, then the projects, nearest first. No judge is asked, and later changes of
// files have no effect.
func (i *Inspector) Judges() ([]Judges, error) {
	p := i.project
	user, nearest := p.user(), p.nearest()
	rules, err := p.withSelfProtection(user.Rules(), nil, false)
	if err != nil {
		return nil, err
	}
	first := Judges{Surroundings: p.mapped(user), Rules: rules}
	if len(p.Folders) > 0 && p.Folders[0] == user {
		first.Folder = user
	}
	if nearest != nil {
		first.Root = nearest.at()
	}
	all := []Judges{first}
	for _, f := range p.projects() {
		j := Judges{Surroundings: p.mapped(f), Folder: f, Alike: f == nearest && sameTools(&f.Config, &user.Config)}
		j.Rules = rule.Rules(f.Rules()).Engine()
		all = append(all, j)
	}
	return all, nil
}

// mapped are the surroundings of a folder that see tool calls as the hook does: a
// caller's own mapper is asked first.
func (p *Project) mapped(f *Folder) Surroundings {
	s := p.surroundings(f)
	s.Engine.Mapper = configMapper{p, &f.Config}
	return s
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

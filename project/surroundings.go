package project

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// Surroundings are what a caller needs to try rules as a folder would judge them:
// rules that are being written, tested or compared.
type Surroundings struct {
	Root   string           // absolute folder that paths start from
	Engine sentinel.Options // the folder's, with a mapper, without a deadline for the answer
	Build  rule.Options     // how its rules are built
}

// Surroundings returns how f judges; nil means the nearest project, or else the
// user's own folder. ok is false without a folder. Models are asked for the
// session of commands ([CommandSession]).
func (i *Inspector) Surroundings(f *Folder) (s Surroundings, ok bool) {
	p := i.project
	if f == nil {
		f = p.Nearest()
	}
	if f == nil {
		return s, false
	}
	return p.surroundings(f), true
}

func (p *Project) surroundings(f *Folder) (s Surroundings) {
	s.Engine = *f.engineOptions(&p.opts, CommandSession)
	s.Engine.Mapper = trigger.New(p.mapping(&f.Config)) // what was called some time ago says nothing about the commits of now
	s.Build = *f.ruleOptions(&p.opts)
	s.Root = f.at()
	return s
}

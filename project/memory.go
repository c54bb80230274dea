package project

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/memory"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/scribe"
)

// Memory is the memory of sessions in the nearest project; nil without a project.
func (p *Project) Memory() *memory.Memory {
	f := p.nearest()
	if f == nil {
		return nil
	}
	return &memory.Memory{
		Dir: f.Dir, Root: f.Root, Key: func() string { return safefile.Resolve(f.Root) }, Config: &f.Config, Agents: p.opts.Agents,
		StateDir: p.opts.StateDir, Now: p.opts.Now, Logger: p.opts.Logger, NoModel: p.opts.NoModel, FenceKey: p.opts.fenceKey,
		Book: p.Past().Book(), Gate: p.Gate(), Notice: p.opts.noticeOptions(f),
		Ask:    func(session, backend string) (sentinel.Backend, error) { return p.Models().Asker(f, session)(backend) },
		Scribe: func(session string) (*scribe.Options, error) { return p.Models().Scribe(f, session) },
	}
}

// KeyNames are the environment variables that the folder's configuration names: what
// a process that asks its backends needs in addition to the usual ones.
func (f *Folder) KeyNames() []string {
	var names []string
	for _, settings := range f.Config.Judges() {
		if name := settings.About().KeyEnv; name != "" {
			names = append(names, name)
		}
	}
	return names
}

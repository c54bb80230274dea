package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// CommandSession is the session of work that no agent's session started, such as a
// command that the user types.
const CommandSession = "_cli"

// Models are the models of the folders for what is not judging a call: the Scribe, a
// caller's own questions, loading a model beforehand. It is safe for concurrent use.
type Models struct{ project *Project }

// Models returns the models of the project's folders.
func (p *Project) Models() *Models { return &Models{p} }

// Asker returns the backends of a folder by name, for questions that are not
// judgements: the summary of a session, learning, a live test. They are built and
// wrapped as the judges are, at the first question: cache, breaker, budget, slots
// and the lock of the session, by the priority of each request; a server or a
// program that is not trusted is refused when it is asked.
//
// f is one of p.Folders; nil means the nearest project, or else the user's own
// folder. session is the agent's; "" means [CommandSession]. The error names what
// can be asked; it wraps [sentinel.ErrRefused] for the builtin judge, which
// answers no questions, and where Options.NoModel is set.
func (m *Models) Asker(f *Folder, session string) func(name string) (sentinel.Backend, error) {
	p := m.project
	if f == nil {
		f = p.Nearest()
	}
	if f == nil {
		return func(string) (sentinel.Backend, error) {
			return nil, fmt.Errorf("project: there is no folder of rules here, and so no backend; run `%s`", text.Command(p.opts.Program, "init"))
		}
	}
	if session == "" {
		session = CommandSession
	}
	backends := (&backendSet{f, &p.opts, session}).all()
	delete(backends, sentinel.Builtin)
	return func(name string) (sentinel.Backend, error) {
		switch {
		case name == sentinel.Builtin:
			return nil, fmt.Errorf("%w: the backend builtin evaluates rules and answers no questions; name one of %s", sentinel.ErrRefused, names(backends))
		case p.opts.NoModel:
			return nil, fmt.Errorf("%w: no model is to be asked", sentinel.ErrRefused)
		}
		b, known := backends[name]
		if !known {
			return nil, fmt.Errorf("project: there is no backend %q; name one of %s", name, names(backends))
		}
		return b, nil
	}
}

func names(backends map[string]sentinel.Backend) string {
	return strings.Join(slices.Sorted(maps.Keys(backends)), ", ")
}

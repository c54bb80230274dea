package project

import (
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Requests is where it is kept what the person has asked for in each session; nil where
// nothing can be kept, and where no rules are in force.
func (k *Past) Requests() *state.Requests {
	p := k.project
	if len(p.Folders) == 0 {
		return nil
	}
	return p.opts.requests()
}

func (o *Options) requests() *state.Requests {
	dir := o.stateFolder("requests")
	if dir == "" {
		return nil
	}
	return state.NewRequests(dir, state.Sealing{Key: o.fenceKey, Dropped: o.unsealed}, o.Now)
}

// asked is what the person has asked for last in the event's session.
func (o *Options) asked(ev sentinel.Event) []string {
	requests := o.requests()
	if requests == nil || ev.Session == "" { // it would be anybody's
		return nil
	}
	return requests.Last(ev.Session, ev.Dir)
}

// requests identifies what the person has asked for, where a rule of the part looks at it:
// an answer under other requests does not count.
func (d *Docket) requests(p *Part) string {
	if p.docket == nil {
		return ""
	}
	for rule := range p.docket.Matches() {
		if spec := rule.Spec(); spec.Intent || spec.Requests {
			return digest.Hex(strings.Join(d.project.opts.asked(d.Event), "\x00"))
		}
	}
	return ""
}

package project

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// MatchSources is [Project.Match] for an event whose actions are known, and for the
// rules at these sources alone, which unlike ids are of one folder. It is for shadow
// rules that are judged after the answer: the actions are those seen before the
// tool ran, since afterwards files are no longer what they were. A rule that has
// changed its place since, or is gone, is left out.
func (p *Project) MatchSources(ctx context.Context, ev sentinel.Event, sources []string) *Docket {
	d := &Docket{Event: ev, project: p}
	for _, f := range p.Folders {
		d.Parts = append(d.Parts, p.part(ctx, ev, view{folder: f, actions: ev.Actions, only: sources}))
	}
	return d
}

// idLength is the length of a decision's name: 50 bits. Among thirty million decisions, a
// call in a million gets a name that is taken.
const idLength = 10

// newID names a decision in what is recorded of it.
func newID() string { return strings.ToLower(rand.Text()[:idLength]) }

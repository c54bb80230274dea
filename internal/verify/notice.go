package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// Bounds of what is done while somebody waits.
const (
	noticeTime   = 400 * time.Millisecond // at the start of a session
	noticeJudge  = 200 * time.Millisecond // of it, until no more calls are judged
	noticeNewest = 50                     // transcripts that are read to see where they were held
	shareTime    = 2 * time.Second        // for the share that stats shows
	shareNewest  = 10                     // sessions that it is of
)

// Notice is a line for the user about calls of the last session before this one that no
// hook has judged, once for a session; "" if there is nothing to say.
func Notice(dir string, o *project.Options, session string) string {
	if o.StateDir == "" {
		return ""
	}
	began := time.Now()
	ctx, cancel := context.WithDeadline(context.Background(), began.Add(noticeTime))
	defer cancel()
	v := New(ctx, dir, o, noticeNewest)
	v.Until = began.Add(noticeJudge)
	last, held := v.heldSince(session)
	if !held && ctx.Err() == nil {
		return ""
	}
	r, err := v.Last(ctx, session)
	if ctx.Err() != nil {
		return once(o, "late", dir+" "+last, "the last session could not be put beside its receipts in time: `"+text.Command(o.Program, "verify --all")+"` does it.")
	}
	if err != nil || r.Totals.Missed() == 0 {
		return ""
	}
	s := &r.Sessions[0]
	for i := range s.Listed {
		c := &s.Listed[i]
		if c.State != Never && c.State != Late || c.Why == BeforeSetUp {
			continue
		}
		return once(o, "unseen", s.ID+" "+s.First, fmt.Sprintf("in the last session of %s, %s%d of %s that a rule is about went on unjudged, such as %s %s: %s. `%s` lists them.",
			s.Agent, text.When(v.hurried, "up to "), r.Totals.Missed(), text.Count(r.Totals.Missed()+s.Checked, "call"), c.Tool, c.Subject, c.Said, text.Command(o.Program, "verify "+cmp.Or(s.ID, "--all"))))
	}
	return ""
}

// heldSince is the last session but this one, and whether it ended after Sentinel was set
// up here.
func (v *Verifier) heldSince(session string) (last string, held bool) {
	i := slices.IndexFunc(v.groups, func(g group) bool { return g.id != session })
	if i < 0 {
		return "", false
	}
	return v.groups[i].id, v.groups[i].written.After(v.since)
}

// once is a notice that was not given before.
func once(o *project.Options, kind, what, notice string) string {
	if state.GivenIn(o.StateDir, o.Now).Repeated("verify", "notice:"+kind, what, 90*24*time.Hour) {
		return ""
	}
	return text.Line(notice)
}

// Share is what became of the calls of the last sessions here whose transcript
// can be read; nil where that cannot be said in time.
func Share(ctx context.Context, dir string, o *project.Options) *Report {
	ctx, cancel := context.WithTimeout(ctx, shareTime)
	defer cancel()
	r, err := New(ctx, dir, o, 10*shareNewest).All(ctx, shareNewest)
	if err != nil || ctx.Err() != nil {
		return nil
	}
	share := &Report{}
	for _, s := range r.Sessions {
		if s.Verified() {
			share.Sessions = append(share.Sessions, s)
			share.Totals.plus(s.Counts)
		}
	}
	return share
}

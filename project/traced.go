package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// Trace is where it is kept that hooks answered calls; nil where nothing can be kept.
func (k *Past) Trace() *state.Trace {
	p := k.project
	if p.opts.StateDir == "" || p.opts.NoLog {
		return nil
	}
	return state.NewTrace(p.opts.stateFolder("traces"), p.opts.fenceKey, p.opts.Now)
}

// Lost is a line for the user about a call that may have gone on unjudged, since
// its hook was killed or failed: once for each. It is "" if there is nothing to say.
func (n *Notices) Lost(ev sentinel.Event, lost []state.Traced) string {
	p := n.project
	for _, c := range lost {
		if p.opts.givenTexts().Repeated("lost", "notice:lost", fmt.Sprintf("%s %d %d", ev.Session, c.Began.UnixMicro(), c.Process), lostRepeat) {
			continue
		}
		what := "ended without an answer (it was killed, or it crashed)"
		if c.Outcome == state.TraceFailed {
			what = "failed and could not judge it"
		}
		notice := text.Line(fmt.Sprintf("the hook that was asked about the call of %s at %s %s. The agent may have let that call pass. "+
			"`sentinel verify --last` shows which one it was.", c.Tool, c.Began.Local().Format(time.TimeOnly), what))
		p.Past().Book().Note("lost", ev.Agent, notice) // the notice itself matters more than its record
		return notice
	}
	return ""
}

// lostRepeat is longer than a trace is kept.
const lostRepeat = 40 * 24 * time.Hour

// maxCreates bounds the actions of a call that are looked at.
const maxCreates = 256

// Creates are the files that the call makes and that are not there yet: absolute, without
// symbolic links. A file that a command moves does not count, since it was there under another name,
// nor does a file of a line in which a command may not run.
func (d *Docket) Creates() (paths []string) {
	if len(d.Parts) == 0 {
		return nil
	}
	actions := d.Parts[0].Actions
	if slices.ContainsFunc(actions, func(a sentinel.Action) bool {
		return a.Op == sentinel.OpMove || a.Command != nil && !simple(a.Command)
	}) {
		return nil
	}
	for i := range actions[:min(len(actions), maxCreates)] {
		a := &actions[i]
		if a.Trigger != sentinel.FileWrite || a.Op != sentinel.OpCreate || !a.Certain {
			continue
		}
		path := filepath.FromSlash(absolute(a, a.Path))
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			paths = append(paths, filepath.Join(safefile.Resolve(filepath.Dir(path)), filepath.Base(path)))
		}
	}
	return paths
}

// simple reports whether a line is one command that runs in any case.
func simple(line *shell.Line) bool {
	if len(line.Commands) != 1 || line.Unparsed != "" || line.Bounded {
		return false
	}
	c := &line.Commands[0]
	return len(c.Wrappers) == 0 && !c.Background && strings.TrimSpace(line.Text[:c.Span.Start]) == ""
}

// Rules are the ids of the rules that are about the event, each once.
func (d *Docket) Rules() (ids []string) {
	seen := map[string]bool{}
	for i := range d.Parts {
		if d.Parts[i].docket == nil {
			continue
		}
		for rule := range d.Parts[i].docket.Matches() {
			if id := rule.Spec().ID; !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Lasting reports whether what the expressions of the rules with an id say of the event is
// the same at any time: none depends on files, git or the turn.
func (d *Docket) Lasting(id string) bool {
	for i := range d.Parts {
		if d.Parts[i].docket == nil {
			continue
		}
		for r := range d.Parts[i].docket.Matches() {
			if r.Spec().ID != id {
				continue
			}
			// of a rule of another type only Go code knows
			if of, knows := r.(interface{ ReadsDisk() bool }); !knows || of.ReadsDisk() {
				return false
			}
		}
	}
	return true
}

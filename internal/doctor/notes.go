package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
)

// recent is for how long a note is more than history.
const recent = 7 * 24 * time.Hour

// notes tells what hooks left for a person to hear.
func (d *doctor) notes(context.Context) []Finding {
	if d.Project.StateDir == "" {
		return nil
	}
	path := filepath.Join(d.Project.StateDir, "notes.jsonl")
	data, err := state.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{ok("notes", "hooks have left no notes")}
	case err != nil:
		return []Finding{warn("notes", "what hooks have noted cannot be read: "+message(err), "remove "+d.display(path))}
	}
	kinds := countNotes(data)
	if len(kinds) == 0 {
		return []Finding{ok("notes", "hooks have left no notes")}
	}
	var found []Finding
	if len(data) > state.MaxNotes {
		found = append(found, warn("notes", "there is no room for more, so what hooks could not report since is not known", "read them, then remove "+d.display(path)))
	}
	var elsewhere []string
	for _, k := range kinds {
		if k.root != "" && k.root != d.Root && !safefile.Within(d.Dir, k.root) && !safefile.Within(k.root, d.Root) {
			elsewhere = append(elsewhere, k.root)
			continue
		}
		found = append(found, d.note(k, path))
	}
	if elsewhere = slices.Compact(slices.Sorted(slices.Values(elsewhere))); len(elsewhere) > 0 {
		found = append(found, info("notes", "there are notes about the rules of other projects: "+list(elsewhere), "sentinel doctor there; when you have read the notes, remove "+d.display(path)))
	}
	return found
}

// list names the first of many.
func list(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// ofProject are the kinds of notes that are about the files of one project.
var ofProject = []string{"pin", "rules", "refused"}

// A noteKind is what was noted of one kind and agent.
type noteKind struct {
	kind, agent string
	root        string // of the project that it is about; "" for a note about the machine
	count       int
	last        time.Time
	text        string // of the last one
}

// countNotes sums notes up, those that came last first. Lines that are not
// notes are skipped: the file may have been cut.
func countNotes(data []byte) []noteKind {
	var kinds []noteKind
	for line := range bytes.Lines(data) {
		var n state.Note
		if json.Unmarshal(line, &n) != nil || n.Kind == "" {
			continue
		}
		if !slices.Contains(ofProject, n.Kind) {
			n.Root = ""
		}
		at := slices.IndexFunc(kinds, func(k noteKind) bool { return k.kind == n.Kind && k.agent == n.Agent && k.root == n.Root })
		if at < 0 {
			if len(kinds) == maxProblems {
				continue
			}
			kinds, at = append(kinds, noteKind{kind: n.Kind, agent: n.Agent, root: n.Root}), len(kinds)
		}
		k := &kinds[at]
		k.count++
		if !n.Time.Before(k.last) {
			k.last, k.text = n.Time, n.Text
		}
	}
	slices.SortStableFunc(kinds, func(a, b noteKind) int { return cmp.Or(b.last.Compare(a.last), cmp.Compare(a.kind, b.kind)) })
	return kinds
}

func (d *doctor) note(k noteKind, path string) Finding {
	times := text.Count(k.count, "time")
	what := fmt.Sprintf("%s, last on %s", times, k.last.Local().Format("2006-01-02 15:04"))
	if k.agent != "" {
		what += " by " + k.agent
	}
	if k.text != "" {
		what += ": " + excerpt([]byte(k.text))
	}
	forget := "; when you have read the notes, remove " + d.display(path)
	if d.now().Sub(k.last) > recent {
		return info(k.kind, what, "long ago"+forget)
	}
	switch k.kind {
	case "unknown-tool":
		return info(k.kind, "a tool that nobody knows was let through: "+what, "say in `tool_map_extra` what it does"+forget)
	case "bad-event":
		return warn(k.kind, "an event was not understood: "+what, "update Sentinel or the agent, and report it if it stays"+forget)
	case "log":
		return warn(k.kind, "the log could not be written: "+what, "see the log above"+forget)
	case "pin":
		return warn(k.kind, what, "see the rules above"+forget)
	case "judge", "budget", "refused":
		return warn(k.kind, what, "see the judges above"+forget)
	case "seal":
		return warn(k.kind, "files of Sentinel's own were changed by another program, or the key was replaced: "+what,
			"allow, pause and trust again what you want; if you did not replace the key, find out what writes there"+forget)
	case "session":
		return warn(k.kind, "work on a session failed: "+what, "see the judges and the log above"+forget)
	}
	return info(k.kind, what, strings.TrimPrefix(forget, "; "))
}

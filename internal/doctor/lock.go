package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// maxSessions bounds how many sessions' locks are looked at, the newest first.
const maxSessions = 32

// lock looks at the lock on the GPU, if anything takes it.
func (d *doctor) lock(context.Context) []Finding {
	var found []Finding
	seen := map[string]bool{}
	for _, f := range d.project.Folders {
		if !slices.ContainsFunc(f.Uses(), func(u project.Use) bool { return d.project.Inspect().About(f, u).SharesGPU }) {
			continue
		}
		first := d.project.Inspect().Lock(f, "")
		if first == nil {
			return []Finding{ok("gpu", "the program brings a lock of its own")}
		}
		if seen[first.Path()] {
			continue
		}
		seen[first.Path()] = true
		found = append(found, d.locks(f, first))
	}
	if len(found) == 0 {
		return []Finding{ok("gpu", "no backend that is used here shares a GPU")}
	}
	return found
}

// locks looks at a lock, and where each session has one, at those of the others.
func (d *doctor) locks(f *project.Folder, first *gpulock.File) Finding {
	name := d.display(first.Path())
	state, err := first.Probe()
	if err != nil {
		return cannotLock(name, err)
	}
	used := inUse(name, state)
	looked := 1
	if f.Config.Lock.Scope == "session" {
		for _, session := range sessions(filepath.Dir(filepath.Dir(first.Path()))) {
			other := d.project.Inspect().Lock(f, session)
			if other == nil || other.Path() == first.Path() {
				continue
			}
			looked++
			if state, err := other.Probe(); err == nil {
				used = append(used, inUse(d.display(other.Path()), state)...)
			}
		}
	}
	if len(used) > 0 {
		return info("gpu", "in use: "+strings.Join(used, "; "), "that is as it should be; `lsof FILE` names the process")
	}
	return ok("gpu", fmt.Sprintf("free: %s", name)+more(looked-1, "other session"))
}

func more(n int, what string) string {
	if n <= 0 {
		return ""
	}
	return " and those of " + text.Count(n, what)
}

// sessions are the sessions that have a lock below dir, the newest first.
func sessions(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	type aged struct {
		name string
		at   int64
	}
	var found []aged
	for _, e := range entries {
		if info, err := os.Lstat(filepath.Join(dir, e.Name(), "ollama.lock")); err == nil {
			found = append(found, aged{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(found, func(a, b aged) int { return int(min(max(b.at-a.at, -1), 1)) })
	var names []string
	for _, s := range found[:min(len(found), maxSessions)] {
		names = append(names, s.name)
	}
	return names
}

// inUse says which priorities use a lock. The process is not known.
func inUse(name string, s gpulock.State) []string {
	var who []string
	if s.Waiting[sentinel.PriorityJudge] {
		who = append(who, "a judge is at work")
	} else if s.Held {
		who = append(who, "held")
	}
	for p, what := range map[sentinel.Priority]string{
		sentinel.PrioritySynthesizer: "advice waits", sentinel.PriorityAccumulator: "a summary waits", sentinel.PriorityScribe: "learning waits",
	} {
		if s.Waiting[p] {
			who = append(who, what)
		}
	}
	if len(who) == 0 {
		return nil
	}
	slices.Sort(who)
	return []string{name + " (" + strings.Join(who, ", ") + ")"}
}

func cannotLock(name string, err error) Finding {
	what := fmt.Sprintf("there can be no lock at %s: %s; models are asked without one, which is slower", name, message(err))
	if errors.Is(err, errors.ErrUnsupported) {
		return warn("gpu", what, "the file system has no locks: set `lock: {scope: machine}` in config.yaml")
	}
	return warn("gpu", what, "remove what is in its place, or set `lock: {scope: machine}` in config.yaml")
}

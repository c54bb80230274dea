package replay

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// Places are where sessions are looked for.
type Places struct {
	Agents   agent.Registry
	Machine  agent.Place // the user's home folder and environment
	Journals string      // Sentinel's own records, for agents that keep none; "" for none
	// Newest bounds how many transcripts are read to see where they were held, those first
	// that were written last; 0 has no bound.
	Newest int
}

// Find returns the transcripts of sessions that were held in the folder root or below
// it, sorted by path. Where an agent keeps the sessions of all projects together, a
// transcript says itself where it was held: its first lines are read. One that cannot be
// read there is left out.
func Find(ctx context.Context, root string, p Places) []Transcript {
	f := finder{agent.Project{Roots: []string{filepath.Clean(root)}}}
	f.Holds = f.holds
	if real, err := filepath.EvalSymlinks(root); err == nil && real != f.Roots[0] {
		f.Roots = append(f.Roots, real)
	}
	var found, asked []Transcript
	for _, path := range glob(p.Journals, "*.jsonl") {
		asked = append(asked, Transcript{Path: path})
	}
	for _, a := range p.Agents.All() {
		here, perhaps := f.sessions(a, p.Machine)
		found, asked = append(found, here...), append(asked, perhaps...)
	}
	found = append(found, f.here(ctx, newest(asked, p.Newest))...)
	slices.SortStableFunc(found, func(a, b Transcript) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(found, func(a, b Transcript) bool { return a.Path == b.Path })
}

// newest are the n transcripts that were written last; all of them if n is 0.
func newest(all []Transcript, n int) []Transcript {
	if n == 0 || len(all) <= n {
		return all
	}
	written := map[string]time.Time{}
	for _, t := range all {
		if info, err := os.Stat(t.Path); err == nil {
			written[t.Path] = info.ModTime()
		}
	}
	slices.SortStableFunc(all, func(a, b Transcript) int { return written[b.Path].Compare(written[a.Path]) })
	return all[:n]
}

// A Transcript is the record of one session.
type Transcript struct {
	Path string
	// Agent and Format are those of the agent in whose folder it was found; "" when that
	// is not known. The content decides.
	Agent, Format string
}

// sessions lists the records of an agent: those of the project, and those that have to
// say themselves where they were held.
func (f *finder) sessions(a *agent.Agent, at agent.Place) (here, perhaps []Transcript) {
	s := a.Sessions
	if s.Homes == nil {
		return nil, nil
	}
	for _, home := range s.Homes(at) {
		for _, dir := range f.projects(s, home) {
			belonging := agent.Perhaps
			if s.Belongs != nil {
				belonging = s.Belongs(dir, f.Project)
			}
			switch belonging {
			case agent.Here:
				here = append(here, recordsIn(dir, a)...)
			case agent.Elsewhere:
			default:
				perhaps = append(perhaps, recordsIn(dir, a)...)
			}
		}
	}
	return here, perhaps
}

// recordsIn lists the records of an agent in one folder.
func recordsIn(dir string, a *agent.Agent) (all []Transcript) {
	for _, pattern := range a.Sessions.Files {
		for _, path := range glob(dir, pattern) {
			all = append(all, Transcript{Path: path, Agent: a.Name, Format: a.Sessions.Format})
		}
	}
	return all
}

// projects are the folders of single projects, or the home without such folders.
func (f *finder) projects(s agent.Sessions, home string) []string {
	if s.Projects == "" {
		return []string{home}
	}
	return glob(home, s.Projects)
}

// glob lists files below a folder. The folder's own name may hold any character.
func glob(dir, pattern string) []string {
	if !filepath.IsAbs(dir) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	found := []string{"."}
	for _, element := range strings.Split(pattern, "/") {
		var next []string
		for _, at := range found {
			next = append(next, matching(root, at, element)...)
		}
		found = next
	}
	for i := range found {
		found[i] = filepath.Join(dir, found[i])
	}
	return found
}

// matching are the entries of a folder whose names match.
func matching(root *os.Root, dir, element string) (found []string) {
	if !strings.ContainsAny(element, "*?[") {
		if _, err := root.Lstat(filepath.Join(dir, element)); err == nil {
			found = append(found, filepath.Join(dir, element))
		}
		return found
	}
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if ok, _ := filepath.Match(element, name); ok {
			found = append(found, filepath.Join(dir, name))
		}
	}
	return found
}

// finder knows the folder by all its names.
type finder struct{ agent.Project }

// holds reports whether a folder is the project's or below it.
func (f *finder) holds(dir string) bool {
	return slices.ContainsFunc(f.Roots, func(root string) bool { return safefile.Within(filepath.Clean(dir), root) })
}

// here keeps the transcripts that say that they were held here.
func (f *finder) here(ctx context.Context, paths []Transcript) (found []Transcript) {
	mine := make([]bool, len(paths))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, path := range paths {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			mine[i] = f.holds(heldIn(path.Path))
		})
	}
	wait.Wait()
	for i, path := range paths {
		if mine[i] {
			found = append(found, path)
		}
	}
	return found
}

// firstEntries is how much of a transcript is read to see where it was held: in
// all that are known the first line that says anything tells.
const firstEntries = 16

// heldIn is the folder in which a session began. nowhere can be no folder's name;
// "" would be cleaned to the present one.
func heldIn(path string) string {
	const nowhere = "\x00"
	r, err := transcript.Open(path, transcript.Position{}, nil)
	if err != nil {
		return nowhere
	}
	defer r.Close()
	for range firstEntries {
		if _, err := r.Next(); err != nil && r.Dir() == "" {
			return nowhere
		}
		if dir := r.Dir(); dir != "" {
			return dir
		}
	}
	return nowhere
}

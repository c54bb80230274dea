package repo

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// The probes that no rubric asks for. They belong to no criterion, and no judge
// sees their evidence.
const (
	ProbeInjection   = "integrity.prompt_injection" // text that tells a model how to judge
	ProbeSymlink     = "integrity.symlink"          // links; those that lead out of the tree are False
	ProbeSubmodule   = "integrity.submodule"        // other repositories, which are not examined
	ProbeUncommitted = "integrity.uncommitted"      // changes of a local folder, which are not examined
)

// integrityTask looks for prompt injection in all files with text.
func (in *investigation) integrityTask() *task {
	chosen, err := in.choose(rubric.Files{}, "text but examples", func(f *File) bool { return texts(f) && !injection.Examples(f.Path) })
	if err != nil { // it has no pattern that could be wrong
		return &task{}
	}
	look := func(_ context.Context, s *source) found {
		var f found
		for _, a := range s.attempts() {
			at := s.place(a.Start, a.End)
			at.summary, at.withheld, at.outcome = "text in a file: "+a.Kind, true, audit.False
			f.add(at)
		}
		return f
	}
	return &task{chosen: chosen, look: ofText(look)}
}

// integrityEvidence is the evidence about the repository itself.
func (in *investigation) integrityEvidence(ctx context.Context) []audit.Evidence {
	all := in.injections()
	all = append(all, in.symlinks(ctx)...)
	all = append(all, in.submodules()...)
	return append(all, in.uncommitted()...)
}

func (in *investigation) injections() []audit.Evidence {
	t := sum(in.integrity.found)
	r := t.result
	count := t.count
	for _, f := range in.repo.files {
		if attempts := injection.Attempts(f.Path); len(attempts) > 0 {
			count++
			r.places = append(r.places, place{path: f.Path, summary: "name of a file: " + attempts[0].Kind, withheld: true, outcome: audit.False})
		}
	}
	if attempts := injection.Attempts(in.repo.subject.Branch); len(attempts) > 0 {
		count++
		r.places = append(r.places, place{summary: "name of the branch: " + attempts[0].Kind, snippet: in.repo.subject.Branch, withheld: true, outcome: audit.False})
	}
	count += in.history.attempts
	r.places = append(r.places, in.history.injections...)
	if in.history.err != nil {
		r.gaps = append(r.gaps, gap{"the history", audit.NotAvailable, text.Name(text.CutBytes(in.history.err.Error(), 200))})
	}
	r.more = r.more || len(r.places) > MaxPlaces
	r.values = map[string]any{"count": count, "files": t.files}
	r.summary = text.Plural(count, "place speaks", "places speak") + " to the reader"
	if count == 0 {
		r.summary = "no text was found that speaks to its reader"
	}
	r.gaps = slices.DeleteFunc(r.gaps, func(g gap) bool { return isLockFile(path.Base(g.path)) }) // a program wrote them
	zero := 0.0
	return in.evidence(&rubric.Probe{ID: ProbeInjection, Expect: rubric.Expect{"count": {Max: &zero}}}, r)
}

// symlinks lists the links of the tree; without one there is no evidence. They are
// not followed: a link is read as the text that git keeps for it.
func (in *investigation) symlinks(ctx context.Context) []audit.Evidence {
	var r result
	count, outside := 0, 0
	for i := range in.repo.files {
		f := &in.repo.files[i]
		if f.Mode != modeLink {
			continue
		}
		count++
		at := place{path: f.Path, outcome: audit.True}
		target, err := in.repo.linkTarget(ctx, f)
		switch {
		case err != nil:
			at.outcome, at.summary = audit.NotAvailable, "its target was not read: "+text.Name(text.CutBytes(err.Error(), 200))
			r.gaps = append(r.gaps, gap{f.Path, audit.NotAvailable, "its target was not read"})
		case leadsOut(f.Path, target):
			outside++
			at.outcome, at.summary = audit.False, "a link out of the tree"
		default:
			at.summary = "a link within the tree"
		}
		at.snippet = target
		r.places = append(r.places, at)
	}
	if count == 0 {
		return nil
	}
	r.values = map[string]any{"count": count, "outside": outside}
	r.lower = []string{"outside"}
	r.summary = fmt.Sprintf("%s, %d of them out of the tree; none was followed", text.Plural(count, "link", "links"), outside)
	zero := 0.0
	return in.evidence(&rubric.Probe{ID: ProbeSymlink, Expect: rubric.Expect{"outside": {Max: &zero}}}, r)
}

// linkTarget reads where a link leads to.
func (r *Repository) linkTarget(ctx context.Context, f *File) (string, error) {
	const maxTarget = 64 << 10
	if f.Size < 0 || f.Size > maxTarget {
		return "", ErrNotAvailable
	}
	target, err := r.blobs.get(ctx, f.Hash, maxTarget)
	return string(target), err
}

// leadsOut reports whether a link's target is outside the tree, by what is written.
func leadsOut(link, target string) bool {
	target = strings.ReplaceAll(target, `\`, "/")
	if path.IsAbs(target) || strings.Contains(target, ":") || target == "" {
		return true
	}
	joined := path.Join(path.Dir(link), target)
	return joined == ".." || strings.HasPrefix(joined, "../") || joined == ".git" || strings.HasPrefix(joined, ".git/")
}

func (in *investigation) submodules() []audit.Evidence {
	r := result{outcome: audit.NotAvailable}
	for _, f := range in.repo.files {
		if f.Mode == modeSubmodule {
			r.places = append(r.places, place{path: f.Path, outcome: audit.NotAvailable, summary: "a submodule at commit " + text.CutBytes(f.Hash, 12)})
		}
	}
	if len(r.places) == 0 {
		return nil
	}
	r.values = map[string]any{"count": len(r.places)}
	r.summary = text.Plural(len(r.places), "submodule is", "submodules are") + " another repository and not examined"
	return in.evidence(&rubric.Probe{ID: ProbeSubmodule}, r)
}

func (in *investigation) uncommitted() []audit.Evidence {
	r := result{outcome: audit.NotAvailable}
	switch n := in.repo.subject.Dirty; {
	case in.repo.dirtyErr != nil:
		r.outcome, r.summary = audit.Error, text.Name(text.CutBytes(in.repo.dirtyErr.Error(), 300))
	case n > 0:
		r.values = map[string]any{"count": n}
		r.summary = text.Plural(n, "file of the folder has", "files of the folder have") + " changes that are not committed, and were not examined"
	default:
		return nil
	}
	return in.evidence(&rubric.Probe{ID: ProbeUncommitted}, r)
}

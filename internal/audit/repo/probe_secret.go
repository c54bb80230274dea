package repo

import (
	"context"
	"fmt"
	"path"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// secretTask looks for credentials. Its quotations are masked.
//
// Those with a format of their own are counted apart from those that only a name
// or a place speaks for, which are possible ones. The places are those of the
// figures that are expected; without any, all.
func (in *investigation) secretTask(p *rubric.Probe) (*task, error) {
	chosen, err := in.choose(p.Files, "text without large locks", func(f *File) bool {
		tooLarge := f.Size < 0 || f.Size > in.repo.options.MaxBlob // a program wrote it, and it is not read
		return texts(f) && !(tooLarge && isLockFile(path.Base(f.Path)))
	})
	if err != nil {
		return nil, err
	}
	_, onPossible := p.Expect["possible"]
	onlyPossible := onPossible && len(p.Expect) == 1
	onlyCertain := !onPossible && len(p.Expect) > 0
	look := func(_ context.Context, s *source) found {
		var f found
		possible := 0
		for _, at := range s.secrets() {
			where := s.place(at.Start, at.End)
			where.possible = !at.Certain()
			switch {
			case at.Certain():
				where.summary = "it looks like a credential: " + at.Kind
				f.count++
			default:
				where.summary = "it may be a credential: " + at.Kind
				possible++
			}
			if where.possible && !onlyCertain || !where.possible && !onlyPossible {
				f.keep(where)
			}
		}
		f.kept = possible
		return f
	}
	return &task{chosen: chosen, look: ofText(look), conclude: countSecrets}, nil
}

// countSecrets makes the figures of what was found.
func countSecrets(_ context.Context, all []found) result {
	t := sum(all)
	r := t.result
	r.lower = append(r.lower, "possible")
	if len(all) == 0 {
		r.values = map[string]any{"count": 0, "possible": 0, "files": 0}
		r.none = "no file"
		return r
	}
	if unseen, nothing := unseen(all, t.gaps); nothing {
		return unseen
	}
	possible := 0
	for i := range all {
		n, _ := all[i].kept.(int)
		possible += n
	}
	r.values = map[string]any{"count": t.count, "possible": possible, "files": t.files}
	if t.count+possible == 0 {
		r.summary = joined("none in "+text.Plural(len(all)-t.binary, "file", "files"), t.skipped())
		return r
	}
	r.summary = fmt.Sprintf("%s in %s of %d, and %s by name or place alone", text.Plural(t.count, "credential", "credentials"),
		text.Plural(t.files, "file", "files"), len(all)-t.binary, text.Plural(possible, "possible one", "possible ones"))
	r.summary = joined(r.summary, t.skipped())
	return r
}

// doubt marks the evidence of what may be a credential, and may be none.
func doubt(e *audit.Evidence) {
	e.Confirmed, e.Confidence = false, 0.5
}

package repo

import (
	"context"
	"fmt"
	"regexp"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// fileTask looks for paths. It reads no file.
func (in *investigation) fileTask(p *rubric.Probe) (*task, error) {
	chosen, err := in.choose(rubric.Files{Include: append(p.Any[:len(p.Any):len(p.Any)], p.Files.Include...), Exclude: p.Files.Exclude}, "any", func(*File) bool { return true })
	if err != nil {
		return nil, err
	}
	var r result
	count := 0
	for i, f := range in.repo.files {
		if !chosen.files[i] {
			continue
		}
		count++
		if r.more = len(r.places) == MaxPlaces; !r.more {
			r.places = append(r.places, place{path: f.Path, summary: "a file that matches"})
		}
	}
	r.values = map[string]any{"count": count, "files": count}
	excluded, err := in.anyOf(p.Files.Exclude)
	if err != nil {
		return nil, err
	}
	looked := 0
	for i := range excluded {
		if !excluded[i] {
			looked++
		}
	}
	r.summary = fmt.Sprintf("%s of %d", text.Plural(count, "file matches", "files match"), looked)
	r.leftOut(chosen.left)
	return &task{conclude: func(context.Context, []found) result { return r }}, nil
}

// maxMatches bounds what a regular expression finds in one file.
const maxMatches = 100_000

// textTask looks for lines that a regular expression finds: its ^ and $ are those of
// a line. It decides nothing about structure: a comment counts as much as code.
func (in *investigation) textTask(p *rubric.Probe) (*task, error) {
	expr, err := regexp.Compile("(?m)" + p.Regex)
	if err != nil {
		return nil, err
	}
	files := p.Files
	if p.File != "" {
		files.Include = append(files.Include[:len(files.Include):len(files.Include)], p.File)
	}
	chosen, err := in.choose(files, "text", texts)
	if err != nil {
		return nil, err
	}
	needed := required(p.Regex)
	look := func(_ context.Context, s *source) found {
		var f found
		if !needed.in(s.text, s.small) {
			return f
		}
		last := 0
		for _, m := range expr.FindAllStringIndex(s.text, maxMatches) {
			if line := s.line(m[0]); line > last { // several in one line are one
				last = line
				at := s.place(m[0], m[1])
				at.summary = "a line that matches"
				f.add(at)
			}
		}
		return f
	}
	return &task{chosen: chosen, look: ofText(look), conclude: countPlaces("no such file", "line matches", "lines match")}, nil
}

// ofText passes over files that turn out to be binary: they are counted as that.
func ofText(look func(context.Context, *source) found) func(context.Context, *source) found {
	return func(ctx context.Context, s *source) found {
		if s.binary {
			return found{binary: true}
		}
		return look(ctx, s)
	}
}

// add counts a place and keeps it.
func (f *found) add(p place) {
	f.count++
	f.keep(p)
}

// keep keeps a place, up to the number that is reported of a probe.
func (f *found) keep(p place) {
	if f.more = len(f.places) == maxKept; !f.more {
		f.places = append(f.places, p)
	}
}

// tally sums up what was found in files.
type tally struct {
	count, files, lines, broken, binary int
	result
}

func sum(all []found) tally {
	var t tally
	for i := range all {
		f := &all[i]
		if f.gap != nil {
			t.gaps = append(t.gaps, *f.gap)
			continue
		}
		t.count += f.count
		t.lines += f.lines
		if f.count > 0 {
			t.files++
		}
		if f.broken {
			t.broken++
		}
		if f.binary {
			t.binary++
		}
		t.more = t.more || f.more || len(t.places)+len(f.places) > MaxPlaces
		t.places = append(t.places, f.places[:min(len(f.places), MaxPlaces-len(t.places))]...)
	}
	t.lower = []string{"count", "files"}
	return t
}

// countPlaces makes count and files of what was found.
func countPlaces(none, one, many string) func(context.Context, []found) result {
	return func(_ context.Context, all []found) result {
		t := sum(all)
		r := t.result
		r.values = map[string]any{"count": t.count, "files": t.files}
		if len(all) == 0 {
			r.none = none
			return r
		}
		if unseen, nothing := unseen(all, t.gaps); nothing {
			return unseen
		}
		searched := len(all) - t.binary
		if r.summary = "none in " + text.Plural(searched, "file", "files"); t.count > 0 {
			r.summary = fmt.Sprintf("%s in %s of %d", text.Plural(t.count, one, many), text.Plural(t.files, "file", "files"), searched)
		}
		r.summary = joined(r.summary, t.skipped())
		return r
	}
}

// skipped says how many files were not searched because they hold no text.
func (t *tally) skipped() string {
	if t.binary == 0 {
		return ""
	}
	return text.Plural(t.binary, "binary file was", "binary files were") + " skipped"
}

// unseen is the result where no file at all could be examined: it has no figures.
func unseen(all []found, gaps []gap) (result, bool) {
	r := result{gaps: gaps, summary: "nothing could be examined"}
	r.outcome = r.unexamined(audit.Unknown)
	return r, len(all) > 0 && len(gaps) == len(all)
}

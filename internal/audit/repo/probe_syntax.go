package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
)

// unsupported is the task of a probe on a language that has no grammar.
func unsupported(lang string) *task {
	r := result{outcome: audit.NotSupported, summary: "there is no grammar for " + text.Name(lang)}
	return &task{conclude: func(context.Context, []found) result { return r }}
}

// astTask looks for nodes of syntax trees. Only files that contain a text that the query
// requires are parsed.
func (in *investigation) astTask(p *rubric.Probe) (*task, error) {
	if p.Lang != "" && !syntax.Supports(p.Lang) {
		return unsupported(p.Lang), nil
	}
	query, err := syntax.Compile(p)
	if err != nil {
		return nil, err
	}
	langs := query.Languages()
	chosen, err := in.chooseCode(p.Files, langs)
	if err != nil {
		return nil, err
	}
	literals := query.Literals()
	look := func(ctx context.Context, s *source) found {
		f := found{lines: s.countLines()}
		if literals != nil && !containsAny(s.text, literals) {
			return f
		}
		hits := query.Find(ctx, s.code())
		if hits.Err != nil {
			return found{gap: codeGap(s.file, hits.Err)}
		}
		for _, h := range hits.Hits {
			f.add(place{path: s.file.Path, first: h.First, last: h.Last, summary: "a place that matches", snippet: s.quote(h.Start, h.End), withheld: s.injected(h.Start, h.End)})
		}
		f.more = f.more || hits.Truncated
		f.broken = hits.Broken
		return f
	}
	return &task{chosen: chosen, parses: true, look: look, conclude: func(_ context.Context, all []found) result {
		r := countPlaces("no file in "+strings.Join(langs, ", "), "place", "places")(nil, all)
		t := sum(all)
		if t.lines > 0 {
			r.values["density_per_kloc"] = rounded(float64(t.count) / float64(t.lines) * 1000)
		}
		if t.broken > 0 {
			r.values["broken_files"] = t.broken
			r.summary = joined(r.summary, text.Plural(t.broken, "file has", "files have")+" syntax errors, and there may be more in them")
		}
		return r
	}}, nil
}

// chooseCode chooses files of the languages.
func (in *investigation) chooseCode(files rubric.Files, langs []string) (choice, error) {
	return in.choose(files, "code "+strings.Join(langs, " "), func(f *File) bool {
		return f.Regular() && slices.Contains(langs, syntax.Language(f.Path))
	})
}

// code is the file for queries, which read it once.
func (s *source) code() syntax.File {
	return syntax.File{Path: s.file.Path, Lang: syntax.Language(s.file.Path), Source: s.content, Memo: &s.memo}
}

// codeGap says why a file was not parsed.
func codeGap(f *File, err error) *gap {
	g := &gap{f.Path, audit.Error, text.Name(text.CutBytes(err.Error(), 200))}
	switch {
	case errors.Is(err, syntax.ErrLanguage):
		g.outcome, g.why = audit.NotSupported, "there is no grammar for it"
	case errors.Is(err, syntax.ErrTooLarge), errors.Is(err, syntax.ErrTooHard):
		g.outcome = audit.NotAvailable
	}
	return g
}

func containsAny(text string, literals []string) bool {
	return slices.ContainsFunc(literals, func(l string) bool { return strings.Contains(text, l) })
}

// graphTask reads how a graph is wired, from the calls in all files that have one.
func (in *investigation) graphTask(p *rubric.Probe) (*task, error) {
	if p.Lang != "" && p.Lang != syntax.Python {
		return unsupported(p.Lang), nil
	}
	chosen, err := in.chooseCode(p.Files, []string{syntax.Python})
	if err != nil {
		return nil, err
	}
	var calls []string
	for _, name := range []string{p.EdgeCall, p.NodeCall, p.CondCall, p.Graph} {
		if name != "" {
			calls = append(calls, name[strings.LastIndexByte(name, '.')+1:])
		}
	}
	look := func(_ context.Context, s *source) found {
		if len(calls) > 0 && !containsAny(s.text, calls) {
			return found{}
		}
		code := s.code()
		code.Memo = nil // it is read when all files are known
		return found{kept: code}
	}
	return &task{chosen: chosen, look: look, conclude: func(ctx context.Context, all []found) result { return in.wire(ctx, p, all) }}, nil
}

func (in *investigation) wire(ctx context.Context, p *rubric.Probe, all []found) result {
	r := sum(all).result
	r.lower = []string{"edge_count", "node_count", "fan_out", "fan_in"}
	if len(all) == 0 {
		r.none = "no file in " + syntax.Python
		return r
	}
	if unseen, nothing := unseen(all, r.gaps); nothing {
		return unseen
	}
	var files []syntax.File
	for _, f := range all {
		if code, ok := f.kept.(syntax.File); ok {
			files = append(files, code)
		}
	}
	within, cancel := context.WithDeadline(ctx, in.parsing)
	defer cancel()
	wiring, err := syntax.Wire(within, p, files)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		r.outcome, r.summary = audit.NotAvailable, in.noTime()
		return r
	}
	if err != nil {
		r.outcome, r.summary = codeGap(&File{}, err).outcome, text.Name(text.CutBytes(err.Error(), 300))
		return r
	}
	r.values = wiring.Figures()
	r.values["node_names"] = nodeNames(wiring.NodeNames)
	r.summary = fmt.Sprintf("%s, %s, %d side by side, %d joined", text.Plural(len(wiring.NodeNames), "node", "nodes"),
		text.Plural(wiring.EdgeCount, "edge", "edges"), wiring.FanOut, wiring.FanIn)
	r.snippet = wiring.Details
	for _, skipped := range wiring.Skipped {
		r.gaps = append(r.gaps, gap{skipped, audit.NotAvailable, "it could not be parsed"})
	}
	for _, e := range wiring.Edges {
		r.more = r.more || len(r.places) == MaxPlaces
		if !r.more {
			at := place{path: e.Path, first: e.First, last: e.Last, summary: "an edge", snippet: e.From + " -> " + e.To}
			if e.Conditional {
				at.summary = "an edge under a condition"
			}
			r.places = append(r.places, at)
		}
	}
	return r
}

// nodeNames are the names as a judge may read them.
func nodeNames(names []string) []string {
	const most, longest = 100, 100
	safe := make([]string, 0, min(len(names), most))
	for _, name := range names[:min(len(names), most)] {
		name, _ = shielded(text.Name(text.CutBytes(secret.Mask(name), longest)))
		safe = append(safe, name)
	}
	return safe
}

// sideLines is one file of a ratio.
type sideLines struct {
	lines    int
	num, den bool
}

// ratioTask compares the lines of some files with the lines of others. Blank lines
// are not counted.
func (in *investigation) ratioTask(p *rubric.Probe) (*task, error) {
	num, err := in.choose(rubric.Files{Include: p.Num.Files, Exclude: p.Files.Exclude}, "text", texts)
	if err != nil {
		return nil, err
	}
	den, err := in.choose(rubric.Files{Include: p.Den.Files, Exclude: p.Files.Exclude}, "text", texts)
	if err != nil {
		return nil, err
	}
	either := choice{files: make([]bool, len(num.files)), left: max(num.left, den.left)}
	for i := range either.files {
		either.files[i] = num.files[i] || den.files[i]
	}
	look := func(_ context.Context, s *source) found {
		i, _ := in.repo.find(s.file.Path)
		return found{kept: sideLines{s.countLines(), num.files[i], den.files[i]}}
	}
	return &task{chosen: either, look: ofText(look), conclude: func(_ context.Context, all []found) result {
		r := sum(all).result
		var numLines, denLines int
		for _, f := range all {
			if side, ok := f.kept.(sideLines); ok && side.num {
				numLines += side.lines
			}
			if side, ok := f.kept.(sideLines); ok && side.den {
				denLines += side.lines
			}
		}
		r.values = map[string]any{"num_lines": numLines, "den_lines": denLines}
		if unseen, nothing := unseen(all, r.gaps); nothing {
			return unseen
		}
		if denLines == 0 {
			r.none = "no lines to compare with"
			r.outcome = r.unexamined(audit.Unknown)
			return r
		}
		r.values["value"] = rounded(float64(numLines) / float64(denLines))
		r.summary = fmt.Sprintf("%d lines to %d, %.2f", numLines, denLines, r.values["value"])
		return r
	}}, nil
}

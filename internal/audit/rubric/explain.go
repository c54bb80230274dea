package rubric

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Explain writes for a person what the rubric looks for, what each dimension
// weighs, which facts cap its score, and what the gate demands. Errors of w are
// passed over.
func (r *Rubric) Explain(w io.Writer) {
	e := explainer{w: w, r: r}
	e.line(0, "%s, version %s", r.Metadata.Name, r.Metadata.Version)
	if r.Metadata.Target != "" {
		e.line(0, "For %s.", r.Metadata.Target)
	}
	e.line(0, "From %s, sha256 %.12s.", r.Source, r.Digest)
	e.extends()
	e.vars()
	total := 0.0
	for i := range r.Dimensions {
		total += r.Dimensions[i].Weight
	}
	for i := range r.Dimensions {
		e.dimension(&r.Dimensions[i], total)
	}
	e.synthesis()
	e.waivers()
}

type explainer struct {
	w io.Writer
	r *Rubric
}

// line writes one line, indented by levels.
func (e *explainer) line(level int, format string, args ...any) {
	fmt.Fprintln(e.w, strings.Repeat("  ", level)+text.Blank(fmt.Sprintf(format, args...)))
}

// list writes path patterns, with the names of vars for the lists of theirs.
func (e *explainer) list(patterns []string) string {
	var words []string
	for i := 0; i < len(patterns); {
		name, n := e.varAt(patterns[i:])
		if n == 0 {
			name, n = patterns[i], 1
		}
		words = append(words, name)
		i += n
	}
	return strings.Join(words, ", ")
}

// varAt returns the longest of vars that the patterns begin with, and its length.
func (e *explainer) varAt(patterns []string) (name string, n int) {
	for _, v := range slices.Sorted(maps.Keys(e.r.Vars)) {
		values := e.r.Vars[v]
		if len(values) > n && len(values) <= len(patterns) && slices.Equal(values, patterns[:len(values)]) {
			name, n = "$"+v, len(values)
		}
	}
	return name, n
}

// extends says what the rubric is an extension of, and what it leaves out.
func (e *explainer) extends() {
	if e.r.Extends == "" {
		return
	}
	e.line(0, "Extends the embedded rubric %s; [%s] marks what comes from there, [own] what stands here.", e.r.Extends, e.r.Extends)
	if dropped := e.r.Drop.Probes; len(dropped) > 0 {
		e.line(0, "Left out of it, probes: %s.", strings.Join(dropped, ", "))
	}
	if dropped := e.r.Drop.Dimensions; len(dropped) > 0 {
		e.line(0, "Left out of it, dimensions: %s.", strings.Join(dropped, ", "))
	}
}

func (e *explainer) vars() {
	if len(e.r.Vars) == 0 {
		return
	}
	e.line(0, "")
	e.line(0, "Path patterns")
	for _, name := range slices.Sorted(maps.Keys(e.r.Vars)) {
		e.line(1, "$%s: %s", name, strings.Join(e.r.Vars[name], ", "))
	}
}

func (e *explainer) dimension(d *Dimension, total float64) {
	e.line(0, "")
	e.line(0, "%s: %s%s", d.ID, d.Name, e.r.origins.words(e.r.origins.dimensions[d.ID]))
	if d.Scale.Low() != 1 || d.Scale.High() != 5 {
		e.line(1, "scores from %s", d.Scale)
	}
	e.line(1, "weighs %v of %v (%.0f%%); about %s", d.Weight, total, 100*d.Weight/total, artifactWords(d.TargetArtifact))
	if where := e.where(d.AppliesIf); where != "" {
		e.line(1, "applies %s", where)
	}
	if weights := e.weights(d); weights != "" {
		e.line(1, "opinions weigh %s", weights)
	}
	if len(d.Evidence) == 0 {
		e.line(1, "opinion only: no probe looks for facts")
	}
	for i := range e.r.Probes {
		p := &e.r.Probes[i]
		if slices.Contains(d.Evidence, p.ID) {
			e.probe(p, slices.Contains(d.Required, p.ID))
		}
	}
	for _, c := range d.Caps {
		e.line(1, "at most %d where %s (%s)", c.Max, c.When, c.Rule)
	}
}

func artifactWords(target string) string {
	switch target {
	case "doc":
		return "the document"
	case "diagram":
		return "the document's diagrams"
	case "manual":
		return "what only people can judge"
	case "all":
		return "the repository and the document"
	}
	return "the repository"
}

func (e *explainer) where(a Applies) string {
	var parts []string
	if len(a.LangAny) > 0 {
		parts = append(parts, "where there is code in "+strings.Join(a.LangAny, " or "))
	}
	if len(a.FileAny) > 0 {
		parts = append(parts, "where a file matches "+e.list(a.FileAny))
	}
	return strings.Join(parts, " and ")
}

// weights says what opinions weigh, unless all weigh the same.
func (e *explainer) weights(d *Dimension) string {
	var parts []string
	alike := true
	for _, j := range audit.Judges() {
		weight := e.r.Weight(d, j)
		alike = alike && weight == e.r.Weight(d, audit.Prosecutor)
		parts = append(parts, fmt.Sprintf("%s %v", j, weight))
	}
	if alike {
		return ""
	}
	return strings.Join(parts, ", ")
}

func (e *explainer) probe(p *Probe, required bool) {
	mark := "looks"
	switch {
	case required:
		mark = "requires"
	case p.Kind() == audit.KindObserved:
		mark = "observes"
	}
	e.line(1, "%s: %s: %s%s", mark, p.ID, e.seeks(p), e.r.origins.words(e.r.origins.probes[p.ID]))
	if expected := p.Expect.words(); expected != "" {
		finding := ""
		if p.Category != "" {
			finding = strings.TrimSuffix(fmt.Sprintf("; else a %s finding: %s", p.Category, p.Severity), ": ")
		}
		e.line(2, "expects %s%s", expected, finding)
	}
}

// seeks says in a line what the probe looks for, and in which files.
func (e *explainer) seeks(p *Probe) string {
	sought := p.sought(e.list)
	if p.Title != "" && len(p.Any) > 0 {
		sought += " (" + e.list(p.Any) + ")"
	}
	return sought + e.files(p.Files)
}

// sought says what the probe looks for: its title, or what its other keys mean.
// list writes path patterns.
func (p *Probe) sought(list func([]string) string) string {
	if p.Title != "" {
		return p.Title + inFile(p.File) + in(p.Lang)
	}
	switch p.Type {
	case TypeFile:
		return "files that match " + list(p.Any)
	case TypeText:
		return "lines that match " + p.Regex + inFile(p.File)
	case TypeAST:
		return p.structure() + in(p.Lang)
	case TypeGraph:
		return fmt.Sprintf("the wiring by %s, %s and %s%s", p.NodeCall, p.EdgeCall, p.CondCall, in(p.Lang))
	case TypeGit:
		return "the history: " + strings.Join(p.Metrics, ", ")
	case TypeManifest:
		return "declared dependencies and their lock files" + kinds(p.Kinds)
	case TypeSecret:
		return "credentials"
	case TypeRatio:
		return fmt.Sprintf("lines of %s to a line of %s", list(p.Num.Files), list(p.Den.Files))
	case TypeOverlap:
		return "how much of their words two texts share: " + p.Of.words(list)
	case TypeWorkflow:
		return "workflows: " + p.Check
	case TypeOneOf:
		return "how many of these hold: " + strings.Join(p.Probes, ", ")
	case TypeDocTerms:
		return "how often the document mentions " + strings.Join(p.Terms, ", ")
	case TypeDocPaths:
		return "whether the files that the document names exist"
	case TypeDiagram:
		return "what diagrams show: " + strings.Join(p.Answers, ", ")
	}
	return p.Type
}

// structure says what an ast probe looks for.
func (p *Probe) structure() string {
	switch {
	case p.Call != "":
		return "calls of " + p.Call
	case p.Base != "":
		return "classes that derive from " + p.Base
	case p.Imports != "":
		return "imports of " + p.Imports
	}
	return "syntax: " + strings.Join(strings.Fields(p.Query), " ")
}

func inFile(file string) string {
	if file == "" {
		return ""
	}
	return " in " + file
}

func in(lang string) string {
	if lang == "" {
		return ""
	}
	return " in " + lang
}

func kinds(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

func (e *explainer) files(f Files) string {
	s := ""
	if len(f.Include) > 0 {
		s = ", in " + e.list(f.Include)
	}
	if len(f.Exclude) > 0 {
		s += ", not in " + e.list(f.Exclude)
	}
	return s
}

func (o Overlap) words(list func([]string) string) string {
	if len(o.Files) > 0 {
		return "files that match " + list(o.Files)
	}
	return fmt.Sprintf("%s string literals under names that match %s", o.Strings.Lang, o.Strings.Names)
}

// Told is what a report tells of the rubric: what was looked for, and by which
// numbers it was judged.
func (r *Rubric) Told() (criteria []audit.Criterion, probes []audit.Probe, rules audit.Rules) {
	for i := range r.Dimensions {
		d := &r.Dimensions[i]
		c := audit.Criterion{ID: d.ID, Name: d.Name, Weight: d.Weight, Scale: d.Scale.Written(), Judges: map[audit.Judge]float64{}, Required: d.Required}
		for _, j := range audit.Judges() {
			c.Judges[j] = r.Weight(d, j)
		}
		for _, limit := range d.Caps {
			c.Caps = append(c.Caps, audit.Cap(limit))
		}
		criteria = append(criteria, c)
	}
	for i := range r.Probes {
		p := &r.Probes[i]
		probes = append(probes, audit.Probe{ID: p.ID, Looked: text.CutBytes(p.sought(few), maxSought), Expected: p.Expect.words(), Kind: p.Kind()})
	}
	s := &r.Synthesis
	return criteria, probes, audit.Rules{Scale: r.Metadata.Scale.Written(), Pass: s.Pass, Partial: s.Partial, VarianceOver: s.VarianceOver, OnDissent: s.OnDissent, MinOpinions: s.MinOpinions}
}

// maxSought bounds what a report says of a probe without a title, in bytes.
const maxSought = 200

// few writes the first path patterns.
func few(patterns []string) string {
	const most = 4
	if len(patterns) <= most {
		return strings.Join(patterns, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(patterns[:most], ", "), len(patterns)-most)
}

// words says what is expected, figure by figure.
func (e Expect) words() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(e)) {
		b := e[name]
		switch {
		case b.Is != nil:
			parts = append(parts, fmt.Sprintf("%s %t", name, *b.Is))
		case b.Min != nil && b.Max != nil:
			parts = append(parts, fmt.Sprintf("%s from %v to %v", name, *b.Min, *b.Max))
		case b.Min != nil:
			parts = append(parts, fmt.Sprintf("%s at least %v", name, *b.Min))
		case b.Max != nil:
			parts = append(parts, fmt.Sprintf("%s at most %v", name, *b.Max))
		}
	}
	return strings.Join(parts, ", ")
}

func (e *explainer) synthesis() {
	s := &e.r.Synthesis
	e.line(0, "")
	e.line(0, "Synthesis")
	e.line(1, "PASS from %v, PARTIAL from %v; no verdict with fewer than %d opinions", s.Pass, s.Partial, s.MinOpinions)
	dissent := "the cited evidence is looked at again"
	if s.OnDissent == "report" {
		dissent = "the report says so"
	}
	e.line(1, "where scores differ by more than %v, %s", s.VarianceOver, dissent)
	if s.Gate.Overall > 0 {
		e.line(1, "gate: at least %v in total", s.Gate.Overall)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Gate.Each)) {
		e.line(1, "gate: at least %v in %s", s.Gate.Each[id], id)
	}
	for _, condition := range s.Gate.FailOn {
		e.line(1, "gate: fails on %s", condition)
	}
}

func (e *explainer) waivers() {
	if len(e.r.Waivers) == 0 {
		return
	}
	e.line(0, "")
	e.line(0, "Waivers")
	for _, w := range e.r.Waivers {
		what := "the dimension " + w.Dimension
		if w.Probe != "" {
			what = "findings of " + w.Probe + inFile(w.Path)
		}
		until := ""
		if w.Until != "" {
			until = ", until " + w.Until
		}
		e.line(1, "%s: %s%s", what, w.Reason, until)
	}
}

package rubric

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

//go:embed explain.tmpl
var explanation string

// parsedExplanation is parsed when a rubric is explained first.
var parsedExplanation = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("explain").Parse(explanation))
})

// Explain writes for a person what the rubric looks for, what each dimension
// weighs, which facts cap its score, and what the gate demands. The error is w's.
func (r *Rubric) Explain(w io.Writer) error {
	e := explainer{Rubric: r}
	for i := range r.Dimensions {
		e.Total += r.Dimensions[i].Weight
	}
	return parsedExplanation().Execute(w, e)
}

// explainer is a rubric with what the template says of it. What is not the
// program's own passes through Say.
type explainer struct {
	*Rubric
	Total float64 // of the weights
}

// Say is a text that stays in its line.
func (e explainer) Say(s string) string { return text.Blank(s) }

// Join lists names.
func (e explainer) Join(names []string) string { return text.Blank(strings.Join(names, ", ")) }

// Share is the percentage of a weight.
func (e explainer) Share(weight float64) float64 { return 100 * weight / e.Total }

// Whence says where an element comes from, in a rubric that extends another.
func (e explainer) Whence(what, id string) string {
	if what == "probe" {
		return e.origins.words(e.origins.probes[id])
	}
	return e.origins.words(e.origins.dimensions[id])
}

// list writes path patterns, with the names of vars for the lists of theirs.
func (e explainer) list(patterns []string) string {
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
func (e explainer) varAt(patterns []string) (name string, n int) {
	for _, v := range slices.Sorted(maps.Keys(e.Vars)) {
		values := e.Vars[v]
		if len(values) > n && len(values) <= len(patterns) && slices.Equal(values, patterns[:len(values)]) {
			name, n = "$"+v, len(values)
		}
	}
	return name, n
}

// About says what a dimension is about.
func (e explainer) About(target string) string {
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

// Where says where a dimension applies.
func (e explainer) Where(a Applies) string {
	var parts []string
	if len(a.LangAny) > 0 {
		parts = append(parts, "where there is code in "+strings.Join(a.LangAny, " or "))
	}
	if len(a.FileAny) > 0 {
		parts = append(parts, "where a file matches "+e.list(a.FileAny))
	}
	return strings.Join(parts, " and ")
}

// Opinions says what opinions weigh on a dimension, unless all weigh the same.
func (e explainer) Opinions(dimension string) string {
	var parts []string
	d, alike := e.Dimension(dimension), true
	for _, j := range audit.Judges() {
		weight := e.Weight(d, j)
		alike = alike && weight == e.Weight(d, audit.Prosecutor)
		parts = append(parts, fmt.Sprintf("%s %v", j, weight))
	}
	if alike {
		return ""
	}
	return strings.Join(parts, ", ")
}

// A look is a probe that a dimension names.
type look struct{ Mark, ID, Sought, Expected string }

// Looks are the probes of a dimension.
func (e explainer) Looks(dimension string) (all []look) {
	d := e.Dimension(dimension)
	for i := range e.Probes {
		p := &e.Probes[i]
		if !slices.Contains(d.Evidence, p.ID) {
			continue
		}
		l := look{"looks", p.ID, e.seeks(p), p.Expect.words()}
		switch {
		case slices.Contains(d.Required, p.ID):
			l.Mark = "requires"
		case p.Kind() == audit.KindObserved:
			l.Mark = "observes"
		}
		if l.Expected != "" && p.Category != "" {
			l.Expected += strings.TrimSuffix(fmt.Sprintf("; else a %s finding: %s", p.Category, p.Severity), ": ")
		}
		all = append(all, l)
	}
	return all
}

// seeks says in a line what the probe looks for, and in which files.
func (e explainer) seeks(p *Probe) string {
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

func (e explainer) files(f Files) string {
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

// Told describes the rubric for a report: what was looked for, and with
// which numbers it was judged.
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

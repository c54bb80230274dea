package instructions

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// partOption is an option of a check that does it for a part of the code.
	partOption = lazy.Regexp{Source: ` (?:--(?:js|ts|rs|py|go|css|rust|python|unit|lib|bins?|fast|quick|changed|staged|affected)|(?:-p|--package|--filter|--workspace)[ =][\w@/.-]+)\b`}
)

// widen adds what a file takes for as good as the commands of a duty: others that do the same,
// and the check of all where they check a part.
func (b *builder) widen(list []ruletext.Duty) []ruletext.Duty {
	file, ok := b.shows()
	if !ok {
		return list
	}
	for i := range list {
		d := &list[i]
		for _, n := range slices.Clone(d.Names) {
			if whole := partOption.Get().ReplaceAllString(n, ""); whole != n && !slices.Contains(d.Ran, whole) && (slices.Contains(b.p.Commands, whole) || file.TellsToRun(whole)) {
				d.Ran = append(d.Ran, whole)
			}
			for _, o := range file.Alike()[n] {
				if p, _ := patterns(o); len(p) > 0 && !slices.Contains(d.Names, o) && !survey.Operator.Get().MatchString(o) && !survey.TooWide(o, false) {
					d.Add(o, p, d.Example)
				}
			}
		}
		b.under(d, file.Umbrellas())
	}
	return list
}

// document is the ending of a document.
var document = lazy.Regexp{Source: `\.(?:md|mdx|rst|adoc)$`}

// follows makes a document that is to be kept like a file the one that changes with it, and not the
// other way: "`a.md` lists the tools; keep it in sync with `a.py`".
func (b *builder) follows() {
	of, with := b.hit.Terms("changed"), b.hit.Terms("with")
	if b.hit.Form.Name != "alike" || len(of) != 1 || len(with) != 1 || !document.Get().MatchString(of[0].Text) || document.Get().MatchString(with[0].Text) {
		return
	}
	b.hit.Slots["changed"], b.hit.Slots["with"] = b.hit.Slots["with"], b.hit.Slots["changed"]
}

package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// eitherCode begins a text about two commands that do the same: "`just format` or `just
	// f` - formats the code".
	eitherCode = lazy.Regexp{Source: "^\\W*?(?:\\*{0,2}[\\w /()-]{1,40}\\*{0,2} ?[:—–-]\\*{0,2} ?)?`([^`]+)`,? \\(?or `([^`]+)`\\)?(?:$|[\\W_])"}
	// partOption is an option of a check that does it for a part of the code.
	partOption = lazy.Regexp{Source: ` (?:--(?:js|ts|rs|py|go|css|rust|python|unit|lib|bins?|fast|quick|changed|staged|affected)|(?:-p|--package|--filter|--workspace)[ =][\w@/.-]+)\b`}
)

// alike are the commands of a file that do the same as another one by its own words.
func alike(all []markdown.Block) map[string][]string {
	same := map[string][]string{}
	for i := range all {
		b := &all[i]
		if b.Invisible || !slices.ContainsFunc(b.Lines, func(l string) bool { return strings.Contains(l, "`") }) {
			continue
		}
		for _, said := range sentence.Sentences(b.Text()) {
			m := eitherCode.Get().FindStringSubmatch(said)
			if m == nil || sentence.KindOf(m[1]) != sentence.Command || sentence.KindOf(m[2]) != sentence.Command || badAbove.Get().MatchString(markdown.CodeSpan.Get().ReplaceAllString(said, " ")) {
				continue
			}
			same[m[1]], same[m[2]] = append(same[m[1]], m[2]), append(same[m[2]], m[1])
		}
	}
	return same
}

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
			if whole := partOption.Get().ReplaceAllString(n, ""); whole != n && !slices.Contains(d.Ran, whole) && (slices.Contains(b.p.Commands, whole) || file.tellsToRun(whole)) {
				d.Ran = append(d.Ran, whole)
			}
			for _, o := range file.alike()[n] {
				if p, _ := patterns(o); len(p) > 0 && !slices.Contains(d.Names, o) && !operator.Get().MatchString(o) && !tooWide(o, false) {
					d.Add(o, p, d.Example)
				}
			}
		}
		b.under(d, file.umbrellas())
	}
	return list
}

// tellsToRun reports whether a file tells to run a command.
func (s *shows) tellsToRun(cmd string) bool {
	return slices.ContainsFunc(s.specimens(), func(o specimen) bool { return o.of == toRun && o.text == cmd })
}

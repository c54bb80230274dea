package coverage

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Share says how many directives hold, as "31 of 58 directives hold (3 of them only warn)".
func (r *Report) Share() string {
	said := share(r.Hold, r.Directives, r.OnlyWarn, r.InPart)
	if r.Shadow > 0 {
		said += fmt.Sprintf("; %d more in shadow mode", r.Shadow)
	}
	return said
}

// Share says how many directives of the file hold.
func (f *File) Share() string { return share(f.Hold, f.Directives, f.OnlyWarn, f.InPart) }

func share(hold, all, warn, part int) string {
	said := fmt.Sprintf("%d of %s %s", hold, text.Count(all, "directive"), verb(all, "hold"))
	var less []string
	if warn > 0 {
		less = append(less, fmt.Sprintf("%d of them only %s", warn, verb(warn, "warn")))
	}
	if part > 0 {
		less = append(less, fmt.Sprintf("%d%s in part", part, text.When(warn == 0, " of them")))
	}
	return said + text.When(len(less) > 0, " ("+strings.Join(less, ", ")+")")
}

// verb is a verb about so many subjects.
func verb(n int, plural string) string { return plural + text.When(n == 1, "s") }

// count is how many statements are in a state.
func (r *Report) count(state instructions.State, shadow bool) (n int) {
	for i := range r.Files {
		for k := range r.Files[i].Statements {
			if s := &r.Files[i].Statements[k]; s.State == state && s.Shadow == shadow {
				n++
			}
		}
	}
	return n
}

// Said is what there is to say of the statement's state, in one line.
func (s *Statement) Said() string {
	var parts []string
	switch {
	case len(s.Rules) > 0:
		by := "by " + strings.Join(s.Rules, ", ")
		parts = append(parts, by+text.When(s.Warns, ", which only "+verb(len(s.Rules), "warn"))+text.When(s.Part, ", in part"+text.After(": not ", s.notHeld())))
	case s.Proposed() > 0:
		for _, d := range s.Drafts {
			if d.Left == "" {
				parts = append(parts, d.ID+": "+strings.TrimSuffix(d.Why, "."))
			}
		}
	case s.Linter != "":
		parts = append(parts, s.Linter)
	}
	if more := s.proposed(); len(s.Rules) > 0 && len(more) > 0 {
		parts = append(parts, "more can hold: "+strings.Join(more, ", "))
	}
	if s.Why != "" && len(s.Rules) == 0 && s.Proposed() == 0 {
		parts = append(parts, s.Why)
	}
	if s.By == ByModel {
		parts = append(parts, "as a model says")
	}
	if len(s.Stale) > 0 {
		parts = append(parts, strings.Join(s.Stale, ", ")+" was made of this line when it had other words")
	}
	return text.OneLine(strings.Join(parts, "; "))
}

// maxNotHeld bounds the names that are shown of those that are not held.
const maxNotHeld = 5

// notHeld are the names that are not held, for a sentence.
func (s *Statement) notHeld() string {
	n := len(s.NotHeld)
	shown := strings.Join(s.NotHeld[:min(n, maxNotHeld)], "`, `")
	return text.When(n > 0, "`"+shown+"`") + text.When(n > maxNotHeld, fmt.Sprintf(" and %d more", n-maxNotHeld))
}

// String is the problem in one line.
func (p *Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, p.Line)
	}
	return at + ": " + p.Message
}

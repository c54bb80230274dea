package forms

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// A banFrame is what a clause that forbids is about.
type banFrame struct {
	form, slot, kinds string
	verbs             []string
	preps             string // what may come before the object
}

// fits reports whether a clause with objects is of the frame, as one of a form.
func (f *banFrame) fits(p *sentence.Phrase, c *clause, form, objects string) bool {
	switch {
	case objects == "",
		!c.is(f.verbs...) && form == f.form,
		f.kinds == "t" && c.gap > 2,
		c.gap > 4 && (f.kinds != "p" || c.prep == "" || c.gap > 9),
		c.prep != "" && !strings.Contains(" "+f.preps+" ", " "+c.prep+" "):
		return false
	}
	return f.kinds != "p" || !c.aside() && !ofText.Get().MatchString(c.text) && (!meant.Get().MatchString(c.text) || onlyFiles(p, objects))
}

// prohibited are what a clause that forbids is about, by the class of its verb.
var prohibited = []banFrame{
	{"never-edit", "path", "p", []string{"edit"}, "in under of inside within to from on below"},
	{"never-create", "path", "p", []string{"create"}, "in under inside within to into at below"},
	{"never-delete", "path", "p", []string{"delete"}, "in under inside within from"},
	{"never-read", "path", "p", []string{"read", "show"}, "in under inside within from below"},
	{"never-run", "deny", "ac", []string{"run", "use", "no"}, ""},
	{"never-word", "deny", "t", []string{"use", "create"}, ""},
	{"never-option", "deny", "f", []string{"use", "run", "no"}, ""},
}

// frames are the forms that the clauses of a sentence have.
func (t *table) frames(p *sentence.Phrase, all []clause) (list []Found) {
	add := func(name string, to int, c *clause, slots map[string]string) {
		f := t.Form(name)
		if to == 0 {
			to = max(c.to, c.From)
		}
		severity, ok := strictness(p.Words, c.From, to, f)
		ok = ok && (f.unless == nil || !f.unless.Get().MatchString(p.Words))
		if ok {
			list = append(list, Found{f, p, slots, severity, true})
		}
	}
	for i := range all {
		c := &all[i]
		if c.Not && c.Conj == "" {
			t.awaited(c, all[i+1:], add)
			if subject := &all[0]; c.Objects == "" && c.gap == 0 && c.is("edit") && i > 0 && len(subject.verbs) == 0 && subject.Conj == "" && !subject.Not {
				c.Objects, c.to = subject.of("p"), max(c.From, c.From+len(strings.TrimRight(c.text, " .")))
			}
		}
		if c.Conj != "" || c.Objects == "" {
			continue
		}
		if c.Not {
			for _, f := range prohibited {
				objects, form := c.of(f.kinds), asProhibition(c, f.form)
				if strings.HasPrefix(objects, "‹a") && objects != c.Objects || f.kinds == "p" && keyed.Get().MatchString(c.Objects) || len(c.verbs) > 0 && !c.asks && !c.is("no") {
					continue // "commit ‹p›" is about the file
				}
				if c.is("no") && c.gap > 0 && strings.HasPrefix(objects, "‹a") && !anyAct.Get().MatchString(c.text) {
					continue // "no ‹word› commits" is about some
				}
				if !f.fits(p, c, form, objects) {
					continue
				}
				if form == "never-read" && c.prep != "" && !anyFile.Get().MatchString(p.Words[c.From:strings.Index(p.Words, sentence.Mark.Get().FindString(c.Objects))]) {
					continue // some of what is there
				}
				if form == "never-read" && !c.is("read") && restricts.Get().MatchString(strings.TrimLeft(p.Words[c.to:], " ")) {
					continue // "open ‹p› in a browser"
				}
				to := 0
				if all := sentence.Mark.Get().FindAllString(objects, -1); objects != c.Objects {
					to = strings.Index(p.Words, all[len(all)-1]) + len(all[len(all)-1])
				}
				if f.kinds == "p" && c.prep != "" && (intoAFile(p, c, objects, form) || !anyFile.Get().MatchString(p.Words[c.From:strings.Index(p.Words, sentence.Mark.Get().FindString(c.Objects))])) {
					of := len(list)
					if (form == "never-create" || form == "never-delete" && c.prep == "from") && filledIn(p, c, objects) {
						form = "never-edit" // "add ‹word› to ‹file›" changes it
					}
					if add(form, to, c, map[string]string{f.slot: objects}); len(list) > of && list[of].Severity == "block" {
						list[of].Severity = Reminder // it is about some things in these files
					}
					break
				}
				if add(form, to, c, map[string]string{f.slot: objects}); form == "never-edit" && c.is("read", "show") {
					continue // that is forbidden besides
				}
				break
			}
			continue
		}
		if i+1 < len(all) && len(c.verbs) == 0 && c.of("c") != "" && passing.Get().MatchString(p.Words[c.to:]) {
			slots := map[string]string{"run": c.Objects}
			if gate := all[i+1].of("a"); gate != "" {
				slots["gate"] = gate
				add("run-before", all[i+1].to, c, slots)
			} else {
				add("run-always", 0, c, slots)
			}
			continue
		}
		if len(c.verbs) > 0 && !c.asks {
			continue
		}
		t.pairs(all, i, add)
	}
	return list
}

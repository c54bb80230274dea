package pin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/rule"
)

// A Rule is a rule file as it is now.
type Rule struct {
	Name string // with slashes, below the folder of the rules
	Sum  string // of its content, see [Sum]; "" when it cannot be read
	File rule.File

	Pinned bool // of a result: the folder has another version of it, or none
}

// The kinds of differences.
const (
	KindGone     = "gone"     // the rule or file is gone
	KindWeaker   = "weaker"   // it may stop less
	KindChanged  = "changed"  // it is not known whether it stops less
	KindBroken   = "broken"   // it cannot be read or understood
	KindStronger = "stronger" // it may stop more
	KindNew      = "new"      // it is a rule more
	KindPin      = "pin"      // it is about the pin itself
)

// A Difference between a guard and its pin.
type Difference struct {
	Kind string `json:"kind"`
	File string `json:"file"` // as the person knows it
	Rule string `json:"rule"` // its id; "" for the configuration
	What string `json:"what"` // in words, one line
	// Held says that the pinned version is in force instead.
	Held bool `json:"held"`
}

// Defaults are the modes of rules that set none: by the pinned configuration, and by
// the one that is in force.
type Defaults struct{ Was, Is string }

// String is the difference in a few words.
func (d Difference) String() string {
	name := cmp.Or(d.Rule, d.File)
	switch d.Kind {
	case KindGone:
		return name + " is gone"
	case KindBroken:
		return d.File + ": " + d.What
	}
	return name + " (" + d.What + ")"
}

// Merge says which rules are in force: those of the folder, and of the pinned ones
// those that are gone, broken, weaker or changed. now is in the order of the names.
// parse reads a pinned file. No difference is Held when the folder's own rules may
// replace the pinned ones.
//
// Rules are the same by their id, so that a rule may move to another file.
func Merge(pinned []File, now []Rule, d Defaults, parse func(File) Rule) (inForce []Rule, found []Difference) {
	m := &merger{defaults: d, now: now, used: make([]bool, len(now)), ids: map[string]bool{}}
	var missing []Rule
	for i := range pinned {
		if !m.unchanged(&pinned[i]) {
			missing = append(missing, parse(pinned[i]))
		}
	}
	for i := range missing {
		m.settle(&missing[i])
	}
	m.add()
	slices.SortStableFunc(m.inForce, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return m.inForce, m.found
}

type merger struct {
	defaults Defaults
	now      []Rule
	used     []bool          // of now: it was compared
	ids      map[string]bool // of the rules in force
	inForce  []Rule
	found    []Difference
}

// take puts a rule in force.
func (m *merger) take(r Rule) {
	m.inForce = append(m.inForce, r)
	m.ids[r.File.Definition.ID] = true
}

// cut takes the first rule that is meant of those that were not compared yet.
func (m *merger) cut(meant func(*Rule) bool) (*Rule, bool) {
	for i := range m.now {
		if !m.used[i] && meant(&m.now[i]) {
			m.used[i] = true
			return &m.now[i], true
		}
	}
	return nil, false
}

// unchanged puts the folder's file in force when it is the pinned one.
func (m *merger) unchanged(p *File) bool {
	i, found := slices.BinarySearchFunc(m.now, p.Name, func(r Rule, name string) int { return strings.Compare(r.Name, name) })
	if !found || m.now[i].Sum != Sum(p.Data) {
		return false
	}
	m.used[i] = true
	m.take(m.now[i])
	return true
}

// settle decides between a pinned rule and what the folder has of it.
func (m *merger) settle(was *Rule) {
	id := was.File.Definition.ID
	if was.File.Broken() {
		return // it was never understood, so that no part of it can be held
	}
	is, ok := m.cut(func(r *Rule) bool { return r.Name == was.Name && r.File.Definition.ID == id && !r.File.Broken() })
	if !ok {
		is, ok = m.cut(func(r *Rule) bool { return r.File.Definition.ID == id && !r.File.Broken() })
	}
	if !ok {
		m.hold(was, m.lost(was))
		return
	}
	before, after := was.File.Definition, is.File.Definition
	before.Mode, after.Mode = cmp.Or(before.Mode, m.defaults.Was), cmp.Or(after.Mode, m.defaults.Is)
	change, what := definitions(&before, &after)
	if change.weakens() {
		kind := KindChanged
		if change == Weaker {
			kind = KindWeaker
		}
		m.hold(was, Difference{Kind: kind, File: is.File.Path, Rule: id, What: strings.Join(what, "; ")})
		return
	}
	m.take(*is)
	if change == Stronger {
		m.found = append(m.found, Difference{Kind: KindStronger, File: is.File.Path, Rule: id, What: strings.Join(what, "; ")})
	}
}

// lost says why the folder has no such rule: its file is broken, or gone.
func (m *merger) lost(was *Rule) Difference {
	d := Difference{Kind: KindGone, File: was.File.Path, Rule: was.File.Definition.ID, What: "there is no such rule any more"}
	if is, ok := m.cut(func(r *Rule) bool { return r.Name == was.Name && r.File.Broken() }); ok {
		d.Kind, d.What = KindBroken, fault(&is.File)
	}
	return d
}

// hold keeps the pinned rule in force.
func (m *merger) hold(was *Rule, d Difference) {
	d.Held = true
	was.Pinned = true
	m.take(*was)
	m.found = append(m.found, d)
}

// add puts the folder's new rules in force. A rule with the id of another one would
// break that, so that it does not hold.
func (m *merger) add() {
	for i := range m.now {
		if m.used[i] {
			continue
		}
		r := &m.now[i]
		d := Difference{Kind: KindNew, File: r.File.Path, Rule: r.File.Definition.ID, What: "it is new"}
		switch {
		case r.File.Broken():
			d.Kind, d.What = KindBroken, fault(&r.File)
		case m.ids[r.File.Definition.ID]:
			d.Kind, d.What, d.Held = KindChanged, "another rule has this id", true
			m.found = append(m.found, d)
			continue
		}
		m.found = append(m.found, d)
		m.take(*r)
	}
}

// BrokenFile is the difference that a rule file makes which cannot be understood.
func BrokenFile(f *rule.File) Difference {
	return Difference{Kind: KindBroken, File: f.Path, Rule: f.Definition.ID, What: fault(f)}
}

// fault is what is wrong with a file, the first of it, and in which line.
func fault(f *rule.File) string {
	for i := range f.Problems {
		switch p := &f.Problems[i]; {
		case p.Warning:
		case p.Line > 0:
			return fmt.Sprintf("line %d: %s", p.Line, p.Message)
		default:
			return p.Message
		}
	}
	return "it cannot be understood"
}

// Held reports whether pinned files are in force.
func Held(found []Difference) bool {
	return slices.ContainsFunc(found, func(d Difference) bool { return d.Held })
}

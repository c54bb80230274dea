package rubric

import (
	"slices"
	"strings"
	"sync"
)

// lenders are the embedded rubrics whose probes others may borrow, the most
// special first.
type lenders []*Rubric

// embeddedLenders reads them once. What is borrowed is shared, and never changed.
var embeddedLenders = sync.OnceValues(func() (lenders, error) {
	var l lenders
	for _, name := range []string{"agent-graph", "general"} {
		r, err := Embedded(name)
		if err != nil {
			return nil, err
		}
		l = append(l, r)
	}
	return l, nil
})

// A loan is what a dimension without probes gets.
type loan struct {
	from     string // whose the probes are, for a person
	probes   []Probe
	required []string
	caps     []Cap // in addition to that for security findings
}

// loanFor returns probes that give facts on a dimension which names none: those
// of the embedded dimension with the same id, else all of the general rubric that
// look at the same artifact.
func (l lenders) loanFor(d *Dimension) loan {
	for _, r := range l {
		if twin := r.Dimension(d.ID); twin != nil {
			caps := slices.DeleteFunc(slices.Clone(twin.Caps), func(c Cap) bool { return Asks(c.When, "security") })
			return loan{"the embedded `" + r.name() + "`", r.probesNamed(twin.Evidence), slices.Clone(twin.Required), caps}
		}
	}
	general := l[len(l)-1]
	given := loan{from: "the embedded `" + general.name() + "` that look at the same artifact"}
	for i := range general.Probes {
		if p := general.Probes[i]; d.TargetArtifact == "all" || definitionOf(p.Type).artifact == d.TargetArtifact {
			given.probes = append(given.probes, p)
		}
	}
	return given
}

// name is what an embedded rubric is asked for by.
func (r *Rubric) name() string { return strings.TrimPrefix(r.Source, embeddedPrefix) }

// probesNamed returns the probes of these ids, in the rubric's order.
func (r *Rubric) probesNamed(ids []string) []Probe {
	var probes []Probe
	for i := range r.Probes {
		if slices.Contains(ids, r.Probes[i].ID) {
			probes = append(probes, r.Probes[i])
		}
	}
	return probes
}

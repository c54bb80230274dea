package rubric

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// An extension is what has to be known of a rubric before the embedded one that
// it extends can be read: vars and weights hold for that one too.
type extension struct {
	Extends   string              `yaml:"extends"`
	Vars      map[string][]string `yaml:"vars"`
	Synthesis struct {
		Weights map[audit.Judge]float64    `yaml:"weights"`
		Rest    map[string]json.RawMessage `yaml:",inline"`
	} `yaml:"synthesis"`
	Rest map[string]json.RawMessage `yaml:",inline"`
}

// readBase returns the embedded rubric that the text extends, with the text's own
// vars and weights; nil where it extends none. What is wrong with the text is
// reported by those who read all of it.
func readBase(text []byte) *base {
	var x extension
	strictyaml.Decode("", text, &x)
	return x.base()
}

// base reads the rubric that is extended, which may extend one in turn.
func (x *extension) base() *base {
	if x.Extends == "" {
		return nil
	}
	embedded, err := embeddedText(x.Extends)
	if err != nil {
		return &base{err: err}
	}
	var inner extension
	strictyaml.Decode("", embedded, &inner)
	inner.inherit(x)
	from := inner.base()
	r := &Rubric{Synthesis: defaultSynthesis()}
	if from != nil {
		r.Synthesis = from.r.Synthesis
	}
	doc := strictyaml.Decode("", embedded, r)
	for name := range r.Vars {
		if own, replaced := x.Vars[name]; replaced {
			r.Vars[name] = own
		}
	}
	if x.Synthesis.Weights != nil {
		r.Synthesis.Weights = x.Synthesis.Weights
	}
	complete(doc, r, from) // what does not fit is reported where it is given
	return &base{r: r}
}

// inherit takes over the vars and weights of the rubric that extends this one.
func (x *extension) inherit(outer *extension) {
	if x.Vars == nil {
		x.Vars = map[string][]string{}
	}
	maps.Copy(x.Vars, outer.Vars)
	if outer.Synthesis.Weights != nil {
		x.Synthesis.Weights = outer.Synthesis.Weights
	}
}

// A base is an embedded rubric that another one extends.
type base struct {
	r   *Rubric
	err error // there is no such rubric
}

// usesVar reports whether it has a list of that name.
func (b *base) usesVar(name string) bool {
	_, has := b.r.Vars[name]
	return has
}

// extend reports what is wrong with `extends` and `drop`, and takes what is
// dropped out of the rubric that is extended.
func (c *checker) extend() {
	switch {
	case c.base == nil:
		if c.at("drop").Set() {
			c.at("drop").Errorf(0, "`drop` needs `extends`: there is nothing to leave out")
		}
		return
	case c.base.err != nil:
		c.at("extends").Errorf(0, "`extends` takes the name of an embedded rubric: %s", strings.TrimPrefix(c.base.err.Error(), "rubric: "))
		c.base = nil
		return
	}
	c.dropProbes()
	c.dropDimensions()
}

func (c *checker) dropProbes() {
	from := c.base.r
	for i, id := range c.r.Drop.Probes {
		at := c.at("drop", "probes", strconv.Itoa(i))
		switch {
		case !slices.Contains(probeIDs(from.Probes), id):
			at.Errorf(0, "`%s` has %s", c.r.Extends, noSuch("probe", id, probeIDs(from.Probes)))
		case slices.Contains(probeIDs(c.r.Probes), id):
			at.Errorf(0, "the probe `%s` is dropped here and written below `probes`: one of them is enough, it replaces that of `%s`", id, c.r.Extends)
		}
	}
	dropped := func(id string) bool { return slices.Contains(c.r.Drop.Probes, id) }
	from.Probes = slices.DeleteFunc(from.Probes, func(p Probe) bool { return dropped(p.ID) })
	for i := range from.Dimensions {
		d := &from.Dimensions[i]
		d.Required = slices.DeleteFunc(d.Required, dropped)
		d.Evidence = slices.DeleteFunc(d.Evidence, dropped)
	}
}

func (c *checker) dropDimensions() {
	from := c.base.r
	for i, id := range c.r.Drop.Dimensions {
		at := c.at("drop", "dimensions", strconv.Itoa(i))
		switch {
		case from.Dimension(id) == nil && !slices.Contains(c.r.Drop.Dimensions[:i], id):
			at.Errorf(0, "`%s` has %s", c.r.Extends, noSuch("dimension", id, dimensionIDs(from.Dimensions)))
		case c.r.Dimension(id) != nil:
			at.Errorf(0, "the dimension `%s` is dropped here and written below `dimensions`: one of them is enough, it replaces that of `%s`", id, c.r.Extends)
		}
		from.Dimensions = slices.DeleteFunc(from.Dimensions, func(d Dimension) bool { return d.ID == id })
	}
}

// merge puts what the rubric has of its own into the one that it extends, and
// reports what does not fit.
func (c *checker) merge() {
	if c.base == nil {
		return
	}
	own, from := *c.r, c.base.r
	c.r.origins = origins{base: c.r.Extends, probes: map[string]origin{}, dimensions: map[string]origin{}}
	c.r.Vars = maps.Clone(from.Vars) // with the rubric's own lists in place of those of the same names
	maps.Copy(c.r.Vars, own.Vars)
	c.r.Dimensions = merged(from.Dimensions, own.Dimensions, func(d *Dimension) string { return d.ID }, c.r.origins.dimensions)
	c.r.Probes = merged(from.Probes, own.Probes, func(p *Probe) string { return p.ID }, c.r.origins.probes)
	c.r.Probes = slices.DeleteFunc(c.r.Probes, func(p Probe) bool { // what only dropped dimensions looked at
		return c.r.origins.probes[p.ID] == inherited && len(c.r.Criteria(p.ID)) == 0
	})
	c.r.Waivers = slices.Concat(from.Waivers, own.Waivers)
	if len(c.r.Dimensions) == 0 {
		c.at("drop", "dimensions").Errorf(0, "this leaves no dimension of `%s`, so there is nothing to judge", c.r.Extends)
	}
	c.fit()
}

// merged replaces elements of from by those of own with the same id, adds the
// others, and notes where each comes from.
func merged[T any](from, own []T, id func(*T) string, notes map[string]origin) []T {
	all := slices.Clone(from)
	for i := range all {
		notes[id(&all[i])] = inherited
	}
	for i := range own {
		at := slices.IndexFunc(all, func(t T) bool { return id(&t) == id(&own[i]) })
		if at < 0 {
			all = append(all, own[i])
			notes[id(&own[i])] = added
			continue
		}
		all[at] = own[i]
		notes[id(&own[i])] = replaced
	}
	return all
}

// fit reports where what was replaced or dropped leaves an inherited dimension
// without what it needs.
func (c *checker) fit() {
	line, column := c.at("extends").Position()
	for i := range c.r.Probes {
		if p := &c.r.Probes[i]; c.r.origins.probes[p.ID] == inherited {
			c.r.places[p.ID] = place{line, column}
		}
	}
	for i := range c.r.Dimensions {
		d := &c.r.Dimensions[i]
		if c.r.origins.dimensions[d.ID] != inherited {
			continue
		}
		if len(d.Evidence) == 0 && d.TargetArtifact != "manual" {
			c.at("drop").Warnf(0, "this leaves the dimension `%s` of `%s` without probes, so that its score is opinion only: drop it too", d.ID, c.r.Extends)
		}
		for _, id := range d.Required {
			if p := c.probe(id); p != nil && p.free() != "" {
				c.probePlace(id).Errorf(0, "the dimension `%s` of `%s` requires the probe `%s`: %s", d.ID, c.r.Extends, id, p.free())
			}
		}
	}
}

// probePlace returns where the text writes a probe.
func (c *checker) probePlace(id string) strictyaml.Place {
	indices := c.indices("probes", len(c.own))
	for i := range c.own {
		if c.own[i].ID == id {
			return c.at("probes", indices[i])
		}
	}
	return c.at("extends")
}

// An origin says where an element of a rubric that extends another comes from.
type origin uint8

const (
	inherited origin = iota + 1
	replaced
	added
)

// origins are those of a rubric's elements by their ids; without extends, none.
type origins struct {
	base               string
	probes, dimensions map[string]origin
}

// words says it for a person, to follow a name.
func (o origins) words(where origin) string {
	switch where {
	case inherited:
		return " [" + o.base + "]"
	case replaced:
		return " [own, in place of that of " + o.base + "]"
	case added:
		return " [own]"
	}
	return ""
}

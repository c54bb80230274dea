package rubric

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// maxList bounds the probes, the dimensions and every list within them.
const maxList = 500

// parseV4 reads a rubric of version 4 and completes it. What is wrong with it is
// in the document.
func parseV4(name string, text []byte) (*Rubric, *strictyaml.Document) {
	r := &Rubric{Synthesis: defaultSynthesis()}
	from := readBase(text)
	if from != nil && from.err == nil {
		r.Synthesis = from.r.Synthesis
	}
	doc := strictyaml.Decode(name, text, r)
	complete(doc, r, from)
	return r, doc
}

// complete checks and completes what was decoded. from is what it extends, or nil.
func complete(doc *strictyaml.Document, r *Rubric, from *base) {
	c := checker{doc: doc, r: r, base: from}
	switch {
	case doc.Broken():
	case doc.Empty():
		doc.At().Errorf(0, "the rubric is empty: write `rubric_metadata`, `probes` and `dimensions`; `sentinel audit rubric schema` prints all keys")
	case doc.At().Mapping() && c.withinBounds():
		c.run()
	}
}

func defaultSynthesis() Synthesis {
	return Synthesis{VarianceOver: 2, Pass: 4, Partial: 3, OnDissent: "reevaluate", MinOpinions: 2}
}

// A checker looks at what the types of the keys cannot say, and fills in what the
// file left out.
type checker struct {
	doc      *strictyaml.Document
	r        *Rubric
	base     *base   // that the rubric extends, or nil
	own      []Probe // that the text writes, once others are merged with them
	usedVars map[string]bool
}

func (c *checker) at(path ...string) strictyaml.Place { return c.doc.At(path...) }

// run checks everything, and last what needs the whole.
func (c *checker) run() {
	c.usedVars = map[string]bool{}
	c.metadata()
	c.vars()
	c.extend()
	c.probes()
	c.synthesis()
	c.dimensions()
	c.each()
	c.waivers()
	c.merge()
	c.gated()
	c.unused()
}

// withinBounds reports lists that are too long to be looked at.
func (c *checker) withinBounds() bool {
	ok := true
	check := func(n int, path ...string) {
		if n > maxList {
			c.at(path...).Errorf(0, "`%s` has %d elements; %d are the most", strings.Join(path, "."), n, maxList)
			ok = false
		}
	}
	check(len(c.r.Probes), "probes")
	check(len(c.r.Dimensions), "dimensions")
	check(len(c.r.Waivers), "waivers")
	check(len(c.r.Drop.Probes), "drop", "probes")
	check(len(c.r.Drop.Dimensions), "drop", "dimensions")
	check(len(c.r.Synthesis.Gate.FailOn), "synthesis", "gate", "fail_on")
	for i := range c.r.Dimensions {
		d := &c.r.Dimensions[i]
		at := strconv.Itoa(i)
		check(len(d.Evidence), "dimensions", at, "evidence")
		check(len(d.Required), "dimensions", at, "required")
		check(len(d.Caps), "dimensions", at, "caps")
		check(len(d.AppliesIf.FileAny), "dimensions", at, "applies_if", "file_any")
	}
	for name, patterns := range c.r.Vars {
		check(len(patterns), "vars", name)
	}
	return ok
}

func (c *checker) metadata() {
	m := &c.r.Metadata
	if strings.TrimSpace(m.Name) == "" {
		c.at("rubric_metadata").Errorf(0, "the rubric has no name: write `rubric_metadata: {rubric_name: \"…\", version: 4.0.0}`")
	}
	switch {
	case m.Version == "":
		m.Version = "4.0.0"
		c.at("rubric_metadata").Warnf(0, "the rubric has no version, and is read as 4.0.0: write `version: 4.0.0`")
	case majorVersion(m.Version) != "4":
		c.at("rubric_metadata", "version").Errorf(0, "version `%s` cannot be read: its first number is that of the format, 4 or 3; write `version: 4.0.0`", m.Version)
	}
	m.Scale = c.scale(m.Scale, nil, "rubric_metadata", "scale")
}

// scale returns the scale that a file gives, or inherited without one.
func (c *checker) scale(given, inherited audit.Scale, path ...string) audit.Scale {
	at := c.at(path...)
	switch valid := len(given) == 2 && (given[0] == 0 || given[0] == 1) && given[1] >= given[0]+2 && given[1] <= audit.MaxScore; {
	case valid:
		return given
	case at.Set() && !at.Faulty():
		at.Errorf(0, "`scale` is the lowest and the highest score, as [1, 5] or [0, 100]: the lowest is 0 or 1, the highest at least 2 more, and at most %d", audit.MaxScore)
	}
	return inherited.Written()
}

// onScale reports a number outside of the scale.
func (c *checker) onScale(score float64, s audit.Scale, path ...string) {
	if at := c.at(path...); at.Set() && (score < float64(s.Low()) || score > float64(s.High())) {
		at.Errorf(0, "a score is from %s here, not %v", s, score)
	}
}

func (c *checker) vars() {
	for _, name := range slices.Sorted(maps.Keys(c.r.Vars)) {
		c.checkPatterns(c.r.Vars[name], "vars", name)
	}
}

// checkPatterns reports invalid patterns.
func (c *checker) checkPatterns(patterns []string, path ...string) {
	for i, pattern := range patterns {
		if err := checkPattern(pattern); err != nil {
			c.at(append(path, strconv.Itoa(i))...).Errorf(0, "the pattern `%s` %v", pattern, err)
		}
	}
}

// expand puts the lists of vars in place of $name and checks all patterns.
func (c *checker) expand(patterns []string, path ...string) []string {
	var out []string
	for i, pattern := range patterns {
		name, isVar := strings.CutPrefix(pattern, "$")
		at := c.at(append(path, strconv.Itoa(i))...)
		switch values, known := c.variable(name); {
		case isVar && known:
			c.usedVars[name] = true
			out = append(out, values...)
		case isVar:
			at.Errorf(0, "%s", c.unknownVar(name))
		default:
			c.checkPatterns(patterns[i:i+1], append(path, strconv.Itoa(i))...)
			out = append(out, pattern)
		}
	}
	return out
}

// variable returns a list of vars, of the rubric's own or of the one it extends.
func (c *checker) variable(name string) ([]string, bool) {
	patterns, known := c.r.Vars[name]
	if !known && c.base != nil {
		patterns, known = c.base.r.Vars[name]
	}
	return patterns, known
}

func (c *checker) unknownVar(name string) string {
	known := slices.Collect(maps.Keys(c.r.Vars))
	if c.base != nil {
		known = slices.AppendSeq(known, maps.Keys(c.base.r.Vars))
	}
	slices.Sort(known)
	if near := nearest.Word(name, known); near != "" {
		return fmt.Sprintf("`vars` has no `%s`; did you mean `$%s`?", name, near)
	}
	return fmt.Sprintf("`vars` has no `%s`: write `vars: {%s: [\"**/*.go\"]}`, or `\\$%s` for a file of that name", name, name, name)
}

// dimensions checks and completes the criteria.
func (c *checker) dimensions() {
	if len(c.r.Dimensions) == 0 && c.base == nil && !c.at("dimensions").Faulty() && !c.at("extends").Set() {
		c.at("dimensions").Errorf(0, "the rubric has no dimensions, so there is nothing to judge: write `dimensions: [{id: …, name: …, evidence: […]}]`")
	}
	seen := map[string]bool{}
	indices := c.indices("dimensions", len(c.r.Dimensions))
	for i := range c.r.Dimensions {
		d := &c.r.Dimensions[i]
		dc := dimensionChecker{c, d, indices[i]}
		dc.identity(seen)
		dc.target()
		dc.evidence()
		dc.wording()
		dc.caps()
		dc.weights()
		d.AppliesIf.FileAny = c.expand(d.AppliesIf.FileAny, "dimensions", dc.index, "applies_if", "file_any")
	}
}

// indices returns the places in the text's list of the n elements that could be read: one
// that is not a mapping was reported and left out.
func (c *checker) indices(list string, n int) []string {
	var indices []string
	for i := 0; len(indices) < n; i++ {
		if at := strconv.Itoa(i); i >= n+maxList || c.at(list, at).Mapping() {
			indices = append(indices, at)
		}
	}
	return indices
}

// checkID reports an id that is missing, malformed, or taken.
func (c *checker) checkID(id, what string, seen map[string]bool, path ...string) {
	at := c.at(append(path, "id")...)
	switch {
	case id == "":
		c.at(path...).Errorf(0, "the %s has no id: write `id: …`", what)
	case !isID(id):
		at.Errorf(0, "the id `%s` can hold letters, digits, `_`, `-` and `.` only", id)
	case seen[id]:
		at.Errorf(0, "the id `%s` is taken by an earlier %s: ids are unique", id, what)
	}
	seen[id] = true
}

func isID(id string) bool {
	for _, r := range id {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (r < '0' || r > '9') && !strings.ContainsRune("_-.", r) {
			return false
		}
	}
	return len(id) <= 100
}

// probe returns the probe of that id, of the rubric's own or of the one that it
// extends, or nil.
func (c *checker) probe(id string) *Probe {
	for _, probes := range c.probeLists() {
		if i := slices.IndexFunc(probes, func(p Probe) bool { return p.ID == id }); i >= 0 {
			return &probes[i]
		}
	}
	return nil
}

func (c *checker) probeLists() [][]Probe {
	if c.base == nil {
		return [][]Probe{c.r.Probes}
	}
	return [][]Probe{c.r.Probes, c.base.r.Probes}
}

// dimension returns the dimension of the rubric, or of the one that it extends.
func (c *checker) dimension(id string) *Dimension {
	if d := c.r.Dimension(id); d != nil || c.base == nil {
		return d
	}
	return c.base.r.Dimension(id)
}

// hasDimension reports whether there is one.
func (c *checker) hasDimension(id string) bool { return c.dimension(id) != nil }

func probeIDs(probes []Probe) []string {
	var ids []string
	for i := range probes {
		ids = append(ids, probes[i].ID)
	}
	return ids
}

func dimensionIDs(dimensions []Dimension) []string {
	var ids []string
	for i := range dimensions {
		ids = append(ids, dimensions[i].ID)
	}
	return ids
}

// judges completes weights by the name of the judge.
func (c *checker) judges(given map[audit.Judge]float64, base map[audit.Judge]float64, path ...string) map[audit.Judge]float64 {
	if given == nil {
		return nil
	}
	all := maps.Clone(base)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		at := c.at(append(path, string(name))...)
		judge, known := judgeNamed(string(name))
		switch weight := given[name]; {
		case !known:
			at.Errorf(0, "there is no judge `%s`; the judges are prosecutor, defense and tech_lead", name)
		case weight < 0 || weight > 100:
			at.Errorf(0, "the weight of a judge is between 0 and 100, not %v", weight)
		default:
			all[judge] = weight
		}
	}
	if all[audit.Prosecutor]+all[audit.Defense]+all[audit.TechLead] == 0 {
		c.at(path...).Errorf(0, "no judge has any weight: give one more than 0")
	}
	return all
}

func (c *checker) synthesis() {
	s := &c.r.Synthesis
	s.Weights = c.judges(s.Weights, functionalityWeights(), "synthesis", "weights")
	c.scores()
	if s.Partial > s.Pass {
		key := "partial"
		if !c.at("synthesis", key).Set() {
			key = "pass"
		}
		c.at("synthesis", key).Errorf(0, "`partial` is %v, more than `pass`, which is %v: nothing could pass in part", s.Partial, s.Pass)
	}
	for i, condition := range s.Gate.FailOn {
		c.condition(condition, gateGroups(), "synthesis", "gate", "fail_on", strconv.Itoa(i))
	}
}

// gated checks that facts can meet the conditions of the gate: observations cannot.
func (c *checker) gated() {
	for i, condition := range c.r.Synthesis.Gate.FailOn {
		at := c.at("synthesis", "gate", "fail_on", strconv.Itoa(i))
		for _, group := range []string{"security", "facts"} {
			switch exact, observed := answers(c.r.Probes, group); {
			case exact || !at.Set() || !Asks(condition, group):
			case observed:
				at.Errorf(0, "the gate asks for %s, and the probes that could count there are observed: only exact facts fail a gate; add a probe that is exact, or take the condition out", group)
			default:
				at.Warnf(0, "no probe finds what `%s` counts, so this asks for nothing", group)
			}
		}
	}
}

// answers reports whether a violation of one of the probes counts for the figures of the
// group facts or security, and whether an observed one would if it were exact.
func answers(probes []Probe, group string) (exact, observed bool) {
	for i := range probes {
		p := &probes[i]
		if p.Expect == nil || group == "security" && p.Category != audit.CategorySecurity {
			continue
		}
		exact = exact || p.Kind() == audit.KindFact
		observed = observed || p.Kind() != audit.KindFact
	}
	return exact, observed
}

// each checks the scores that the gate demands of dimensions.
func (c *checker) each() {
	s := &c.r.Synthesis
	for _, id := range slices.Sorted(maps.Keys(s.Gate.Each)) {
		if !c.hasDimension(id) {
			c.at("synthesis", "gate", "each", id).Errorf(0, "%s", c.unknownDimension(id))
		}
		if d := c.dimension(id); d != nil {
			c.onScale(s.Gate.Each[id], d.Scale, "synthesis", "gate", "each", id)
		}
	}
}

// scores checks the numbers of synthesis that are on the rubric's scale. Those that the text
// does not give are at the same share of it as they were on the scale they come from.
func (c *checker) scores() {
	s, scale, from := &c.r.Synthesis, c.r.Metadata.Scale, audit.Scale(nil)
	if c.base != nil {
		from = c.base.r.Metadata.Scale
	}
	for _, n := range []struct {
		score *float64
		path  []string
	}{{&s.Pass, []string{"pass"}}, {&s.Partial, []string{"partial"}}, {&s.Gate.Overall, []string{"gate", "overall"}}} {
		path := append([]string{"synthesis"}, n.path...)
		if !c.at(path...).Set() && *n.score != 0 {
			*n.score = scale.From(*n.score, from)
		}
		c.onScale(*n.score, scale, path...)
	}
	switch at := c.at("synthesis", "variance_over"); {
	case !at.Set():
		s.VarianceOver *= scale.Span() / from.Span()
	case s.VarianceOver > scale.Span():
		at.Errorf(0, "two scores from %s are at most %v apart, so `variance_over: %v` means nothing", scale, scale.Span(), s.VarianceOver)
	}
}

// condition reports a condition that does not compile.
func (c *checker) condition(src string, groups []string, path ...string) {
	if _, err := compileCondition(src, groups); err != nil {
		offset := 0
		if fault, ok := err.(*conditionError); ok {
			offset = fault.offset
		}
		c.at(path...).Errorf(offset, "the condition `%s` %v", src, err)
	}
}

func (c *checker) unknownDimension(id string) string {
	known := dimensionIDs(c.r.Dimensions)
	if c.base != nil {
		known = append(known, dimensionIDs(c.base.r.Dimensions)...)
	}
	return "there is " + noSuch("dimension", id, known)
}

// noSuch says that the id is unknown, and which was meant or which there are.
func noSuch(what, id string, known []string) string {
	if near := nearest.Word(id, known); near != "" {
		return fmt.Sprintf("no %s `%s`; did you mean `%s`?", what, id, near)
	}
	if len(known) == 0 {
		return fmt.Sprintf("no %s `%s`", what, id)
	}
	return fmt.Sprintf("no %s `%s`; there are %s", what, id, strings.Join(known, ", "))
}

func (c *checker) waivers() {
	indices := c.indices("waivers", len(c.r.Waivers))
	for i := range c.r.Waivers {
		w := &c.r.Waivers[i]
		at := func(key string) strictyaml.Place { return c.at("waivers", indices[i], key) }
		whole := c.at("waivers", indices[i])
		if strings.TrimSpace(w.Reason) == "" {
			whole.Errorf(0, "the waiver has no reason: write `reason: …`, which stands in the report")
		}
		switch {
		case (w.Dimension == "") == (w.Probe == ""):
			whole.Errorf(0, "a waiver names either a `dimension` or a `probe`")
		case w.Dimension != "" && !c.hasDimension(w.Dimension):
			at("dimension").Errorf(0, "%s", c.unknownDimension(w.Dimension))
		case w.Probe != "" && c.probe(w.Probe) == nil:
			at("probe").Errorf(0, "%s", c.unknownProbe(w.Probe))
		}
		if w.Path != "" {
			if err := checkPattern(w.Path); err != nil {
				at("path").Errorf(0, "the pattern `%s` %v", w.Path, err)
			}
			if w.Probe == "" {
				at("path").Errorf(0, "`path` needs `probe`: a dimension is waived as a whole")
			}
		}
		if _, err := time.Parse(time.DateOnly, w.Until); err != nil && w.Until != "" {
			at("until").Errorf(0, "`until` is a day, as 2026-12-31, not `%s`", w.Until)
		}
	}
}

func (c *checker) unknownProbe(id string) string {
	if near := nearest.Word(id, probeIDs(slices.Concat(c.probeLists()...))); near != "" {
		return fmt.Sprintf("there is no probe `%s`; did you mean `%s`?", id, near)
	}
	return fmt.Sprintf("there is no probe `%s`: write it below `probes`", id)
}

// unused warns of what no dimension looks at.
func (c *checker) unused() {
	indices := c.indices("probes", len(c.own))
	for i := range c.own {
		p := &c.own[i]
		if p.ID != "" && len(c.r.Criteria(p.ID)) == 0 {
			c.at("probes", indices[i], "id").Warnf(0, "no dimension refers to the probe `%s`: name it in `evidence` or `required`, or take it out", p.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.r.Vars)) {
		if !c.usedVars[name] && !(c.base != nil && c.base.usesVar(name)) {
			c.at("vars", name).Warnf(0, "nothing uses `$%s`", name)
		}
	}
}

// regex reports an invalid regular expression.
func (c *checker) regex(src string, path ...string) {
	if _, err := regexp.Compile(src); err != nil {
		c.at(path...).Errorf(0, "`%s` is no regular expression in RE2 syntax: %s", path[len(path)-1], strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
}

package rubric

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// The shape of version 3. Unknown keys are reported and not read: there
// are many dialects, and a rubric of one of them still says what to look for.
type (
	rubricV3 struct {
		Metadata   metadataV3                 `yaml:"rubric_metadata"`
		Dimensions []dimensionV3              `yaml:"dimensions"`
		Criteria   []dimensionV3              `yaml:"criteria"` // older name of dimensions
		Rules      map[string]json.RawMessage `yaml:"synthesis_rules"`
		Config     map[string]json.RawMessage `yaml:"synthesis_config"`
		Rest       map[string]json.RawMessage `yaml:",inline"`
	}
	metadataV3 struct {
		Name    string                     `yaml:"rubric_name"`
		Target  string                     `yaml:"grading_target"`
		Version string                     `yaml:"version"`
		Scale   json.RawMessage            `yaml:"scale"`
		Rest    map[string]json.RawMessage `yaml:",inline"`
	}
	dimensionV3 struct {
		ID          string                     `yaml:"id"`
		Name        string                     `yaml:"name"`
		Target      string                     `yaml:"target_artifact"`
		Weight      *float64                   `yaml:"weight" min:"0" max:"1000"`
		Instruction string                     `yaml:"forensic_instruction"`
		Success     string                     `yaml:"success_pattern"`
		Failure     string                     `yaml:"failure_pattern"`
		Description string                     `yaml:"description"`
		Logic       json.RawMessage            `yaml:"judicial_logic"`
		Rest        map[string]json.RawMessage `yaml:",inline"`
	}
)

// parseV3 reads a rubric of version 3 as one of version 4. What is wrong with it
// is in the document.
func parseV3(name string, text []byte) (*Rubric, *strictyaml.Document) {
	var old rubricV3
	doc := strictyaml.Decode(name, text, &old)
	r := &Rubric{Synthesis: defaultSynthesis(), places: map[string]place{}}
	if doc.Broken() {
		return r, doc
	}
	c := convertor{checker: &checker{doc: doc, r: r}, old: &old, list: "dimensions"}
	if len(old.Dimensions) == 0 && len(old.Criteria) > 0 {
		old.Dimensions, c.list = old.Criteria, "criteria"
		doc.At("criteria").Warnf(0, "`criteria` is an older name of `dimensions`, and read as that")
	}
	if n := len(old.Dimensions); n > maxList {
		doc.At(c.list).Errorf(0, "`%s` has %d elements; %d are the most", c.list, n, maxList)
		return r, doc
	}
	var err error
	if c.lenders, err = embeddedLenders(); err != nil { // a test reads all embedded rubrics
		doc.At().Errorf(0, "the probes for version 3 cannot be read: %v", err)
		return r, doc
	}
	c.metadata()
	c.dimensions()
	c.config()
	c.rules()
	c.rest()
	return r, doc
}

// A convertor makes a rubric of version 4 out of one of version 3.
type convertor struct {
	*checker
	old     *rubricV3
	list    string // the key of the dimensions
	lenders lenders
}

func (c *convertor) metadata() {
	m := c.old.Metadata
	c.r.Metadata = Metadata{Name: m.Name, Target: m.Target, Version: m.Version, Scale: audit.Scale{1, 5}}
	if m.Name == "" {
		c.r.Metadata.Name = "unnamed"
		c.at("rubric_metadata").Warnf(0, "the rubric has no name: write `rubric_metadata: {rubric_name: …}`")
	}
	if m.Version == "" {
		c.r.Metadata.Version = "3.0.0"
		c.at("rubric_metadata").Warnf(0, "the rubric has no version, and by its keys is read as 3.0.0")
	}
	c.unread(m.Rest, "rubric_metadata")
}

// unread warns of keys that are not read.
func (c *convertor) unread(rest map[string]json.RawMessage, path ...string) {
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		c.at(append(path, key)...).Warnf(0, "`%s` is not read: version 3 has no such key", key)
	}
}

// rest warns of keys at the top that are not read.
func (c *convertor) rest() {
	for _, key := range slices.Sorted(maps.Keys(c.old.Rest)) {
		switch key {
		case "forensic_instruction", "judicial_logic", "targeting":
			c.at(key).Warnf(0, "`%s` is not read here: it belongs into each dimension, as `forensic_instruction`", key)
		default:
			c.unread(map[string]json.RawMessage{key: nil})
		}
	}
}

func (c *convertor) dimensions() {
	if len(c.old.Dimensions) == 0 && !c.at(c.list).Faulty() {
		c.at(c.list).Errorf(0, "the rubric has no dimensions, so there is nothing to judge: write `\"dimensions\": [{\"id\": …}]`")
	}
	seen := map[string]bool{}
	indices := c.indices(c.list, len(c.old.Dimensions))
	for i := range c.old.Dimensions {
		c.dimension(&c.old.Dimensions[i], indices[i], seen)
	}
}

func (c *convertor) dimension(old *dimensionV3, index string, seen map[string]bool) {
	c.checkID(old.ID, "dimension", seen, c.list, index)
	d := Dimension{ID: old.ID, Name: old.Name, TargetArtifact: targetNamed(old.Target), Weight: 1, Scale: audit.Scale{1, 5},
		Instruction: old.Instruction, Success: old.Success, Failure: old.Failure}
	if d.Name == "" {
		d.Name = d.ID
	}
	if old.Weight != nil && *old.Weight > 0 {
		d.Weight = *old.Weight
	}
	if !slices.Contains([]string{"repo", "doc", "diagram", "manual", "all"}, d.TargetArtifact) {
		c.at(c.list, index, "target_artifact").Warnf(0, "`target_artifact: %s` is not known, and read as github_repo; there are github_repo, pdf_report, pdf_images, all and manual", old.Target)
		d.TargetArtifact = "repo"
	}
	if d.Instruction == "" {
		d.Instruction = old.Description
	} else if old.Description != "" {
		d.Instruction += "\n\n" + old.Description
	}
	c.logic(&d, old.Logic, index)
	c.unread(old.Rest, c.list, index)
	c.r.Dimensions = append(c.r.Dimensions, d)
	if d.TargetArtifact != "manual" {
		c.borrow(&c.r.Dimensions[len(c.r.Dimensions)-1], index)
	}
}

// logic adds the description of the judges' roles to the instruction.
func (c *convertor) logic(d *Dimension, logic json.RawMessage, index string) {
	if logic == nil {
		return
	}
	at := c.at(c.list, index, "judicial_logic")
	var text string
	var byJudge map[string]string
	switch {
	case json.Unmarshal(logic, &text) == nil:
	case json.Unmarshal(logic, &byJudge) == nil:
		for _, judge := range slices.Sorted(maps.Keys(byJudge)) {
			text += "\n" + judge + ": " + byJudge[judge]
		}
	default:
		at.Warnf(0, "`judicial_logic` is not read: it is neither a text nor texts by judge")
		return
	}
	at.Warnf(0, "`judicial_logic` is read as a part of the instruction, which every judge sees")
	d.Instruction = strings.TrimSpace(d.Instruction + "\n\n" + strings.TrimSpace(text))
}

// borrow gives the dimension probes of the embedded rubrics, because version 3
// names none and judges need facts.
func (c *convertor) borrow(d *Dimension, index string) {
	given := c.lenders.loanFor(d)
	for _, p := range given.probes {
		d.Evidence = append(d.Evidence, p.ID)
		if c.probe(p.ID) == nil {
			line, column := c.at(c.list, index).Position()
			c.r.places[p.ID] = place{line, column}
			c.r.Probes = append(c.r.Probes, p)
		}
	}
	d.Required = given.required
	d.Caps = append([]Cap{securityCap(d.Scale)}, given.caps...)
	why := ""
	if len(given.required) > 0 {
		why = fmt.Sprintf("; %s caps the score where it does not hold", strictyaml.List(given.required))
	}
	c.at(c.list, index, "id").Warnf(0, "version 3 names no probes: the facts for `%s` come from those of %s: %s%s", d.ID, given.from, strings.Join(d.Evidence, ", "), why)
}

// config reads the thresholds, where it is plain what they mean.
func (c *convertor) config() {
	s := &c.r.Synthesis
	scaled := slices.Equal(decodeInts(c.old.Metadata.Scale), []int{1, 5})
	for _, key := range slices.Sorted(maps.Keys(c.old.Config)) {
		at := c.at("synthesis_config", key)
		var value float64
		number := json.Unmarshal(c.old.Config[key], &value) == nil
		into := map[string]*float64{"score_threshold_pass": &s.Pass, "score_threshold_partial": &s.Partial, "variance_threshold": &s.VarianceOver}[key]
		switch {
		case into == nil:
			c.unread(map[string]json.RawMessage{key: nil}, "synthesis_config")
		case !number:
			at.Warnf(0, "`%s` is no number; %v applies", key, *into)
		case !scaled:
			at.Warnf(0, "`%s: %v` is on the scale from 0 to 10 of version 3; scores are from 1 to 5, and %v applies; write `\"scale\": [1, 5]` into rubric_metadata where it is meant for that", key, value, *into)
		case value < 0 || value > 5:
			at.Warnf(0, "`%s: %v` is not on the scale from 1 to 5; %v applies", key, value, *into)
		default:
			*into = value
		}
	}
	if s.Partial > s.Pass {
		c.at("synthesis_config").Errorf(0, "`score_threshold_partial` is %v, more than `score_threshold_pass`, which is %v: nothing could pass in part", s.Partial, s.Pass)
	}
}

func decodeInts(raw json.RawMessage) []int {
	var ints []int
	if json.Unmarshal(raw, &ints) != nil {
		return nil
	}
	return ints
}

// rules reads what can be read of the rules, which are prose.
func (c *convertor) rules() {
	prose := false
	for _, key := range slices.Sorted(maps.Keys(c.old.Rules)) {
		switch key {
		case "functionality_weight":
			c.functionalityWeight()
			prose = true
		case "security_override", "fact_supremacy", "dissent_requirement", "variance_re_evaluation":
			prose = true
		case "security_override_cap":
			c.securityCap(c.old.Rules[key])
		default:
			c.unread(map[string]json.RawMessage{key: nil}, "synthesis_rules")
		}
	}
	if prose {
		c.at("synthesis_rules").Warnf(0, "`synthesis_rules` is prose, which nothing reads: the court's own rules of these names apply")
	}
}

// functionalityWeight gives the weights to the dimensions about architecture,
// which is what the rule says in words.
func (c *convertor) functionalityWeight() {
	var given []string
	for i := range c.r.Dimensions {
		d := &c.r.Dimensions[i]
		about := strings.ToLower(d.ID + " " + d.Name)
		if d.TargetArtifact == "repo" && (strings.Contains(about, "architect") || strings.Contains(about, "orchestrat")) {
			d.JudgeWeights = functionalityWeights()
			given = append(given, d.ID)
		}
	}
	at := c.at("synthesis_rules", "functionality_weight")
	if len(given) == 0 {
		at.Warnf(0, "`functionality_weight` is about architecture, and no dimension is by its id or name: all judges weigh alike")
		return
	}
	at.Warnf(0, "`functionality_weight` is read as weights of 1.5 for the Tech Lead, 1.2 for the Prosecutor and 0.9 for the Defense in what is about architecture: %s", strings.Join(given, ", "))
}

// securityCap sets the cap for security findings where a dialect gives a number.
func (c *convertor) securityCap(raw json.RawMessage) {
	at := c.at("synthesis_rules", "security_override_cap")
	limit, err := strconv.Atoi(string(raw))
	if err != nil || limit < 1 || limit > 5 {
		at.Warnf(0, "`security_override_cap` is not a score from 1 to 5; %d applies", securityCap(nil).Max)
		return
	}
	for i := range c.r.Dimensions {
		for j := range c.r.Dimensions[i].Caps {
			if limited := &c.r.Dimensions[i].Caps[j]; limited.Rule == securityCap(nil).Rule {
				limited.Max = limit
			}
		}
	}
	at.Warnf(0, "`security_override_cap` is read as the highest score, from 1 to 5, of a dimension with a security finding")
}

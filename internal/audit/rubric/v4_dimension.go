package rubric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// The caps that a dimension has unless it says otherwise: a confirmed security
// flaw caps the score at 3 of 5, and no argument wins against a required fact.
func securityCap(s audit.Scale) Cap {
	return Cap{When: "security.any > 0", Max: int(s.At(0.5)), Rule: "security_override"}
}

func factCap(s audit.Scale) Cap {
	return Cap{When: "required.false > 0", Max: int(s.At(0.25)), Rule: "fact_supremacy"}
}

// A dimensionChecker checks and completes one dimension.
type dimensionChecker struct {
	*checker
	d     *Dimension
	index string // in the list
}

func (c dimensionChecker) at(path ...string) strictyaml.Place {
	return c.doc.At(append([]string{"dimensions", c.index}, path...)...)
}

func (c dimensionChecker) identity(seen map[string]bool) {
	c.checkID(c.d.ID, "dimension", seen, "dimensions", c.index)
	if c.d.Name == "" {
		c.d.Name = c.d.ID
	}
	c.d.Scale = c.scale(c.d.Scale, c.r.Metadata.Scale, "dimensions", c.index, "scale")
	switch {
	case !c.at("weight").Set():
		c.d.Weight = 1
	case c.d.Weight == 0:
		c.at("weight").Errorf(0, "`weight` is more than 0: take the dimension out where it counts for nothing")
	}
}

func (c dimensionChecker) target() {
	c.d.TargetArtifact = targetNamed(c.d.TargetArtifact)
}

// targetNamed returns the target that a file calls name; without a name it is the
// repository.
func targetNamed(name string) string {
	switch name {
	case "", "github_repo":
		return "repo"
	case "pdf_report":
		return "doc"
	case "pdf_images":
		return "diagram"
	}
	return name
}

// evidence checks the probes that are named, and adds the required ones to those
// that judges see.
func (c dimensionChecker) evidence() {
	named := map[string]bool{}
	for i, id := range c.d.Evidence {
		c.named(id, named, "evidence", i)
	}
	required := map[string]bool{}
	for i, id := range c.d.Required {
		c.named(id, required, "required", i)
		if p := c.probe(id); p != nil && p.free() != "" {
			c.at("required", strconv.Itoa(i)).Errorf(0, "the probe `%s` cannot be required: %s; name it in `evidence`", id, p.free())
		}
		if !named[id] {
			c.d.Evidence = append(c.d.Evidence, id)
			named[id] = true
		}
	}
	if len(named) == 0 && c.d.TargetArtifact != "manual" {
		c.at("id").Warnf(0, "the dimension `%s` names no probes: judges see no facts for it, and its score is opinion only", c.d.ID)
	}
}

func (c dimensionChecker) named(id string, seen map[string]bool, key string, i int) {
	at := c.at(key, strconv.Itoa(i))
	switch {
	case c.probe(id) == nil:
		at.Errorf(0, "%s", c.unknownProbe(id))
	case seen[id]:
		at.Errorf(0, "the probe `%s` is named twice", id)
	}
	seen[id] = true
}

// wording warns of what judges are not told.
func (c dimensionChecker) wording() {
	if c.d.TargetArtifact == "manual" {
		return
	}
	for level := range c.d.Levels {
		if !c.d.Scale.Has(level) {
			c.at("levels", strconv.Itoa(level)).Errorf(0, "a level is a score from %s, not %d", c.d.Scale, level)
		}
	}
	var missing []string
	low, high := c.d.Scale.Low(), c.d.Scale.High()
	for _, text := range []struct{ key, value string }{
		{"forensic_instruction", c.d.Instruction},
		{"success_pattern", c.d.Success},
		{"failure_pattern", c.d.Failure},
		{fmt.Sprintf("levels %d", low), c.d.Levels[low]},
		{fmt.Sprintf("levels %d", high), c.d.Levels[high]},
	} {
		if strings.TrimSpace(text.value) == "" {
			missing = append(missing, text.key)
		}
	}
	if len(missing) > 0 {
		c.at("id").Warnf(0, "the dimension `%s` leaves judges without %s: each of them will think of something else", c.d.ID, strings.Join(missing, ", "))
	}
}

func (c dimensionChecker) caps() {
	asksSecurity, asksRequired := false, false
	var seen []Probe
	for _, id := range c.d.Evidence {
		if p := c.probe(id); p != nil {
			seen = append(seen, *p)
		}
	}
	for i := range c.d.Caps {
		limit := &c.d.Caps[i]
		at := strconv.Itoa(i)
		c.condition(limit.When, capGroups(), "dimensions", c.index, "caps", at, "when")
		if !c.at("caps", at, "max").Set() {
			c.at("caps", at).Errorf(0, "the cap has no `max`: write the highest score, from %s", c.d.Scale)
		}
		c.onScale(float64(limit.Max), c.d.Scale, "dimensions", c.index, "caps", at, "max")
		if limit.Rule == "" {
			limit.Rule = "cap"
		}
		if Asks(limit.When, "required") && len(c.d.Required) == 0 {
			c.at("caps", at, "when").Warnf(0, "the dimension `%s` has no `required` probes, so this asks for nothing", c.d.ID)
		}
		if exact, _ := answers(seen, "facts"); !exact && Asks(limit.When, "facts") {
			c.at("caps", at, "when").Errorf(0, "the cap asks for facts, and no probe of the dimension `%s` finds any: observations cap nothing; take the cap out, or name a probe that is exact and has `expect`", c.d.ID)
		}
		if exact, observed := answers(seen, "security"); !exact && observed && Asks(limit.When, "security") {
			c.at("caps", at, "when").Errorf(0, "the cap asks for security findings, and those of the dimension `%s` are observed: observations cap nothing; take the cap out, or name a probe that is exact and has `severity`", c.d.ID)
		}
		asksSecurity = asksSecurity || Asks(limit.When, "security")
		asksRequired = asksRequired || Asks(limit.When, "required")
	}
	if asksSecurity {
		c.uncapped()
	} else {
		c.d.Caps = append(c.d.Caps, securityCap(c.d.Scale))
	}
	if !asksRequired && len(c.d.Required) > 0 {
		c.d.Caps = append(c.d.Caps, factCap(c.d.Scale))
	}
}

// uncapped warns where the dimension's own caps let a severe finding through.
func (c dimensionChecker) uncapped() {
	for _, severity := range []audit.Severity{audit.SeverityHigh, audit.SeverityCritical} {
		var f Facts
		f.Security.add(severity)
		if !slices.ContainsFunc(c.d.Caps, func(l Cap) bool { return l.Holds(f) }) {
			c.at("caps").Warnf(0, "one %s security finding caps nothing here: write `security.high > 0`, which holds for critical ones too, or `security.any > 0`", severity)
			return
		}
	}
}

// weights completes judge_weights from synthesis.weights.
func (c dimensionChecker) weights() {
	base := c.r.Synthesis.Weights
	if base == nil {
		base = functionalityWeights()
	}
	c.d.JudgeWeights = c.judges(c.d.JudgeWeights, base, "dimensions", c.index, "judge_weights")
}

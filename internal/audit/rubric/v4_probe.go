package rubric

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// A probeChecker checks and completes one probe.
type probeChecker struct {
	*checker
	p     *Probe
	index string // in the list
}

func (c probeChecker) at(path ...string) strictyaml.Place {
	return c.doc.At(append([]string{"probes", c.index}, path...)...)
}

// probes checks and completes the probes.
func (c *checker) probes() {
	c.r.places = map[string]place{}
	seen := map[string]bool{}
	indices := c.indices("probes", len(c.r.Probes))
	for i := range c.r.Probes {
		pc := probeChecker{c, &c.r.Probes[i], indices[i]}
		c.checkID(pc.p.ID, "probe", seen, "probes", pc.index)
		line, column := pc.at().Position()
		c.r.places[pc.p.ID] = place{line, column}
		if strings.HasPrefix(pc.p.ID, integrityPrefix) {
			pc.at("id").Errorf(0, "ids that begin with `integrity.` are the court's own: choose another one")
		}
		if pc.p.Type == "" {
			if !pc.at("type").Set() {
				pc.at().Errorf(0, "the probe `%s` has no type: write `type: …`, one of %s", pc.p.ID, strictyaml.List(probeTypes()))
			}
			continue
		}
		pc.keys()
		pc.patterns()
		pc.byType()
		pc.expect()
	}
	c.own = c.r.Probes
	for i := range c.own {
		if c.own[i].Type == TypeOneOf {
			probeChecker{c, &c.own[i], indices[i]}.oneOf()
		}
	}
}

func probeTypes() []string {
	var types []string
	for _, d := range definitions() {
		types = append(types, d.typ)
	}
	return types
}

// keys reports keys that the type of the probe needs and the file does not have,
// and keys that mean nothing to it.
func (c probeChecker) keys() {
	d := definitionOf(c.p.Type)
	for _, key := range d.needed {
		if !c.at(key).Set() && !c.at(key).Faulty() {
			c.at().Errorf(0, "the probe `%s` has no `%s`, which a probe of type %s needs", c.p.ID, key, c.p.Type)
		}
	}
	known := slices.Concat([]string{"id", "type", "title", "basis", "expect", "severity", "category", "remediation"}, d.needed, d.further)
	for t, i := reflect.TypeFor[Probe](), 0; i < t.NumField(); i++ {
		key := t.Field(i).Tag.Get("yaml")
		if c.at(key).Set() && !slices.Contains(known, key) {
			c.at(key).Errorf(0, "`%s` means nothing to a probe of type %s: take it out; its keys are %s", key, c.p.Type, strings.Join(known, ", "))
		}
	}
}

// patterns expands and checks the probe's path patterns.
func (c probeChecker) patterns() {
	for _, list := range []struct {
		patterns *[]string
		path     []string
	}{
		{&c.p.Files.Include, []string{"files", "include"}},
		{&c.p.Files.Exclude, []string{"files", "exclude"}},
		{&c.p.Any, []string{"any"}},
		{&c.p.Num.Files, []string{"num", "files"}},
		{&c.p.Den.Files, []string{"den", "files"}},
		{&c.p.Of.Files, []string{"of", "files"}},
	} {
		*list.patterns = c.expand(*list.patterns, append([]string{"probes", c.index}, list.path...)...)
	}
	if c.p.Type == TypeText && c.p.File != "" {
		if err := checkPattern(c.p.File); err != nil {
			c.at("file").Errorf(0, "the pattern `%s` %v", c.p.File, err)
		}
	}
}

// byType checks what each type wants of its keys, apart from having them.
func (c probeChecker) byType() {
	switch c.p.Type {
	case TypeText:
		c.regex(c.p.Regex, "probes", c.index, "regex")
	case TypeAST:
		c.one("query", "call", "class_base", "imports")
		if c.p.Query != "" && !c.at("lang").Set() {
			c.at("query").Errorf(0, "a query is made for the grammar of one language: write `lang: …` beside it")
		}
		if c.p.Outside != "" && !c.at("lang").Set() {
			c.at("outside").Errorf(0, "a query is made for the grammar of one language: write `lang: …` beside it")
		}
		if c.p.Lang == "rust" && c.p.Query == "" {
			c.at("lang").Errorf(0, "in Rust only a query finds something: write `query: …` in place of `call`, `class_base` and `imports`")
		}
	case TypeGraph:
		if c.p.Lang != "" && c.p.Lang != "python" {
			c.at("lang").Errorf(0, "graphs are read in Python alone: write `lang: python`, or look for the calls with a probe of type ast")
		}
		if c.p.EdgeCall == "" {
			c.p.EdgeCall = "add_edge"
		}
		if c.p.NodeCall == "" {
			c.p.NodeCall = "add_node"
		}
		if c.p.CondCall == "" {
			c.p.CondCall = "add_conditional_edges"
		}
	case TypeGit:
		c.metrics()
	case TypeSecret:
		c.p.Scope = "tree"
	case TypeRatio:
		c.filled("num", "files", len(c.p.Num.Files))
		c.filled("den", "files", len(c.p.Den.Files))
	case TypeOverlap:
		c.overlap()
	case TypeOneOf:
		c.texts("probes", c.p.Probes)
	case TypeDocTerms:
		c.texts("terms", c.p.Terms)
		c.explained()
	case TypeDiagram:
		c.texts("answers", c.p.Answers)
		if len(c.p.Answers) == 1 || slices.Contains(c.p.Answers, "pages") {
			c.at("answers").Errorf(0, "`answers` are two or more, and none of them is `pages`, which is a figure already")
		}
	}
}

// one reports unless exactly one of the keys is there.
func (c probeChecker) one(keys ...string) {
	var set []string
	for _, key := range keys {
		if c.at(key).Set() {
			set = append(set, key)
		}
	}
	if len(set) != 1 {
		c.at().Errorf(0, "the probe `%s` looks for one thing: write one of %s, not %d of them", c.p.ID, strictyaml.List(keys), len(set))
		return
	}
	if strings.TrimSpace(soughtBy(c.p, set[0])) == "" {
		c.at(set[0]).Errorf(0, "`%s` is empty", set[0])
	}
}

// soughtBy returns the text of one of the keys that say what an ast probe seeks.
func soughtBy(p *Probe, key string) string {
	switch key {
	case "query":
		return p.Query
	case "call":
		return p.Call
	case "class_base":
		return p.Base
	default:
		return p.Imports
	}
}

// oneOf checks the probes that are counted. One reading among them makes the count one.
func (c probeChecker) oneOf() {
	if c.p.Expect == nil {
		one := 1.0
		c.p.Expect = Expect{"count": {Min: &one}}
	}
	for i, id := range c.p.Probes {
		p := c.probe(id)
		switch {
		case p == nil:
			c.at("probes", strconv.Itoa(i)).Errorf(0, "%s", c.unknownProbe(id))
		case p.Type == TypeOneOf || definitionOf(p.Type).artifact != "repo":
			c.at("probes", strconv.Itoa(i)).Errorf(0, "a probe of type %s cannot be counted by one of type %s", p.Type, TypeOneOf)
		case p.Kind() == audit.KindObserved && c.p.Basis == "":
			c.p.Basis = basisObserved
		}
	}
}

// explained reads a rubric of the time when a probe said whether a term is
// explained: that was a guess, and is for the judges.
func (c probeChecker) explained() {
	if c.p.Substantive != nil {
		c.at("substantive").Warnf(0, "`substantive` is no longer used: judges are shown the longest paragraph with each term, and say whether it explains it")
		c.p.Substantive = nil
	}
	if bound, old := c.p.Expect["explained"]; old {
		c.at("expect", "explained").Warnf(0, "`explained` is read as `mentioned`: whether a term is explained is for the judges")
		delete(c.p.Expect, "explained")
		if _, both := c.p.Expect["mentioned"]; !both {
			c.p.Expect["mentioned"] = bound
		}
	}
}

func (c probeChecker) filled(key, inner string, n int) {
	if n == 0 && c.at(key).Set() && !c.at(key).Faulty() {
		c.at(key).Errorf(0, "`%s.%s` is empty: write path patterns", key, inner)
	}
}

// texts reports lists with texts that are empty or given twice.
func (c probeChecker) texts(key string, texts []string) {
	if len(texts) == 0 && c.at(key).Set() && !c.at(key).Faulty() {
		c.at(key).Errorf(0, "`%s` is empty", key)
	}
	seen := map[string]bool{}
	for i, text := range texts {
		folded := strings.ToLower(strings.TrimSpace(text))
		switch {
		case folded == "":
			c.at(key, strconv.Itoa(i)).Errorf(0, "`%s` holds a text that is empty", key)
		case seen[folded]:
			c.at(key, strconv.Itoa(i)).Errorf(0, "`%s` holds `%s` twice", key, text)
		}
		seen[folded] = true
	}
}

func (c probeChecker) metrics() {
	known := Figures(TypeGit)
	for i, metric := range c.p.Metrics {
		if !slices.Contains(known, metric) {
			c.at("metrics", strconv.Itoa(i)).Errorf(0, "%s", unknownFigure(metric, known))
		}
	}
	if len(c.p.Metrics) == 0 {
		c.p.Metrics = slices.DeleteFunc(known, func(name string) bool { return name == idleDays })
	}
}

func (c probeChecker) overlap() {
	of := &c.p.Of
	literals := of.Strings != Strings{}
	switch {
	case !c.at("of").Set():
	case literals == (len(of.Files) > 0):
		c.at("of").Errorf(0, "`of` says whose texts are compared: write either `ast_strings` or `files`")
	case c.at("of", "ast_strings", "lang").Faulty():
	case literals && (of.Strings.Lang == "" || of.Strings.Names == ""):
		c.at("of", "ast_strings").Errorf(0, "`ast_strings` needs both `lang` and `names`")
	case literals:
		c.regex(of.Strings.Names, "probes", c.index, "of", "ast_strings", "names")
	}
}

// expect checks that each figure is one that the probe gives, and bounded in a
// way that can hold and can fail.
func (c probeChecker) expect() {
	known := c.p.Figures()
	if c.p.Type == TypeGit {
		known = c.p.Metrics
	}
	if c.p.Expect != nil && len(c.p.Expect) == 0 {
		c.p.Expect = nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.p.Expect)) {
		at := c.at("expect", name)
		bound := c.p.Expect[name]
		number := bound.Min != nil || bound.Max != nil
		switch {
		case at.Faulty():
		case !slices.Contains(known, name):
			at.Errorf(0, "%s", unknownFigure(name, known))
		case Flag(name) && (bound.Is == nil || number):
			at.Errorf(0, "`%s` is true or false: write `%s: true`", name, name)
		case !Flag(name) && (bound.Is != nil || !number):
			at.Errorf(0, "`%s` is a number: write `%s: {min: …}` or `{max: …}`", name, name)
		case bound.Min != nil && bound.Max != nil && *bound.Min > *bound.Max:
			at.Errorf(0, "`%s` cannot be at least %v and at most %v", name, *bound.Min, *bound.Max)
		}
	}
	if why := c.p.reading(); c.p.Basis == basisExact && why != "" {
		c.at("basis").Errorf(0, "%s is a reading and not a fact: write `basis: observed`, or leave it out", why)
	}
	if c.p.Severity != "" && c.p.Category == "" {
		c.p.Category = audit.CategorySecurity
	}
	if c.p.Category == audit.CategorySecurity && c.p.Severity == "" {
		c.at("category").Errorf(0, "a security finding has a severity: write `severity: …`, one of low, medium, high and critical")
	}
	if c.p.Category != "" && c.p.Severity == "" && c.p.Expect == nil {
		c.at("category").Errorf(0, "`category` needs `expect`: a finding is what violates it; write `expect: {count: {max: 0}}`")
	}
	if c.p.Severity != "" && c.p.Expect == nil {
		c.at("severity").Errorf(0, "`severity` needs `expect`: a finding is what violates it; write `expect: {count: {max: 0}}`")
	}
}

func unknownFigure(name string, known []string) string {
	if near := nearest.Word(name, known); near != "" {
		return "there is no figure `" + name + "` here; did you mean `" + near + "`?"
	}
	return "there is no figure `" + name + "` here; there are " + strings.Join(known, ", ")
}

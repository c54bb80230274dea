// Package rubric reads what is audited for: criteria ("dimensions" in the file),
// the probes that find facts for them, and how opinions become verdicts.
package rubric

import (
	"encoding/json"
	"slices"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// Rubric is a rubric, checked and complete: what the file left out has its
// default, vars are expanded, and every dimension has the caps that hold for all
// (see [Cap]). It is safe for concurrent use unless it is changed.
type Rubric struct {
	Metadata   Metadata            `json:"rubric_metadata" yaml:"rubric_metadata" jsonschema:"Name and version of the rubric."`
	Extends    string              `json:"extends,omitempty" yaml:"extends" jsonschema:"Embedded rubric that this one adds to."`
	Drop       Drop                `json:"drop,omitzero" yaml:"drop" jsonschema:"What is left out of it."`
	Vars       map[string][]string `json:"vars,omitempty" yaml:"vars" jsonschema:"Lists of path patterns by name; $name puts one in place."`
	Probes     []Probe             `json:"probes,omitempty" yaml:"probes" jsonschema:"Ways to find facts."`
	Dimensions []Dimension         `json:"dimensions" yaml:"dimensions" jsonschema:"The criteria."`
	Synthesis  Synthesis           `json:"synthesis,omitzero" yaml:"synthesis" jsonschema:"How opinions become verdicts."`
	Waivers    []Waiver            `json:"waivers,omitempty" yaml:"waivers" jsonschema:"Findings and dimensions that pass for a reason."`

	Source string `json:"-" yaml:"-"` // file, or "embedded: general"
	Digest string `json:"-" yaml:"-"` // sha256 in hex of the text, and of the embedded one that it extends

	problems []Problem        // warnings from when it was read
	places   map[string]place // where each probe is, by its id
	origins  origins          // where each probe and dimension comes from
}

// Drop names what is left out of an embedded rubric that another one extends.
type Drop struct {
	Probes     []string `json:"probes,omitempty" yaml:"probes" jsonschema:"Ids of probes."`
	Dimensions []string `json:"dimensions,omitempty" yaml:"dimensions" jsonschema:"Ids of dimensions; probes of theirs alone go too."`
}

// place is where something is in the rubric's text.
type place struct{ line, column int }

// Ref is what reports say about the rubric.
func (r *Rubric) Ref() audit.RubricRef {
	return audit.RubricRef{Name: r.Metadata.Name, Version: r.Metadata.Version, Source: r.Source, Digest: r.Digest}
}

// Dimension returns the dimension of that id, or nil.
func (r *Rubric) Dimension(id string) *Dimension {
	i := slices.IndexFunc(r.Dimensions, func(d Dimension) bool { return d.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Dimensions[i]
}

// Probe returns the probe of that id, or nil.
func (r *Rubric) Probe(id string) *Probe {
	i := slices.IndexFunc(r.Probes, func(p Probe) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &r.Probes[i]
}

// Criteria returns the ids of the dimensions that a probe's evidence belongs to,
// in the rubric's order.
func (r *Rubric) Criteria(probe string) []string {
	var ids []string
	for i := range r.Dimensions {
		if d := &r.Dimensions[i]; r.looksAt(d, probe) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// looksAt reports whether a dimension names the probe, or one that counts it.
func (r *Rubric) looksAt(d *Dimension, probe string) bool {
	if slices.Contains(d.Evidence, probe) || slices.Contains(d.Required, probe) {
		return true
	}
	return slices.ContainsFunc(r.Probes, func(p Probe) bool {
		return p.Type == TypeOneOf && p.ID != probe && slices.Contains(p.Probes, probe) && (slices.Contains(d.Evidence, p.ID) || slices.Contains(d.Required, p.ID))
	})
}

// Metadata names the rubric.
type Metadata struct {
	Name    string      `json:"rubric_name" yaml:"rubric_name" jsonschema:"Its name."`
	Target  string      `json:"grading_target,omitempty" yaml:"grading_target" jsonschema:"What it is made for."`
	Version string      `json:"version" yaml:"version" jsonschema:"Its version, as 4.0.0; the first number is that of the format (4 or 3)."`
	Scale   audit.Scale `json:"scale,omitempty" yaml:"scale" jsonschema:"Lowest and highest score, as [0, 100]; without it [1, 5]."`
}

// The types of probes.
const (
	TypeFile     = "file"      // files that exist
	TypeText     = "text"      // lines that a regular expression finds; never structure
	TypeAST      = "ast"       // nodes of syntax trees
	TypeGraph    = "graph"     // wiring by calls: nodes, edges, fan-out, fan-in
	TypeGit      = "git"       // the history
	TypeManifest = "manifest"  // declared dependencies and their lock files
	TypeSecret   = "secret"    // credentials
	TypeRatio    = "ratio"     // lines of some files to lines of others
	TypeWorkflow = "workflow"  // what workflows of GitHub Actions let others do
	TypeOneOf    = "one_of"    // whether one of several probes holds
	TypeOverlap  = "overlap"   // how much of their words several texts share
	TypeDocTerms = "doc_terms" // terms, and how often a document mentions them
	TypeDocPaths = "doc_paths" // paths that a document names, and whether they exist
	TypeDiagram  = "diagram"   // what a vision model sees on pages with diagrams
)

// Probe is one way to find facts. Which keys mean something depends on Type; one
// that means nothing is an error.
type Probe struct {
	ID   string `json:"id" yaml:"id" jsonschema:"Its name, unique in the rubric."`
	Type string `json:"type" yaml:"type" enum:"file,text,ast,graph,git,manifest,workflow,secret,ratio,overlap,one_of,doc_terms,doc_paths,diagram" jsonschema:"How it looks: one of the types of probes."`
	// Title is for people; nothing is decided by it.
	Title string `json:"title,omitempty" yaml:"title" jsonschema:"What it looks for; judges and readers see it."`

	Files   Files    `json:"files,omitzero" yaml:"files" jsonschema:"Files that are looked at; empty means all."`
	Any     []string `json:"any,omitempty" yaml:"any" jsonschema:"file: path patterns of what is counted."`
	File    string   `json:"file,omitempty" yaml:"file" jsonschema:"text: pattern of the file to read."`
	Regex   string   `json:"regex,omitempty" yaml:"regex" jsonschema:"text: regular expression (RE2); ^ and $ are those of a line."`
	Lang    string   `json:"lang,omitempty" yaml:"lang" enum:"go,python,typescript,tsx,javascript,rust" jsonschema:"ast, graph: language of the files; typescript means tsx too."`
	Query   string   `json:"query,omitempty" yaml:"query" jsonschema:"ast: tree-sitter query; @hit marks what is found."`
	Call    string   `json:"call,omitempty" yaml:"call" jsonschema:"ast: calls of this name, resolved through imports, as os.system."`
	Base    string   `json:"class_base,omitempty" yaml:"class_base" jsonschema:"ast: classes that derive from this name."`
	Outside string   `json:"outside,omitempty" yaml:"outside" jsonschema:"ast: tree-sitter query; matches within what it finds do not count."`
	Imports string   `json:"imports,omitempty" yaml:"imports" jsonschema:"ast: imports of this package or module, and of those below it."`

	EdgeCall string `json:"edge_call,omitempty" yaml:"edge_call" jsonschema:"graph: the call that adds an edge."`
	NodeCall string `json:"node_call,omitempty" yaml:"node_call" jsonschema:"graph: the call that adds a node."`
	CondCall string `json:"cond_call,omitempty" yaml:"cond_call" jsonschema:"graph: the call that adds edges under a condition."`
	Graph    string `json:"graph_class,omitempty" yaml:"graph_class" jsonschema:"graph: the class that is built."`

	Check   string   `json:"check,omitempty" yaml:"check" enum:"target,checkout,injection,permissions,branches,actions" jsonschema:"workflow: target (runs on pull_request_target), checkout (such a run checks out what was proposed), injection (scripts with text of strangers), permissions (jobs whose token nothing limits), branches (actions that follow a branch), actions (others that are not pinned by a hash)."`
	Probes  []string `json:"probes,omitempty" yaml:"probes" jsonschema:"one_of: ids of probes; one without expect holds where it finds something."`
	Metrics []string `json:"metrics,omitempty" yaml:"metrics" jsonschema:"git: which figures are taken; empty means all."`
	Kinds   []string `json:"kinds,omitempty" yaml:"kinds" jsonschema:"manifest: names of the files, as go.mod; empty means all that are known."`
	Scope   string   `json:"scope,omitempty" yaml:"scope" enum:"tree" jsonschema:"secret: where it looks: the files of the commit."`
	Num     Select   `json:"num,omitzero" yaml:"num" jsonschema:"ratio: files whose lines are counted."`
	Den     Select   `json:"den,omitzero" yaml:"den" jsonschema:"ratio: files whose lines they are compared with."`
	Of      Overlap  `json:"of,omitzero" yaml:"of" jsonschema:"overlap: whose texts are compared."`

	Terms       []string        `json:"terms,omitempty" yaml:"terms" jsonschema:"doc_terms: terms to look for."`
	Substantive json.RawMessage `json:"substantive,omitempty" yaml:"substantive" jsonschema:"doc_terms: no longer used."`
	Question    string          `json:"question,omitempty" yaml:"question" jsonschema:"diagram: what is asked about each page."`
	Answers     []string        `json:"answers,omitempty" yaml:"answers" jsonschema:"diagram: the possible answers; each is a figure."`

	Basis       string            `json:"basis,omitempty" yaml:"basis" enum:"exact,observed" jsonschema:"observed: judges weigh what it finds, and it does not bind them. Empty means what its type and figures are."`
	Expect      Expect            `json:"expect,omitempty" yaml:"expect" jsonschema:"What its figures have to be, by name; without it nothing is decided."`
	Severity    audit.Severity    `json:"severity,omitempty" yaml:"severity" enum:"low,medium,high,critical" jsonschema:"Makes a violation a finding: of security, unless category says otherwise."`
	Category    audit.Category    `json:"category,omitempty" yaml:"category" enum:"security,quality,style" jsonschema:"What a violation is about. Caps and the gate count security alone."`
	Remediation audit.Remediation `json:"remediation,omitzero" yaml:"remediation" jsonschema:"What to do where expect does not hold."`
}

// Files chooses files by path patterns: see [CompilePatterns].
type Files struct {
	Include []string `json:"include,omitempty" yaml:"include" jsonschema:"Path patterns; empty means all."`
	Exclude []string `json:"exclude,omitempty" yaml:"exclude" jsonschema:"Path patterns of files that are left out."`
}

// Select is one side of a ratio.
type Select struct {
	Files []string `json:"files,omitempty" yaml:"files" jsonschema:"Path patterns."`
}

// Overlap says whose texts are compared: those of string literals or of files.
type Overlap struct {
	Strings Strings  `json:"ast_strings,omitzero" yaml:"ast_strings" jsonschema:"String literals in code."`
	Files   []string `json:"files,omitempty" yaml:"files" jsonschema:"Path patterns; each file is one text."`
}

// Strings are string literals that are given to names.
type Strings struct {
	Lang  string `json:"lang,omitempty" yaml:"lang" enum:"python" jsonschema:"Language of the files."`
	Names string `json:"names,omitempty" yaml:"names" jsonschema:"Regular expression (RE2) on the name of the variable or function."`
}

// Dimension is a criterion.
type Dimension struct {
	ID             string                  `json:"id" yaml:"id" jsonschema:"Its name, unique in the rubric."`
	Name           string                  `json:"name" yaml:"name" jsonschema:"Its title in reports; empty means the id."`
	TargetArtifact string                  `json:"target_artifact" yaml:"target_artifact" enum:"repo,doc,diagram,manual,all,github_repo,pdf_report,pdf_images" default:"repo" jsonschema:"What it is about; manual is for people. The last three are older names."`
	Weight         float64                 `json:"weight,omitempty" yaml:"weight" min:"0" max:"1000" default:"1" jsonschema:"Its weight in the total."`
	Scale          audit.Scale             `json:"scale,omitempty" yaml:"scale" jsonschema:"Lowest and highest score, as [0, 20]; without it that of the rubric."`
	AppliesIf      Applies                 `json:"applies_if,omitzero" yaml:"applies_if" jsonschema:"Where it makes sense."`
	Evidence       []string                `json:"evidence,omitempty" yaml:"evidence" jsonschema:"Ids of probes that judges see."`
	Required       []string                `json:"required,omitempty" yaml:"required" jsonschema:"Ids of probes that have to hold, or the score is capped; judges see them too."`
	Instruction    string                  `json:"forensic_instruction,omitempty" yaml:"forensic_instruction" jsonschema:"What judges look at."`
	Success        string                  `json:"success_pattern,omitempty" yaml:"success_pattern" jsonschema:"What a good answer looks like."`
	Failure        string                  `json:"failure_pattern,omitempty" yaml:"failure_pattern" jsonschema:"What a bad one looks like."`
	Levels         map[int]string          `json:"levels,omitempty" yaml:"levels" jsonschema:"What a score means; the lowest and the highest at least."`
	Caps           []Cap                   `json:"caps,omitempty" yaml:"caps" jsonschema:"Facts that bound the score."`
	JudgeWeights   map[audit.Judge]float64 `json:"judge_weights,omitempty" yaml:"judge_weights" jsonschema:"Weights of prosecutor, defense and tech_lead here."`
}

// Applies says where a dimension makes sense; empty means everywhere.
type Applies struct {
	LangAny []string `json:"lang_any,omitempty" yaml:"lang_any" jsonschema:"Languages, one of which the repository has."`
	FileAny []string `json:"file_any,omitempty" yaml:"file_any" jsonschema:"Path patterns, one of which matches a file."`
}

// Cap bounds a score where a condition on the facts holds: see [Facts] for what
// it can ask for.
//
// [Parse] completes the caps of each dimension. One whose caps never ask for
// security gets `security.any > 0`, at most the middle of the scale (3 of 5),
// security_override; one that has required probes and never asks for them gets
// `required.false > 0`, at most a quarter of it (2 of 5), fact_supremacy.
type Cap struct {
	When string `json:"when" yaml:"when" jsonschema:"Condition, as security.high > 0."`
	Max  int    `json:"max" yaml:"max" min:"0" max:"1000" jsonschema:"The highest score where it holds."`
	Rule string `json:"rule,omitempty" yaml:"rule" jsonschema:"Its name in the trace; empty means cap."`
}

// Synthesis is how the Chief Justice rules.
type Synthesis struct {
	Weights      map[audit.Judge]float64 `json:"weights,omitempty" yaml:"weights" jsonschema:"Weights of prosecutor, defense and tech_lead in every dimension; without it all weigh the same."`
	VarianceOver float64                 `json:"variance_over,omitempty" yaml:"variance_over" min:"0" max:"1000" jsonschema:"Highest minus lowest score above which judges disagree."`
	Pass         float64                 `json:"pass,omitempty" yaml:"pass" min:"0" max:"1000" jsonschema:"Score from which a dimension passes."`
	Partial      float64                 `json:"partial,omitempty" yaml:"partial" min:"0" max:"1000" jsonschema:"Score from which it passes in part."`
	OnDissent    string                  `json:"on_dissent,omitempty" yaml:"on_dissent" enum:"reevaluate,report" jsonschema:"reevaluate looks at the cited evidence again, report only says so."`
	MinOpinions  int                     `json:"min_opinions,omitempty" yaml:"min_opinions" min:"1" max:"3" jsonschema:"Opinions that a verdict needs."`
	Gate         Gate                    `json:"gate,omitzero" yaml:"gate" jsonschema:"What --gate demands."`
}

// Gate is what the audited side has to reach.
type Gate struct {
	Overall float64            `json:"overall,omitempty" yaml:"overall" min:"0" max:"1000" jsonschema:"Lowest total score."`
	Each    map[string]float64 `json:"each,omitempty" yaml:"each" jsonschema:"Lowest score of a dimension, by its id and on its scale."`
	FailOn  []string           `json:"fail_on,omitempty" yaml:"fail_on" jsonschema:"Conditions that fail the gate, as security.critical."`
}

// Waiver lets a finding or a dimension pass, for a reason.
type Waiver struct {
	Dimension string `json:"dimension,omitempty" yaml:"dimension" jsonschema:"Id of the dimension that passes."`
	Probe     string `json:"probe,omitempty" yaml:"probe" jsonschema:"Id of the probe whose findings pass."`
	Path      string `json:"path,omitempty" yaml:"path" jsonschema:"Path pattern of the findings that pass; empty means all."`
	Reason    string `json:"reason" yaml:"reason" jsonschema:"Why; the report repeats it."`
	Until     string `json:"until,omitempty" yaml:"until" jsonschema:"The last day on which it holds, as 2026-12-31, by UTC."`
}

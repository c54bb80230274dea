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
	Metadata   Metadata            `json:"rubric_metadata" yaml:"rubric_metadata" jsonschema:"What the rubric is called, and its version."`
	Extends    string              `json:"extends,omitempty" yaml:"extends" jsonschema:"Name of the embedded rubric that this one adds to. Probes and dimensions of the same id replace those of it, vars and keys of synthesis too; others are added."`
	Drop       Drop                `json:"drop,omitzero" yaml:"drop" jsonschema:"What is left out of the rubric that is extended."`
	Vars       map[string][]string `json:"vars,omitempty" yaml:"vars" jsonschema:"Lists of path patterns by name. Where a probe or applies_if wants patterns, $name stands for the list."`
	Probes     []Probe             `json:"probes,omitempty" yaml:"probes" jsonschema:"Ways to find facts. A probe can serve several dimensions."`
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
	Dimensions []string `json:"dimensions,omitempty" yaml:"dimensions" jsonschema:"Ids of dimensions. Probes that no other looks at go with them."`
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
	Name    string      `json:"rubric_name" yaml:"rubric_name" jsonschema:"What the rubric is called."`
	Target  string      `json:"grading_target,omitempty" yaml:"grading_target" jsonschema:"What it is made for, for a person."`
	Version string      `json:"version" yaml:"version" jsonschema:"Version of the rubric, as 4.0.0. Its first number is the version of the format: 4, or 3 for the older one."`
	Scale   audit.Scale `json:"scale,omitempty" yaml:"scale" jsonschema:"Lowest and highest score, as [0, 100]; without it [1, 5]. Scores are whole numbers."`
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
	ID   string `json:"id" yaml:"id" jsonschema:"Name of the probe, unique in the rubric."`
	Type string `json:"type" yaml:"type" enum:"file,text,ast,graph,git,manifest,workflow,secret,ratio,overlap,one_of,doc_terms,doc_paths,diagram" jsonschema:"How it looks."`
	// Title is for people; nothing is decided by it.
	Title string `json:"title,omitempty" yaml:"title" jsonschema:"What it looks for, in a few words, for a person. Without it the other keys are shown."`

	Files   Files    `json:"files,omitzero" yaml:"files" jsonschema:"Which files are looked at. Empty means all, or all of the language."`
	Any     []string `json:"any,omitempty" yaml:"any" jsonschema:"file: path patterns. The files that match one of them are counted."`
	File    string   `json:"file,omitempty" yaml:"file" jsonschema:"text: pattern of the file to read."`
	Regex   string   `json:"regex,omitempty" yaml:"regex" jsonschema:"text: regular expression in RE2 syntax, whose ^ and $ are those of a line. It finds words, and decides nothing about structure."`
	Lang    string   `json:"lang,omitempty" yaml:"lang" enum:"go,python,typescript,tsx,javascript,rust" jsonschema:"ast, graph: language of the files; typescript means tsx too. Without it an ast probe that is no query looks at all languages."`
	Query   string   `json:"query,omitempty" yaml:"query" jsonschema:"ast: tree-sitter query. @hit marks what is found; without it that is the whole match."`
	Call    string   `json:"call,omitempty" yaml:"call" jsonschema:"ast: calls of this name, resolved through imports, as os.system."`
	Base    string   `json:"class_base,omitempty" yaml:"class_base" jsonschema:"ast: classes that derive from this name, as BaseModel."`
	Outside string   `json:"outside,omitempty" yaml:"outside" jsonschema:"ast: tree-sitter query. What stands within something that it finds does not count, as tests in the middle of code."`
	Imports string   `json:"imports,omitempty" yaml:"imports" jsonschema:"ast: imports of this package or module, and of those below it."`

	EdgeCall string `json:"edge_call,omitempty" yaml:"edge_call" jsonschema:"graph: the call that adds an edge, as add_edge."`
	NodeCall string `json:"node_call,omitempty" yaml:"node_call" jsonschema:"graph: the call that adds a node, as add_node."`
	CondCall string `json:"cond_call,omitempty" yaml:"cond_call" jsonschema:"graph: the call that adds edges under a condition, as add_conditional_edges."`
	Graph    string `json:"graph_class,omitempty" yaml:"graph_class" jsonschema:"graph: the class that is built, as StateGraph."`

	Check   string   `json:"check,omitempty" yaml:"check" enum:"target,checkout,injection,permissions,branches,actions" jsonschema:"workflow: what is counted. target: workflows that run on pull_request_target. checkout: steps of such that check out what was proposed. injection: scripts with text that a stranger writes. permissions: jobs whose token may write because nothing limits it. branches: actions that follow main or master of somebody else. actions: other actions that are not pinned by a hash."`
	Probes  []string `json:"probes,omitempty" yaml:"probes" jsonschema:"one_of: ids of probes. Those that hold are counted; one without expect holds where it finds something."`
	Metrics []string `json:"metrics,omitempty" yaml:"metrics" jsonschema:"git: which figures are taken: commit_count, span_days, authors, merge_ratio, largest_add_share, message_quality, cadence, idle_days. Empty means all."`
	Kinds   []string `json:"kinds,omitempty" yaml:"kinds" jsonschema:"manifest: names of the files, as go.mod. Empty means all that are known."`
	Scope   string   `json:"scope,omitempty" yaml:"scope" enum:"tree" jsonschema:"secret: where it looks. tree, the files of the commit, is the one there is."`
	Num     Select   `json:"num,omitzero" yaml:"num" jsonschema:"ratio: files whose lines are counted."`
	Den     Select   `json:"den,omitzero" yaml:"den" jsonschema:"ratio: files whose lines they are compared with."`
	Of      Overlap  `json:"of,omitzero" yaml:"of" jsonschema:"overlap: whose texts are compared."`

	Terms       []string        `json:"terms,omitempty" yaml:"terms" jsonschema:"doc_terms: terms that a document should explain. Whether it does is for the judges: they are shown the longest paragraph with each."`
	Substantive json.RawMessage `json:"substantive,omitempty" yaml:"substantive" jsonschema:"doc_terms: of older rubrics, and no longer used."`
	Question    string          `json:"question,omitempty" yaml:"question" jsonschema:"diagram: what the vision model is asked about each page."`
	Answers     []string        `json:"answers,omitempty" yaml:"answers" jsonschema:"diagram: the answers it may give. Each is a figure too: on how many pages it was given."`

	Basis       string            `json:"basis,omitempty" yaml:"basis" enum:"exact,observed" jsonschema:"observed: it goes by names or habits, so judges weigh what it finds, and it neither caps nor gates nor contradicts them. Empty means what its type and the figures in expect are."`
	Expect      Expect            `json:"expect,omitempty" yaml:"expect" jsonschema:"What the probe's figures are to be, by name. Without it nothing is decided."`
	Severity    audit.Severity    `json:"severity,omitempty" yaml:"severity" enum:"low,medium,high,critical" jsonschema:"Makes what violates expect a finding: of security, unless category says otherwise."`
	Category    audit.Category    `json:"category,omitempty" yaml:"category" enum:"security,quality,style" jsonschema:"What a violation of expect is about. Empty means security where there is a severity. Caps and the gate's security figures count security alone."`
	Remediation audit.Remediation `json:"remediation,omitzero" yaml:"remediation" jsonschema:"What to do where expect does not hold."`
}

// Files chooses files by path patterns: see [CompilePatterns].
type Files struct {
	Include []string `json:"include,omitempty" yaml:"include" jsonschema:"Path patterns. Empty means all."`
	Exclude []string `json:"exclude,omitempty" yaml:"exclude" jsonschema:"Path patterns of files that are left out all the same."`
}

// Select is one side of a ratio.
type Select struct {
	Files []string `json:"files,omitempty" yaml:"files" jsonschema:"Path patterns."`
}

// Overlap says whose texts are compared: those of string literals or of files.
type Overlap struct {
	Strings Strings  `json:"ast_strings,omitzero" yaml:"ast_strings" jsonschema:"String literals in code."`
	Files   []string `json:"files,omitempty" yaml:"files" jsonschema:"Path patterns of files, each of which is one text."`
}

// Strings are string literals that are given to names.
type Strings struct {
	Lang  string `json:"lang,omitempty" yaml:"lang" enum:"python" jsonschema:"Language of the files. String literals are read in Python alone; of other languages, whole files can be compared."`
	Names string `json:"names,omitempty" yaml:"names" jsonschema:"Regular expression in RE2 syntax on the name of the variable or function."`
}

// Dimension is a criterion.
type Dimension struct {
	ID             string                  `json:"id" yaml:"id" jsonschema:"Name of the dimension, unique in the rubric."`
	Name           string                  `json:"name" yaml:"name" jsonschema:"Its title in reports. Empty means the id."`
	TargetArtifact string                  `json:"target_artifact" yaml:"target_artifact" enum:"repo,doc,diagram,manual,all,github_repo,pdf_report,pdf_images" default:"repo" jsonschema:"What it is about: repo, doc, diagram, all, or manual for what the court cannot see. github_repo, pdf_report and pdf_images are older names of the first three."`
	Weight         float64                 `json:"weight,omitempty" yaml:"weight" min:"0" max:"1000" default:"1" jsonschema:"What it weighs in the total."`
	Scale          audit.Scale             `json:"scale,omitempty" yaml:"scale" jsonschema:"Lowest and highest score of the dimension, as [0, 20]; without it that of the rubric. In the total a score counts by its share of the scale."`
	AppliesIf      Applies                 `json:"applies_if,omitzero" yaml:"applies_if" jsonschema:"Where it makes sense. Elsewhere it is left out of the total."`
	Evidence       []string                `json:"evidence,omitempty" yaml:"evidence" jsonschema:"Ids of probes: what judges see, and nothing else."`
	Required       []string                `json:"required,omitempty" yaml:"required" jsonschema:"Ids of probes whose expect has to hold: otherwise the score is capped. Judges see them too."`
	Instruction    string                  `json:"forensic_instruction,omitempty" yaml:"forensic_instruction" jsonschema:"What judges are to look at, in full."`
	Success        string                  `json:"success_pattern,omitempty" yaml:"success_pattern" jsonschema:"What a good answer looks like."`
	Failure        string                  `json:"failure_pattern,omitempty" yaml:"failure_pattern" jsonschema:"What a bad one looks like."`
	Levels         map[int]string          `json:"levels,omitempty" yaml:"levels" jsonschema:"What a score means; the lowest and the highest at least."`
	Caps           []Cap                   `json:"caps,omitempty" yaml:"caps" jsonschema:"Facts that bound the score, whatever judges say."`
	JudgeWeights   map[audit.Judge]float64 `json:"judge_weights,omitempty" yaml:"judge_weights" jsonschema:"What the opinion of each judge weighs here: prosecutor, defense, tech_lead. Who is left out has the weight of synthesis.weights."`
}

// Applies says where a dimension makes sense; empty means everywhere.
type Applies struct {
	LangAny []string `json:"lang_any,omitempty" yaml:"lang_any" jsonschema:"Languages, one of which the repository has files of."`
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
	When string `json:"when" yaml:"when" jsonschema:"Condition, as security.high > 0 or required.false > 0."`
	Max  int    `json:"max" yaml:"max" min:"0" max:"1000" jsonschema:"The highest score where it holds."`
	Rule string `json:"rule,omitempty" yaml:"rule" jsonschema:"Its name in the trace. Empty means cap."`
}

// Synthesis is how the Chief Justice rules.
type Synthesis struct {
	Weights      map[audit.Judge]float64 `json:"weights,omitempty" yaml:"weights" jsonschema:"What the opinion of each judge weighs in every dimension: prosecutor, defense, tech_lead. Who is left out has 1.2, 0.9 and 1.5. Without the key all weigh the same."`
	VarianceOver float64                 `json:"variance_over,omitempty" yaml:"variance_over" min:"0" max:"1000" jsonschema:"Highest minus lowest score above which evidence is looked at again."`
	Pass         float64                 `json:"pass,omitempty" yaml:"pass" min:"0" max:"1000" jsonschema:"Score from which a dimension passes."`
	Partial      float64                 `json:"partial,omitempty" yaml:"partial" min:"0" max:"1000" jsonschema:"Score from which it passes in part."`
	OnDissent    string                  `json:"on_dissent,omitempty" yaml:"on_dissent" enum:"reevaluate,report" jsonschema:"What becomes of dissent: reevaluate looks at the cited evidence again, report only says so."`
	MinOpinions  int                     `json:"min_opinions,omitempty" yaml:"min_opinions" min:"1" max:"3" jsonschema:"Judges who must have an opinion for there to be a verdict."`
	Gate         Gate                    `json:"gate,omitzero" yaml:"gate" jsonschema:"What the audited side has to reach for --gate."`
}

// Gate is what the audited side has to reach.
type Gate struct {
	Overall float64            `json:"overall,omitempty" yaml:"overall" min:"0" max:"1000" jsonschema:"Lowest total score."`
	Each    map[string]float64 `json:"each,omitempty" yaml:"each" jsonschema:"Lowest score of a dimension, by its id, on the scale of the dimension."`
	FailOn  []string           `json:"fail_on,omitempty" yaml:"fail_on" jsonschema:"Conditions that fail the gate, as security.critical or verdict.fail > 1."`
}

// Waiver lets a finding or a dimension pass, for a reason.
type Waiver struct {
	Dimension string `json:"dimension,omitempty" yaml:"dimension" jsonschema:"Id of the dimension that passes."`
	Probe     string `json:"probe,omitempty" yaml:"probe" jsonschema:"Id of the probe whose findings pass."`
	Path      string `json:"path,omitempty" yaml:"path" jsonschema:"With probe: path pattern of the findings that pass. Empty means all."`
	Reason    string `json:"reason" yaml:"reason" jsonschema:"Why. It stands in the report."`
	Until     string `json:"until,omitempty" yaml:"until" jsonschema:"The last day on which it holds, as 2026-12-31, by UTC."`
}

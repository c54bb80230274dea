package repo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/text"
)

// workflowTask reads workflows of GitHub Actions, and the actions that a repository
// has of its own, as YAML: anchors and merge keys are followed.
func (in *investigation) workflowTask(p *rubric.Probe) (*task, error) {
	look := workflowCheck(p.Check)
	if look == nil {
		return nil, fmt.Errorf("unknown check %q", p.Check)
	}
	files := p.Files
	if len(files.Include) == 0 {
		files.Include = []string{".github/workflows/*.{yml,yaml}", "**/action.{yml,yaml}"}
		files.Exclude = append(files.Exclude[:len(files.Exclude):len(files.Exclude)], "**/{vendor,node_modules,third_party,testdata,test,tests,fixtures}/**/action.{yml,yaml}")
	}
	chosen, err := in.choose(files, "text", texts)
	if err != nil {
		return nil, err
	}
	return &task{chosen: chosen, look: func(_ context.Context, s *source) found {
		root, err := s.yaml()
		if err != nil {
			return found{gap: &gap{s.file.Path, audit.Error, "it is not understood: " + text.Name(text.CutBytes(err.Error(), 150))}}
		}
		w := &workflow{source: s, root: root, seen: map[*yaml.Node]bool{}}
		look(w)
		slices.SortStableFunc(w.found.places, func(a, b place) int { return a.first - b.first })
		return w.found
	}, conclude: countPlaces("no workflow of GitHub Actions", "place", "places")}, nil
}

// parseYAML reads the first document of a text; nil is an empty one.
func parseYAML(content []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(content, &doc); err != nil || len(doc.Content) == 0 {
		return nil, err
	}
	return doc.Content[0], nil
}

// A workflow is one file that is read.
type workflow struct {
	source *source
	root   *yaml.Node
	found  found
	seen   map[*yaml.Node]bool // steps that several jobs share are looked at once
}

// workflowCheck returns what looks for the check of that name, or nil.
func workflowCheck(name string) func(*workflow) {
	return map[string]func(*workflow){
		"target":      (*workflow).target,
		"checkout":    (*workflow).checkout,
		"injection":   (*workflow).injection,
		"permissions": (*workflow).permissions,
		"branches":    (*workflow).branches,
		"actions":     (*workflow).actions,
	}[name]
}

// maxMerges bounds how many anchors and merge keys lead to one value.
const maxMerges = 20

// value returns the value of an alias.
func value(n *yaml.Node) *yaml.Node {
	for range maxMerges {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// entries calls use for each key of a mapping with its value; keys that it merges
// from another come last, and count where it does not have them itself.
func entries(n *yaml.Node, use func(key, value *yaml.Node)) {
	taken := map[string]bool{}
	queue := []*yaml.Node{n}
	for i := 0; i < len(queue) && i < maxMerges; i++ {
		m := value(queue[i])
		if m == nil || m.Kind == yaml.SequenceNode { // <<: [*a, *b]
			if m != nil {
				queue = append(queue, m.Content...)
			}
			continue
		}
		if m.Kind != yaml.MappingNode {
			continue
		}
		for j := 0; j+1 < len(m.Content); j += 2 {
			key := m.Content[j]
			switch {
			case key.Tag == "!!merge":
				queue = append(queue, m.Content[j+1])
			case !taken[key.Value]:
				taken[key.Value] = true
				use(key, value(m.Content[j+1]))
			}
		}
	}
}

// below returns the value below the keys, or nil.
func below(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		var next *yaml.Node
		if n = value(n); n != nil && n.Kind == yaml.MappingNode {
			entries(n, func(k, v *yaml.Node) {
				if k.Value == key {
					next = v
				}
			})
		}
		n = next
	}
	return n
}

// scalar returns the text of a scalar, and "" for anything else.
func scalar(n *yaml.Node) string {
	if n = value(n); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// wordsOf lists a scalar, the elements of a list, or the keys of a mapping.
func wordsOf(n *yaml.Node) (words []*yaml.Node) {
	switch n = value(n); {
	case n == nil:
	case n.Kind == yaml.ScalarNode:
		words = append(words, n)
	case n.Kind == yaml.SequenceNode:
		for _, k := range n.Content {
			words = append(words, value(k))
		}
	default:
		entries(n, func(key, _ *yaml.Node) { words = append(words, key) })
	}
	return slices.DeleteFunc(words, func(n *yaml.Node) bool { return n == nil })
}

// add counts the place of a node, or of a text in it.
func (w *workflow) add(n *yaml.Node, part, summary string) {
	starts := w.source.starts()
	from := starts[min(max(n.Line, 1), len(starts))-1]
	if i := strings.Index(w.source.text[from:], part); i >= 0 {
		from += i
	}
	if len(w.found.places) == maxKept {
		w.found.count, w.found.more = w.found.count+1, true
		return
	}
	p := w.source.place(from, from+len(part))
	p.summary = summary
	w.found.add(p)
}

// target finds the event that gives a stranger's pull request the repository's secrets.
func (w *workflow) target() {
	for _, event := range wordsOf(below(w.root, "on")) {
		if event.Value == "pull_request_target" {
			w.add(event, event.Value, "it runs on pull_request_target")
		}
	}
}

// steps calls use for each step of each job, and of an action, whose job is nil.
func (w *workflow) steps(use func(job, step *yaml.Node)) {
	each := func(job, list *yaml.Node) {
		if list = value(list); list == nil || list.Kind != yaml.SequenceNode {
			return
		}
		for _, step := range list.Content {
			if step = value(step); step != nil && !w.seen[step] {
				w.seen[step] = true
				use(job, step)
			}
		}
	}
	each(nil, below(w.root, "runs", "steps"))
	entries(below(w.root, "jobs"), func(_, job *yaml.Node) { each(job, below(job, "steps")) })
}

// uses reports whether a step uses an action; GitHub reads its name in letters of any size.
func uses(step *yaml.Node, action string) bool {
	name, _, _ := strings.Cut(scalar(below(step, "uses")), "@")
	return strings.EqualFold(name, action)
}

// proposed matches what names a pull request's own commit, or the repository that it comes from.
var proposed = lazy.Regexp{Source: `github\.(event\.(pull_request\.(head\.|merge_commit_sha|number)|workflow_run\.(head_|pull_requests)|number\b)|head_ref)|refs/pull/`}

// checkout finds workflows with secrets that check out what was proposed. What runs behind
// another workflow may say itself, in a condition, that it runs for no pull request.
func (w *workflow) checkout() {
	events := wordsOf(below(w.root, "on"))
	runsOn := func(event string) bool {
		return slices.ContainsFunc(events, func(n *yaml.Node) bool { return n.Value == event })
	}
	target := runsOn("pull_request_target")
	if !target && !runsOn("workflow_run") {
		return
	}
	w.steps(func(job, step *yaml.Node) {
		conditions := spelled(scalar(below(job, "if")) + " " + scalar(below(step, "if")))
		if !target && (strings.Contains(conditions, "workflow_run.event") || strings.Contains(conditions, "head_repository")) || !uses(step, "actions/checkout") {
			return
		}
		for _, key := range []string{"ref", "repository"} {
			if from := below(step, "with", key); proposed.Get().MatchString(w.inlined(job, step, spelled(scalar(from)))) {
				w.add(from, scalar(from), "it checks out what was proposed, with the repository's token")
				return
			}
		}
	})
}

// untrusted matches text that a stranger writes, or an object with such text that is made a text.
var untrusted = lazy.Regexp{Source: `\b(github\.head_ref|github\.event\.(issue|pull_request|discussion|comment|review|review_comment)\.(title|body)|` +
	`github\.event\.pull_request\.head\.(ref|label|repo\.default_branch)|github\.event\.workflow_run\.(head_branch|display_title|head_commit\.message|head_commit\.author\.(name|email))|` +
	`github\.event\.(head_commit|commits[\w.*\[\]]*)\.(message|author\.(name|email))|github\.event\.pages[\w.*\[\]]*\.page_name)\b|` +
	`\btojson\(\s*github(\.event(\.(issue|pull_request|discussion|comment|review|review_comment|workflow_run|head_commit|commits|pages)(\.(\*|head|head_commit|author)|\[\d+\])*)?)?\s*\)`}

// asked matches what is asked of a text, of which true or false becomes part of a script.
var asked = lazy.Regexp{Source: `\b(contains|startswith|endswith)\([^()]*\)|[\w.*]+\s*[!=]=\s*('[^']*'|[\w.]+)|'[^']*'\s*[!=]=\s*[\w.*]+`}

// injection finds scripts into which such text is put as it is.
func (w *workflow) injection() {
	w.steps(func(job, step *yaml.Node) {
		scripts := []*yaml.Node{below(step, "run")}
		if uses(step, "actions/github-script") {
			scripts = append(scripts, below(step, "with", "script"))
		}
		for _, script := range scripts {
			for _, expression := range expressionsIn(scalar(script)) {
				if put := w.inlined(job, step, unasked(spelled(expression))); untrusted.Get().MatchString(unasked(put)) {
					w.add(script, expression, "a stranger's text becomes part of the script")
				}
			}
		}
	})
}

func unasked(expression string) string { return asked.Get().ReplaceAllString(expression, "true") }

// permissions finds jobs whose token may write, because nothing limits it, or the
// whole workflow may. A workflow that others call alone has no more than they give it.
func (w *workflow) permissions() {
	events := wordsOf(below(w.root, "on"))
	if len(events) == 1 && events[0].Value == "workflow_call" {
		return
	}
	top := below(w.root, "permissions")
	grave := []string{"actions", "checks", "contents", "deployments", "packages", "security-events", "statuses"} // what scorecard counts
	writes := func(n *yaml.Node) (found *yaml.Node) {
		if n = value(n); n != nil && n.Value == "write-all" {
			return n
		}
		entries(n, func(key, scope *yaml.Node) {
			if scalar(scope) == "write" && slices.Contains(grave, key.Value) && found == nil {
				found = key
			}
		})
		return found
	}
	all := true // jobs say themselves what they may
	entries(below(w.root, "jobs"), func(_, job *yaml.Node) { all = all && below(job, "permissions") != nil })
	if n := writes(top); n != nil && !all {
		w.add(n, n.Value, "the token of each job that says nothing itself may write")
	}
	entries(below(w.root, "jobs"), func(key, job *yaml.Node) {
		switch own := below(job, "permissions"); {
		case own == nil && top == nil:
			w.add(key, key.Value, "nothing limits the token of this job")
		case own != nil && own.Value == "write-all":
			w.add(own, own.Value, "the token of this job may write everything")
		}
	})
}

// actions finds actions, and workflows of others, by a tag. Those by a branch are
// counted by branches alone.
func (w *workflow) actions() {
	w.loose(false, "an action that is not pinned by a hash")
}

// branches finds those that follow the main branch of somebody else's.
func (w *workflow) branches() {
	w.loose(true, "an action that follows a branch of somebody else's")
}

// tagOnly is a workflow that can be used by its tag alone: it looks its own release up by it.
const tagOnly = "slsa-framework/slsa-github-generator/.github/workflows/"

// loose finds what is used of others without a hash. A name that begins with a dot
// is in the repository itself; an image has a digest.
func (w *workflow) loose(branch bool, summary string) {
	check := func(n *yaml.Node) {
		uses := scalar(n)
		_, version, _ := strings.Cut(uses, "@")
		if uses == "" || strings.HasPrefix(uses, ".") || strings.HasPrefix(uses, tagOnly) || isHash(version) || strings.Contains(uses, "@sha256:") {
			return
		}
		if image := strings.HasPrefix(uses, "docker://"); branch == (!image && (version == "main" || version == "master")) {
			w.add(n, uses, summary)
		}
	}
	w.steps(func(_, step *yaml.Node) { check(below(step, "uses")) })
	entries(below(w.root, "jobs"), func(_, job *yaml.Node) { check(below(job, "uses")) })
}

// oneOfTask counts the probes that hold, of those that the probe names.
func (in *investigation) oneOfTask(p *rubric.Probe) (*task, error) {
	return &task{conclude: func(context.Context, []found) result {
		var r result
		var holding []string
		for _, e := range in.wholes {
			count, counted := e.Values["count"].(int)
			named := in.named(e.Probe)
			switch {
			case !slices.Contains(p.Probes, e.Probe):
			case e.Outcome == audit.True && (len(named.Expect) > 0 || !counted || count > 0):
				holding = append(holding, e.Probe)
			case !e.Outcome.Fact() && e.Outcome != audit.NotApplicable:
				r.gaps = append(r.gaps, gap{e.Probe, e.Outcome, "it could not be said"})
			}
		}
		r.values, r.lower = map[string]any{"count": len(holding)}, []string{"count"}
		r.summary = fmt.Sprintf("%d of %d hold", len(holding), len(p.Probes))
		if len(holding) > 0 {
			r.summary += ": " + strings.Join(holding, ", ")
		}
		return r
	}}, nil
}

// named returns the rubric's probe of an id.
func (in *investigation) named(id string) *rubric.Probe {
	i := slices.IndexFunc(in.rubric.Probes, func(p rubric.Probe) bool { return p.ID == id })
	return &in.rubric.Probes[max(i, 0)]
}

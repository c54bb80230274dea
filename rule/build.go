package rule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// Options say in what surroundings rules are built. nil means all defaults.
type Options struct {
	// IDPrefix comes before every id, as "user:" before those of the user's
	// own folder.
	IDPrefix string
	// CaseFold says that the file system does not distinguish capitals from small letters, as on
	// macOS and Windows.
	CaseFold bool
	// DefaultMode is the mode of rules that set none: enforce or shadow. ""
	// means enforce.
	DefaultMode string
	// Backend judges rules that name none. Where it asks a model, a rule has to
	// have a prompt; where it is builtin, a when. "" leaves that unchecked.
	Backend string
	// Fallback are the backends that are asked in turn for rules that name none.
	Fallback []string
	// Backends are the names that rules may use. Others are warned of. nil
	// leaves that unchecked.
	Backends []string
	// IsTool reports whether an agent has a tool of a name. [Rule.ScopeHints] says so of a
	// pattern. nil leaves that unchecked.
	IsTool func(name string) bool
	// Agents are the names that `agent` can have in an expression. [Rule.ScopeHints] says so
	// of others. nil leaves that unchecked.
	Agents func() []string
}

// Build makes a rule of every file, in the order given, which is also the order
// of the problems: all those of the files, and what is found here. A file with
// a fault becomes a broken rule (see [sentinel.RuleSpec].Err). One whose id an earlier file
// has gets another id. Nothing is compiled, and the rules keep parts of files, which must
// not be changed afterwards.
func Build(files []File, opts *Options) (Rules, []Problem) {
	if opts == nil {
		opts = &Options{}
	}
	var problems []Problem
	rules, store := make(Rules, len(files)), make([]Rule, len(files))
	first := make(map[string]int, len(files))
	for i := range files {
		f, r := &files[i], &store[i]
		found := surroundings(f, opts)
		id := opts.IDPrefix + f.id()
		if earlier, ok := first[id]; ok {
			taken := id
			id = unused(id, first)
			found = append(found, duplicate(f, &files[earlier], taken, id))
		}
		first[id] = i
		r.fill(f, id, opts, errorOf(f.Problems, found))
		rules[i] = r
		problems = append(append(problems, f.Problems...), found...)
	}
	return rules, problems
}

// Rules are rules made of files.
type Rules []*Rule

// Engine returns the rules as a list to which rules of other types can be added; [sentinel.New]
// takes Rules as they are.
func (rs Rules) Engine() []sentinel.Rule {
	all := make([]sentinel.Rule, len(rs))
	for i, r := range rs {
		all[i] = r
	}
	return all
}

// Distinct reports whether no two of the files have the same id. [Build] then
// makes of each by itself the rule that it makes of all together.
func Distinct(files []File) bool {
	seen := make(map[string]bool, len(files))
	for i := range files {
		id := files[i].id()
		if seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}

// id is the name of the file's rule, as long as no earlier file has it.
func (f *File) id() string {
	if validID(f.Definition.ID) {
		return f.Definition.ID
	}
	return safeID(f.Definition.ID)
}

func duplicate(f, earlier *File, id, instead string) Problem {
	return Problem{File: f.Path, Line: f.Line, Warning: true, Message: fmt.Sprintf(
		"the id `%s` is taken by %s:%d, and this rule is called %s: give it another", id, earlier.Path, earlier.Line, instead)}
}

// unused makes an id that no other rule can have: `~` is not allowed in files.
func unused(id string, taken map[string]int) string {
	for n := 2; ; n++ {
		candidate := id + "~" + strconv.Itoa(n)
		if _, ok := taken[candidate]; !ok {
			return candidate
		}
	}
}

// surroundings finds what is wrong with a file only in these surroundings.
func surroundings(f *File, opts *Options) []Problem {
	var found []Problem
	d := &f.Definition
	if decidedByWhen(d, opts) && !f.Broken() {
		found = append(found, Problem{File: f.Path, Line: f.Line, Warning: true, Message: fmt.Sprintf(
			"the rule is judged by %s and has no `prompt`: until it has one `when` decides. Write a prompt, or `backend: builtin`", opts.Backend)})
	}
	if judgedByNobody(f, opts) && d.Prompt == "" {
		found = append(found, Problem{File: f.Path, Line: f.Line, Message: "the rule has nothing to judge by, and the backend is `builtin`, which asks no model: write `when: …`"})
	} else if judgedByNobody(f, opts) {
		found = append(found, Problem{File: f.Path, Line: f.Line, Message: "the rule has a `prompt` alone, and the backend is `builtin`, which asks no model: " +
			"write `when: …` to let that decide, or name a backend such as `backend: ollama`"})
	}
	if opts.Backends == nil || d.Backend == "" && len(d.Fallback) == 0 {
		return found
	}
	for i := -1; i < len(d.Fallback); i++ {
		name := d.Backend
		if i >= 0 {
			name = d.Fallback[i]
		}
		if name != "" && !slices.Contains(opts.Backends, name) {
			found = append(found, Problem{File: f.Path, Line: f.Line, Warning: true, Message: unknownBackend(name, opts.Backends)})
		}
	}
	return found
}

// decidedByWhen reports whether a rule that a model of the configuration judges has
// nothing but `when` to judge by.
func decidedByWhen(d *Definition, opts *Options) bool {
	return blank(d.Prompt) && !d.decides() && d.When != "" && d.Backend == "" && opts.Backend != "" && opts.Backend != builtin &&
		d.Severity != sentinel.SeverityInfo.String()
}

// question is what a model is asked for a rule without a prompt and without `when`:
// whether its message, or else its name, holds.
func question(d *Definition, id string) string {
	if !blank(d.Prompt) || d.When != "" || d.settles() || d.Severity == sentinel.SeverityInfo.String() {
		return d.Prompt
	}
	if !blank(d.Message) {
		return "RULE: " + d.Message
	}
	return "RULE: " + id
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// judgedByNobody reports whether a rule needs a model, and none is ever asked.
func judgedByNobody(f *File, opts *Options) bool {
	d := &f.Definition
	if opts.Backend != builtin || d.Backend != "" || d.When != "" || d.decides() || f.Broken() ||
		d.Severity == sentinel.SeverityInfo.String() {
		return false
	}
	fallback := d.Fallback
	if fallback == nil {
		fallback = opts.Fallback
	}
	return !slices.ContainsFunc(fallback, func(name string) bool { return name != builtin })
}

func unknownBackend(name string, known []string) string {
	message := fmt.Sprintf("unknown backend `%s`", name)
	if near := nearest.Word(name, known); near != "" {
		message += fmt.Sprintf("; did you mean `%s`?", near)
	}
	return message + "; known are " + strictyaml.List(known)
}

// errorOf joins all that is more than a warning.
func errorOf(lists ...[]Problem) error {
	var errs []error
	for _, list := range lists {
		for _, p := range list {
			if !p.Warning {
				errs = append(errs, p)
			}
		}
	}
	return errors.Join(errs...)
}

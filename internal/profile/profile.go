// Package profile knows how models want to be asked. A model that was trained to
// judge has a layout of messages and a form of answer of its own; another one must
// not be sent a schema. A [Profile] says so as data.
package profile

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// Generic is the name of the profile of every model that no other profile is for. noSchema
// is its form for a model that its server does not bind by a schema.
const (
	Generic  = "generic"
	noSchema = "no-schema"
)

// A Profile is how a kind of model is asked. Its fields are the keys of its file.
type Profile struct {
	Name   string `yaml:"name" json:"name"`
	Source string `yaml:"source" json:"source"` // page that says how the model is to be asked
	// Backend is the judge that the profile is for; "" is each of those that take one.
	Backend string   `yaml:"backend" json:"backend"`
	Match   []string `yaml:"match" json:"match"`   // names of models with or without their publisher, in lower case, with the wildcards * and ?
	Family  []string `yaml:"family" json:"family"` // the same of families, as the server reports them

	// Messages are the turns of a question about a rule. {{rule}} is the rule's own
	// words, {{action}} the fenced data, {{system}} and {{prompt}} what the generic
	// profile sends. None leave the question as it is.
	Messages []Message `yaml:"messages" json:"messages"`

	Think     string `yaml:"think" json:"think" enum:"as asked,omit,off,low,medium,high"`
	Schema    string `yaml:"schema" json:"schema" enum:"as asked,one branch,none"`
	Answer    Answer `yaml:"answer" json:"answer"`
	PTrue     Tokens `yaml:"p_true" json:"p_true"`
	Reason    string `yaml:"reason" json:"reason" enum:"answer,message,second question"`
	MaxTokens int    `yaml:"max_tokens" json:"max_tokens" min:"1" max:"1000000"` // of the answer; else as asked

	// Refuse says why a model cannot judge a rule, and what to use instead.
	Refuse string `yaml:"refuse" json:"refuse"`

	digest string
}

// Message is one turn.
type Message struct {
	Role string `yaml:"role" json:"role" enum:"system,user,assistant"`
	Text string `yaml:"text" json:"text"`
}

// Answer is how an answer is read.
type Answer struct {
	// Form is "json", an answer that is JSON and nothing else; "object", one JSON
	// object with a code fence or a few words around it; or "pattern".
	Form string `yaml:"form" json:"form" enum:"json,object,pattern"`

	// Pattern finds the verdict of the form "pattern": a regular expression with one
	// group, which holds a word of Violation or of Clean. It has to match once.
	Pattern   string   `yaml:"pattern" json:"pattern"`
	Violation []string `yaml:"violation" json:"violation"`
	Clean     []string `yaml:"clean" json:"clean"`

	expr *regexp.Regexp
}

// Tokens say where the probability of a violation is read.
type Tokens struct {
	After string   `yaml:"after" json:"after"`
	Yes   []string `yaml:"yes" json:"yes"`
	No    []string `yaml:"no" json:"no"`
}

// A Set is the profiles that a model may have, the first that fits counting.
type Set []*Profile

//go:embed profiles/*.yaml
var embedded embed.FS

// Embedded returns Sentinel's own profiles.
var Embedded = sync.OnceValue(func() Set {
	own, err := Read(embedded, "profiles")
	if err != nil {
		panic(err) // a test reads them
	}
	return own
})

// Read returns the profiles of the *.yaml files in a folder, by name of file. Without
// a folder there is no profile. The error names every fault.
func Read(files fs.FS, dir string) (Set, error) {
	names, err := fs.Glob(files, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var set Set
	var faults []error
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		p, err := Parse(name, text)
		faults = append(faults, err)
		set = append(set, p)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return set, nil
}

// ReadDir is Read for a folder of this machine.
func ReadDir(dir string) (Set, error) {
	set, err := Read(os.DirFS(dir), ".")
	if err != nil {
		return nil, fmt.Errorf("profiles in %s: %w", dir, err)
	}
	return set, nil
}

// Parse reads one profile. file is used in messages.
func Parse(file string, text []byte) (*Profile, error) {
	p := &Profile{Think: "as asked", Schema: "as asked", Reason: "answer", Answer: Answer{Form: "json"}}
	doc := strictyaml.Decode(file, text, p)
	p.check(doc)
	var faults []error
	for _, f := range doc.Problems() {
		faults = append(faults, fmt.Errorf("%s:%d: %s", f.File, f.Line, f.Message))
	}
	p.digest = digest.Hex(text)
	return p, errors.Join(faults...)
}

// variables are what a message may hold.
var variables = []string{"rule", "action", "system", "prompt"}

var placeholder = lazy.Regexp{Source: `\{\{(\w+)\}\}`}

// check reports what the form of a file alone does not tell.
func (p *Profile) check(doc *strictyaml.Document) {
	if p.Name == "" {
		doc.At("name").Errorf(0, "a profile has a name: write `name: …`")
	}
	if len(p.Match)+len(p.Family) == 0 && p.Name != Generic && p.Name != noSchema {
		doc.At("match").Errorf(0, "say which models it is for: `match: [\"name*\"]`, or `family: […]`")
	}
	for _, pattern := range slices.Concat(p.Match, p.Family) {
		if _, err := path.Match(pattern, ""); err != nil {
			doc.At("match").Errorf(0, "%q is no pattern: %v", pattern, err)
		}
	}
	if p.Refuse != "" {
		return
	}
	p.checkMessages(doc)
	p.checkAnswer(doc)
	if (len(p.PTrue.Yes) == 0) != (len(p.PTrue.No) == 0) {
		doc.At("p_true").Errorf(0, "it needs words for both: yes and no")
	}
}

func (p *Profile) checkMessages(doc *strictyaml.Document) {
	if len(p.Messages) == 0 {
		return
	}
	all := ""
	for _, m := range p.Messages {
		all += m.Text
	}
	for _, found := range placeholder.Get().FindAllStringSubmatch(all, -1) {
		if !slices.Contains(variables, found[1]) {
			doc.At("messages").Errorf(0, "%s is not known here: write {{%s}}", found[0], cmp.Or(nearest.Word(found[1], variables), "action"))
		}
	}
	if !strings.Contains(all, "{{prompt}}") && !(strings.Contains(all, "{{rule}}") && strings.Contains(all, "{{action}}")) {
		doc.At("messages").Errorf(0, "the model has to see the rule and the action: {{rule}} and {{action}}, or {{prompt}}")
	}
}

func (p *Profile) checkAnswer(doc *strictyaml.Document) {
	at := doc.At("answer", "pattern")
	if p.Answer.Form != "pattern" {
		if p.Answer.Pattern != "" {
			at.Errorf(0, "a pattern needs `form: pattern`")
		}
		return
	}
	expr, err := regexp.Compile(p.Answer.Pattern)
	switch {
	case err != nil:
		at.Errorf(0, "no regular expression: %v", err)
	case expr.NumSubexp() != 1:
		at.Errorf(0, "it needs one group, which holds the verdict")
	case len(p.Answer.Violation) == 0 || len(p.Answer.Clean) == 0:
		doc.At("answer").Errorf(0, "it needs the words of a violation and of a clean answer")
	}
	p.Answer.expr = expr
}

// Of returns the profile of a model: forced by name if that is not "", else the one whose
// pattern says most of the model's name, else the one that says most of its family, else
// nil, which is the generic one.
func (s Set) Of(forced, model, family string) (*Profile, error) {
	if forced == Generic {
		return nil, nil
	}
	if forced != "" {
		at := slices.IndexFunc(s, func(p *Profile) bool { return p.Name == forced })
		if at < 0 {
			return nil, fmt.Errorf("%w: no profile is called %q: there are %s", sentinel.ErrUnavailable, forced, strictyaml.List(s.Names()))
		}
		return s[at], nil
	}
	if p := s.best(model, func(p *Profile) []string { return p.Match }); p != nil {
		return p, nil
	}
	return s.best(family, func(p *Profile) []string { return p.Family }), nil
}

// best returns the profile with the longest pattern that matches a name; the first of several.
func (s Set) best(name string, patterns func(*Profile) []string) (found *Profile) {
	if name == "" {
		return nil
	}
	longest := 0
	name = strings.ToLower(name)
	base := path.Base(name) // without the publisher
	for _, p := range s {
		for _, pattern := range patterns(p) {
			whole, _ := path.Match(pattern, name) // check has seen each pattern
			last, _ := path.Match(pattern, base)
			if (whole || last) && len(pattern) > longest {
				found, longest = p, len(pattern)
			}
		}
	}
	return found
}

// For returns the profiles that a backend may use.
func (s Set) For(backend string) Set {
	return slices.DeleteFunc(slices.Clone(s), func(p *Profile) bool { return p.Backend != "" && p.Backend != backend })
}

// Names are the names that `profile` may have.
func (s Set) Names() []string {
	names := []string{Generic}
	for _, p := range s {
		names = append(names, p.Name)
	}
	return names
}

// Digest identifies the profiles with all that they say.
func (s Set) Digest() string {
	var all []byte
	for _, p := range s {
		all = append(all, p.digest...)
	}
	return digest.Hex(all)
}

// verdict writes an answer in the form that the engine reads. pTrue is the model's own
// probability of a violation; without it the answer counts as sure.
func verdict(violation bool, pTrue *float64) string {
	confidence := 1.0
	switch {
	case pTrue == nil:
	case violation:
		confidence = *pTrue
	default:
		confidence = 1 - *pTrue
	}
	text, _ := json.Marshal(map[string]any{"violation": violation, "confidence": confidence, "reason": ""})
	return string(text)
}

// Package playground judges one call for a web page: JSON in, JSON out. It starts no
// process and needs no files, so that it runs in a browser. What depends on a project's
// files or on a session could not be judged there, and the answer says so.
package playground

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

const (
	// maxRequest bounds a request in bytes.
	maxRequest = 1 << 20

	home = "/home/you"
	root = home + "/project" // where calls that name no folder run; nothing is there
	own  = "your-rule.yaml"  // the name of the edited rule's file
)

// builtIn has rules judged by their expressions.
func builtIn() *rule.Options {
	return &rule.Options{Backend: sentinel.Builtin, IsTool: agent.Registry{}.HasTool}
}

// imagined is what is known of the session of a call here: that its project is not there.
var imagined = &facts.Session{Imagined: true}

// A Request is a call, and the rules that judge it.
type Request struct {
	Kind    string `json:"kind"` // command, write, read or payload
	Command string `json:"command"`
	Path    string `json:"path"`
	Content string `json:"content"`
	Payload string `json:"payload"` // what an agent sends to its hook
	Packs   bool   `json:"packs"`   // judge by the recommended rules
	Rule    string `json:"rule"`    // and by this rule file; it replaces the recommended rule with its id
}

// A Playground answers requests. It is safe for concurrent use.
type Playground struct {
	recommended rule.Rules // their expressions stay compiled
	mapper      *trigger.Mapper
	agents      agent.Registry
}

// Compile returns the recommended rules in the form that [New] reads. Parsing their YAML
// in a browser takes longer than everything else.
func Compile() ([]byte, error) {
	all, err := packs.Files(packs.Recommended)
	if err != nil {
		return nil, err
	}
	files := make([]rule.File, len(all))
	for i, f := range all {
		files[i] = rule.Parse(f.Name, f.Data)
		files[i].Definition.Tests = nil
	}
	return codec.Append(nil, files), nil
}

// New makes a playground of what [Compile] of the same version returned.
func New(compiled []byte) (*Playground, error) {
	var files []rule.File
	r := codec.Reader{Rest: string(compiled)}
	r.Value(&files)
	if r.Failed || r.Rest != "" {
		return nil, errors.New("the compiled rules are of another version: build the site again")
	}
	rules, _ := rule.Build(files, builtIn())
	return &Playground{recommended: rules, mapper: trigger.New(&trigger.Options{Home: home})}, nil
}

// Answer answers a request in JSON. It never fails: the answer has the errors.
func (p *Playground) Answer(ctx context.Context, request []byte) []byte {
	out, err := json.Marshal(p.answer(ctx, request))
	if err != nil {
		out, _ = json.Marshal(Answer{Error: err.Error()})
	}
	return out
}

func (p *Playground) answer(ctx context.Context, request []byte) Answer {
	var q Request
	if len(request) > maxRequest {
		return Answer{Error: fmt.Sprintf("the call and the rule are larger than %d bytes together: shorten them", maxRequest)}
	}
	if err := json.Unmarshal(request, &q); err != nil {
		return Answer{Error: "the request is not JSON: " + err.Error()}
	}
	a := Answer{}
	rules := p.rules(ctx, &q, &a)
	ev, err := p.event(&q)
	if err == nil {
		err = p.judge(ctx, ev, rules, &a)
	}
	if err != nil {
		a.Error = text.Clean(err.Error())
	}
	return a
}

// rules are those that the request wants, with the faults and cases of its own one in the answer.
func (p *Playground) rules(ctx context.Context, q *Request, a *Answer) rule.Rules {
	var rules rule.Rules
	if q.Packs {
		rules = slices.Clone(p.recommended)
	}
	if strings.TrimSpace(q.Rule) == "" {
		return rules
	}
	edited, problems := rule.Build([]rule.File{p.tryRule(ctx, q.Rule, a)}, builtIn())
	a.fault(problems)
	for _, r := range edited {
		if r.Spec().Err == nil {
			a.fault(append(r.Hints(), r.ScopeHints(nil)...))
		}
		rules = slices.DeleteFunc(rules, func(other *rule.Rule) bool { return other.Spec().ID == r.Spec().ID })
	}
	return append(rules, edited...)
}

// event is the call of a request.
func (p *Playground) event(q *Request) (sentinel.Event, error) {
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "playground", Dir: root}
	var args map[string]string
	switch q.Kind {
	case "command":
		ev.Tool.Name, args = "Bash", map[string]string{"command": q.Command}
	case "write":
		ev.Tool.Name, args = "Write", map[string]string{"file_path": q.Path, "content": q.Content}
	case "read":
		ev.Tool.Name, args = "Read", map[string]string{"file_path": q.Path}
	case "payload":
		return p.decode([]byte(q.Payload))
	default:
		return ev, fmt.Errorf("a call is a command, a write, a read or a payload, not %q", text.OneLine(q.Kind))
	}
	var err error
	ev.Tool.Args, err = json.Marshal(args)
	return ev, err
}

// decode reads what an agent sends to its hook.
func (p *Playground) decode(payload []byte) (sentinel.Event, error) {
	ag, err := p.agents.Resolve("", payload)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev, err := ag.Decode(payload)
	switch {
	case err != nil:
		return ev, err
	case ev.Phase != sentinel.PhasePre:
		return ev, fmt.Errorf("this is an event of the phase %s: the playground judges calls before they run, such as PreToolUse of Claude Code", ev.Phase)
	case ev.Dir == "":
		ev.Dir = root
	}
	return ev, nil
}

// judge puts into the answer what rules make of an event.
func (p *Playground) judge(ctx context.Context, ev sentinel.Event, rules rule.Rules, a *Answer) error {
	ev.Past = imagined
	list := make([]sentinel.Rule, len(rules))
	byID := map[string]*rule.Rule{}
	for i, r := range rules {
		list[i], byID[r.Spec().ID] = here{r}, r
	}
	engine, err := sentinel.New(list, &sentinel.Options{
		Mapper: p.mapper, Default: sentinel.Builtin, Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
		Explain: true, CollectAll: true, FailOpen: true, MaxParallel: 1,
	})
	if err != nil {
		return err
	}
	d, err := engine.Evaluate(ctx, ev)
	if err != nil {
		return err
	}
	a.decision(ctx, d, byID)
	return nil
}

// here is a rule whose expression is evaluated where there is no project.
type here struct{ *rule.Rule }

// elsewhere is the error of a rule that only a project can judge.
type elsewhere struct{ on []string }

func (e elsewhere) Error() string {
	return "it depends on the project: " + strings.Join(e.on, ", ")
}

// When is that of the rule where the call alone decides. Where `disposable` alone is asked
// for more, its answers by names and temporary folders are as good as in a project: only
// files without such evidence need one.
func (r here) When(ctx context.Context, a *sentinel.Action, m sentinel.Match) (bool, error) {
	on := slices.DeleteFunc(r.Depends(), func(name string) bool { return name == "asked" }) // there is no request here
	if slices.Equal(on, []string{"disposable"}) {
		c, _ := r.Explain(ctx, a, m)
		if c.Err != nil || !c.Holds || len(c.Evidence) == 0 {
			return c.Holds, c.Err
		}
	}
	if len(on) > 0 {
		return false, elsewhere{on}
	}
	return r.Rule.When(ctx, a, m)
}

package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/subprocess"
	"github.com/agentsentinel/sentinel/internal/text"
)

// An expectation is the answer that the agent understands.
type expectation struct {
	agent.Answer
	rule string // that it names
}

// expected is what this version answers in a folder, where judge says what is decided.
func (d *doctor) expected(name string, event []byte, dir, rule string, judge func(sentinel.Event) (sentinel.Decision, error)) (expectation, error) {
	protocol, ev, err := d.decoded(name, event, dir)
	if err != nil {
		return expectation{}, err
	}
	decision, err := judge(ev)
	if err != nil {
		return expectation{}, err
	}
	return expectation{protocol.Encode(ev, decision), rule}, nil
}

// decoded reads an event of an agent that is sent before a tool runs.
func (d *doctor) decoded(name string, event []byte, dir string) (*agent.Agent, sentinel.Event, error) {
	protocol, err := d.Project.Agents.Resolve(name, event)
	if err != nil {
		return nil, sentinel.Event{}, err
	}
	ev, err := protocol.Decode(event)
	ev.Phase, ev.Dir = sentinel.PhasePre, cmp.Or(ev.Dir, dir) // the event of some agents does not tell
	return protocol, ev, err
}

// ofTrial is what the trial's own rule decides.
func ofTrial(stopped bool) func(sentinel.Event) (sentinel.Decision, error) {
	return func(sentinel.Event) (sentinel.Decision, error) {
		if !stopped {
			return sentinel.Decision{Verdict: sentinel.VerdictAllow}, nil
		}
		spec := &sentinel.RuleSpec{ID: trialRule, Trigger: sentinel.Bash, Severity: sentinel.SeverityBlock}
		return sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{{
			Rule: spec, Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictBlock, Confidence: 1,
			Reason: "This is a trial of the hook.", Message: "This is a trial of the hook.",
		}}}, nil
	}
}

// differs says how an answer is another one than expected, "" if the agent takes
// it for the same. The words of a refusal are not compared, only that they name
// the rule.
func (want expectation) differs(got subprocess.Output) string {
	switch {
	case got.Exit != want.Exit:
		return fmt.Sprintf("exit status %d, want %d%s", got.Exit, want.Exit, said(got))
	case !reflect.DeepEqual(meaning(got.Stdout, want.rule), meaning(want.Stdout, want.rule)):
		return fmt.Sprintf("it writes %q, want %q%s", excerpt(got.Stdout), excerpt(want.Stdout), said(got))
	case len(want.Stderr) > 0 && !bytes.Contains(got.Stderr, []byte(want.rule)):
		return fmt.Sprintf("it does not say which rule%s", said(got))
	}
	return ""
}

// meaning is an answer with every text that names a rule made the same.
func meaning(stdout []byte, rule string) any {
	text := strings.TrimSpace(string(stdout))
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		v = text
	}
	return sameTexts(v, rule)
}

func sameTexts(v any, rule string) any {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, rule) {
			return rule
		}
	case []any:
		for i := range v {
			v[i] = sameTexts(v[i], rule)
		}
	case map[string]any:
		for key := range v {
			v[key] = sameTexts(v[key], rule)
		}
	}
	return v
}

// said is what a program wrote as an error, in parentheses.
func said(out subprocess.Output) string {
	if text := excerpt(out.Stderr); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// excerpt is the beginning of what a program wrote.
func excerpt(b []byte) string {
	const most = 160
	text := text.OneLine(string(b[:min(len(b), 4*most)]))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

package doctor

import (
	"bytes"
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
type expectation struct{ agent.Answer }

// expected is what this version answers.
func (d *doctor) expected(name string, event []byte, stopped bool) (expectation, error) {
	protocol, err := d.Project.Agents.Resolve(name, event)
	if err != nil {
		return expectation{}, err
	}
	ev, err := protocol.Decode(event)
	if err != nil {
		return expectation{}, err
	}
	ev.Phase = sentinel.PhasePre // the event of some agents does not tell
	decision := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	if stopped {
		spec := &sentinel.RuleSpec{ID: trialRule, Trigger: sentinel.Bash, Severity: sentinel.SeverityBlock}
		decision = sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{{
			Rule: spec, Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictBlock, Confidence: 1,
			Reason: "This is a trial of the hook.", Message: "This is a trial of the hook.",
		}}}
	}
	return expectation{protocol.Encode(ev, decision)}, nil
}

// differs says how an answer is another one than expected, "" if the agent takes
// it for the same. The words of a refusal are not compared, only that they name
// the rule.
func (want expectation) differs(got subprocess.Output) string {
	switch {
	case got.Exit != want.Exit:
		return fmt.Sprintf("exit status %d, want %d%s", got.Exit, want.Exit, said(got))
	case !reflect.DeepEqual(meaning(got.Stdout), meaning(want.Stdout)):
		return fmt.Sprintf("it writes %q, want %q%s", excerpt(got.Stdout), excerpt(want.Stdout), said(got))
	case len(want.Stderr) > 0 && !bytes.Contains(got.Stderr, []byte(trialRule)):
		return fmt.Sprintf("it does not say which rule%s", said(got))
	}
	return ""
}

// meaning is an answer with every text that names the trial's rule made the same.
func meaning(stdout []byte) any {
	text := strings.TrimSpace(string(stdout))
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return sameText(text)
	}
	return sameTexts(v)
}

func sameTexts(v any) any {
	switch v := v.(type) {
	case string:
		return sameText(v)
	case []any:
		for i := range v {
			v[i] = sameTexts(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = sameTexts(v[key])
		}
	}
	return v
}

func sameText(s string) string {
	if strings.Contains(s, trialRule) {
		return trialRule
	}
	return s
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

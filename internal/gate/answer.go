package gate

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/record"
)

// answer is a decision as processes hand it on: what stops the call. Warnings and
// advice are given by the process that judged. Both processes know the actions, so
// that the target of each is its place among them: a text of the call may hold
// secrets, and may be too large to be handed on.
func (c *Call) answer(d *sentinel.Decision) []byte {
	stops := record.Stops(*d)
	places := map[*sentinel.Action]int{}
	for i, a := range c.actions() {
		places[a] = i
	}
	at := 0
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Verdict >= sentinel.VerdictAsk {
			stops.Findings[at].Action.Target = strconv.Itoa(places[f.Action])
			at++
		}
	}
	data, err := json.Marshal(stops)
	if err != nil {
		return nil
	}
	return data
}

// readAnswer reads what another process decided. It answers the same call, or its
// key would differ.
func (c *Call) readAnswer(data []byte) (d sentinel.Decision, err error) {
	if err := json.Unmarshal(data, &d); err != nil {
		return d, err
	}
	switch {
	case d.Verdict == sentinel.VerdictUndecided:
		return d, errors.New("gate: an answer without a verdict")
	case d.Verdict >= sentinel.VerdictAsk && !hasFinding(&d):
		return d, errors.New("gate: a verdict without a finding")
	}
	all := c.actions()
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Action == nil {
			return d, errors.New("gate: a finding without an action")
		}
		at, err := strconv.Atoi(f.Action.Target)
		if err != nil || at < 0 || at >= len(all) {
			return d, errors.New("gate: a finding about an action that is not there")
		}
		f.Action = all[at]
	}
	d.Relayed, d.Actions = true, nil
	if len(c.Parts) > 0 {
		d.Actions = c.Parts[0].Actions
	}
	return d, nil
}

// actions are those of all parts.
func (c *Call) actions() []*sentinel.Action {
	var all []*sentinel.Action
	for i := range c.Parts {
		for k := range c.Parts[i].Actions {
			all = append(all, &c.Parts[i].Actions[k])
		}
	}
	return all
}

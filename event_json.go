package sentinel

import (
	"encoding/json"
	"fmt"
)

// eventJSON is the one form of an event. Its keys are fixed, as those of decisionJSON.
type eventJSON struct {
	Phase      Phase    `json:"phase"`
	Agent      string   `json:"agent,omitempty"`
	Session    string   `json:"session,omitempty"`
	Dir        string   `json:"dir,omitempty"`
	Root       string   `json:"root,omitempty"`
	Roots      []string `json:"roots,omitempty"`
	Tool       toolJSON `json:"tool,omitzero"`
	Actions    []Action `json:"actions"` // null: a mapper is asked
	Transcript string   `json:"transcript,omitempty"`
	Source     string   `json:"source,omitempty"`
	Part       bool     `json:"part,omitempty"`
	Prompt     string   `json:"prompt,omitempty"`
}

type toolJSON struct {
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Args   string `json:"args,omitempty"` // a text, so that no byte of it changes
	Output string `json:"output,omitempty"`
	Failed bool   `json:"failed,omitempty"`
	Result Result `json:"result,omitempty"`
	Task   string `json:"task,omitempty"`
	Part   bool   `json:"part,omitempty"`
}

// MarshalJSON writes the form of docs/decision.md.
func (ev Event) MarshalJSON() ([]byte, error) {
	t := &ev.Tool
	return json.Marshal(eventJSON{
		Phase: ev.Phase, Agent: ev.Agent, Session: ev.Session, Dir: ev.Dir, Root: ev.Root, Roots: ev.Roots,
		Tool:    toolJSON{t.ID, t.Name, string(t.Args), t.Output, t.Failed, t.Result, t.Task, t.Part},
		Actions: ev.Actions, Transcript: ev.Transcript, Source: ev.Source, Part: ev.Part, Prompt: ev.Prompt,
	})
}

func (ev *Event) UnmarshalJSON(data []byte) error {
	var in eventJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("sentinel: an event in JSON: %w", err)
	}
	t := &in.Tool
	*ev = Event{
		Phase: in.Phase, Agent: in.Agent, Session: in.Session, Dir: in.Dir, Root: in.Root, Roots: in.Roots,
		Tool:    ToolCall{ID: t.ID, Name: t.Name, Args: raw(t.Args), Output: t.Output, Failed: t.Failed, Result: t.Result, Task: t.Task, Part: t.Part},
		Actions: in.Actions, Transcript: in.Transcript, Source: in.Source, Part: in.Part, Prompt: in.Prompt,
	}
	return nil
}

// MarshalJSON writes the form that the action has in a [Decision].
func (a Action) MarshalJSON() ([]byte, error) { return json.Marshal(actionForm(&a)) }

func (a *Action) UnmarshalJSON(data []byte) error {
	var in actionJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("sentinel: an action in JSON: %w", err)
	}
	return in.read(a)
}

// raw is a text of the JSON forms as what it was.
func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

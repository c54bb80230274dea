package command

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agentsentinel/sentinel"
)

// question is what the program reads. The package comment describes it.
type question struct {
	Version     int             `json:"version"`
	System      string          `json:"system"`
	Prompt      string          `json:"prompt"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Model       string          `json:"model,omitempty"`
	MaxTokens   int             `json:"max_tokens"`
	Temperature float64         `json:"temperature"`
	Seed        *int64          `json:"seed,omitempty"`
	Think       bool            `json:"think"`
	TimeoutMS   int64           `json:"timeout_ms,omitempty"` // left of the call
	RuleID      string          `json:"rule_id,omitempty"`
	Action      *action         `json:"action,omitempty"`
}

type action struct {
	Trigger     sentinel.Trigger `json:"trigger"`
	Op          string           `json:"op,omitempty"`
	Agent       string           `json:"agent,omitempty"`
	Tool        string           `json:"tool,omitempty"`
	Target      string           `json:"target"`
	Path        string           `json:"path,omitempty"`
	Content     string           `json:"content,omitempty"`
	Old         string           `json:"old,omitempty"`
	Server      string           `json:"server,omitempty"`
	MCPTool     string           `json:"mcp_tool,omitempty"`
	Args        json.RawMessage  `json:"args,omitempty"`
	Root        string           `json:"root,omitempty"`
	Dir         string           `json:"dir,omitempty"`
	DerivedFrom string           `json:"derived_from,omitempty"`
}

func newQuestion(ctx context.Context, model string, req sentinel.Request) *question {
	q := &question{
		Version: version, System: req.System, Prompt: req.Prompt, Schema: req.Schema, Model: model,
		MaxTokens: req.MaxTokens, Temperature: req.Temperature, Seed: req.Seed, Think: req.Think,
	}
	if q.MaxTokens <= 0 {
		q.MaxTokens = defaultTokens
	}
	if end, bounded := ctx.Deadline(); bounded {
		q.TimeoutMS = max(time.Until(end).Milliseconds(), 1)
	}
	if req.Rule != nil {
		if spec := req.Rule.Spec(); spec != nil {
			q.RuleID = spec.ID
		}
	}
	if a := req.Action; a != nil {
		q.Action = &action{
			Trigger: a.Trigger, Op: a.Op.String(), Agent: a.Agent, Tool: a.Tool, Target: a.Target,
			Path: a.Path, Content: a.Content, Old: a.Old, Server: a.Server, MCPTool: a.MCPTool,
			Root: a.Root, Dir: a.Dir, DerivedFrom: a.DerivedFrom,
		}
		if json.Valid(a.Args) { // a call that sent nonsense must not make the question one
			q.Action.Args = a.Args
		}
	}
	return q
}

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// An asker puts a question to a person. true lets the call go on.
type asker func(ctx context.Context, question string) bool

// A guard puts tool calls before the engine. This is all of Sentinel that an
// agent has to know.
type guard struct {
	engine       sentinel.Engine
	dir, session string
	ask          asker // nil when no person is there
}

func newGuard(engine sentinel.Engine, dir string, ask asker) *guard {
	return &guard{engine: engine, dir: dir, session: "harness-" + rand.Text(), ask: ask}
}

// A ruling is what becomes of a tool call.
type ruling struct {
	denied string   // why the call does not run, for the model to read; "" lets it run
	advice []string // what the model should read with the result
}

// check judges a call before it runs. All that is not plainly allowed is denied,
// so that an error or a verdict of a later version stops the call.
func (g *guard) check(ctx context.Context, call toolCall) ruling {
	ev := g.event(sentinel.PhasePre, call)
	d, err := g.engine.Evaluate(ctx, ev)
	g.record(ev, d)
	if err != nil {
		return ruling{denied: fmt.Sprintf("Sentinel could not judge this call, so it did not run: %v", err)}
	}
	switch d.Verdict {
	case sentinel.VerdictAllow, sentinel.VerdictWarn:
	case sentinel.VerdictAsk:
		question := fmt.Sprintf("The agent wants to use %s:\n  %s\n%s", call.Function.Name, summary(d), d.Reason())
		if g.ask == nil {
			return ruling{denied: "This needs a person's approval, and nobody is here to give it. It did not run. " + d.Reason()}
		}
		if !g.ask(ctx, question) {
			return ruling{denied: "The person did not allow this. It did not run. " + d.Reason()}
		}
	default:
		return ruling{denied: "Sentinel blocked this call; it did not run. " + d.Reason()}
	}
	return ruling{advice: d.Context()}
}

// after returns what the rules have to say to the model now that a call has run.
func (g *guard) after(ctx context.Context, call toolCall, output string, failed bool) []string {
	ev := g.event(sentinel.PhasePost, call)
	ev.Tool.Output, ev.Tool.Failed = output, failed
	d, err := g.engine.Evaluate(ctx, ev)
	if err != nil {
		return nil // it has run: there is nothing left to stop
	}
	return d.Context()
}

func (g *guard) event(phase sentinel.Phase, call toolCall) sentinel.Event {
	return sentinel.Event{
		Phase: phase, Agent: "harness", Session: g.session, Dir: g.dir,
		Tool: sentinel.ToolCall{ID: call.ID, Name: call.Function.Name, Args: call.arguments()},
	}
}

// summary says what a call does, as the engine understood it.
func summary(d sentinel.Decision) string {
	var lines []string
	for i := range d.Actions {
		lines = append(lines, fmt.Sprintf("%q", d.Actions[i].Summary())) // quoted: it holds what the model wrote
	}
	return strings.Join(lines, "\n  ")
}

// record writes the decision on a call to the project's log, where the engine has one. A
// failure of it does not change the decision.
func (g *guard) record(ev sentinel.Event, d sentinel.Decision) {
	if r, ok := g.engine.(interface {
		Record(sentinel.Event, sentinel.Decision) error
	}); ok {
		_ = r.Record(ev, d)
	}
}

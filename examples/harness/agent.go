package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

const instructions = `You are a coding agent. You work in one folder by the tools read_file, write_file and run_command.
When a tool call is refused, read the reason: do what it says instead, and do not try to reach the same by another way.
When the task is done, say in a few words what you did.`

// An agent does a task by asking a model what to do next until it calls no more
// tools.
type agent struct {
	model *client
	tools *tools
	guard *guard
	turns int
	log   io.Writer // a line for each tool call
}

// do works on task and returns the model's last words.
func (a *agent) do(ctx context.Context, task string) (string, error) {
	conversation := []message{{Role: "system", Content: instructions}, {Role: "user", Content: task}}
	for range a.turns {
		answer, err := a.model.next(ctx, conversation)
		if err != nil {
			return "", err
		}
		answer.Role = "assistant"
		conversation = append(conversation, answer)
		if len(answer.ToolCalls) == 0 {
			return answer.Content, nil
		}
		for _, call := range answer.ToolCalls {
			result := a.call(ctx, call)
			if err := ctx.Err(); err != nil {
				return "", err
			}
			conversation = append(conversation, message{Role: "tool", ToolCallID: call.ID, Content: result})
		}
	}
	return "", fmt.Errorf("the task is not done after %d turns", a.turns)
}

// call runs one tool call, if the guard lets it, and returns what the model reads.
func (a *agent) call(ctx context.Context, call toolCall) string {
	r := a.guard.check(ctx, call)
	if r.denied != "" {
		fmt.Fprintf(a.log, "✗ %s %.200q\n  %s\n", call.Function.Name, call.Function.Arguments, r.denied)
		return r.denied
	}
	fmt.Fprintf(a.log, "✓ %s %.200q\n", call.Function.Name, call.Function.Arguments)
	result, err := a.tools.run(ctx, call)
	if err != nil {
		result = strings.TrimSpace(result + "\nError: " + err.Error())
	}
	for _, text := range append(r.advice, a.guard.after(ctx, call, result, err != nil)...) {
		result += "\n\nSentinel: " + text
	}
	return result
}

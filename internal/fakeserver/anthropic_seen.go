package fakeserver

import (
	"encoding/json"
	"strings"
)

// ToolResult is what the model was told about one of its tool calls.
type ToolResult struct {
	ID      string // of the call
	Name    string // of the tool
	Text    string // the result's text blocks, joined by newlines
	IsError bool   // the call failed or was refused
}

// ToolResults returns the results of the script's tool calls that reached the
// model, in the order of the calls. Where several requests carry the same
// result, the first counts.
func (s *AnthropicServer) ToolResults() []ToolResult {
	var results []ToolResult
	seen := make(map[string]bool)
	for _, messages := range s.conversations() {
		names := make(map[string]string)
		for _, m := range messages {
			for _, b := range m.Content {
				switch {
				case b.Type == "tool_use":
					names[b.ID] = b.Name
				case b.Type == "tool_result" && !seen[b.ToolUseID]:
					seen[b.ToolUseID] = true
					results = append(results, ToolResult{b.ToolUseID, names[b.ToolUseID], b.Content.text(), b.IsError})
				}
			}
		}
	}
	return results
}

// Notes returns the texts that the agent itself put before the model in the
// course of the conversation, each once, in order: messages with the role
// "system", and blocks of a user message that are wrapped in
// <system-reminder>. The context that a hook adds arrives in one of these two
// forms, depending on the version of Claude Code.
func (s *AnthropicServer) Notes() []string {
	var notes []string
	seen := make(map[string]bool)
	for _, messages := range s.conversations() {
		for _, m := range messages {
			for _, text := range m.notes() {
				if !seen[text] {
					seen[text] = true
					notes = append(notes, text)
				}
			}
		}
	}
	return notes
}

// notes returns the blocks of a message that the agent itself wrote.
func (m message) notes() []string {
	var notes []string
	for _, b := range m.Content {
		texts := content{b}
		if b.Type == "tool_result" {
			texts = b.Content // newer versions put a reminder inside the result
		}
		for _, t := range texts {
			reminder := strings.HasPrefix(strings.TrimSpace(t.Text), "<system-reminder>")
			if t.Type == "text" && (m.Role == "system" || reminder) {
				notes = append(notes, t.Text)
			}
		}
	}
	return notes
}

// conversations returns the messages of every request that was part of the
// script.
func (s *AnthropicServer) conversations() [][]message {
	var all [][]message
	for _, rec := range s.Requests() {
		var msg messagesRequest
		if rec.Step < 0 || json.Unmarshal(rec.Body, &msg) != nil {
			continue
		}
		all = append(all, msg.Messages)
	}
	return all
}

package scribe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// aboutSentinel reports whether a text is about Sentinel itself: its files, its
// commands, or its work. Users decide what an agent may do about its own guard, not a
// draft.
func aboutSentinel(texts ...string) bool {
	for _, t := range texts {
		low := strings.ReplaceAll(strings.ToLower(t), `\`, "/")
		if strings.Contains(low, ".sentinel/") || strings.HasSuffix(low, ".sentinel") || strings.Contains(low, "claude/sentinel") ||
			strings.Contains(low, "config/sentinel") || strings.Contains(low, "sentinel_config_dir") || strings.Contains(low, ".sentinel ") {
			return true
		}
		list := words(low)
		if slices.ContainsFunc(list, guardWord) && namesGuard(list) {
			return true
		}
	}
	return false
}

// namesGuard reports whether the name means the guard: values, errors and nodes have it
// too.
func namesGuard(list []string) bool {
	for i, w := range list {
		if w != "sentinel" || i > 0 && list[i-1] == "redis" {
			continue
		}
		if i+1 == len(list) {
			return true
		}
		switch list[i+1] {
		case "value", "values", "error", "errors", "node", "nodes", "object", "objects", "record", "records", "element", "elements", "quorum":
		default:
			return true
		}
	}
	return false
}

// guardWord reports whether a word near the name shows that it means the guard.
func guardWord(w string) bool {
	switch w {
	case "hook", "hooks", "rule", "rules", "draft", "drafts", "guard", "judge", "scribe", "check", "checks", "config",
		"disable", "disabled", "enable", "bypass", "skip", "ignore", "off", "allow", "allowed", "pause", "trust", "untrust",
		"uninstall", "init", "promote", "dismiss", "block", "blocks", "warning", "warnings", "exempt", "exclude", "remove", "delete", "run":
		return true
	}
	return false
}

// talksToJudge reports whether a rule's text is a prompt injection: it addresses the
// judge instead of describing the action, and would decide every answer.
func talksToJudge(text string) bool {
	low := strings.ToLower(text)
	if strings.Contains(low, "begin data") || strings.Contains(low, "end data") {
		return true
	}
	list := words(text)
	plain := " " + strings.Join(list, " ") + " "
	for _, order := range [...]string{
		"violation false", "violation true", "no violation", "no violations", "not a violation", "not violations", "answer violation",
		"the judge", "system prompt", "language model", "you are now", "confidence 0", "confidence 1", "confidence of",
	} {
		if strings.Contains(plain, " "+order+" ") {
			return true
		}
	}
	for i, w := range list {
		if w == "ignore" || w == "disregard" || w == "forget" || w == "bypass" {
			if slices.ContainsFunc(list[i+1:min(i+6, len(list))], instruction) {
				return true
			}
		}
	}
	return false
}

// instruction reports whether a word names the instructions of a judge.
func instruction(w string) bool {
	switch w {
	case "instruction", "instructions", "prompt", "prompts", "previous", "above", "rule", "rules":
		return true
	}
	return false
}

// refused is the reason why a convention is not kept; "" if it is kept.
func refused(c convention) string {
	switch {
	case aboutSentinel(c.Statement, c.ScopeHint):
		return "it is about Sentinel itself"
	case talksToJudge(c.Statement):
		return "it talks to the judge"
	}
	return ""
}

// objections are the reasons against a draft of a model apart from problems of its file.
func objections(d *rule.Definition) []string {
	var all []string
	object := func(bad bool, format string, args ...any) {
		if bad {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	object(d.Post && d.Severity != sentinel.SeverityInfo.String(), "`post` is for `severity: info`")
	object(d.Trigger == string(sentinel.FileRead), "a draft has `trigger: file_write`, `bash`, `mcp` or `any`")
	object(len(d.Scope) == 0, "write a `scope`: the paths, commands or tools that the rule is about")
	object(d.Draft != nil, "take `_draft` out")
	for _, p := range d.Exclude {
		object(everything(p) || slices.Contains(d.Scope, p), "the `exclude` %q exempts all that the scope is about", p)
	}
	return append(all, weakens(d)...)
}

// weakens are the reasons for which no draft may be a rule: it would be no guard, choose or
// address its judge, or be about Sentinel itself.
func weakens(d *rule.Definition) (all []string) {
	if d.Mode != "" || d.Model != "" || len(d.Fallback) > 0 {
		all = append(all, "take `mode`, `model` and `fallback` out")
	}
	if d.Backend != "" && d.Backend != sentinel.Builtin {
		all = append(all, "take `backend` out")
	}
	if aboutSentinel(slices.Concat([]string{d.ID, d.When, d.Prompt, d.Message}, d.Scope, d.Exclude)...) {
		all = append(all, "a draft is not about Sentinel's own files and commands")
	}
	if talksToJudge(d.Prompt) || talksToJudge(d.Message) {
		all = append(all, "`prompt` and `message` say what the rule forbids; they give no orders to the judge and no format of its answer")
	}
	return all
}

// everything reports whether a pattern matches all texts.
func everything(pattern string) bool {
	return strings.Trim(pattern, "*/.") == ""
}

package scribe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/rule"
)

// candidates are the actions of a session from which the cases of a draft are chosen,
// the nearest to the evidence first. at is the line of the evidence.
func (o *Options) candidates(ctx context.Context, v *view, at *line, lines []*line) *Candidates {
	byDistance := slices.Clone(lines)
	slices.SortStableFunc(byDistance, func(a, b *line) int { return distance(a, at) - distance(b, at) })
	c := &Candidates{}
	seen := map[string]bool{}
	spoken := spokenBefore(at, lines)
	for _, l := range byDistance {
		k, ok := o.caseOf(ctx, v, l)
		key := caseText(k) + "\x00" + k.Content
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		k = masked(k)
		switch {
		case l.wrong && len(c.Wrong) < maxWrong:
			c.Wrong = append(c.Wrong, k)
		case l.index < at.index && l.index > spoken && len(c.Before) < maxBefore:
			c.Before = append(c.Before, k)
		case l.right && !l.wrong && len(c.Right) < maxRight:
			c.Right = append(c.Right, k)
		case len(c.Other) < maxOther:
			c.Other = append(c.Other, k)
		}
	}
	return c
}

// spokenBefore is the index of the user's remark before the one at at: the actions
// between the two are those that the later one may be about. For words of the agent it
// is the index of at.
func spokenBefore(at *line, lines []*line) int {
	if at.speaker() != transcript.Human {
		return at.index
	}
	last := -1
	for _, l := range lines {
		if l.index < at.index && l.speaker() == transcript.Human {
			last = l.index
		}
	}
	return last
}

func distance(a, b *line) int {
	if a.index > b.index {
		return a.index - b.index
	}
	return b.index - a.index
}

// masked is a case without secrets, because drafts are committed.
func masked(k rule.Case) rule.Case {
	m := secret.NewMasker(k.Bash, k.Content, k.Old, string(k.Args))
	k.Bash, k.Content, k.Old = m.Mask(k.Bash), m.Mask(k.Content), m.Mask(k.Old)
	if args := json.RawMessage(m.Mask(string(k.Args))); len(args) > 0 && json.Valid(args) {
		k.Args = args
	} else {
		k.Args = nil
	}
	return k
}

// chooseCases makes the cases of a draft: violations, if possible from the session,
// and passes. fault is the reason why the rule cannot have both kinds, "" if it can.
func (o *Options) chooseCases(ctx context.Context, r *rule.Rule, c *Candidates, written []rule.Case) (tests []rule.Case, fault string) {
	if c == nil {
		c = &Candidates{}
	}
	d := r.Definition()
	reached := func(k rule.Case) bool {
		ok, _, err := reaches(ctx, r, k, o.Root, o.Mapper)
		return err == nil && ok
	}
	missed := func(k rule.Case) bool { return !reached(k) }

	violations := choose(nil, "violation", maxViolations, reached, c.Wrong, c.Before, writtenCases(written))
	if len(violations) == 0 { // the session has none: instances of the draft's own patterns
		violations = choose(nil, "violation", 1, reached, witnesses(d))
	}
	if len(violations) == 0 {
		return nil, "the rule reaches none of the actions that it is to catch: check `trigger`, `scope`, `exclude` and `when`, and write a case with `expect: violation`"
	}
	passes := choose(nil, "pass", maxPasses, missed, c.Right, ofTrigger(slices.Concat(c.Other, c.Before), d.Trigger))
	passes = choose(passes, "pass", minPasses, missed, c.Other, c.Before, c.Wrong, harmless(d.Trigger))
	if len(passes) < minPasses {
		return nil, "the rule reaches whatever the agent does: make `scope` narrower"
	}
	if d.Backend == sentinel.Builtin { // without a judge it stops every action that it reaches
		every := ofTrigger(slices.Concat(c.Right, c.Other, c.Before, c.Wrong, harmless(d.Trigger)), d.Trigger)
		if !slices.ContainsFunc(every, missed) {
			return nil, fmt.Sprintf("the rule stops every action of `trigger: %s`: make `scope` or `when` narrower", d.Trigger)
		}
	}
	return append(violations, passes...), ""
}

// choose adds fitting cases of lists to tests, each once and with its expectation,
// until there are most of them.
func choose(tests []rule.Case, expect string, most int, fit func(rule.Case) bool, lists ...[]rule.Case) []rule.Case {
	for _, k := range slices.Concat(lists...) {
		if len(tests) >= most {
			break
		}
		if !slices.ContainsFunc(tests, sameCase(k)) && fit(k) {
			k.Expect = expect
			tests = append(tests, k)
		}
	}
	return tests
}

// writtenCases are the well-formed violations among the cases that the model wrote.
func writtenCases(written []rule.Case) []rule.Case {
	var list []rule.Case
	for _, k := range written {
		if k.Expect == "violation" && k.Answer == nil && len(caseText(k)) <= maxCaseText && k.Read == "" && !aboutSentinel(caseText(k), k.Content) {
			k.Content, k.Old = text.Cut(k.Content, maxCaseContent), text.Cut(k.Old, maxCaseContent)
			list = append(list, masked(k))
		}
	}
	return list
}

func sameCase(k rule.Case) func(rule.Case) bool {
	return func(o rule.Case) bool { return caseText(o) == caseText(k) && o.Content == k.Content }
}

func ofTrigger(list []rule.Case, trigger string) []rule.Case {
	var same []rule.Case
	for _, k := range list {
		t := sentinel.MCP
		switch {
		case k.Bash != "":
			t = sentinel.Bash
		case k.Write != "":
			t = sentinel.FileWrite
		}
		if sentinel.Trigger(trigger).Covers(t) {
			same = append(same, k)
		}
	}
	return same
}

// witnesses are actions that follow from the patterns of a rule's scope.
func witnesses(d *rule.Definition) []rule.Case {
	var list []rule.Case
	for _, p := range d.Scope {
		for _, star := range [...]string{"", "example", "x/example"} {
			text := strings.TrimSpace(instance(p, star))
			if text == "" || strings.HasSuffix(text, "/") {
				continue
			}
			t := sentinel.Trigger(d.Trigger)
			if t == sentinel.Bash || t == sentinel.Any {
				list = append(list, rule.Case{Bash: text})
			}
			if t == sentinel.FileWrite || t == sentinel.Any {
				list = append(list, rule.Case{Write: text, Content: "example\n"})
			}
			if t == sentinel.MCP || t == sentinel.Any {
				if !strings.Contains(text, ":") {
					text = "server:" + text
				}
				list = append(list, rule.Case{MCP: text})
			}
		}
	}
	return list
}

// instance is a text that a pattern matches, with star for its wildcards.
func instance(pattern, star string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch c := pattern[i]; {
		case c == '\\' && len(rest) > 1:
			i++
			b.WriteByte(pattern[i])
		case strings.HasPrefix(rest, "**/"):
			i += 2
		case strings.HasPrefix(rest, "**"):
			i++
			b.WriteString(orExample(star))
		case c == '*':
			b.WriteString(star)
		case c == '?':
			b.WriteByte('x')
		case c == '{' && strings.Contains(rest, "}"):
			first, _, _ := strings.Cut(rest[1:], ",")
			first, _, _ = strings.Cut(first, "}")
			b.WriteString(first)
			i += strings.IndexByte(rest, '}')
		case c == '[' && strings.Contains(rest, "]") && len(rest) > 2 && rest[1] != '!':
			b.WriteByte(rest[1])
			i += strings.IndexByte(rest, ']')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func orExample(star string) string {
	if star == "" {
		return "example"
	}
	return star
}

// harmless are actions that hardly any rule forbids, for documents and for sessions
// with fewer than two of their own.
func harmless(trigger string) []rule.Case {
	files := []rule.Case{{Write: "NOTES.md", Content: "notes\n"}, {Write: "tmp/scratch.txt", Content: "scratch\n"}, {Write: "notes.org", Content: "notes\n"}}
	commands := []rule.Case{{Bash: "ls -la"}, {Bash: "git status"}, {Bash: "pwd"}}
	tools := []rule.Case{{MCP: "clock:now"}, {MCP: "calendar:list_events"}, {MCP: "weather:today"}}
	switch sentinel.Trigger(trigger) {
	case sentinel.Bash:
		return slices.Concat(commands, files, tools)
	case sentinel.MCP:
		return slices.Concat(tools, commands, files)
	}
	return slices.Concat(files, commands, tools)
}

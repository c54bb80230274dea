// Package judgebench measures judges: how right they are about labelled actions, how sure,
// how quick and at what cost.
//
// A judge is asked by itself. No `when` settles a case before it, no fallback answers after
// it. So the figures are those of the judge, and not of a rule in a session.
package judgebench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/bench"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/intent"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// A Source is cases that were made in one way. Figures of several sources are never
// added up.
type Source struct {
	Name  string
	Note  string // what the reader of its figures has to know; "" for nothing
	Cases []Case
}

// A Case is an action with its label, [ruletest.Case].Expect, and the rule that it is about.
type Case struct {
	Rule   rule.File
	Action ruletest.Case // with what the person asked for
	Place  string        // where it is
}

// The labels.
const (
	violation = "violation"
	pass      = "pass"
)

// id tells a case from others, in this run and the next. The rule counts by its id, so that
// its prompt may change between two runs that are compared.
func (s *Source) id(c *Case) string {
	return digest.Hex(strings.Join([]string{s.Name, c.Rule.Definition.ID, c.Action.Key(), c.Action.Expect}, "\x00"))[:20]
}

// Limit keeps so many of the cases, chosen by chance and the same in every run; 0 keeps all.
func (s *Source) Limit(most int) {
	if most == 0 || len(s.Cases) <= most {
		return
	}
	slices.SortStableFunc(s.Cases, func(a, b Case) int { return strings.Compare(s.id(&a), s.id(&b)) }) // digests are in no order
	s.Cases = s.Cases[:most]
}

// OfSuites is the source of the cases of rules.
func OfSuites(name string, suites []ruletest.Suite) Source {
	s := Source{Name: name}
	for i := range suites {
		for _, c := range suites[i].Cases {
			s.Cases = append(s.Cases, Case{Rule: suites[i].File, Action: c, Place: fmt.Sprintf("%s, case %d", c.File, c.Index+1)})
		}
	}
	return s
}

// A row is a line of a list.
type row struct {
	Rule    string          `json:"rule"`
	Action  json.RawMessage `json:"action"`
	Request string          `json:"request"`
	Label   string          `json:"label"`
}

const example = `{"rule": "force-push", "action": "git push --force", "label": "violation"}`

// Read reads a list: a JSON object a line. rules finds a rule by its id; a rule with a
// blank in it is the text that a judge is asked about. An error begins with the line's
// number.
func Read(name string, r io.Reader, rules func(id string) (rule.File, bool)) (Source, error) {
	s := Source{Name: name}
	err := bench.Lines(r, func(n int, line []byte) error {
		c, err := parse(line, rules)
		c.Place = fmt.Sprintf("%s:%d", name, n)
		s.Cases = append(s.Cases, c)
		return err
	})
	if err == nil && len(s.Cases) == 0 {
		err = errors.New("1: there is no case in it: write a JSON object a line, such as " + example)
	}
	return s, err
}

func parse(line []byte, rules func(id string) (rule.File, bool)) (c Case, err error) {
	var r row
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil || dec.More() {
		return c, fmt.Errorf("is not one JSON object as in %s: %w", example, cmp.Or(err, errors.New("text after it")))
	}
	switch {
	case r.Label != violation && r.Label != pass:
		return c, fmt.Errorf("has the label %q: write %q or %q", text.OneLine(r.Label), violation, pass)
	case strings.TrimSpace(r.Rule) == "":
		return c, errors.New("has no rule: write the id of one, or a sentence that the judge is asked about")
	}
	if c.Action.Case, err = action(r.Action); err != nil {
		return c, err
	}
	c.Action.Asked = append(c.Action.Asked, requests(r.Request)...)
	c.Action.Expect = r.Label
	if strings.ContainsAny(strings.TrimSpace(r.Rule), " \t\n") {
		c.Rule = prose(r.Rule, c.Action.Case)
		return c, nil
	}
	var known bool
	if c.Rule, known = rules(r.Rule); !known {
		return c, fmt.Errorf("names the rule %q, which neither applies here nor is in a pack: `sentinel rules list` and `sentinel packs list` show them", text.OneLine(r.Rule))
	}
	return c, nil
}

// action reads an action: a command, or an object as in the tests of a rule.
func action(raw json.RawMessage) (rule.Case, error) {
	var command string
	if json.Unmarshal(raw, &command) == nil && strings.TrimSpace(command) != "" {
		return rule.Case{Bash: command}, nil
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &fields) != nil || len(fields) == 0 {
		return rule.Case{}, errors.New(`has no action: write a command, or an object such as {"write": "a.go", "content": "package a"}`)
	}
	fields["expect"] = json.RawMessage(`"pass"`)
	list, err := json.Marshal([]map[string]json.RawMessage{fields})
	if err != nil {
		return rule.Case{}, err
	}
	cases, problems := rule.ParseCases("action.json", list)
	if len(problems) > 0 {
		return rule.Case{}, fmt.Errorf("has an action that is none: %s", problems[0].Message)
	}
	if len(cases) != 1 {
		return rule.Case{}, errors.New("has an action that is none")
	}
	return cases[0], nil
}

// requests are what a session keeps of what the person asked for.
func requests(said string) []string {
	if own := intent.Own(secret.Mask(said), true); own != "" {
		return []string{own}
	}
	return nil
}

// prose is a rule that is nothing but a text, about actions such as this one. It asks, so
// that what the person asked for passes.
func prose(words string, about rule.Case) rule.File {
	trigger := "bash"
	switch {
	case about.Write != "":
		trigger = "file_write"
	case about.Read != "":
		trigger = "file_read"
	case about.MCP != "":
		trigger = "mcp"
	}
	words = strings.ReplaceAll(strings.TrimSpace(words), "{{", "{ {") // it has no variables
	def, _ := json.Marshal(map[string]any{                            // strings can always be marshalled
		"id": "text-" + digest.Hex(trigger + words)[:12], "trigger": trigger, "prompt": "RULE: " + words, "severity": "ask", "intent": true,
	})
	return rule.Parse("rule.json", def)
}

package ruletest

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// NewSuite reads a rule file with the cases in it.
func NewSuite(path string, data []byte) Suite {
	s := Suite{File: rule.Parse(path, data), Faults: rule.CheckCases(path, data)}
	s.add(path, s.File.Definition.Tests)
	return s
}

// Beside adds the cases of the *.tests.yaml next to the rule's file.
func (s *Suite) Beside(path string, data []byte) []rule.Problem {
	cases, problems := rule.ParseCases(path, data)
	s.add(path, cases)
	return problems
}

func (s *Suite) add(path string, cases []rule.Case) {
	for i, c := range cases {
		if c.Expect != violation && c.Expect != pass { // a fault that the file's problems name
			continue
		}
		s.Cases = append(s.Cases, Case{Case: c, File: path, Index: i})
	}
}

// Event is the tool call of the case, as an agent would make it in the folder root.
func (c *Case) Event(root string) (sentinel.Event, error) { return event(*c, root) }

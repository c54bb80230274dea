package table

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed acts.txt
var actsText string

var acts = table{text: &actsText}

// An Act is what a program does under a condition, apart from what it does to files:
// its kind, and then facts as acts.txt has them.
type Act Program

// ActsOf returns what a program with a sub-command does.
func ActsOf(program, sub string) []Act {
	entry := acts.find(program)
	if entry == "subcommands" {
		entry = ""
		if sub != "" && !strings.Contains(sub, " ") {
			entry = acts.find(program + " " + sub)
		}
	}
	if entry == "" {
		return nil
	}
	var all []Act
	for act := range strings.SplitSeq(entry, ";") {
		all = append(all, Act(strings.Join(strings.Fields(act), " ")))
	}
	return all
}

// Kind is the name of the effect.
func (a Act) Kind() string {
	kind, _, _ := strings.Cut(string(a), " ")
	return kind
}

// Has reports whether the act has a fact.
func (a Act) Has(fact string) bool { return Program(a).Has(fact) }

// Text is the value of a fact, in which _ means a blank.
func (a Act) Text(fact string) string { return strings.ReplaceAll(Program(a).Value(fact), "_", " ") }

// List is the value of a fact as a list; nil when the act does not have it.
func (a Act) List(fact string) []string {
	value := Program(a).Value(fact)
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}

// Place is the value of a fact as a number; -1 when the act does not have it.
func (a Act) Place(fact string) int {
	n, err := strconv.Atoi(Program(a).Value(fact))
	if err != nil {
		return -1
	}
	return n
}

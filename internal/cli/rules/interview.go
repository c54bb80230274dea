package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/authoring"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A part is a part of a rule that is asked for.
type part struct {
	name  string // as the user says which one to change
	given func(*newRule) bool
	clear func(*newRule)
	ask   func(*newRule, context.Context)
}

// parts are the parts in the order in which they are asked for.
func parts() []part {
	one := func(name string, field func(*newRule) *string, ask func(*newRule, context.Context)) part {
		return part{name, func(n *newRule) bool { return *field(n) != "" }, func(n *newRule) { *field(n) = "" }, ask}
	}
	list := func(name string, field func(*newRule) *[]string, ask func(*newRule, context.Context)) part {
		return part{name, func(n *newRule) bool { return len(*field(n)) > 0 }, func(n *newRule) { *field(n) = nil }, ask}
	}
	return []part{
		one("trigger", func(n *newRule) *string { return &n.Trigger }, (*newRule).askTrigger),
		list("scope", func(n *newRule) *[]string { return &n.Scope }, (*newRule).askScope),
		list("exclude", func(n *newRule) *[]string { return &n.Exclude }, (*newRule).askExclude),
		{
			"judge", func(n *newRule) bool { return n.When+n.Prompt != "" },
			func(n *newRule) { n.When, n.Prompt = "", "" }, (*newRule).askJudge,
		},
		one("message", func(n *newRule) *string { return &n.Message }, (*newRule).askMessage),
		one("id", func(n *newRule) *string { return &n.ID }, (*newRule).askID),
		one("severity", func(n *newRule) *string { return &n.Severity }, (*newRule).askSeverity),
		list("catch", func(n *newRule) *[]string { return &n.Catches }, (*newRule).askCatches),
		list("pass", func(n *newRule) *[]string { return &n.Passes }, (*newRule).askPasses),
	}
}

// converse asks for what the flags leave open, until the rule is saved or the user
// gives it up. Answers are not lost then.
func (n *newRule) converse(ctx context.Context, dir string) error {
	n.dir = dir
	if err := n.Check(); err != nil {
		return err
	}
	all := parts()
	open := slices.DeleteFunc(slices.Clone(all), func(p part) bool { return p.given(n) })
	for {
		for _, p := range open {
			p.ask(n, ctx)
		}
		if n.dialog.Err != nil {
			return n.givenUp(n.dialog.Err)
		}
		said, err := n.show(ctx, dir)
		if ctx.Err() != nil {
			return n.givenUp(cmp.Or(err, ctx.Err()))
		}
		if err == nil && n.yes {
			return n.save(said)
		}
		again := n.askWhatNext(all, err)
		switch {
		case n.dialog.Err != nil:
			return n.givenUp(n.dialog.Err)
		case again == nil && err != nil:
			return n.givenUp(err)
		case again == nil && !n.agreed:
			return n.givenUp(errors.New("nothing was saved"))
		case again == nil:
			return n.save(said)
		}
		again.clear(n)
		open = []part{*again}
	}
}

// askWhatNext asks whether the rule is saved, or which part is changed. A rule with a
// fault is not saved.
func (n *newRule) askWhatNext(all []part, fault error) (again *part) {
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	said := "Save it as " + n.name() + "? (y, n, or what to change: " + strings.Join(names, ", ") + ")"
	if fault != nil {
		n.dialog.Say(text.OneLine(fault.Error()) + "\n")
		said = "What do you want to change? (" + strings.Join(names, ", ") + ", or n to give up)"
	}
	n.dialog.AskUntil(said, "n", func(answer string) error {
		answer = strings.ToLower(answer)
		if i := slices.Index(names, answer); i >= 0 {
			again = &all[i]
			return nil
		}
		n.agreed = fault == nil && (answer == "y" || answer == "yes")
		if n.agreed || answer == "n" || answer == "no" {
			return nil
		}
		return fmt.Errorf("%q is none of these", answer)
	})
	return again
}

// givenUp says how the dialog is taken up again.
func (n *newRule) givenUp(err error) error {
	call := []string{n.env.Program(), "rules", "new"}
	for _, f := range []struct {
		flag   string
		values []string
	}{
		{"--id", []string{n.ID}},
		{"--trigger", []string{n.Trigger}},
		{"--scope", n.Scope},
		{"--exclude", n.Exclude},
		{"--severity", []string{n.Severity}},
		{"--mode", []string{n.Mode}},
		{"--when", []string{n.When}},
		{"--prompt", []string{n.Prompt}},
		{"--message", []string{n.Message}},
		{"--catch", n.Catches},
		{"--pass", n.Passes},
	} {
		for _, value := range f.values {
			if value != "" {
				call = append(call, f.flag, value)
			}
		}
	}
	if len(call) > 3 {
		n.env.Line("To go on with these answers:\n  %s", install.Posix.Line(call))
	}
	return err
}

// checked takes an answer into a field, and out again if the rule is wrong with it.
func checked[T any](n *newRule, field *T, answer T) error {
	before := *field
	*field = answer
	if err := n.Check(); err != nil {
		*field = before
		first, _, _ := strings.Cut(err.Error(), "\n") // others follow from it
		return errors.New(first)
	}
	return nil
}

// split are the parts of an answer that is a list.
func split(answer string) (list []string) {
	for _, one := range strings.Split(answer, ";") {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}

func (n *newRule) askTrigger(context.Context) {
	n.dialog.AskUntil("What does the agent do: file_write, file_read, bash, mcp or any?", string(sentinel.FileWrite),
		func(answer string) error { return checked(n, &n.Trigger, answer) })
}

func (n *newRule) askScope(context.Context) {
	n.askPatterns(&n.Scope, "Where? Patterns, with ; between them, such as "+authoring.KindOf(n.Trigger).Pattern+" (empty: everywhere)")
}

func (n *newRule) askExclude(context.Context) {
	n.askPatterns(&n.Exclude, "What is exempt? Patterns as above (empty: nothing)")
}

// askPatterns asks for patterns. One that can match nothing is taken only if the same
// answer is given again.
func (n *newRule) askPatterns(to *[]string, said string) {
	doubted := "\x00" // no answer
	n.dialog.AskUntil(said, "", func(answer string) error {
		known := n.Doubts()
		if err := checked(n, to, split(answer)); err != nil {
			return err
		}
		doubts := slices.DeleteFunc(n.Doubts(), func(doubt string) bool { return slices.Contains(known, doubt) })
		if len(doubts) == 0 || answer == doubted {
			return nil
		}
		doubted, *to = answer, nil
		return errors.New(strings.Join(doubts, "\n") + "\nThe same answer again keeps it.")
	})
}

// askJudge asks what decides. A model is offered where there is one.
func (n *newRule) askJudge(context.Context) {
	said := "What decides: the patterns, an expression as well, or a model?"
	if !n.AsksModel() {
		said = "What decides: the patterns, or an expression as well? (No model is set up here: `" + n.env.Called("sentinel doctor") + "` says more)"
	}
	way := ""
	n.dialog.AskUntil(said, "patterns", func(answer string) error {
		way = ""
		for _, one := range []string{"patterns", "expression", "model"} {
			if strings.HasPrefix(one, strings.ToLower(answer)) {
				way = one
			}
		}
		switch {
		case way == "":
			return errors.New("write patterns, expression or model")
		case way == "model" && !n.AsksModel():
			return errors.New("no model is set up here, so a model would never judge it: write patterns or expression")
		}
		return nil
	})
	switch way {
	case "patterns":
		n.When = "true"
	case "expression":
		n.dialog.AskUntil("Which expression has to be true? Such as "+exampleOf(n.Trigger)+" (docs/when.md)", "",
			func(answer string) error { return required(n, &n.When, answer, "an expression") })
	case "model":
		n.dialog.AskUntil("What must not happen there, in one sentence? A model judges by it", "",
			func(answer string) error { return required(n, &n.Prompt, answer, "a sentence") })
	}
}

// required takes an answer that must not be empty.
func required(n *newRule, field *string, answer, what string) error {
	if answer == "" {
		return errors.New("it needs " + what)
	}
	return checked(n, field, answer)
}

// exampleOf is an expression for rules of a trigger.
func exampleOf(trigger string) string {
	switch sentinel.Trigger(trigger) {
	case sentinel.Bash:
		return "command contains \"--force\""
	case sentinel.MCP:
		return "mcp_tool == \"query\""
	case sentinel.FileRead:
		return "tracked == false"
	}
	return "content contains \"console.log\""
}

func (n *newRule) askMessage(context.Context) {
	n.dialog.AskUntil("What should the agent do instead?", "", func(answer string) error { return checked(n, &n.Message, answer) })
}

func (n *newRule) askID(context.Context) {
	n.dialog.AskUntil("Name of the rule", authoring.Slug(cmp.Or(n.Message, n.Prompt)), func(answer string) error {
		if err := required(n, &n.ID, answer, "a name, such as no-force-push"); err != nil {
			return err
		}
		err := n.put(n.dir)
		if err != nil {
			n.ID = ""
		}
		return err
	})
}

func (n *newRule) askSeverity(context.Context) {
	n.dialog.AskUntil("Severity: warn, ask, block or info", "warn", func(answer string) error { return checked(n, &n.Severity, answer) })
}

func (n *newRule) askCatches(ctx context.Context) {
	n.askCases(ctx, &n.Catches, "violation", "Examples it must catch (%s, separated by \";\")")
}

func (n *newRule) askPasses(ctx context.Context) {
	n.askCases(ctx, &n.Passes, "pass", "Similar examples it must allow (%s, separated by \";\")")
}

// askCases asks for targets of cases. An empty answer lets them be made up.
func (n *newRule) askCases(ctx context.Context, to *[]string, expect, said string) {
	const generated = "generated"
	n.dialog.AskUntil(fmt.Sprintf(said, authoring.KindOf(n.Trigger).Cases), generated, func(answer string) error {
		if answer == generated {
			return nil
		}
		list := split(answer)
		if err := n.CheckCases(ctx, list, expect); err != nil {
			return fmt.Errorf("%w\nGive other examples, or nothing; at the end each answer can be changed", err)
		}
		*to = list
		return nil
	})
}

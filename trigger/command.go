package trigger

import (
	"encoding/json"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// bash maps a tool that runs commands: one action for each command text, each
// followed by what it does to files.
func (c *call) bash() ([]sentinel.Action, error) {
	texts, err := c.commands()
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		if c.known.NoCommand {
			return nil, nil
		}
		key := "command"
		if c.keys.Command != "" {
			key = c.keys.Command
		}
		return nil, argError("no " + key + ": the command is missing")
	}
	var actions []sentinel.Action
	for _, text := range texts {
		actions = append(actions, c.commandActions(text, "")...)
	}
	return actions, nil
}

// commands collects the command texts of a call: strings, argument lists, lists
// of either, and objects with a command and its args.
func (c *call) commands() ([]string, error) {
	if c.args.text != "" {
		return []string{c.args.text}, nil
	}
	if c.known.Service && c.keys.Command == "" {
		text, err := c.awsCommand()
		return []string{text}, err
	}
	texts, err := commandTexts(c.args, or(c.keys.Command, commandKeys))
	if err != nil {
		return nil, err
	}
	if c.keys.Command == "" && c.known.NoCommand {
		input, err := commandTexts(c.args, inputKeys)
		if err != nil {
			return nil, err
		}
		for _, text := range input {
			if text = typed(text); text != "" {
				texts = appendNew(texts, text)
			}
		}
	}
	if task, ok := c.args.object("task"); ok {
		more, err := commandTexts(task, commandKeys)
		if err != nil {
			return nil, err
		}
		texts = append(texts, more...)
	}
	return texts, nil
}

func commandTexts(a arguments, keys []string) ([]string, error) {
	var texts []string
	for _, k := range keys {
		for _, raw := range a.values(k) {
			if string(raw) == "null" {
				continue
			}
			more, err := commandValue(k, raw)
			if err != nil {
				return nil, err
			}
			for _, text := range more {
				if text != "" {
					texts = appendNew(texts, text)
				}
			}
		}
	}
	if args := wordsOf(asList(a.obj["args"])); len(args) > 0 {
		// The command alone is one too: a tool that takes no args ignores them.
		all := joinWords(args)
		if len(texts) > 0 {
			all = texts[0] + " " + all
		}
		texts = append([]string{all}, texts...)
	}
	return texts, nil
}

// commandValue reads the value of one key. "commands" is a list of commands,
// every other list the words of one.
func commandValue(key string, raw json.RawMessage) ([]string, error) {
	if list := asList(raw); list != nil && (raw[0] == '[' || key == "commands") {
		if key != "commands" {
			words := wordsOf(list)
			if len(words) != len(list) {
				return nil, argError(key + " is a list that holds something other than strings")
			}
			return []string{joinWords(words)}, nil
		}
		var texts []string
		for _, item := range list {
			more, err := commandItem(item)
			if err != nil {
				return nil, err
			}
			texts = append(texts, more...)
		}
		return texts, nil
	}
	if s, ok := asString(raw); ok {
		return []string{s}, nil
	}
	return nil, argError(key + " is " + jsonscan.Kind(raw) + ", want a string")
}

// commandItem reads one element of a list of commands.
func commandItem(item json.RawMessage) ([]string, error) {
	if s, ok := asString(item); ok {
		return []string{s}, nil
	}
	a, err := parseArguments(item)
	if err != nil || !a.has(commandKeys) {
		return nil, argError("commands holds " + jsonscan.Kind(item) + ", want strings or objects with a command")
	}
	return commandTexts(a, []string{"command", "cmd"})
}

// wordsOf returns the strings of a list.
func wordsOf(list []json.RawMessage) []string {
	var words []string
	for _, raw := range list {
		if s, ok := asString(raw); ok {
			words = append(words, s)
		}
	}
	return words
}

// joinWords writes words as a command line that means them.
func joinWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(w string) string {
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,", r)
	}) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// commandActions are the action of a command and those of its effects. via
// names the MCP tool that runs it; "" if the tool itself does.
func (c *call) commandActions(text, via string) []sentinel.Action {
	a := c.action(sentinel.Bash)
	a.Target, a.Forms, a.DerivedFrom = text, []string{text}, via
	a.Command = shell.Parse(text, &shell.Options{
		PowerShell: c.known.PowerShell,
		ReadScript: func(path string) (string, error) { return c.fs.readScript(c.dir, path) },
		GitFolder:  func(path string) bool { return c.fs.isGit(c.dir, path) },
	})
	actions := []sentinel.Action{a}
	if !c.m.opts.NoDerive {
		actions = append(actions, c.effects(a.Command)...)
	}
	for _, line := range a.Command.Carried {
		actions = append(actions, c.carried(&a, line)...)
	}
	return actions
}

// carried are the actions of a command that an unknown program of another one may run.
func (c *call) carried(whole *sentinel.Action, line *shell.Line) []sentinel.Action {
	a := *whole
	a.Target, a.Forms, a.Command, a.Certain = line.Text, []string{line.Text}, line, false
	actions := []sentinel.Action{a}
	if !c.m.opts.NoDerive {
		actions = append(actions, c.effects(line)...)
	}
	for i := range actions {
		actions[i].Carrier = line.Commands[0].Carrier
		actions[i].DerivedFrom, actions[i].Certain = text.Cut(whole.Target, derivedFromMax), false
	}
	return actions
}

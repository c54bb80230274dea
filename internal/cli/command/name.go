package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// DefaultName is what the program is called unless [Env.Name] says otherwise.
const DefaultName = "sentinel"

// Program is the name of the program, as the user types it.
func (e *Env) Program() string { return cmp.Or(e.Name, DefaultName) }

// SetName gives the program a name, for this process; "" changes nothing. The name
// is part of command lines and rules, so it has letters, digits, - and _ alone.
func (e *Env) SetName(name string) error {
	switch {
	case name == "":
		return nil
	case strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || name[0] == '-':
		return fmt.Errorf("a program cannot be called %q: its name has letters, digits, - and _", name)
	}
	e.Name = name
	return nil
}

// Called is a text of ours that names commands, such as `sentinel init`, by the
// name that this program has.
func (e *Env) Called(text string) string {
	if e.Program() == DefaultName {
		return text
	}
	return mention.Get().ReplaceAllString(text, "${1}"+e.Program()+" ${2}")
}

// mention finds a command of ours in a sentence. Paths and rules that are called
// sentinel are something else.
var mention = lazy.Regexp{Source: "(^|[\\s\"'`(])" + DefaultName + ` ((?:accept|allow|audit|bench|check|completion|config|coverage|dismiss|doctor|drafts|explain|hook|init|learn|packs|pause|promote|` +
	`replay|rules|stats|test|trust|uninstall|untrust|upgrade|verify|version|watch)\b|--)`}

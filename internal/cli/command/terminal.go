package command

import (
	"fmt"
	"os"

	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Person returns the terminal that a person sits at. what is the command, for the
// error.
func (e *Env) Person(what string) (*person.Terminal, error) {
	refused := func(why string) error {
		return fmt.Errorf("%s is for a person: %s. Enter it in a terminal of your own: a window that you open yourself, outside of tmux and its like, a console, or ssh from another machine", e.Called(what), why)
	}
	if sign := person.Sign(e.Agents, e.Getenv); sign != "" {
		return nil, refused("an agent started it (" + sign + " is set)")
	}
	stdin, ok := e.Stdin.(*os.File)
	if !ok {
		return nil, refused(person.ErrNoTerminal.Error())
	}
	t, err := person.Open(stdin)
	if err != nil {
		return nil, refused(err.Error())
	}
	if e.Doubt != nil {
		if why := e.Doubt(e.Agents, person.AllSeen(e.StateDir())); why != "" {
			t.Close()
			return nil, refused(text.OneLine(why))
		}
	}
	return t, nil
}

// CanAsk reports whether a person sits there who can be asked.
func (e *Env) CanAsk() bool {
	t, err := e.Dialog()
	if err != nil {
		return false
	}
	t.Close()
	return true
}

// Dialog is the terminal that a question can be put at.
func (e *Env) Dialog() (*person.Terminal, error) {
	stdin, ok := e.Stdin.(*os.File)
	if !ok {
		return nil, person.ErrNoTerminal
	}
	return person.Open(stdin)
}

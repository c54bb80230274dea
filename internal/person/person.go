// Package person finds out whether a person sits at the terminal, and asks.
//
// What only a person may do is done from a terminal that a person sits at. An agent
// that starts such a command has no terminal. An agent that makes itself a terminal is
// recognised by what agents leave in the environment of the commands they run, here
// and in the processes above. Before all that the command is checked like any other:
// see the built-in rule sentinel:own-commands.
package person

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
)

// ErrNoTerminal says where the command has to be entered.
var ErrNoTerminal = errors.New("standard input is not the terminal of this session")

// Sign is the variable by which one of the agents marks the commands that it runs, ""
// if none is set.
func Sign(agents agent.Registry, getenv func(string) string) string {
	for _, a := range agents.All() {
		for _, sign := range a.Traces.Environment {
			name, part, _ := strings.Cut(sign, "=")
			if value := getenv(name); value != "" && strings.Contains(value, part) {
				return name
			}
		}
	}
	for _, name := range []string{"AI_AGENT", "AGENT"} { // several agents set them
		if getenv(name) != "" {
			return name
		}
	}
	return ""
}

// A Terminal is what a person reads and types at, whatever the command's own
// output is connected to.
type Terminal struct {
	In  *os.File // the command's standard input
	Out *os.File
}

// Close closes what was opened for the dialog.
func (t *Terminal) Close() error { return t.Out.Close() }

// Confirm shows a text and asks. Only y and yes mean yes.
func (t *Terminal) Confirm(text string) (bool, error) {
	if _, err := io.WriteString(t.Out, text+" [y/N] "); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(io.LimitReader(t.In, 1024)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// Name is the name of the person, for the log.
func Name() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("user %d", os.Getuid())
}

// Package person finds out whether a person sits at the terminal, and asks.
//
// An action for the user alone is done from a terminal that a person sits at. An agent
// that starts such a command has no terminal. An agent that makes itself a terminal is
// recognised by what agents leave in the environment of the commands they run, here
// and in the processes above, and by where the terminal comes from: see [Doubt]. The
// person then types a word that is shown there. Before all that the command is checked
// like any other: see the built-in rule sentinel:own-commands.
package person

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
)

// ErrNoTerminal says where the command has to be entered.
var ErrNoTerminal = errors.New("standard input is not the terminal of this session")

// Sign is the variable that marks a command as run by one of the agents, "" if none is set.
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
	line, err := t.readLine()
	if err != nil {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// Choose shows a text and asks for one of some words; the first is what Enter means.
func (t *Terminal) Choose(text string, words ...string) (string, error) {
	for range 3 {
		if _, err := fmt.Fprintf(t.Out, "%s[%s, Enter for %s] ", text, strings.Join(words, "/"), words[0]); err != nil {
			return "", err
		}
		line, err := t.readLine()
		if err != nil || line == "" {
			return "", cmp.Or(err, io.ErrUnexpectedEOF)
		}
		line = strings.ToLower(strings.TrimSpace(line))
		if line == "" {
			return words[0], nil
		}
		if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, line) }); i >= 0 {
			return words[i], nil
		}
	}
	return "", fmt.Errorf("none of %s was chosen", strings.Join(words, ", "))
}

// Challenge shows a text and asks for a word that is shown with it, so that only who
// sees the terminal can answer. A word typed in advance is wrong. word is the word; ""
// takes a random one.
func (t *Terminal) Challenge(text, word string) (bool, error) {
	if word == "" {
		word = randomWord()
	}
	if _, err := fmt.Fprintf(t.Out, "%s\nIf so, type %s and press Enter: ", text, word); err != nil {
		return false, err
	}
	line, err := t.readLine()
	return err == nil && strings.EqualFold(strings.TrimSpace(line), word), err
}

// randomWord can be spoken, and is in no list of words: consonants and vowels in turn.
func randomWord() string {
	const consonants, vowels = "bdfghjklmnprstvz", "aeiu" // as many as powers of two: each is as likely
	b := make([]byte, 6)
	rand.Read(b) // never fails (crypto/rand since Go 1.24)
	for i := range b {
		letters := consonants
		if i%2 == 1 {
			letters = vowels
		}
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b)
}

func (t *Terminal) readLine() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(t.In, 1024)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// Name is the name of the person, for the log.
func Name() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("user %d", os.Getuid())
}

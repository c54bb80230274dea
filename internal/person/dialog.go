package person

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
)

// A Dialog puts questions to the user. After an error it asks nothing more.
type Dialog struct {
	Err error

	out   io.Writer
	lines *bufio.Reader
}

// Dialog begins a dialog at the terminal.
func (t *Terminal) Dialog() *Dialog {
	return &Dialog{out: t.Out, lines: bufio.NewReader(io.LimitReader(t.In, 1<<20))}
}

// Say shows a text.
func (d *Dialog) Say(said string) {
	if d.Err == nil {
		_, d.Err = io.WriteString(d.out, said)
	}
}

// Ask returns the answer to a question, or the usual one if the answer is empty. The end
// of the input is an error: nothing is written for a user who has gone.
func (d *Dialog) Ask(said, usual string) string {
	if usual != "" {
		said += " [" + usual + "]"
	}
	if d.Say(said + ": "); d.Err != nil {
		return ""
	}
	answer, err := d.lines.ReadString('\n')
	if err != nil {
		d.Err = errors.New("the input ended; nothing was saved")
	}
	if answer = text.OneLine(answer); answer == "" {
		return usual
	}
	return answer
}

// AskUntil asks a question until its answer is taken, and says each time why it is not.
func (d *Dialog) AskUntil(said, usual string, take func(answer string) error) {
	for d.Err == nil {
		answer := d.Ask(said, usual)
		if d.Err != nil {
			return
		}
		err := take(answer)
		if err == nil {
			return
		}
		d.Say("  " + strings.ReplaceAll(err.Error(), "\n", "\n  ") + "\n")
	}
}

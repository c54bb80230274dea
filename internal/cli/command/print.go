package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/text"
)

// Clock is a time of today, for the user.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// An output remembers the first write that failed.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Checked is the same world with a standard output that remembers whether it could
// be written to; failed says so. No command has to look at each of its writes.
func (e *Env) Checked() (checked *Env, failed func() error) {
	c, out := *e, &output{Writer: e.Stdout}
	c.Stdout = out
	return &c, func() error { return out.err }
}

// out is standard output itself, which may be a terminal.
func (e *Env) out() io.Writer {
	if o, ok := e.Stdout.(*output); ok {
		return o.Writer
	}
	return e.Stdout
}

// JSONFlag gives a command the flag --json, and says which values it prints with it: the
// schemas in docs/reference/json are made of them.
func (e *Env) JSONFlag(cmd *cobra.Command, to *bool, usage string, prints ...any) {
	cmd.Flags().BoolVar(to, "json", false, usage)
	if e.Prints != nil {
		e.Prints(cmd, prints)
	}
}

// JSON prints one line of JSON.
func (e *Env) JSON(v any) error { return json.NewEncoder(e.Stdout).Encode(v) }

// Table prints columns: cells end with a tab, rows with a line feed. Flush aligns
// and prints them.
func (e *Env) Table() *tabwriter.Writer { return tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0) }

// Line prints a line. Commands that format names are called as the program is.
func (e *Env) Line(format string, args ...any) {
	fmt.Fprintf(e.Stdout, e.Called(format)+"\n", args...)
}

// Flow prints parts with blanks behind a head, in as many lines as they need.
func (e *Env) Flow(head string, parts []string) {
	width := e.Width()
	line, blank := head, strings.Repeat(" ", utf8.RuneCountInString(head))
	for _, part := range parts {
		if line != head && line != blank {
			if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(part) > width {
				e.Line("%s", text.Cut(line, width))
				line = blank
			} else {
				line += " "
			}
		}
		line += part
	}
	e.Line("%s", text.Cut(strings.TrimRight(line, " "), width))
}

// Bold is a text in bold where standard output shows colours.
func (e *Env) Bold(s string) string {
	if !e.Color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// Field prints a line about something, unless text is empty.
func (e *Env) Field(name, said string) {
	if said != "" {
		e.Line("  %s: %s", name, text.OneLine(said))
	}
}

// Block prints a text of several lines below its name, unless it is empty.
func (e *Env) Block(name, said string) {
	if said = strings.TrimRight(said, "\n"); said != "" {
		e.Line("    %s:", name)
		e.Line("      | %s", strings.ReplaceAll(text.Clean(said), "\n", "\n      | "))
	}
}

// Package bench measures rules on commands with a label that says what should become
// of them.
package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of a list.
const (
	maxLine  = 1 << 20 // bytes
	maxCases = 100_000
)

// What is expected of a command.
const (
	Block = "block" // it should be blocked or asked about
	Allow = "allow"
)

// A Case is a command of a list.
type Case struct {
	Line     int    `json:"-"` // in the list, from 1
	Command  string `json:"command"`
	Expected string `json:"expected"` // Block, Allow, or "" where it is not stated
	Class    string `json:"class"`
	Source   string `json:"source"` // whose opinion it is
}

// group is what the case is counted under.
func (c *Case) group() string { return cmp.Or(c.Class, c.Source, "no class") }

// Read reads a list. A line is a JSON object with the keys command, expected, class and
// source (only the first is needed), or else the command itself. Empty lines
// and those that begin with # are left out. An error begins with the line's number.
func Read(r io.Reader) ([]Case, error) {
	var cases []Case
	err := Lines(r, func(n int, line []byte) error {
		c, err := parse(line)
		c.Line = n
		cases = append(cases, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, errors.New("1: there is no command in it: write one a line, or a JSON object such as " + example)
	}
	return cases, nil
}

// Lines calls each with the lines of a list and their numbers, from 1. Empty lines and
// those that begin with # are left out. An error begins with the line's number.
func Lines(r io.Reader, each func(n int, line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n, cases := 1, 0
	for ; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if cases++; cases > maxCases {
			return fmt.Errorf("%d: a list has at most %d cases: split it", n, maxCases)
		}
		if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
			return fmt.Errorf("%d: is not text in UTF-8: save the list as UTF-8", n)
		}
		if err := each(n, line); err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%d: the line has more than %d bytes: leave it out", n, maxLine)
	} else if err != nil {
		return err
	}
	return nil
}

// example is a line that is right.
const example = `{"command": "git push --force", "expected": "block"}`

// parse reads one line.
func parse(line []byte) (c Case, err error) {
	if !isObject(line) {
		return Case{Command: string(line)}, nil
	}
	if err := json.Unmarshal(line, &c); err != nil {
		return c, fmt.Errorf("is not JSON as in %s: %w", example, err)
	}
	switch {
	case strings.TrimSpace(c.Command) == "":
		return c, errors.New("has no command: write it as in " + example)
	case c.Expected != Block && c.Expected != Allow && c.Expected != "":
		return c, fmt.Errorf("expects %q: write %q, %q, or leave expected out", c.Expected, Block, Allow)
	}
	return c, nil
}

// isObject reports whether a line is meant as a JSON object: a group of commands in a
// shell has a word after its brace, which is hardly ever quoted.
func isObject(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("{"))
	rest = bytes.TrimSpace(rest)
	return ok && (len(rest) == 0 || rest[0] == '"' || rest[0] == '}')
}

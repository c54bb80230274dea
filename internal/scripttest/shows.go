package scripttest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// Shows runs a program and wants this exit status, and what a page shows of what is
// printed; see [Shown]:
//
//	shows STATUS FILE PROGRAM [ARG…]
func Shows(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := status(ts, args[2:])
	streams := []string{ts.ReadFile("stdout"), ts.ReadFile("stderr")}
	if args[2] == "person" {
		streams = append(streams, ts.ReadFile("ttyout"))
	}
	printed := strings.Join(streams, "\n")
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d:\n%s", args[2:], got, want, printed)
	}
	if err := Shown(ts.ReadFile(args[1]), streams...); err != nil {
		ts.Fatalf("%s: %v:\n%s", args[2:], err, printed)
	}
}

// variable is what differs between two runs, as a page shows it, and what fits it.
var variable = []struct{ shown, fits *regexp.Regexp }{
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?Z?)?`), nil},
	{regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`), nil},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s)\b`), nil},
	{regexp.MustCompile(`/home/\w+(/[\w.-]+)?`), regexp.MustCompile(`/[\w./-]+?`)},
	{regexp.MustCompile(`\b[a-z]{2,}[a-z2-7]*[2-7][a-z2-7]{3,}(\.\d+)?\b`), regexp.MustCompile(`[a-z2-7]{10}(?:\.\d+)?`)}, // the id of a call
	{regexp.MustCompile(`\b20\d{6}-[0-9a-z]{10}\b`), nil},
	{regexp.MustCompile(`\b[a-z]+-[0-9a-f]{8}\b`), nil},
	{regexp.MustCompile(`sentinel allow [A-Z0-9]{4}\b`), nil},
	{regexp.MustCompile(`type [a-z]{6} and press Enter: [a-z]{6}$`), regexp.MustCompile(`type \w+ and press Enter:( \w+)?`)},
}

// Shown holds what a page shows against what was printed: line for line, and in one piece
// but where it goes on in another stream. A line "…" takes the place of any lines, and … in
// a line of any text. Times, durations, ids and folders in a home may differ. Empty lines
// do not count.
func Shown(shows string, streams ...string) error {
	lines, at := make([][]string, len(streams)), make([]int, len(streams))
	for i, text := range streams {
		lines[i] = full(text)
	}
	in, gap := -1, true
	for _, line := range full(shows) {
		if strings.TrimSpace(line) == "…" {
			gap = true
			continue
		}
		fits, err := regexp.Compile("^" + pattern(line) + "$")
		if err != nil {
			return err
		}
		if in >= 0 && !gap && at[in] < len(lines[in]) && fits.MatchString(lines[in][at[in]]) {
			at[in]++
			continue
		}
		found := false
		for i := range lines {
			n := slices.IndexFunc(lines[i][at[i]:], fits.MatchString)
			if found = n >= 0 && (gap || i != in); found {
				in, at[i], gap = i, at[i]+n+1, false
				break
			}
		}
		if !found {
			return fmt.Errorf("it does not print the line %q there", line)
		}
	}
	return nil
}

// full are the lines of a text that are not empty.
func full(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// pattern is the expression for a line as a page shows it.
func pattern(line string) string {
	var b strings.Builder
	for line != "" {
		from, to, fits := len(line), len(line), ""
		if i := strings.Index(line, "…"); i >= 0 {
			from, to, fits = i, i+len("…"), ".*"
		}
		for _, v := range variable {
			if m := v.shown.FindStringIndex(line); m != nil && m[0] < from {
				from, to, fits = m[0], m[1], v.shown.String()
				if v.fits != nil {
					fits = v.fits.String()
				}
			}
		}
		b.WriteString(regexp.QuoteMeta(line[:from]) + fits)
		line = line[to:]
	}
	return b.String()
}

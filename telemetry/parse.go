package telemetry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// maxLine bounds one line. What this package writes stays below 20 KB, since
// every value is cut.
const maxLine = 1 << 20

// line is a record as it stands in a file, of ours or of an older program.
type line struct {
	Record
	Time    string  `json:"ts"`
	RuleID  *string `json:"rule_id"`
	Blocked bool    `json:"blocked"` // older logs: the violation stopped the action
}

// Parse reads one line of a log, with or without its line end. A line that has
// only the reference's ten keys, or those and the keys "level", "tool",
// "blocked" and "threshold" of older logs, is a full evaluation: its Level is
// [LevelEval] unless it says otherwise, and its Outcome is filled in. Unknown
// keys are ignored, unknown levels are kept.
//
// The error says what is wrong with the line; it never quotes its content.
func Parse(data []byte) (Record, error) {
	r, older, err := parse(data)
	if older && r.Level == LevelEval && r.Violation && r.Confidence < r.Threshold {
		r.Violation, r.NearMiss, r.Outcome = false, true, "pass" // older programs log what the judge said
	}
	return r, err
}

// parse is [Parse]. older says that the line itself has no outcome.
func parse(data []byte) (r Record, older bool, err error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return Record{}, false, fmt.Errorf("telemetry: not a record: %w", withoutContent(err))
	}
	if l.RuleID == nil {
		return Record{}, false, errors.New("telemetry: not a record: no rule_id")
	}
	r = l.Record
	r.RuleID = *l.RuleID
	if r.Time, err = parseTime(l.Time); err != nil {
		return Record{}, false, err
	}
	older = r.Outcome == ""
	complete(&r, l.Blocked)
	return r, older, nil
}

// complete fills in what older lines leave to be understood.
func complete(r *Record, blocked bool) {
	if r.Level == "" {
		r.Level = LevelEval
	}
	if r.Severity == "" && blocked {
		r.Severity = "block"
	}
	if r.Outcome != "" {
		return
	}
	switch r.Level {
	case LevelEval:
		r.Outcome = "pass"
		if r.Violation {
			r.Outcome = "violation"
		}
	case LevelSkipped, LevelUnavailable:
		r.Outcome = r.Level
	}
}

// withoutContent drops what a JSON error quotes of the text.
func withoutContent(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("key %q has a value of the wrong type", strings.TrimPrefix(wrong.Field, "Record."))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("broken JSON at byte %d", syntax.Offset)
	}
	return errors.New("broken JSON")
}

// parseTime reads RFC 3339, and the same without a zone, which older logs hold
// and which means UTC.
func parseTime(s string) (time.Time, error) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && 0 < t.UTC().Year() && t.UTC().Year() <= 9999 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, errors.New(`telemetry: not a record: "ts" is no RFC 3339 time`)
}

// A LineError says which line of a log could not be read.
type LineError struct {
	Line int // 1 is the first
	Err  error
}

// Error returns "line N: reason".
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns Err.
func (e *LineError) Unwrap() error { return e.Err }

// ErrTooLong is the error of a line that is longer than any record.
var ErrTooLong = errors.New("telemetry: line is longer than 1 MB")

// Scan reads a log line by line. A line that cannot be read, such as a torn one
// at the end, yields a [*LineError], and the next line follows. An error of r
// itself is yielded as it is and ends the sequence. Empty lines are passed over.
// Memory is bounded by the length of one line.
func Scan(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			data, readErr := readLine(in)
			if err := lineError(readErr); err != nil || len(data) > 0 {
				var rec Record
				if err == nil {
					rec, err = Parse(data)
				}
				if err != nil {
					err = &LineError{Line: n, Err: err}
				}
				if !yield(rec, err) {
					return
				}
			}
			if readErr != nil && !errors.Is(readErr, ErrTooLong) {
				if !errors.Is(readErr, io.EOF) {
					yield(Record{}, fmt.Errorf("telemetry: reading the log: %w", readErr))
				}
				return
			}
		}
	}
}

// lineError keeps the errors that are about one line.
func lineError(err error) error {
	if errors.Is(err, ErrTooLong) {
		return ErrTooLong
	}
	return nil
}

// readLine returns the next line without its end and blanks around it. Of a line
// that is too long nothing is kept.
func readLine(in *bufio.Reader) ([]byte, error) {
	var long []byte
	tooLong := false
	for {
		piece, err := in.ReadSlice('\n')
		if err == nil && long == nil && !tooLong {
			return bytes.TrimSpace(piece), nil
		}
		if tooLong = tooLong || len(long)+len(piece) > maxLine; tooLong {
			long = nil
		} else {
			long = append(long, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && tooLong:
			return nil, ErrTooLong
		case tooLong:
			return nil, errors.Join(ErrTooLong, err)
		}
		return bytes.TrimSpace(long), err
	}
}

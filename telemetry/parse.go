package telemetry

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// maxLine bounds one line, in bytes. Lines that this package writes are below 20 KB, since
// every value is cut.
const maxLine = 1 << 20

// Parse reads one line of a log, with or without its line end. A line that has
// only the ten keys of the original Python Sentinel, or those and the keys
// "level", "tool", "blocked" and "threshold" of older logs, is a full evaluation:
// its Level is [LevelEval] unless it says otherwise, and its Outcome is filled in. An
// outcome "skipped" in those logs means "could not be judged", which is [LevelUnavailable]
// here. Their lines of the levels context, scribe and debug have no rule_id. Unknown keys
// are ignored, unknown levels are kept. Of a key that occurs twice the last value counts.
//
// The error says what is wrong with the line; it never quotes its content.
func Parse(data []byte) (Record, error) {
	p := parser{limit: maxLine}
	r, _, err := p.parse(data)
	return r, err
}

// A parser reads lines. It is reused, because there are very many of them.
type parser struct {
	scan  jsonscan.Scanner
	line  line
	limit int // of a text, in bytes
}

// parse is [Parse]. older reports that the line itself has no outcome.
func (p *parser) parse(data []byte) (r Record, older bool, err error) {
	p.line = line{}
	s, l := &p.scan, &p.line
	s.Reset(data)
	s.Object(func(key []byte) { p.member(key) })
	switch {
	case !s.End():
		return Record{}, false, fmt.Errorf("telemetry: not a record: broken JSON at byte %d", s.Offset())
	case l.wrong != "":
		return Record{}, false, fmt.Errorf("telemetry: not a record: key %q has a value of the wrong type", l.wrong)
	case !l.named && !l.python():
		return Record{}, false, errors.New("telemetry: not a record: no rule_id")
	}
	if l.Time, err = parseTime(l.time); err != nil {
		return Record{}, false, err
	}
	older = l.Outcome == ""
	l.complete()
	return l.Record, older, nil
}

// A line is a record as a file has it, written by this program or an older one.
type line struct {
	Record
	time    string
	named   bool   // it has a rule_id
	blocked bool   // older logs: the violation stopped the action
	wrong   string // the first key with a value of the wrong type
}

// Levels of the Python Sentinel that this program does not write: advice that was given,
// and what a developer looks for. They are in no figure.
const (
	levelInfo  = "info"
	levelDebug = "debug"
)

// python reports whether a line without a rule is one of the Python Sentinel.
func (l *line) python() bool {
	return l.Outcome == "" && (l.Level == LevelContext || l.Level == LevelScribe || l.Level == levelDebug)
}

// A field is a key of a line and the index of its field in [Record].
type field struct {
	key   string
	index int
}

// The keys of a line that are not plain fields of a record.
const (
	keyTime    = -1
	keyBlocked = -2
)

// fieldOf returns the fields by their keys.
var fieldOf = sync.OnceValue(func() map[string]field {
	fields := map[string]field{}
	for i := range reflect.TypeFor[Record]().NumField() {
		key, _, _ := strings.Cut(reflect.TypeFor[Record]().Field(i).Tag.Get("json"), ",")
		fields[key] = field{key, i}
	}
	fields["ts"], fields["blocked"] = field{"ts", keyTime}, field{"blocked", keyBlocked}
	return fields
})

// place returns where the value of a field belongs.
func (l *line) place(f field) any {
	switch f.index {
	case keyTime:
		return &l.time
	case keyBlocked:
		return &l.blocked
	}
	return reflect.ValueOf(&l.Record).Elem().Field(f.index).Addr().Interface()
}

// member reads the value of one key, and leaves an unknown one. As in encoding/json
// the case of a key does not matter, and null changes nothing.
func (p *parser) member(key []byte) {
	s, l := &p.scan, &p.line
	f, known := fieldOf()[string(key)]
	if !known {
		if f, known = fieldOf()[string(bytes.ToLower(key))]; !known {
			return
		}
	}
	null, ok := s.Null(), true
	if f.key == "rule_id" {
		l.named = !null
	}
	if null {
		return
	}
	switch to := l.place(f).(type) {
	case *string:
		if ok = s.Token() == '"'; ok {
			*to = s.Text(p.limit)
		}
	case *bool:
		*to, ok = s.Flag()
	case *float64:
		*to, ok = s.Float()
	case *int:
		var n int64
		n, ok = s.Integer()
		*to, ok = int(n), ok && int64(int(n)) == n
	}
	if !ok && l.wrong == "" {
		l.wrong = f.key
	}
}

// complete fills in what older lines imply.
func (l *line) complete() {
	if l.Level == "" {
		l.Level = LevelEval
	}
	if l.Severity == "" && l.blocked {
		l.Severity = "block"
	}
	if l.Outcome != "" {
		return
	}
	switch l.Level {
	case LevelEval:
		if l.Violation && l.Confidence < l.Threshold { // older programs log what the judge said
			l.Violation, l.NearMiss = false, true
		}
		l.Outcome = "pass"
		if l.Violation {
			l.Outcome = "violation"
		}
	case LevelSkipped, LevelUnavailable: // this program never leaves the outcome of skipped out
		l.Level, l.Outcome = LevelUnavailable, LevelUnavailable
	case LevelContext, LevelScribe:
		if l.Error != "" {
			l.Outcome = LevelUnavailable
		}
	}
}

// parseTime reads RFC 3339, and the same without a zone, which older logs have
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

// readLine returns the next line without its end and blanks around it. A line
// that is too long is not kept.
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

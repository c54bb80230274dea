package telemetry

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"time"
	"unicode/utf8"
)

// A brief is what aggregating needs of a line. Its slices point into the line or
// into the scanner that made it, and hold until the next line.
type brief struct {
	unix int64 // seconds

	rule, trigger, target, model, backend       []byte
	level, severity, outcome, mode, verdict     []byte
	session, agent, tool, call, failure, reason []byte

	violation, near, cached, tainted bool
	older                            bool // the line does not say its outcome, as those of older programs
	confidence, elapsed, threshold   float64
	prompt, output                   int64
}

// A scanner reads lines into briefs. encoding/json takes several times as long
// as checking that a line is JSON at all; the lines that this package writes have
// one shape, and that is read by hand. Every other line goes to [Parse], so that
// both agree on what a record is.
type scanner struct {
	b       brief
	scratch []byte // texts that stand in the line with escapes
	stamp   [len(stampLayout)]byte
	unix    int64 // that stamp means; many lines in a row share one

	hasRule, hasTime, blocked bool
}

const stampLayout = "2006-01-02T15:04:05Z"

// read returns what a line says. The error is that of [Parse].
func (s *scanner) read(line []byte) (*brief, error) {
	if s.quick(line) {
		return &s.b, nil
	}
	return s.slow(line)
}

// slow reads a line by [Parse].
func (s *scanner) slow(line []byte) (*brief, error) {
	r, older, err := parse(line)
	if err != nil {
		return nil, err
	}
	s.b = brief{
		unix: r.Time.Unix(),
		rule: []byte(r.RuleID), trigger: []byte(r.Trigger), target: []byte(r.Target), model: []byte(r.Model), backend: []byte(r.Backend),
		level: []byte(r.Level), severity: []byte(r.Severity), outcome: []byte(r.Outcome), mode: []byte(r.Mode), verdict: []byte(r.Verdict),
		session: []byte(r.Session), agent: []byte(r.Agent), tool: []byte(r.Tool), call: []byte(r.CallID), failure: []byte(r.Error), reason: []byte(r.Reason),
		violation: r.Violation, near: r.NearMiss, cached: r.Cached, tainted: r.Tainted, older: older,
		confidence: r.Confidence, elapsed: r.ElapsedMS, threshold: r.Threshold, prompt: int64(r.PromptTokens), output: int64(r.OutputTokens),
	}
	return &s.b, nil
}

// quick reads a line of the usual shape; false says nothing about the line.
func (s *scanner) quick(line []byte) bool {
	s.b = brief{}
	s.scratch = s.scratch[:0]
	s.hasRule, s.hasTime, s.blocked = false, false, false
	i := skipBlank(line, 0)
	if i >= len(line) || line[i] != '{' {
		return false
	}
	for i++; ; i++ {
		i = skipBlank(line, i)
		if i >= len(line) || line[i] != '"' {
			return false
		}
		end := bytes.IndexByte(line[i+1:], '"')
		if end < 0 {
			return false
		}
		key := line[i+1 : i+1+end]
		i = skipBlank(line, i+end+2)
		if i >= len(line) || line[i] != ':' {
			return false
		}
		i = skipBlank(line, i+1)
		if i >= len(line) {
			return false
		}
		if i = s.value(key, line, i); i < 0 {
			return false
		}
		i = skipBlank(line, i)
		if i >= len(line) {
			return false
		}
		if line[i] == ',' {
			continue
		}
		return line[i] == '}' && skipBlank(line, i+1) == len(line) && s.whole()
	}
}

// whole ends a line that was read: what older lines leave out is filled in.
func (s *scanner) whole() bool {
	if !s.hasRule || !s.hasTime {
		return false
	}
	b := &s.b
	b.older = len(b.outcome) == 0
	if len(b.level) == 0 {
		b.level = bytesEval
	}
	if len(b.severity) == 0 && s.blocked {
		b.severity = bytesBlock
	}
	if len(b.outcome) > 0 {
		return true
	}
	switch string(b.level) {
	case LevelEval:
		b.outcome = bytesPass
		if b.violation {
			b.outcome = bytesViolation
		}
	case LevelSkipped, LevelUnavailable:
		b.outcome = b.level
	}
	return true
}

var (
	bytesEval      = []byte(LevelEval)
	bytesBlock     = []byte("block")
	bytesPass      = []byte("pass")
	bytesViolation = []byte("violation")
)

// A kind is the type that a known key's value must have.
type kind uint8

const (
	kindUnknown kind = iota
	kindText
	kindBool
	kindNumber
	kindWhole
)

// kindOf is the type of a key's value.
func kindOf(key []byte) kind {
	switch string(key) {
	case "ts", "rule_id", "trigger", "target", "reason", "model", "backend", "level", "severity", "outcome", "session", "agent", "tool",
		"call_id", "error", "derived_from", "mode", "by", "id", "would", "verdict":
		return kindText
	case "violation", "near_miss", "cached", "muted", "tainted", "blocked":
		return kindBool
	case "confidence", "elapsed_ms", "threshold", "waited_ms":
		return kindNumber
	case "prompt_tokens", "output_tokens", "rules_matched", "rules_judged", "rules_unavailable":
		return kindWhole
	}
	return kindUnknown
}

// value reads the value of a key and returns where it ends, -1 if it is not of
// the usual shape.
func (s *scanner) value(key, line []byte, i int) int {
	switch kindOf(key) {
	case kindText:
		return s.text(key, line, i)
	case kindBool:
		v, end := boolean(line, i)
		if end < 0 {
			return -1
		}
		switch string(key) {
		case "violation":
			s.b.violation = v
		case "near_miss":
			s.b.near = v
		case "cached":
			s.b.cached = v
		case "tainted":
			s.b.tainted = v
		case "blocked":
			s.blocked = v
		}
		return end
	case kindNumber:
		v, _, end := number(line, i)
		switch string(key) {
		case "confidence":
			s.b.confidence = v
		case "elapsed_ms":
			s.b.elapsed = v
		case "threshold":
			s.b.threshold = v
		}
		return end
	case kindWhole:
		v, whole, end := number(line, i)
		if end < 0 || !whole || v > math.MaxInt {
			return -1
		}
		switch string(key) {
		case "prompt_tokens":
			s.b.prompt = int64(v)
		case "output_tokens":
			s.b.output = int64(v)
		}
		return end
	}
	return skipUnknown(key, line, i)
}

// skipUnknown passes over the value of a key that this version does not know.
// encoding/json takes a key in another case for one that it knows; those, and
// values that hold others, are left to it.
func skipUnknown(key, line []byte, i int) int {
	for _, c := range key {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return -1
		}
	}
	switch c := line[i]; {
	case c == '"':
		end, _ := textEnd(line, i+1)
		return end
	case c == 't' || c == 'f':
		_, end := boolean(line, i)
		return end
	case '0' <= c && c <= '9':
		_, _, end := number(line, i)
		return end
	}
	return -1
}

// text reads a text. Of those that nobody asks for, only the end is found.
func (s *scanner) text(key, line []byte, i int) int {
	if line[i] != '"' {
		return -1
	}
	end, plain := textEnd(line, i+1)
	if end < 0 {
		return -1
	}
	to := s.place(key)
	if to == nil && string(key) != "ts" {
		return end
	}
	v := line[i+1 : end-1]
	if !plain {
		if v, plain = s.unescape(v); !plain {
			return -1
		}
	}
	if to == nil {
		if !s.time(v) {
			return -1
		}
		return end
	}
	*to = v
	return end
}

// place is where the text of a key goes, nil if nowhere.
func (s *scanner) place(key []byte) *[]byte {
	b := &s.b
	switch string(key) {
	case "rule_id":
		s.hasRule = true
		return &b.rule
	case "trigger":
		return &b.trigger
	case "target":
		return &b.target
	case "model":
		return &b.model
	case "backend":
		return &b.backend
	case "level":
		return &b.level
	case "severity":
		return &b.severity
	case "outcome":
		return &b.outcome
	case "session":
		return &b.session
	case "agent":
		return &b.agent
	case "tool":
		return &b.tool
	case "call_id":
		return &b.call
	case "reason":
		return &b.reason
	case "error":
		return &b.failure
	case "mode":
		return &b.mode
	case "verdict":
		return &b.verdict
	}
	return nil
}

// time reads a time as this package writes it.
func (s *scanner) time(v []byte) bool {
	if len(v) != len(s.stamp) {
		return false
	}
	if s.unix == 0 || !bytes.Equal(v, s.stamp[:]) {
		t, err := time.Parse(stampLayout, string(v))
		if err != nil || t.Year() < 1 || t.Unix() == 0 {
			return false
		}
		copy(s.stamp[:], v)
		s.unix = t.Unix()
	}
	s.b.unix, s.hasTime = s.unix, true
	return true
}

func skipBlank(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n') {
		i++
	}
	return i
}

func boolean(line []byte, i int) (v bool, end int) {
	switch {
	case bytes.HasPrefix(line[i:], []byte("true")):
		return true, i + 4
	case bytes.HasPrefix(line[i:], []byte("false")):
		return false, i + 5
	}
	return false, -1
}

// number reads a number of at most 15 digits and no exponent. Such a number and
// the power of ten are exact in binary, so their quotient is the nearest value,
// as strconv gives it.
func number(line []byte, i int) (v float64, whole bool, end int) {
	begin := i
	var mantissa uint64
	for i < len(line) && line[i]-'0' < 10 {
		mantissa = mantissa*10 + uint64(line[i]-'0')
		i++
	}
	digits := i - begin
	if digits == 0 || digits > 15 || digits > 1 && line[begin] == '0' {
		return 0, false, -1
	}
	if i == len(line) || line[i] != '.' {
		if i < len(line) && (line[i] == 'e' || line[i] == 'E') {
			return 0, false, -1
		}
		return float64(mantissa), true, i
	}
	point := i
	for i++; i < len(line) && line[i]-'0' < 10; i++ {
		if digits++; digits > 15 {
			return 0, false, -1
		}
		mantissa = mantissa*10 + uint64(line[i]-'0')
	}
	if i == point+1 || i < len(line) && (line[i] == 'e' || line[i] == 'E') {
		return 0, false, -1
	}
	return float64(mantissa) / powersOfTen[i-point-1], false, i
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks the bytes of w that are a quote, a backslash, a control character
// or no ASCII. Marks above the lowest one may be wrong.
func special(w uint64) uint64 {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w | w) & highs
}

// textEnd returns the place behind a text's closing quote, -1 if the text is not
// good JSON. plain says that it stands for itself: ASCII and no escapes.
func textEnd(line []byte, i int) (end int, plain bool) {
	plain = true
	for {
		for i+8 <= len(line) {
			m := special(binary.LittleEndian.Uint64(line[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(line) {
			return -1, false
		}
		switch c := line[i]; {
		case c == '"':
			return i + 1, plain
		case c == '\\':
			n := escapeLen(line[i:])
			if n == 0 {
				return -1, false
			}
			plain = false
			i += n
		case c < 0x20:
			return -1, false
		default:
			plain = plain && c < utf8.RuneSelf
			i++
		}
	}
}

// escapeLen is the length of the escape that s begins with, 0 if it is none.
func escapeLen(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(s[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape returns the text that v stands for. Surrogates and broken UTF-8, which
// encoding/json replaces, are left to it.
func (s *scanner) unescape(v []byte) (text []byte, ok bool) {
	if !utf8.Valid(v) {
		return nil, false
	}
	begin := len(s.scratch)
	for len(v) > 0 {
		n := bytes.IndexByte(v, '\\')
		if n < 0 {
			if begin == len(s.scratch) {
				return v, true // nothing is escaped
			}
			n = len(v)
		}
		s.scratch = append(s.scratch, v[:n]...)
		if v = v[n:]; len(v) == 0 {
			break
		}
		r, size := rune(v[1]), 2
		switch v[1] {
		case 'b':
			r = '\b'
		case 'f':
			r = '\f'
		case 'n':
			r = '\n'
		case 'r':
			r = '\r'
		case 't':
			r = '\t'
		case 'u':
			r, _ = hex4(v[2:])
			size = 6
			if 0xD800 <= r && r < 0xE000 {
				return nil, false
			}
		}
		s.scratch = utf8.AppendRune(s.scratch, r)
		v = v[size:]
	}
	return s.scratch[begin:], true
}

package state

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// The lines of a trace are, each with its seal behind it:
//
//	h {"agent": …, "session": …, "dir": …, "part": 1}
//	s BEGAN PROCESS ID ARGUMENTS TOOL
//	c PATH BEGAN
//	e BEGAN PROCESS TOOK OUTCOME
//
// PATH is the digest of one that the call creates.
// Numbers are hexadecimal and of a fixed width. A line that was torn is left out, and
// the next one is read.

// traceSum is how long the seal of a line is, in bytes.
const traceSum = 8

// A traceSeal seals the lines of one file. It is for one goroutine.
type traceSeal struct {
	key  []byte
	kind string // of what the file holds
	file string
	mac  hash.Hash
	room [2 * traceSum]byte
}

func (t *Trace) seal(file string) *traceSeal {
	key := t.key()
	return newTraceSeal(key, "trace 1 ", file)
}

func newTraceSeal(key []byte, kind, file string) *traceSeal {
	return &traceSeal{key: key, kind: kind, file: strings.TrimSuffix(file, olderFile), mac: hmac.New(sha256.New, key)}
}

// sum is the seal of a line.
func (s *traceSeal) sum(line []byte) []byte {
	s.mac.Reset()
	s.mac.Write([]byte(s.kind + s.file)) // of a fixed length
	s.mac.Write(line)
	var full [sha256.Size]byte
	hex.Encode(s.room[:], s.mac.Sum(full[:0])[:traceSum])
	return s.room[:]
}

// line appends a line with its seal.
func (s *traceSeal) line(b []byte, line string) []byte {
	b = append(b, line...)
	b = append(b, ' ')
	return append(append(b, s.sum([]byte(line))...), '\n')
}

// parse reads lines. An end belongs to the beginning before it.
func (s *traceSeal) parse(data []byte) (calls []Traced, heads []traceHead) {
	if len(s.key) == 0 {
		return nil, nil
	}
	open := map[string]int{} // the index of a call by its key
	for line := range bytes.Lines(data) {
		text, ok := s.verified(line)
		if !ok {
			continue
		}
		kind, said := text[0], string(text[2:])
		switch kind {
		case 'h':
			var h traceHead
			if json.Unmarshal([]byte(said), &h) == nil {
				heads = append(heads, h)
			}
		case 's':
			if c, ok := parseBegin(said); ok {
				open[c.key()] = len(calls)
				calls = append(calls, c)
			}
		case 'e':
			parseEnd(said, calls, open)
		}
	}
	return calls, heads
}

// verified is a line without its seal and its end; ok is false where the seal is not right.
func (s *traceSeal) verified(line []byte) (text []byte, ok bool) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	cut := len(line) - 2*traceSum - 1
	if len(s.key) == 0 || cut < 2 || line[cut] != ' ' || !hmac.Equal(s.sum(line[:cut]), line[cut+1:]) {
		return nil, false
	}
	return line[:cut], true
}

// traceKey is the length of the words that join the two lines of a call.
const traceKey = 16 + 1 + 8

// traceOutcome is where the outcome is in a line about an end.
const traceOutcome = 2 + traceKey + 1 + 8 + 1

// unjudged are the lines about calls without an end, or whose hook failed. Seals are
// not looked at, which would cost every hook: a call that a forged end hides here is
// found by a reader of the whole trace.
func unjudged(tail []byte) (lines []byte) {
	for at := 0; at < len(tail); {
		line := firstLine(tail[at:])
		at += len(line)
		if len(line) < 2+traceKey || line[0] != 's' {
			continue
		}
		var end [2 + traceKey]byte
		copy(end[:], line)
		end[0] = 'e'
		switch i := bytes.Index(tail[at:], end[:]); {
		case i < 0:
			lines = append(lines, line...)
		case at+i+traceOutcome < len(tail) && tail[at+i+traceOutcome] == byte(TraceFailed):
			lines = append(append(lines, line...), firstLine(tail[at+i:])...)
		}
	}
	return lines
}

// firstLine is the first line of some, with its end.
func firstLine(lines []byte) []byte {
	if n := bytes.IndexByte(lines, '\n'); n >= 0 {
		return lines[:n+1]
	}
	return lines
}

// parseBegin reads the content of a line about the beginning of a call.
func parseBegin(said string) (c Traced, ok bool) {
	words := strings.Split(said, " ")
	if len(words) != 5 {
		return c, false
	}
	var n [4]uint64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseUint(words[i], 16, 64); err != nil {
			return c, false
		}
	}
	c = Traced{Began: time.UnixMicro(int64(n[0])), Process: int(int32(n[1])), ID: n[2], Args: n[3], Tool: words[4]}
	return c, c.Tool == traceName(c.Tool)
}

// parseEnd closes the call that a line about an end names.
func parseEnd(said string, calls []Traced, open map[string]int) {
	if len(said) != traceKey+1+8+1+1 {
		return
	}
	i, ok := open[said[:traceKey]]
	ms, err := strconv.ParseUint(said[traceKey+1:traceKey+9], 16, 32)
	if o := Outcome(said[len(said)-1]); ok && err == nil && o.known() {
		calls[i].Outcome, calls[i].Took = o, time.Duration(ms)*time.Millisecond
	}
}

// maxTraceName bounds the name of a tool in a trace, in bytes.
const maxTraceName = 40

// traceName is the beginning of a tool's name in one word.
func traceName(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".:_-?", r) {
			return r
		}
		return '?'
	}, name)
	if name == "" {
		return "?"
	}
	return name[:min(len(name), maxTraceName)]
}

// Bounds of what is looked at of arguments.
const (
	maxArgText  = 4 << 10 // the beginning of a text, in bytes
	maxArgDepth = 32
)

// ArgsDigest represents the arguments of a call: the order of members, white space,
// escapes and line ends behind a text have no part in it. Only the beginning of a long
// text counts.
func ArgsDigest(args json.RawMessage) uint64 {
	s := jsonscan.Bytes(args)
	return digestValue(s, 0)
}

func digestValue(s *jsonscan.Scanner, depth int) uint64 {
	switch token := s.Token(); {
	case depth > maxArgDepth:
		s.Skip()
		return 1
	case token == '"':
		return CallDigest("\"" + strings.TrimRight(s.Text(maxArgText), "\r\n"))
	case token == '{':
		sum := uint64(3)
		s.Object(func(key []byte) {
			name := string(key)
			sum += CallDigest(fmt.Sprintf("%q %x", name, digestValue(s, depth+1))) // in any order
		})
		return sum
	case token == '[':
		sum := uint64(5)
		s.Array(func() { sum = CallDigest(fmt.Sprintf("%x %x", sum, digestValue(s, depth+1))) })
		return sum
	}
	raw, _ := s.Raw(maxArgText, nil)
	return CallDigest("=" + string(slices.Clone(raw)))
}

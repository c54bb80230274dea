package state

import (
	"bytes"
	"os"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// The seal of a line also covers the seal of a line before it, the last one that its writer saw: a
// line that was taken out, or put at another place, leaves one behind it that does not verify. See
// factend.go for lines at the end of a file.

// Kinds of the seals of facts. Those of the first kind cover their own line alone.
const (
	factSealed  = "facts 1 "
	factChained = "facts 2 "
)

const (
	// maxBetween is how many lines of other processes may come between a line and the one that its
	// seal covers.
	maxBetween = 1024
	// maxTries bounds the seals that are computed for one reading. Lines that are out of place
	// take many.
	maxTries = 20_000
	// maxVerified bounds the lines that [factReader.broken] verifies, the last ones.
	maxVerified = 1000
)

// sealOf is the seal of a line as it is written; nil for one that was torn.
func sealOf(line []byte) []byte {
	end := len(line) - 1
	if end < 2*traceSum || line[end] != '\n' {
		return nil
	}
	return line[end-2*traceSum : end]
}

// lastSeal is the seal of the last line of a file, or of the older file where it has none yet. torn
// says that the file ends within a line, empty that it has none.
func lastSeal(file *os.File, path string) (seal []byte, torn, empty bool) {
	info, err := file.Stat()
	if empty = err == nil && info.Size() == 0; empty {
		older, found, err := safefile.OpenNoFollow(path+olderFile, os.O_RDONLY, 0)
		if err != nil {
			return nil, false, true
		}
		defer older.Close()
		file, info = older, found
	}
	if info == nil {
		return nil, false, empty
	}
	end := tail(file, info.Size())
	lines := bytes.TrimRight(end[:bytes.LastIndexByte(end, '\n')+1], "\n")
	return sealOf(append(lines[:len(lines):len(lines)], '\n')), len(end) > 0 && end[len(end)-1] != '\n', empty
}

// after returns a seal for the line behind the one with a seal.
func (s *traceSeal) after(before []byte) *traceSeal {
	next := *s
	next.kind = factChained + string(before)
	return &next
}

// verified reports whether the line of an order is where it was written.
func (r *factReader) verified(line []byte, order int) bool {
	if order > 1 && r.fits(line, r.seal.after(r.seals[order-2])) || r.fits(line, r.seal) {
		return true
	}
	for i := order - 3; i >= max(0, order-3-maxBetween); i-- {
		if r.fits(line, r.seal.after(r.seals[i])) {
			return true
		}
	}
	first := order <= maxBetween && r.fits(line, r.seal.after(nil))
	return first || order == 1 && r.lost // the line before it was forgotten
}

func (r *factReader) fits(line []byte, seal *traceSeal) bool {
	if r.tries++; r.tries > maxTries {
		return false
	}
	_, ok := seal.verified(line)
	return ok
}

// broken returns the order of the last line after an order that is not where it was written, or 0. Each
// line is verified once. It may be called concurrently.
func (r *factReader) broken(after int) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.cut {
		return len(r.all) + 1
	}
	for r.whole > max(after, r.bad, len(r.all)-maxVerified) {
		if !r.verified(r.all[r.whole-1], r.whole) {
			r.bad = r.whole
			break
		}
		r.whole--
	}
	if r.bad > after {
		return r.bad
	}
	return 0
}

// chain adds lines to a file's end, each with a seal that covers the one before, and returns the last
// seal. torn says that the file ends within a line.
func (f *Facts) chain(file *os.File, seal *traceSeal, c FactCall, list []facts.Fact, before []byte, torn bool) ([]byte, error) {
	var lines []byte
	if torn { // else the first one would be a part of it
		lines = append(lines, '\n')
	}
	for i := range list {
		lines = seal.after(before).line(lines, f.line(c, &list[i]))
		before = bytes.Clone(sealOf(lines))
	}
	_, err := file.Write(lines)
	return before, err
}

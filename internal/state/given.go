package state

import (
	"bytes"
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
)

// Given remembers which texts an agent was given in a session, so that a warning
// is not repeated word for word. Only digests are kept. It may be used
// concurrently, by many processes.
//
// A record is sealed with the user's key, so that no other program can make a text
// count as given and have it left out.
type Given struct {
	dir string
	key func() []byte
	now func() time.Time
}

// NewGiven keeps its records in files of dir, one for each session, sealed with the
// [Key] of the folder above dir. Nothing is touched before the first text. A nil now
// means time.Now.
func NewGiven(dir string, now func() time.Time) *Given {
	if now == nil {
		now = time.Now
	}
	return &Given{dir, keyAbove(dir), now}
}

// GivenIn keeps the texts that agents and users got, in the user's state folder.
func GivenIn(stateDir string, now func() time.Time) *Given {
	return NewGiven(filepath.Join(stateDir, "told"), now)
}

const (
	// maxGiven bounds the texts of one session; beyond, the older half is
	// forgotten and may be given again.
	maxGiven = 2000
	// The end of a session is not reported, so sessions are forgotten by age and
	// number.
	givenAge    = 7 * 24 * time.Hour
	maxSessions = 1000
)

// Repeated reports whether the text of a rule was given in the session before: at
// any time, or if within is more than 0, in that time. If it was not, it counts
// as given from now on. If several processes ask at once, exactly one gets false.
//
// Asking again does not change the time at which a text was given: with 30 seconds
// a text is given every 30 seconds however often it applies. Where nothing can be
// kept the answer is false: a repeated text does less harm than a missing one. A
// session without a name, "", may be any session, so its texts are remembered only
// if within is more than 0.
func (g *Given) Repeated(session, ruleID, text string, within time.Duration) bool {
	if session == "" && within <= 0 {
		return false
	}
	seal := givenSeal{g.key(), fileName(session)}
	if len(seal.key) == 0 {
		return false
	}
	f, err := openLocked(g.path(session), g.tidy)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := readShared(f)
	if err != nil {
		return false
	}
	id := givenID(ruleID, text)
	now := g.now()
	last, at := seal.find(data, id)
	if at >= 0 && (within <= 0 || fresh(now.Sub(last), within)) {
		return true
	}
	note(f, data, at, seal.append(nil, givenRecord{id, now}))
	return false
}

// Forget forgets the texts of a session. It is for the moment at which the agent
// itself forgets them: when it compacts or clears its context.
func (g *Given) Forget(session string) error {
	path := g.path(session)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := openLocked(path, g.tidy)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(0)
}

func (g *Given) path(session string) string { return filepath.Join(g.dir, fileName(session)) }

func (g *Given) tidy(dir string) { prune(dir, isFileName, givenAge, maxSessions) }

// note writes the record r over the one at at, or behind the last one when at is below
// 0. It fails silently: then the text will be given again.
func note(f *os.File, data []byte, at int, r []byte) {
	count := len(data) / givenSize // a torn record at the end is written over
	switch {
	case at >= 0:
		f.WriteAt(r, int64(at)*givenSize)
	case count < maxGiven:
		f.WriteAt(r, int64(count)*givenSize)
	default:
		kept := append(bytes.Clone(data[(count-maxGiven/2)*givenSize:count*givenSize]), r...)
		if f.Truncate(0) == nil {
			f.WriteAt(kept, 0)
		}
	}
}

// A givenRecord takes givenSize bytes: the digest of rule and text, the time in
// milliseconds since 1970, the seal of both.
type givenRecord struct {
	id   [16]byte
	when time.Time
}

const (
	givenBody = 16 + 8
	givenSize = givenBody + 8
)

func givenID(ruleID, text string) (id [16]byte) {
	sum := digest.List(ruleID, text)
	copy(id[:], sum[:])
	return id
}

// A givenSeal seals the records of one session's file.
type givenSeal struct {
	key  []byte
	file string
}

func (s givenSeal) append(b []byte, r givenRecord) []byte {
	start := len(b)
	b = append(b, r.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.when.UnixMilli()))
	return append(b, s.sum(b[start:])...)
}

func (s givenSeal) sum(body []byte) []byte {
	return keyed(s.key, []byte("given 1 "+s.file), body)[:givenSize-givenBody] // a file's name has a fixed length
}

// find returns when the text id was given last and the index of its record; an index
// below 0 if it was not given. Records that do not verify are skipped.
func (s givenSeal) find(data []byte, id [16]byte) (when time.Time, at int) {
	for i := 0; (i+1)*givenSize <= len(data); i++ {
		r := data[i*givenSize : (i+1)*givenSize]
		if [16]byte(r[:16]) == id && hmac.Equal(s.sum(r[:givenBody]), r[givenBody:]) {
			return time.UnixMilli(int64(binary.LittleEndian.Uint64(r[16:]))), i
		}
	}
	return time.Time{}, -1
}

package state

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Told remembers which texts an agent was given in a session, so that a warning
// is not repeated word for word. Only digests are kept. It may be used
// concurrently, by many processes.
type Told struct {
	dir string
	now func() time.Time
}

// NewTold keeps what was told in files of dir, one for each session. Nothing is
// touched before the first text. A nil now means time.Now.
func NewTold(dir string, now func() time.Time) *Told {
	if now == nil {
		now = time.Now
	}
	return &Told{dir, now}
}

const (
	// maxTold bounds the texts of one session; beyond, the older half is
	// forgotten and may be told again.
	maxTold = 2000
	// Sessions end without a word, so they are forgotten by age and number.
	toldAge     = 7 * 24 * time.Hour
	maxSessions = 1000
)

// Told reports whether the text of a rule was given in the session before: at
// any time, or if within is more than 0, in that time. If it was not, it counts
// as given from now on. Of several processes that ask at once exactly one is
// told false.
//
// A text that was given does not count anew when it is asked for again, so that
// with a time of 30 seconds it is given every 30 seconds however often it
// applies. Where nothing can be kept the answer is false: a repeated text does
// less harm than a missing one. An unknown session, "", is nobody's in
// particular, so it remembers only for a time.
func (t *Told) Told(session, ruleID, text string, within time.Duration) bool {
	if session == "" && within <= 0 {
		return false
	}
	f, err := openLocked(t.path(session), t.tidy)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := readShared(f)
	if err != nil {
		return false
	}
	id := toldID(ruleID, text)
	now := t.now()
	last, at := findTold(data, id)
	if at >= 0 && (within <= 0 || fresh(now.Sub(last), within)) {
		return true
	}
	note(f, data, at, toldRecord{id, now})
	return false
}

// Forget forgets what was told in a session. It is for the moment at which the
// agent itself forgets: when it compacts or clears its context.
func (t *Told) Forget(session string) error {
	path := t.path(session)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := openLocked(path, t.tidy)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(0)
}

func (t *Told) path(session string) string { return filepath.Join(t.dir, fileName(session)) }

func (t *Told) tidy(dir string) { prune(dir, isFileName, toldAge, maxSessions) }

// fresh reports whether age lies within the time. One from the future, after the
// clock was set back, does not.
func fresh(age, within time.Duration) bool { return age >= 0 && age < within }

// note writes r over the record at at, or behind the last one when at is below
// 0. It fails silently: then the text will be told again.
func note(f *os.File, data []byte, at int, r toldRecord) {
	count := len(data) / toldSize // a torn record at the end is written over
	switch {
	case at >= 0:
		f.WriteAt(r.append(nil), int64(at)*toldSize)
	case count < maxTold:
		f.WriteAt(r.append(nil), int64(count)*toldSize)
	default:
		kept := r.append(data[(count-maxTold/2)*toldSize : count*toldSize : count*toldSize])
		if f.Truncate(0) == nil {
			f.WriteAt(kept, 0)
		}
	}
}

// A toldRecord takes toldSize bytes: the digest of rule and text, the time in
// milliseconds since 1970, a checksum over both.
type toldRecord struct {
	id   [16]byte
	when time.Time
}

const toldSize = 16 + 8 + 4

func toldID(ruleID, text string) (id [16]byte) {
	sum := digestOf(ruleID, text)
	copy(id[:], sum[:])
	return id
}

func (r toldRecord) append(b []byte) []byte {
	start := len(b)
	b = append(b, r.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.when.UnixMilli()))
	return binary.LittleEndian.AppendUint32(b, checksum(b[start:]))
}

// findTold returns when the text id was told last and the index of its record;
// an index below 0 when it was not. Damaged records are passed over.
func findTold(data []byte, id [16]byte) (when time.Time, at int) {
	for i := 0; (i+1)*toldSize <= len(data); i++ {
		r := data[i*toldSize : (i+1)*toldSize]
		body := r[:toldSize-4]
		if [16]byte(r[:16]) == id && checksum(body) == binary.LittleEndian.Uint32(r[toldSize-4:]) {
			return time.UnixMilli(int64(binary.LittleEndian.Uint64(r[16:]))), i
		}
	}
	return time.Time{}, -1
}

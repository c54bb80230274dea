package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Usage is what model calls used.
type Usage struct {
	Calls     int64
	Tokens    int64   // of prompts and answers
	Money     float64 // in the unit of the configured prices
	Estimated int64   // calls whose tokens were not reported: they are estimated
}

// Ledger records day by day what model calls use, for all processes of the user.
// It may be used concurrently.
//
// Each call is one record, appended in one write, so that no process waits for
// another and a crash loses one record at most.
type Ledger struct {
	dir string

	mu    sync.Mutex
	day   string
	read  int64 // how far the day's file was added up
	usage Usage
}

// NewLedger keeps records in files of dir, one for each day. Nothing is touched
// before the first Add.
func NewLedger(dir string) *Ledger { return &Ledger{dir: dir} }

// dayLayout names the days, and their files.
const dayLayout = time.DateOnly

// keptDays is how many days are kept: the last two months.
const keptDays = 62

// Add records one call on day, as YYYY-MM-DD.
func (l *Ledger) Add(day string, tokens int64, money float64, estimated bool) error {
	path, err := l.path(day)
	if err != nil {
		return err
	}
	r := ledgerRecord{tokens: tokens, money: money, estimated: estimated}
	if !r.valid() {
		return fmt.Errorf("state: %d tokens for %v cannot be recorded", tokens, money)
	}
	f, err := l.openAppend(path)
	if err != nil {
		return err
	}
	_, err = f.Write(r.append(nil))
	return errors.Join(err, f.Close())
}

// openAppend opens a day's file. If it makes the file, it removes old ones.
func (l *Ledger) openAppend(path string) (*os.File, error) {
	return openPrivate(path, os.O_WRONLY|os.O_APPEND, func(dir string) { prune(dir, isDay, math.MaxInt64, keptDays-1) })
}

// Used returns what the calls of day, as YYYY-MM-DD, used together.
func (l *Ledger) Used(day string) (tokens int64, money float64, err error) {
	u, err := l.Usage(day)
	return u.Tokens, u.Money, err
}

// Calls returns how many calls were recorded on day, as YYYY-MM-DD.
func (l *Ledger) Calls(day string) (int64, error) {
	u, err := l.Usage(day)
	return u.Calls, err
}

// Count records a call; only the number of calls is kept.
func (l *Ledger) Count(day string) error { return l.Add(day, 0, 0, false) }

// Usage adds up day, as YYYY-MM-DD. A Ledger reads each record only once.
func (l *Ledger) Usage(day string) (Usage, error) {
	path, err := l.path(day)
	if err != nil {
		return Usage{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.day != day {
		l.day, l.read, l.usage = day, 0, Usage{}
	}
	f, info, err := safefile.OpenPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		l.read, l.usage = 0, Usage{}
		return Usage{}, nil
	}
	if err != nil {
		return Usage{}, named(path, err)
	}
	defer f.Close()
	if info.Size() < l.read { // the file was replaced
		l.read, l.usage = 0, Usage{}
	}
	err = l.addUp(io.NewSectionReader(f, l.read, info.Size()-l.read))
	return l.usage, err
}

// ledgerChunk is read at once: the records of 2,048 calls.
const ledgerChunk = 2048 * ledgerSize

// addUp adds the records of r to the usage.
func (l *Ledger) addUp(r io.Reader) error {
	buf := make([]byte, ledgerChunk)
	have := 0
	for {
		n, err := io.ReadFull(r, buf[have:])
		have += n
		done := l.usage.addRecords(buf[:have])
		l.read += int64(done)
		have = copy(buf, buf[done:have])
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil
		case err != nil:
			return fmt.Errorf("state: %w", err)
		}
	}
}

func (l *Ledger) path(day string) (string, error) {
	if !isDay(day) {
		return "", fmt.Errorf("state: %q is no day; write it as YYYY-MM-DD", day)
	}
	return filepath.Join(l.dir, day), nil
}

func isDay(name string) bool {
	_, err := time.Parse(dayLayout, name)
	return err == nil
}

// A ledgerRecord takes ledgerSize bytes: the magic, 1 if it is an estimate, the
// tokens, the money, a checksum over all of it.
type ledgerRecord struct {
	tokens    int64
	money     float64
	estimated bool
}

const (
	ledgerMagic = "SL1"
	ledgerSize  = len(ledgerMagic) + 1 + 8 + 8 + 4
)

func (r ledgerRecord) valid() bool {
	return r.tokens >= 0 && r.money >= 0 && !math.IsInf(r.money, 0) // NaN >= 0 is false
}

func (r ledgerRecord) append(b []byte) []byte {
	start := len(b)
	b = append(b, ledgerMagic...)
	if r.estimated {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(r.tokens))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.money))
	return binary.LittleEndian.AppendUint32(b, checksum(b[start:]))
}

func decodeLedger(b []byte) (r ledgerRecord, ok bool) {
	if len(b) < ledgerSize || string(b[:len(ledgerMagic)]) != ledgerMagic {
		return ledgerRecord{}, false
	}
	b = b[:ledgerSize]
	r.estimated = b[3] == 1
	r.tokens = int64(binary.LittleEndian.Uint64(b[4:]))
	r.money = math.Float64frombits(binary.LittleEndian.Uint64(b[12:]))
	sum := binary.LittleEndian.Uint32(b[ledgerSize-4:])
	return r, sum == checksum(b[:ledgerSize-4]) && r.valid()
}

// addRecords adds the whole records of b and returns how many bytes are done
// with. Where a record is damaged or torn the next one is looked for byte by
// byte.
func (u *Usage) addRecords(b []byte) (done int) {
	for done+ledgerSize <= len(b) {
		r, ok := decodeLedger(b[done:])
		if !ok {
			done++
			continue
		}
		u.add(r)
		done += ledgerSize
	}
	return done
}

func (u *Usage) add(r ledgerRecord) {
	u.Calls++
	if r.estimated {
		u.Estimated++
	}
	if u.Tokens += r.tokens; u.Tokens < 0 {
		u.Tokens = math.MaxInt64
	}
	u.Money += r.money
}

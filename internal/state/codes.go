package state

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Codes keeps the calls that were stopped and that a person may let through, each
// under a short code. It may be used concurrently, by many processes.
//
// What cannot be read or was damaged is no permission. A process of the user's
// own could write the file; what keeps an agent from it is that its commands and
// writes are looked at, not this package.
type Codes struct {
	path string
	now  func() time.Time
}

// NewCodes keeps calls in the file at path. Nothing is touched before the first
// call. A nil now means time.Now.
func NewCodes(path string, now func() time.Time) *Codes {
	if now == nil {
		now = time.Now
	}
	return &Codes{path, now}
}

const (
	// AllowedFor is how long a call may pass once a person has allowed it.
	AllowedFor = 10 * time.Minute
	// codeAge is how long a code can be entered after the call was stopped.
	codeAge = time.Hour
	// maxStopped bounds the calls that are kept; the oldest go first.
	maxStopped = 32
	// MaxDetail bounds Stopped.Detail, in bytes; a longer one is not kept.
	MaxDetail = maxShared / maxStopped * 3 / 4

	// codeAlphabet has no characters that are taken for others: 0 and O, 1, I
	// and L, 2 and Z, 5 and S, 8 and B, U and V.
	codeAlphabet = "ACDEFGHJKMNPQRTVWXY34679"
	codeLength   = 4
)

// What keeps a code from being used.
var (
	ErrNoCode   = errors.New("not a code")
	ErrUnknown  = errors.New("no call waits for this code")
	ErrCodeUsed = errors.New("the call was let through already")
)

// A Stopped call waits for a person.
type Stopped struct {
	Code    string          `json:"code"`
	Action  string          `json:"action"`  // digest of all that the call does
	Project string          `json:"project"` // folder that the call belongs to
	At      time.Time       `json:"at"`      // when it was stopped last
	Allowed time.Time       `json:"allowed,omitzero"`
	By      string          `json:"by,omitempty"` // who allowed it
	Used    time.Time       `json:"used,omitzero"`
	Detail  json.RawMessage `json:"detail,omitempty"` // what a person is shown, and the log is told
}

// live reports whether the call may pass now.
func (s *Stopped) live(now time.Time) bool {
	return !s.Allowed.IsZero() && s.Used.IsZero() && fresh(now.Sub(s.Allowed), AllowedFor)
}

// gone reports whether nothing can come of the call any more. What was used is
// kept for as long as its code could be entered, to say so.
func (s *Stopped) gone(now time.Time) bool {
	if !s.Allowed.IsZero() && s.Used.IsZero() {
		return !s.live(now)
	}
	return !fresh(now.Sub(s.At), codeAge)
}

// Stop answers for a call that is about to be stopped. If a person has allowed it,
// that is used up, and allowed is what they allowed. Else the code is returned
// under which they can. s tells the call; its Code, times and By are not looked at.
func (c *Codes) Stop(s Stopped) (code string, allowed *Stopped, err error) {
	if len(s.Detail) > MaxDetail {
		s.Detail = nil
	}
	err = c.change(func(all []Stopped, now time.Time) []Stopped {
		at := slices.IndexFunc(all, func(o Stopped) bool { return o.Action == s.Action && o.Used.IsZero() })
		if at >= 0 && all[at].live(now) {
			all[at].Used = now
			used := all[at]
			allowed = &used
			return all
		}
		if at >= 0 {
			s.Code = all[at].Code
			all = slices.Delete(all, at, at+1)
		} else {
			s.Code = freshCode(all)
		}
		s.At, s.Allowed, s.Used, s.By = now, time.Time{}, time.Time{}, ""
		code = s.Code
		return append(all, s)
	})
	if err != nil {
		return "", nil, err // nothing that was not written down counts
	}
	return code, allowed, nil
}

// Granted reports whether a person has allowed the call, without using that up.
func (c *Codes) Granted(action string) bool {
	all, err := c.read()
	now := c.now()
	return err == nil && slices.ContainsFunc(all, func(s Stopped) bool { return s.Action == action && s.live(now) })
}

// Find returns the call that waits for a code, which may be written in small
// letters.
func (c *Codes) Find(code string) (Stopped, error) {
	code, err := parseCode(code)
	if err != nil {
		return Stopped{}, err
	}
	all, err := c.read()
	if err != nil {
		return Stopped{}, err
	}
	return find(all, code, c.now())
}

// Allow lets the call pass once, within [AllowedFor]. by is who says so. A call
// that is allowed already stays so for as long as it was.
func (c *Codes) Allow(code, by string) (s Stopped, err error) {
	if code, err = parseCode(code); err != nil {
		return Stopped{}, err
	}
	var missing error
	err = c.change(func(all []Stopped, now time.Time) []Stopped {
		if s, missing = find(all, code, now); missing != nil || s.live(now) {
			return all
		}
		s.Allowed, s.By = now, by
		at := slices.IndexFunc(all, func(o Stopped) bool { return o.Code == code })
		all[at] = s
		return all
	})
	return s, errors.Join(err, missing)
}

func find(all []Stopped, code string, now time.Time) (Stopped, error) {
	for _, s := range all {
		switch {
		case s.Code != code || s.gone(now):
		case !s.Used.IsZero():
			return Stopped{}, fmt.Errorf("state: %w", ErrCodeUsed)
		default:
			return s, nil
		}
	}
	return Stopped{}, fmt.Errorf("state: %w", ErrUnknown)
}

func parseCode(code string) (string, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	if len(code) != codeLength || strings.Trim(code, codeAlphabet) != "" {
		return "", fmt.Errorf("state: %w: it has %d letters and digits of %s", ErrNoCode, codeLength, codeAlphabet)
	}
	return code, nil
}

// freshCode returns a code that nothing else has. It is random: whoever knows the
// call does not know its code.
func freshCode(all []Stopped) string {
	for {
		code := randomCode()
		if !slices.ContainsFunc(all, func(s Stopped) bool { return s.Code == code }) {
			return code
		}
	}
}

func randomCode() string {
	const fair = 256 / len(codeAlphabet) * len(codeAlphabet) // above it some letters would be likelier
	code := make([]byte, 0, codeLength)
	for b := make([]byte, 1); len(code) < codeLength; {
		rand.Read(b) // never fails (crypto/rand since Go 1.24)
		if int(b[0]) < fair {
			code = append(code, codeAlphabet[int(b[0])%len(codeAlphabet)])
		}
	}
	return string(code)
}

// stoppedFile is the content of the file.
type stoppedFile struct {
	Stopped []Stopped `json:"stopped"`
}

// read returns the calls without taking the lock. One that is just being written
// cannot be read, and is asked for again under the lock by whoever needs it.
func (c *Codes) read() ([]Stopped, error) {
	f, _, err := safefile.OpenPrivate(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, named(c.path, err)
	}
	defer f.Close()
	if err := waitLock(f); err != nil {
		return nil, err
	}
	return readStopped(f)
}

func readStopped(f *os.File) ([]Stopped, error) {
	data, err := readShared(f)
	if err != nil {
		return nil, err
	}
	var content stoppedFile
	if json.Unmarshal(data, &content) != nil {
		return nil, nil // torn by a process that was killed: no permission is lost that cannot be given again
	}
	return content.Stopped, nil
}

// change writes what edit makes of the calls that still count, under the lock.
func (c *Codes) change(edit func(all []Stopped, now time.Time) []Stopped) error {
	f, err := openLocked(c.path, func(string) {})
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := readStopped(f)
	if err != nil {
		return err
	}
	now := c.now()
	all = slices.DeleteFunc(all, func(s Stopped) bool { return s.gone(now) })
	all = bounded(edit(all, now), now)
	data, err := json.Marshal(stoppedFile{all})
	if err != nil {
		return err
	}
	return rewrite(f, data)
}

// bounded drops the oldest calls beyond maxStopped, and those that a person has
// allowed last of all: an agent that is stopped again and again must not push
// them out.
func bounded(all []Stopped, now time.Time) []Stopped {
	for len(all) > maxStopped {
		at := slices.IndexFunc(all, func(s Stopped) bool { return !s.live(now) })
		all = slices.Delete(all, max(at, 0), max(at, 0)+1)
	}
	return all
}

// rewrite replaces the content of an open file. A reader that meets half of it
// reads no JSON.
func rewrite(f *os.File, data []byte) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(data, 0)
	return err
}

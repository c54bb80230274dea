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

// Approvals keeps the calls that were stopped and that a user may approve, each
// under a short code. It may be used concurrently, by many processes.
//
// The file is sealed with the user's key. A file that does not verify, or
// was damaged, approves nothing, and is forgotten at the next stop.
type Approvals struct {
	path string
	seal Sealing
	now  func() time.Time
}

// NewApprovals keeps calls in the file at path. Nothing is touched before the first
// call. A nil now means time.Now.
func NewApprovals(path string, seal Sealing, now func() time.Time) *Approvals {
	if now == nil {
		now = time.Now
	}
	return &Approvals{path, seal, now}
}

// approvalsKind is what the seal names.
const approvalsKind = "approvals 1"

const (
	// AllowedFor is how long a call may pass once a user has approved it.
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

// A Stopped call waits for a user.
type Stopped struct {
	Code    string          `json:"code"`
	Action  string          `json:"action"`  // digest of all that the call does
	Project string          `json:"project"` // folder that the call belongs to
	At      time.Time       `json:"at"`      // when it was stopped last
	Allowed time.Time       `json:"allowed,omitzero"`
	By      string          `json:"by,omitempty"` // who allowed it
	Used    time.Time       `json:"used,omitzero"`
	Detail  json.RawMessage `json:"detail,omitempty"` // shown to the user, and logged
}

// live reports whether the call may pass now.
func (s *Stopped) live(now time.Time) bool {
	return !s.Allowed.IsZero() && s.Used.IsZero() && fresh(now.Sub(s.Allowed), AllowedFor)
}

// gone reports whether the call can no longer be approved or pass. A used approval
// is kept for as long as its code could be entered, so that the user hears of it.
func (s *Stopped) gone(now time.Time) bool {
	if !s.Allowed.IsZero() && s.Used.IsZero() {
		return !s.live(now)
	}
	return !fresh(now.Sub(s.At), codeAge)
}

// Stop answers for a call that is about to be stopped. If a user has approved it,
// the approval is used up and returned as allowed. Else the code for an approval is
// returned. s describes the call; its Code, times and By are ignored.
func (a *Approvals) Stop(s Stopped) (code string, allowed *Stopped, err error) {
	if len(s.Detail) > MaxDetail {
		s.Detail = nil
	}
	err = a.change(func(all []Stopped, now time.Time) []Stopped {
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
		return "", nil, err // an approval counts only if it is written
	}
	return code, allowed, nil
}

// Granted reports whether a user has approved the call, without using that up.
func (a *Approvals) Granted(action string) bool {
	all, err := a.read()
	now := a.now()
	return err == nil && slices.ContainsFunc(all, func(s Stopped) bool { return s.Action == action && s.live(now) })
}

// Find returns the call that waits for a code, which may be written in small
// letters.
func (a *Approvals) Find(code string) (Stopped, error) {
	code, err := parseCode(code)
	if err != nil {
		return Stopped{}, err
	}
	all, err := a.read()
	if err != nil {
		return Stopped{}, err
	}
	return find(all, code, a.now())
}

// Allow lets the call pass once, within [AllowedFor]. by names the user. The
// time of a call that is allowed already does not change.
func (a *Approvals) Allow(code, by string) (s Stopped, err error) {
	if code, err = parseCode(code); err != nil {
		return Stopped{}, err
	}
	var missing error
	err = a.change(func(all []Stopped, now time.Time) []Stopped {
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

// Waiting are the calls that wait for a user, those that were stopped last first.
func (a *Approvals) Waiting() ([]Stopped, error) {
	all, err := a.read()
	now := a.now()
	all = slices.DeleteFunc(all, func(s Stopped) bool { return s.gone(now) || !s.Allowed.IsZero() })
	slices.SortStableFunc(all, func(a, b Stopped) int { return b.At.Compare(a.At) })
	return all, err
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

// freshCode returns a code that no other call has. It is random: the code cannot be
// found from the call.
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

// read returns the calls, under the lock of the file; none if there is no file.
func (a *Approvals) read() ([]Stopped, error) {
	f, _, err := safefile.OpenPrivate(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, named(a.path, err)
	}
	defer f.Close()
	if err := waitLock(f); err != nil {
		return nil, err
	}
	return a.readStopped(f)
}

func (a *Approvals) readStopped(f *os.File) ([]Stopped, error) {
	data, err := readShared(f)
	if err != nil {
		return nil, err
	}
	var content stoppedFile
	if json.Unmarshal(a.seal.open(approvalsKind, "the calls that wait for a person", a.path, data), &content) != nil {
		return nil, nil // torn by a process that was killed: the user can approve again
	}
	return content.Stopped, nil
}

// change writes what edit makes of the calls that still count, under the lock.
func (a *Approvals) change(edit func(all []Stopped, now time.Time) []Stopped) error {
	f, err := openLocked(a.path, func(string) {})
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := a.readStopped(f)
	if err != nil {
		return err
	}
	now := a.now()
	all = slices.DeleteFunc(all, func(s Stopped) bool { return s.gone(now) })
	all = bounded(edit(all, now), now)
	data, err := json.Marshal(stoppedFile{all})
	if err != nil {
		return err
	}
	return a.seal.rewrite(f, approvalsKind, a.path, data)
}

// bounded drops the oldest calls beyond maxStopped, and approved ones last: an agent
// that is stopped again and again must not push them out.
func bounded(all []Stopped, now time.Time) []Stopped {
	for len(all) > maxStopped {
		at := slices.IndexFunc(all, func(s Stopped) bool { return !s.live(now) })
		all = slices.Delete(all, max(at, 0), max(at, 0)+1)
	}
	return all
}

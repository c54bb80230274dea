package state

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/filelock"
)

// Claims lets one of several processes that see the same call judge it, while the
// others wait for its answer. It may be used concurrently, by many processes.
//
// A call is claimed by the lock of a file, which the kernel releases when the
// process dies: the next process then judges. There is a fixed number of files, so
// that none has to be removed. Two calls that share a file do not wait for each
// other; each process that asks about the second one then judges it.
//
// What is passed on is sealed with the user's key. An answer that does not verify is
// ignored: the process judges.
type Claims struct {
	dir  string
	seal Sealing
	now  func() time.Time
}

// NewClaims keeps the files of calls in dir. Nothing is touched before the first
// call. A nil now means time.Now.
func NewClaims(dir string, seal Sealing, now func() time.Time) *Claims {
	if now == nil {
		now = time.Now
	}
	return &Claims{dir, seal, now}
}

// claimsKind is what the seal names.
const claimsKind = "claims 1"

const (
	// claimWindow is how long an answer holds for processes that come late. Hooks
	// of one call are started together or right after each other; an agent that
	// tries again asks its model in between.
	claimWindow = 3 * time.Second
	// maxAnswer bounds an answer, in bytes; a larger one is not passed on.
	maxAnswer = 128 << 10
	// unreadableTries is how often a claimed file is looked at that never had a note that
	// verifies: its holder writes the note at once, or is not this program.
	unreadableTries = 20
)

// A Call names a call, as far as two processes can agree about it.
type Call struct {
	Session string
	Action  string // digest of all that the call does
	ID      string // the agent's own id of the call; "" when it sends none
}

// A Claim is the right to judge a call. A nil Claim can be used: it holds nothing.
type Claim struct {
	file *os.File
	seal Sealing
	note claimNote
	now  func() time.Time
}

// claimNote is the content of a file.
type claimNote struct {
	Key      string          `json:"key"`
	ID       string          `json:"id,omitempty"`
	Answered time.Time       `json:"answered,omitzero"`
	Answer   json.RawMessage `json:"answer,omitempty"`
}

// is reports whether the note is about the call, as key names it: two ids that
// differ are two calls.
func (n claimNote) is(key string, c Call) bool {
	return n.Key == key && (n.ID == "" || c.ID == "" || n.ID == c.ID)
}

// answers reports whether the note holds an answer to the call.
func (n claimNote) answers(key string, c Call) bool { return n.is(key, c) && len(n.Answer) > 0 }

// Take returns the claim, if this process has to judge, or gives use the answer of
// another process. It waits for that answer as long as ctx lasts; the error is then
// that of ctx. An answer that use does not accept is ignored. A call that cannot be claimed
// has a nil claim and no answer: each process that asks judges it.
func (s *Claims) Take(ctx context.Context, c Call, use func(answer []byte) bool) (claim *Claim, answered bool, err error) {
	key := fileName(c.Session, c.Action)
	f, err := s.open(key)
	if err != nil {
		return nil, false, nil // no file can be locked; the call is judged all the same
	}
	waited, seen := false, false
	pause := 200 * time.Microsecond
	for try := 0; ; try++ {
		err := filelock.Try(f)
		note, readable := s.readNote(f)
		seen = seen || readable // then it is unreadable only while its holder writes the answer
		switch {
		case err == nil:
			if note.answers(key, c) && (waited || fresh(s.now().Sub(note.Answered), claimWindow)) && use(note.Answer) {
				f.Close()
				return nil, true, nil
			}
			return s.taken(f, key, c), false, nil
		case !errors.Is(err, filelock.ErrHeld) || readable && !note.is(key, c) || !seen && try > unreadableTries:
			f.Close()
			return nil, false, nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, false, context.Cause(ctx)
		case <-time.After(pause):
			waited = true // then the answer is meant for this call, however slow this process is
			pause = min(2*pause, 5*time.Millisecond)
		}
	}
}

// taken writes which call is claimed into a file whose lock was taken. It returns
// nil if that fails.
func (s *Claims) taken(f *os.File, key string, c Call) *Claim {
	claim := &Claim{file: f, seal: s.seal, note: claimNote{Key: key, ID: c.ID}, now: s.now}
	if err := claim.write(); err != nil {
		f.Close()
		return nil
	}
	return claim
}

// open opens the file of a call.
func (s *Claims) open(key string) (*os.File, error) {
	return openPrivate(filepath.Join(s.dir, key[:2]), os.O_RDWR, func(string) {})
}

// readNote reads the note in a file. Without its lock the note may be half written,
// and is then not readable.
func (s *Claims) readNote(f *os.File) (n claimNote, ok bool) {
	data, err := readShared(f)
	if err != nil {
		return claimNote{}, false
	}
	data, err = s.seal.of(claimsKind).Open(filepath.Base(f.Name()), data)
	if err != nil || json.Unmarshal(data, &n) != nil {
		return claimNote{}, false
	}
	return n, true
}

func (c *Claim) write() error {
	data, err := json.Marshal(c.note)
	if err != nil {
		return err
	}
	return c.seal.rewrite(c.file, claimsKind, c.file.Name(), data)
}

// Finish passes the answer on to the processes that wait and ends the claim. A nil
// answer passes nothing on: the next process judges.
func (c *Claim) Finish(answer []byte) {
	if c == nil || c.file == nil {
		return
	}
	if len(answer) > 0 && len(answer) <= maxAnswer {
		c.note.Answer, c.note.Answered = answer, c.now()
		_ = c.write() // a process that cannot read it judges
	}
	c.file.Close()
	c.file = nil
}

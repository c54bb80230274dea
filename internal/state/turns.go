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

// Turns lets one of several processes that see the same call judge it, while the
// others wait for what it answers. It may be used concurrently, by many processes.
//
// A call is held by the lock of a file, which the kernel gives back when its
// process dies: the next one then judges. There is a fixed number of files, so
// that nothing has to be cleared away. Two calls that meet in one file do not
// wait for each other; one of them is then judged by whoever asks.
type Turns struct {
	dir string
	now func() time.Time
}

// NewTurns keeps the files of calls in dir. Nothing is touched before the first
// call. A nil now means time.Now.
func NewTurns(dir string, now func() time.Time) *Turns {
	if now == nil {
		now = time.Now
	}
	return &Turns{dir, now}
}

const (
	// turnWindow is how long an answer holds for processes that come late. Hooks
	// of one call are started together or right after each other; an agent that
	// tries again asks its model in between.
	turnWindow = 3 * time.Second
	// maxAnswer bounds an answer, in bytes; a larger one is not passed on.
	maxAnswer = 128 << 10
)

// A Call names a call, as far as two processes can agree about it.
type Call struct {
	Session string
	Action  string // digest of all that the call does
	ID      string // the agent's own id of the call; "" when it sends none
}

// A Turn is the right to judge a call. A nil one can be used: it holds nothing.
type Turn struct {
	file *os.File
	note turnNote
	now  func() time.Time
}

// turnNote is the content of a file.
type turnNote struct {
	Key      string          `json:"key"`
	ID       string          `json:"id,omitempty"`
	Answered time.Time       `json:"answered,omitzero"`
	Answer   json.RawMessage `json:"answer,omitempty"`
}

// is reports whether the note is about the call, as key names it: two ids that
// differ are two calls.
func (n turnNote) is(key string, c Call) bool {
	return n.Key == key && (n.ID == "" || c.ID == "" || n.ID == c.ID)
}

// answers reports whether the note holds an answer to the call.
func (n turnNote) answers(key string, c Call) bool { return n.is(key, c) && len(n.Answer) > 0 }

// Take returns the turn, if it is this process that has to judge, or gives use
// what another process has answered. It waits for that one as long as ctx lasts; the error is
// then that of ctx. An answer that use does not accept counts as none. Where
// nothing can be held the turn is nil and there is no answer: the call is judged by
// whoever asks.
func (t *Turns) Take(ctx context.Context, c Call, use func(answer []byte) bool) (turn *Turn, answered bool, err error) {
	key := fileName(c.Session, c.Action)
	f, err := t.open(key)
	if err != nil {
		return nil, false, nil // nothing can be held, which is no reason not to judge
	}
	waited := false
	pause := 200 * time.Microsecond
	for {
		err := filelock.Try(f)
		note, readable := readNote(f)
		switch {
		case err == nil:
			if note.answers(key, c) && (waited || fresh(t.now().Sub(note.Answered), turnWindow)) && use(note.Answer) {
				f.Close()
				return nil, true, nil
			}
			return t.taken(f, key, c), false, nil
		case !errors.Is(err, filelock.ErrHeld) || readable && !note.is(key, c):
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

// taken notes whose turn it is in a file whose lock was taken. It returns nil
// where that cannot be written.
func (t *Turns) taken(f *os.File, key string, c Call) *Turn {
	turn := &Turn{file: f, note: turnNote{Key: key, ID: c.ID}, now: t.now}
	if err := turn.write(); err != nil {
		f.Close()
		return nil
	}
	return turn
}

// open opens the file that a call falls into.
func (t *Turns) open(key string) (*os.File, error) {
	return openPrivate(filepath.Join(t.dir, key[:2]), os.O_RDWR, func(string) {})
}

// readNote reads what stands in a file. Without its lock the note may be half
// written, and is then not readable.
func readNote(f *os.File) (n turnNote, ok bool) {
	data, err := readShared(f)
	if err != nil || json.Unmarshal(data, &n) != nil {
		return turnNote{}, false
	}
	return n, true
}

func (t *Turn) write() error {
	data, err := json.Marshal(t.note)
	if err != nil {
		return err
	}
	return rewrite(t.file, data)
}

// Finish passes the answer on to whoever waits and ends the turn. A nil answer
// passes nothing on: the next process judges.
func (t *Turn) Finish(answer []byte) {
	if t == nil || t.file == nil {
		return
	}
	if len(answer) > 0 && len(answer) <= maxAnswer {
		t.note.Answer, t.note.Answered = answer, t.now()
		_ = t.write() // who cannot read it judges
	}
	t.file.Close()
	t.file = nil
}

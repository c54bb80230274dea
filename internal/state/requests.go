package state

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Requests keeps the last requests of the person in each session, as hooks saw them. It
// may be used concurrently, by many processes.
//
// The file of a session is sealed with the user's key: another program could put words
// into the person's mouth. One that does not verify has no requests.
type Requests struct {
	dir  string
	seal Sealing
	now  func() time.Time
}

// NewRequests keeps requests in files of dir, one for each session. Nothing is touched
// before the first request. A nil now means time.Now.
func NewRequests(dir string, seal Sealing, now func() time.Time) *Requests {
	if now == nil {
		now = time.Now
	}
	return &Requests{dir, seal, now}
}

const (
	// requestsKind is what the seal names.
	requestsKind = "requests 1"
	// maxRequests is how many requests of a session count.
	maxRequests = 3
	// requestAge is how long a request counts.
	requestAge = 12 * time.Hour
	// closedAge is how long it is remembered that a session is closed.
	closedAge = 60 * 24 * time.Hour
	// maxRequest bounds a request, in bytes. A longer one has to be cut before.
	maxRequest = 32 << 10
)

// A request is one that is kept.
type request struct {
	At   time.Time `json:"at"`
	Dir  string    `json:"dir"` // the folder of the session then
	Text string    `json:"text"`
}

// heard is the content of a file.
type heard struct {
	Requests []request `json:"requests"`
	// Closed says that the agent sends itself prompts, which cannot be told from
	// the user's.
	Closed bool `json:"closed,omitempty"`
}

// Add keeps a request; the same one again counts once, and as the last. An empty text says
// that the session was sent something which is not known to be the person's.
func (r *Requests) Add(session, dir, text string) error {
	if len(text) > maxRequest {
		text = ""
	}
	return r.change(session, func(all *heard) {
		all.Requests = slices.DeleteFunc(all.Requests, func(old request) bool { return old.Text == text })
		all.Requests = append(all.Requests, request{r.now(), dir, text})
		all.Requests = all.Requests[max(0, len(all.Requests)-maxRequests):]
	})
}

// Close says that from now on no request of a session counts.
func (r *Requests) Close(session string) error {
	return r.change(session, func(all *heard) { *all = heard{Closed: true} })
}

// Forget forgets the requests of a session.
func (r *Requests) Forget(session string) error {
	if _, err := os.Lstat(r.path(session)); err != nil {
		return nil // the usual case makes no file
	}
	return r.change(session, func(all *heard) { all.Requests = nil })
}

func (r *Requests) change(session string, change func(*heard)) error {
	path := r.path(session)
	f, err := openLocked(path, r.tidy)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := r.read(f, path)
	if err != nil {
		return err
	}
	change(&all)
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return r.seal.rewrite(f, requestsKind, path, data)
}

// Last returns the last requests of a session, the oldest first. There are none if the last
// one was made in another folder than dir: its names mean something else here.
func (r *Requests) Last(session, dir string) (texts []string) {
	path := r.path(session)
	if _, err := os.Lstat(path); err != nil {
		return nil // the usual case makes no file
	}
	f, err := openLocked(path, r.tidy)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := r.read(f, path)
	now := r.now()
	if n := len(all.Requests); n == 0 || all.Requests[n-1].Dir != dir || all.Requests[n-1].Text == "" {
		return nil
	}
	for _, one := range all.Requests {
		if one.Text != "" && !all.Closed && fresh(now.Sub(one.At), requestAge) {
			texts = append(texts, one.Text)
		}
	}
	return texts
}

func (r *Requests) read(f *os.File, path string) (all heard, err error) {
	data, err := readShared(f)
	if err == nil && json.Unmarshal(r.seal.open(requestsKind, "the requests of a session", path, data), &all) != nil {
		return heard{}, nil
	}
	return all, err
}

func (r *Requests) path(session string) string { return filepath.Join(r.dir, fileName(session)) }

func (r *Requests) tidy(dir string) { prune(dir, isFileName, closedAge, maxSessions) }

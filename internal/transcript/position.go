package transcript

import (
	"encoding/json"
	"io"
	"slices"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
)

// A Position is the place where reading resumes. It shows when the file is another one than
// the file that was read: rotated, truncated or replaced. It is comparable and encodes as
// JSON. The zero Position is the beginning.
//
// A damaged Position does no harm: the file is then read from its beginning.
type Position struct {
	Offset int64  `json:"offset"`           // in bytes, behind the last complete line that was read
	Digest string `json:"digest,omitempty"` // of the beginning of the file and of the bytes before Offset
	State  string `json:"state,omitempty"`  // the reader's state at Offset; JSON
}

// How much of a file a digest covers, in bytes.
const (
	headSize = 4 << 10
	lastSize = 512
)

// digestAt is that of what a reader at offset has seen of the file. It is "" when
// the file is shorter than that.
func digestAt(src io.ReaderAt, offset int64) (string, error) {
	if offset <= 0 {
		return "", nil
	}
	head, last := min(offset, headSize), min(offset, lastSize)
	b := make([]byte, head+last)
	for _, part := range []struct {
		b  []byte
		at int64
	}{{b[:head], 0}, {b[head:], offset - last}} {
		if n, err := src.ReadAt(part.b, part.at); n < len(part.b) {
			if err == io.EOF {
				return "", nil
			}
			return "", err
		}
	}
	return digest.Hex(b)[:32], nil
}

// known is a reader's knowledge of the lines before its offset. Every field is
// bounded, so a Position is too.
type known struct {
	Agent   string     `json:"agent,omitempty"`
	Origin  string     `json:"origin,omitempty"` // of a journal: the agent of its events
	Format  string     `json:"format,omitempty"` // where no format is called like the agent
	Session string     `json:"session,omitempty"`
	Dir     string     `json:"dir,omitempty"`
	Sub     bool       `json:"sub,omitempty"`
	Open    []openCall `json:"open,omitempty"`  // calls without a result yet, oldest first
	Seen    []message  `json:"seen,omitempty"`  // messages that may be written again, oldest first
	Count   int        `json:"count,omitempty"` // messages of a document that were read
}

// openCall is a call whose result has not been read.
type openCall struct {
	ID   string `json:"id"`
	Tool string `json:"tool,omitempty"`
	Meta bool   `json:"meta,omitempty"` // left out, and so is its result

	Quiet  bool  `json:"quiet,omitempty"` // left out, and so is its result unless it failed
	Failed bool  `json:"failed,omitempty"`
	Denied bool  `json:"denied,omitempty"` // its outcome, known before its result
	Came   uint8 `json:"came,omitempty"`   // a sentinel.Result; a number, as in older positions
}

// maxOpen bounds the calls without a result. An agent runs few at a time.
const maxOpen = 32

// opened notes a call. Like the other methods it does not change the old list, so that
// copies of the state stay valid.
func (st *known) opened(c openCall) {
	if c.ID == "" {
		return
	}
	open := make([]openCall, 0, len(st.Open)+1)
	for _, o := range st.Open {
		if o.ID != c.ID {
			open = append(open, o)
		}
	}
	open = append(open, c)
	st.Open = open[max(0, len(open)-maxOpen):]
}

// closed returns the call of a result, and removes it.
func (st *known) closed(id string) (c openCall, ok bool) {
	i := st.index(id)
	if i < 0 {
		return openCall{}, false
	}
	c = st.Open[i]
	st.Open = slices.Concat(st.Open[:i:i], st.Open[i+1:])
	return c, true
}

// ended notes the outcome of a call before its result. It reports whether there is
// such a call.
func (st *known) ended(id string, came sentinel.Result, failed, denied bool) bool {
	i := st.index(id)
	if i < 0 {
		return false
	}
	if failed || denied || came != sentinel.ResultUnknown {
		st.Open = slices.Clone(st.Open)
		st.Open[i].Failed, st.Open[i].Denied, st.Open[i].Came = failed || denied, denied, uint8(settled(sentinel.Result(st.Open[i].Came), came))
	}
	return true
}

// index is the index of a call without a result, or -1.
func (st *known) index(id string) int {
	if id == "" {
		return -1
	}
	return slices.IndexFunc(st.Open, func(c openCall) bool { return c.ID == id })
}

// maxState bounds what is decoded of a Position, in bytes.
const maxState = 64 << 10

// decodeState reads the state of a Position. ok is false when it is not one.
func decodeState(text string) (st known, ok bool) {
	if text == "" {
		return st, true
	}
	if len(text) > maxState || json.Unmarshal([]byte(text), &st) != nil {
		return known{}, false
	}
	st.Open = st.Open[max(0, len(st.Open)-maxOpen):]
	st.Seen = st.Seen[max(0, len(st.Seen)-maxSeen):]
	st.Count = max(st.Count, 0)
	return st, true
}

func (st *known) encode() string {
	b, err := json.Marshal(st)
	if err != nil || string(b) == "{}" {
		return ""
	}
	return string(b)
}

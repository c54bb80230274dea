package transcript

import "io"

// documentDigest is in the position of a document instead of a digest, because every
// change rewrites the whole document.
const documentDigest = "document"

// A document is a chat recording of Gemini CLI in one JSON value: {"sessionId",
// …, "messages": […]}. It has no lines to resume from, so a position counts messages.
// The last ones are read again, because they may have grown.
type document struct {
	inside bool // the list of messages has begun
	done   bool
	index  int // of the next message
	count  int // messages before the position
}

// element reads one message.
func (r *Reader) element() error {
	d, s := r.doc, r.scan
	s.Document = true
	if !d.inside && !d.done {
		if r.header(); !d.inside && s.OK() && !s.Broken() { // it has lines now, or another form
			s.Document = false
			r.doc, r.format, r.state, r.at, r.restarted = nil, nil, known{}, 0, true
			return nil
		}
	}
	if !d.inside || d.done || !s.OK() || s.Token() != '{' {
		return r.finished()
	}
	w := &r.row
	w.reset()
	start := s.Offset()
	s.Object(func(key []byte) { w.member(s, key) })
	switch next := s.Token(); {
	case !s.OK():
		return r.finished()
	case next == ',':
		s.Take(',')
	}
	w.finish()
	d.index++
	r.state.Count = max(r.state.Count, d.index)
	r.at = s.Offset()
	if w.message != "" && !w.skip && (d.index > d.count || r.state.remembers(w.message)) {
		r.hold(w, start)
	}
	return nil
}

// header reads up to the list of messages.
func (r *Reader) header() {
	d, s := r.doc, r.scan
	s.GoTo(0)
	session, sub := "", false
	if !s.Take('{') {
		return
	}
	for s.OK() && !d.inside {
		key := string(s.Key())
		if !s.Take(':') {
			return
		}
		switch key {
		case "sessionId":
			session = s.Text(maxName)
		case "kind":
			sub = s.Text(maxName) == "subagent"
		case "messages":
			d.inside = s.Take('[')
			continue
		default:
			s.Skip()
		}
		if s.Token() != ',' {
			return
		}
		s.Take(',')
	}
	if r.state.Session != "" && r.state.Session != session {
		r.state, r.restarted = known{Agent: r.state.Agent, Format: r.state.Format}, true
		d.count = 0
	}
	r.state.Session, r.state.Sub = session, sub
}

// finished ends a document. If it has fewer messages than before, the user took some
// back: the next ones are new.
func (r *Reader) finished() error {
	if !r.doc.done {
		r.doc.done = true
		if r.scan.OK() {
			r.state.Count = r.doc.index
		}
		r.release()
	}
	if len(r.queue) > 0 {
		return nil
	}
	if r.scan.Err() != nil {
		return r.end()
	}
	return io.EOF
}

package transcript

import "io"

// documentDigest stands in the position of a document in the place of a digest:
// all of it is written anew at every change.
const documentDigest = "document"

// A document is a chat recording of Gemini CLI in one JSON value: {"sessionId",
// …, "messages": […]}. It has no lines to go on from, so a position counts
// messages, and those that are remembered are looked at again for what was added
// to them.
type document struct {
	inside bool // the list of messages has begun
	done   bool
	index  int // of the next message
	count  int // messages that the position had behind it
}

// element reads one message.
func (r *Reader) element() error {
	d, s := r.doc, r.scan
	s.doc = true
	if !d.inside && !d.done {
		if r.header(); !d.inside && s.live() && !s.bad { // lines now, or another shape altogether
			s.doc = false
			r.doc, r.format, r.state, r.at, r.restarted = nil, nil, known{}, 0, true
			return nil
		}
	}
	if !d.inside || d.done || !s.live() || s.token() != '{' {
		return r.finished()
	}
	w := &r.row
	w.reset()
	start := s.offset()
	s.fresh = true
	s.object(func(key []byte) { w.member(s, key) })
	switch next := s.token(); {
	case !s.live():
		return r.finished()
	case next == ',':
		s.r++
	}
	w.finish()
	d.index++
	r.state.Count = max(r.state.Count, d.index)
	r.at = s.offset()
	if w.message != "" && !w.skip && (d.index > d.count || r.state.remembers(w.message)) {
		r.hold(w, start)
	}
	return nil
}

// header reads up to the list of messages.
func (r *Reader) header() {
	d, s := r.doc, r.scan
	s.seek(0)
	session, sub := "", false
	if s.token() != '{' {
		s.fail()
		return
	}
	s.r++
	for s.live() && !d.inside {
		key := string(s.key())
		if !s.take(':') {
			return
		}
		s.fresh = true
		switch key {
		case "sessionId":
			session = s.text(maxName)
		case "kind":
			sub = s.text(maxName) == "subagent"
		case "messages":
			d.inside = s.take('[')
			continue
		default:
			s.skip()
		}
		if s.token() != ',' {
			return
		}
		s.r++
	}
	if r.state.Session != "" && r.state.Session != session {
		r.state, r.restarted = known{Agent: r.state.Agent, Format: r.state.Format}, true
		d.count = 0
	}
	r.state.Session, r.state.Sub = session, sub
}

// finished ends a document. One with fewer messages than were read has been taken
// back: what is added to it next is new.
func (r *Reader) finished() error {
	if !r.doc.done {
		r.doc.done = true
		if r.scan.live() {
			r.state.Count = r.doc.index
		}
		r.release()
	}
	if len(r.queue) > 0 {
		return nil
	}
	if r.scan.err != nil {
		return r.end()
	}
	return io.EOF
}

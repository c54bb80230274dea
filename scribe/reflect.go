package scribe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// A checkpoint is how far a session was read.
type checkpoint struct {
	Position transcript.Position `json:"position"`
	Session  string              `json:"session"`
	Changed  time.Time           `json:"changed"`
}

const (
	maxCheckpoint = 256 << 10
	// checkpointAge is the age at which a session is over.
	checkpointAge = 60 * 24 * time.Hour
	// maxArgs bounds the arguments of a call that are kept for cases.
	maxArgs = 4 << 10
)

// Reflect reads the part of a session's transcript that it has not read before,
// keeps the conventions in it as observations, and writes drafts for them and for
// waiting ones of earlier sessions.
//
// An error that wraps [sentinel.ErrBusy] says that another process reflects on
// the session or that the GPU was taken. An error loses nothing: the next run reads the
// unread part and tries missing drafts again. The error of a missing transcript is
// fs.ErrNotExist.
func Reflect(ctx context.Context, s Session, opts *Options) (Result, error) {
	o := opts.filled()
	r, err := o.newRun()
	if err != nil {
		return Result{Drafts: []string{}}, err
	}
	name := digestOf(s.Agent, s.ID, s.Transcript)
	done, taken := state.NewLocks(filepath.Join(o.stateDir(), "locks")).Try(name)
	defer done()
	if !taken {
		return r.result, fmt.Errorf("scribe: session %s: %w: another process reflects on it", sentence(s.ID, maxHint), sentinel.ErrBusy)
	}
	if err := r.read(ctx, s, name+".json"); err != nil {
		return r.result, err
	}
	return r.result, r.draftAll(ctx, nil)
}

// read keeps the conventions of the new part of a session. The checkpoint, of this
// name, moves when all of them are kept.
func (r *run) read(ctx context.Context, s Session, name string) error {
	folder, err := r.checkpoints()
	if err != nil {
		return err
	}
	defer folder.Close()
	from := readCheckpoint(folder, name)
	v, to, err := r.look(ctx, s, from)
	if err != nil || to == from {
		return err
	}
	if v.worthAsking() {
		if err := r.conventions(ctx, s, v); err != nil {
			return err
		}
	}
	state.Prune(filepath.Join(r.stateDir(), "checkpoints"), checkpointAge, r.Now())
	return writeCheckpoint(folder, name, checkpoint{Position: to, Session: s.ID, Changed: r.Now().UTC()})
}

// look reads the transcript from a position to its end.
func (r *run) look(ctx context.Context, s Session, from transcript.Position) (*view, transcript.Position, error) {
	t, err := transcript.Open(s.Transcript, from, &transcript.Options{Agent: s.Agent})
	if err != nil {
		return nil, from, fmt.Errorf("scribe: %w", err)
	}
	defer t.Close()
	v := newView(r.Budget)
	for {
		if err := ctx.Err(); err != nil {
			return nil, from, err
		}
		e, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			v.agent, v.dir = t.Agent(), t.Dir()
			return v, t.Position(), nil
		case err != nil:
			return nil, from, fmt.Errorf("scribe: %w", err)
		}
		v.add(e)
	}
}

// conventions asks the model about a session, and keeps the proven conventions.
func (r *run) conventions(ctx context.Context, s Session, v *view) error {
	lines := v.lines()
	found, resp, err := r.extract(ctx, question{task: sessionTask, label: "session", text: render(lines)})
	r.paid(resp)
	if err != nil {
		return err
	}
	for _, c := range found {
		ob, ok := r.prove(c, resp.Model)
		if !ok {
			continue
		}
		at, source, proven := whoSaid(c.Evidence, lines)
		if !proven || fromOutput(c.Statement, lines) {
			r.drop(&r.result.Unproven, c, "its evidence is nothing that a person or the agent said")
			continue
		}
		ob.Source, ob.Agent, ob.Session = source, sentence(v.agent, maxHint), sentence(s.ID, maxHint)
		ob.Cases = r.candidates(ctx, v, at, lines)
		if err := r.keep(ctx, ob); err != nil {
			return err
		}
	}
	return nil
}

// prove checks a convention by itself. The caller checks its evidence.
func (r *run) prove(c convention, model string) (ob Observation, ok bool) {
	r.result.Found++
	if why := refused(c); why != "" {
		r.drop(&r.result.Refused, c, why)
		return ob, false
	}
	if c.Confidence < r.ExtractionConfidence {
		r.drop(&r.result.Weak, c, "the model is not sure enough")
		return ob, false
	}
	return Observation{
		Statement: secret.Mask(c.Statement), ScopeHint: secret.Mask(c.ScopeHint), TriggerHint: c.TriggerHint,
		Confidence: c.Confidence, Evidence: secret.Mask(sentence(c.Evidence, maxEvidence)), Model: model,
	}, true
}

func (r *run) drop(count *int, c convention, why string) {
	*count++
	r.Logger.Info("scribe: a convention is not kept", "statement", c.Statement, "because", why)
}

// checkpoints opens the folder of how far sessions were read.
func (o *Options) checkpoints() (*state.Folder, error) {
	f, err := state.OpenFolder(filepath.Join(o.stateDir(), "checkpoints"), true)
	if err != nil {
		return nil, fmt.Errorf("scribe: %w", err)
	}
	return f, nil
}

// readCheckpoint is the position to resume at: the beginning if the file is unusable.
func readCheckpoint(f *state.Folder, name string) transcript.Position {
	data, err := f.Read(name, maxCheckpoint)
	if err != nil {
		return transcript.Position{}
	}
	var c checkpoint
	if json.Unmarshal(data, &c) != nil {
		return transcript.Position{}
	}
	return c.Position
}

func writeCheckpoint(f *state.Folder, name string, c checkpoint) error {
	data, err := json.Marshal(c)
	if err == nil {
		err = f.Replace(name, data)
	}
	if err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	return nil
}

// Package background does what remains to be done when the agent has its answer, in
// one detached process for a call: shadow rules are judged, an observer is shown the
// decision, the memory of the session is brought up to date.
package background

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Command is the hidden command that a hook starts the process with. Its input is a [Job];
// nothing about the session is in its arguments, which every user of the machine can read.
const Command = "background-work"

// version is the version of a job in JSON. Both sides are the same program, unless
// it is replaced meanwhile.
const version = 2

const (
	maxPiped = 24 << 10       // bytes that fit into a pipe, so that a hook never waits for its child to read
	maxJob   = 48 << 20       // bytes of a job: the whole content of what is written is part of it
	keptAge  = 24 * time.Hour // after which a job that was never read goes
	folder   = "background"   // of jobs in the state folder
)

// A Job is what one process does.
type Job struct {
	Version int      `json:"version"`
	Starts  []string `json:"starts"` // folders from which rules are looked for

	// Session is set for an event about the course of a session.
	Session *Session `json:"session,omitempty"`
	// Seen is shown to the observer.
	Seen *record.Call `json:"seen,omitempty"`
	// Shadow are shadow rules to be judged.
	Shadow *Shadow `json:"shadow,omitempty"`

	// File in the state folder holds the whole job, when it does not fit into a
	// pipe.
	File string `json:"file,omitempty"`
}

// A Session is an event about the course of a session.
type Session struct {
	Phase      sentinel.Phase `json:"phase"`
	Agent      string         `json:"agent"`
	ID         string         `json:"id"`
	Transcript string         `json:"transcript,omitempty"`
}

// A Shadow is a call whose shadow rules are judged now.
type Shadow struct {
	ID    string         `json:"id"`    // of the decision
	Event sentinel.Event `json:"event"` // with the actions as they were seen before the tool ran
	Rules []ShadowRule   `json:"rules"`
}

// A ShadowRule is one rule to be judged on one action.
type ShadowRule struct {
	Source string `json:"source"` // the rule's, which unlike its id is of one folder
	Action int    `json:"action"` // in the event's
}

// Agent is whose call or session the job is about.
func (j *Job) Agent() string {
	switch {
	case j.Session != nil:
		return j.Session.Agent
	case j.Shadow != nil:
		return j.Shadow.Event.Agent
	case j.Seen != nil:
		return j.Seen.Event.Agent
	}
	return ""
}

// Empty reports whether there is nothing to do.
func (j *Job) Empty() bool { return j.Session == nil && j.Seen == nil && j.Shadow == nil }

// NewShadow is what a decision left to be judged; nil if nothing.
func NewShadow(ev sentinel.Event, d sentinel.Decision) *Shadow {
	if d.Relayed || !slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool { return f.Deferred }) {
		return nil
	}
	s := &Shadow{ID: d.ID, Event: ev}
	s.Event.Actions, s.Event.Tool.Args, s.Event.Prompt = nil, nil, "" // the actions say it all
	at := map[*sentinel.Action]int{}
	for i := range d.Findings {
		f := &d.Findings[i]
		if !f.Deferred {
			continue
		}
		n, known := at[f.Action]
		if !known {
			n = len(s.Event.Actions)
			at[f.Action] = n
			s.Event.Actions = append(s.Event.Actions, *f.Action)
		}
		s.Rules = append(s.Rules, ShadowRule{f.Rule.Source, n})
	}
	return s
}

// sources are the places of the rules, each once.
func (s *Shadow) sources() []string {
	var all []string
	for _, r := range s.Rules {
		if !slices.Contains(all, r.Source) {
			all = append(all, r.Source)
		}
	}
	return all
}

// wants reports whether a finding is one that the job asks for.
func (s *Shadow) wants(f *sentinel.Finding) bool {
	return f.Deferred && slices.ContainsFunc(s.Rules, func(r ShadowRule) bool {
		return r.Source == f.Rule.Source && s.Event.Actions[r.Action].Target == f.Action.Target
	})
}

// input is the job for a pipe. The observer gets a call's decision also if the call cannot
// be handed over to shadow rules: the error then says so.
func (j *Job) input(stateDir string) ([]byte, error) {
	data, err := j.encode(stateDir)
	if err == nil || j.Shadow == nil || j.Seen == nil {
		return data, err
	}
	rest := *j
	rest.Shadow = nil
	data, failed := rest.encode(stateDir)
	return data, errors.Join(err, failed)
}

// encode writes the job for a pipe. The part that does not fit is kept in the user's state
// folder, mode 0600, until it is read.
func (j *Job) encode(stateDir string) ([]byte, error) {
	j.Version = version
	data, err := json.Marshal(j)
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxJob:
		return nil, fmt.Errorf("the call has %d bytes, more than %d", len(data), maxJob)
	case len(data) <= maxPiped:
		return data, nil
	case stateDir == "":
		return nil, errors.New("there is no folder to keep the call in; set HOME or XDG_STATE_HOME")
	}
	dir := filepath.Join(stateDir, folder)
	state.Prune(dir, keptAge, time.Now()) // of processes that were killed
	name := randomName()
	if err := state.Write(filepath.Join(dir, name), data); err != nil {
		return nil, err
	}
	return json.Marshal(&Job{Version: version, File: name})
}

// Read reads a job from a pipe, and removes what was kept of it.
func Read(stdin io.Reader, stateDir string) (*Job, error) {
	input, err := io.ReadAll(io.LimitReader(stdin, maxPiped+1))
	if err != nil {
		return nil, err
	}
	j, err := decode(input)
	if err == nil && j.File != "" {
		return readKept(j.File, stateDir)
	}
	return j, err
}

func decode(data []byte) (*Job, error) {
	j := &Job{}
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("the work on standard input is not understood; a hook starts this, not a person: %w", err)
	}
	if j.Version != version {
		return nil, fmt.Errorf("the work on standard input is of version %d, and this program does version %d; a hook starts this, not a person", j.Version, version)
	}
	if s := j.Shadow; s != nil {
		for _, r := range s.Rules {
			if r.Action < 0 || r.Action >= len(s.Event.Actions) {
				return nil, errors.New("the work names an action that is not there")
			}
		}
	}
	return j, nil
}

func readKept(name, stateDir string) (*Job, error) {
	if filepath.Base(name) != name || stateDir == "" {
		return nil, fmt.Errorf("the work cannot be in %q", name)
	}
	path := filepath.Join(stateDir, folder, name)
	data, err := state.Read(path)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	j, err := decode(data)
	if err == nil && j.File != "" {
		return nil, errors.New("the work names a file in a file")
	}
	return j, err
}

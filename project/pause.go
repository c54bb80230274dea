package project

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// MaxPause is the longest pause that a person can make.
const MaxPause = state.MaxPause

// everywhere stands for all folders among the paused ones.
const everywhere = "*"

// A Pause is the time for which a person has switched the rules off. Sentinel's
// own rules stay on.
type Pause struct {
	Folder       string // absolute; "" means everywhere
	Since, Until time.Time
	By           string // who paused
}

// pauses is where pauses are kept.
func (p *Project) pauses() *state.Pauses { return p.opts.pauses() }

func (o *Options) pauses() *state.Pauses {
	return state.NewPauses(filepath.Join(o.StateDir, "paused"), o.Now)
}

// Pauses are those that hold here: everywhere, and of each folder.
func (p *Project) Pauses() []Pause {
	if p.opts.StateDir == "" {
		return nil
	}
	all := p.pauses().All()
	var found []Pause
	if at, ok := all[everywhere]; ok {
		found = append(found, Pause{"", at.Since, at.Until, at.By})
	}
	for _, f := range p.Folders {
		if at, ok := all[resolve(f.Dir)]; ok {
			found = append(found, Pause{f.Dir, at.Since, at.Until, at.By})
		}
	}
	return found
}

// Paused reports whether a person has paused the nearest project, or everything.
func (p *Project) Paused() bool {
	if p.opts.StateDir == "" {
		return false
	}
	_, ok := p.pauseOf(p.pauses().All(), p.user())
	return ok
}

// Pause switches the rules of the nearest project off for a time, or with all
// those of every project. by is who does it. It is written to the log, and noted.
func (p *Project) Pause(length time.Duration, all bool, by string) (Pause, error) {
	if length <= 0 || length > MaxPause {
		return Pause{}, fmt.Errorf("project: a pause lasts up to %v, not %v", MaxPause, length)
	}
	folder, key, err := p.pausable(all)
	if err != nil {
		return Pause{}, err
	}
	now := p.opts.now()
	pause := Pause{Folder: folder, Since: now, Until: now.Add(length), By: by}
	if err := p.pauses().Set(key, state.Pause{Since: now, Until: pause.Until, By: by}); err != nil {
		return Pause{}, fmt.Errorf("project: the pause cannot be kept: %w", err)
	}
	return pause, p.person(telemetry.LevelPaused, by, fmt.Sprintf("paused for %v: %s", length, cmp.Or(folder, "every project")), nil)
}

// EndPause ends the pause of the nearest project, or with all that of everything.
func (p *Project) EndPause(all bool, by string) error {
	folder, key, err := p.pausable(all)
	if err != nil {
		return err
	}
	if _, on := p.pauses().Get(key); !on {
		return nil
	}
	if err := p.pauses().End(key); err != nil {
		return fmt.Errorf("project: the pause cannot be ended: %w", err)
	}
	return p.person(telemetry.LevelPaused, by, "the pause has ended: "+cmp.Or(folder, "every project"), nil)
}

// Pausable is what [Project.Pause] would pause: the folder, "" for every project.
// The error says why there is nothing.
func (p *Project) Pausable(all bool) (folder string, err error) {
	folder, _, err = p.pausable(all)
	return folder, err
}

// pausable is the folder that a person means.
func (p *Project) pausable(all bool) (folder, key string, err error) {
	switch f := p.nearest(); {
	case p.opts.StateDir == "":
		return "", "", errors.New("project: there is no folder to keep a pause in; set HOME or XDG_STATE_HOME")
	case all:
		return "", everywhere, nil
	case f == nil:
		return "", "", errors.New("project: no .claude/sentinel applies here; `sentinel pause --all` pauses everywhere")
	default:
		return f.Dir, resolve(f.Dir), nil
	}
}

// pauseOf is the pause that holds for the rules of a folder. The user's own are
// paused with the nearest project.
func (p *Project) pauseOf(paused map[string]state.Pause, f *Folder) (state.Pause, bool) {
	if len(paused) == 0 {
		return state.Pause{}, false
	}
	if at, ok := paused[everywhere]; ok {
		return at, true
	}
	if f.User {
		if f = p.nearest(); f == nil {
			return state.Pause{}, false
		}
	}
	at, ok := paused[resolve(f.Dir)]
	return at, ok
}

// waived says which rules of a folder a person has paused.
func (s *sitting) waived(f *Folder) func(*sentinel.RuleSpec) string {
	at, ok := s.project.pauseOf(s.paused, f)
	if !ok {
		return nil
	}
	why := fmt.Sprintf("paused by %s until %s", cmp.Or(at.By, "a person"), at.Until.Format(time.RFC3339))
	return func(r *sentinel.RuleSpec) string {
		if strings.HasPrefix(r.Source, builtInSource) {
			return "" // a pause does not open Sentinel itself to the agent
		}
		return why
	}
}

// unpaused takes what a paused folder could not judge at all out of the decisions.
func (s *sitting) unpaused(decisions []sentinel.Decision) {
	if s == nil {
		return
	}
	for i, b := range s.panels {
		if decisions[i].Verdict != sentinel.VerdictUndecided || b.folder.User {
			continue
		}
		if s.paused == nil {
			s.paused = s.project.pauses().All()
		}
		if _, ok := s.project.pauseOf(s.paused, b.folder); ok {
			decisions[i] = sentinel.Decision{Verdict: sentinel.VerdictAllow, Actions: decisions[i].Actions}
		}
	}
}

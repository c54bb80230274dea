package gate

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// MaxPause is the longest pause that a user can make.
const MaxPause = state.MaxPause

// everywhere is the key of all folders among the paused ones.
const everywhere = "*"

// A Pause is the time for which a user has switched the rules off. Sentinel's own
// rules stay on.
type Pause struct {
	Folder       string // absolute; "" means everywhere
	Since, Until time.Time
	By           string // the user who paused
}

func (g *Gate) pauses() *state.Pauses {
	return state.NewPauses(filepath.Join(g.StateDir, "paused"), g.Seal, g.Now)
}

// Pauses are those in force here: everywhere, and of each folder.
func (g *Gate) Pauses() []Pause {
	if g.StateDir == "" {
		return nil
	}
	all := g.pauses().All()
	var found []Pause
	if at, ok := all[everywhere]; ok {
		found = append(found, Pause{"", at.Since, at.Until, at.By})
	}
	for _, f := range g.Folders {
		if at, ok := all[f.Key]; ok {
			found = append(found, Pause{f.Dir, at.Since, at.Until, at.By})
		}
	}
	return found
}

// Paused reports whether a user has paused the nearest project, or everything.
func (g *Gate) Paused() bool {
	if g.StateDir == "" {
		return false
	}
	_, ok := g.pauseOf(g.pauses().All(), Folder{User: true})
	return ok
}

// Pause switches the rules of the nearest project off for a time, or with all
// those of every project. by is the user. It is written to the log, and noted.
func (g *Gate) Pause(length time.Duration, all bool, by string) (Pause, error) {
	if length <= 0 || length > MaxPause {
		return Pause{}, fmt.Errorf("gate: a pause lasts up to %v, not %v", MaxPause, length)
	}
	folder, key, err := g.pausable(all)
	if err != nil {
		return Pause{}, err
	}
	now := g.now()
	pause := Pause{Folder: folder, Since: now, Until: now.Add(length), By: by}
	if err := g.pauses().Set(key, state.Pause{Since: now, Until: pause.Until, By: by}); err != nil {
		return Pause{}, fmt.Errorf("gate: the pause cannot be kept: %w", err)
	}
	return pause, g.log(telemetry.LevelPaused, by, fmt.Sprintf("paused for %v: %s", length, cmp.Or(folder, "every project")), nil)
}

// EndPause ends the pause of the nearest project, or with all that of everything.
func (g *Gate) EndPause(all bool, by string) error {
	folder, key, err := g.pausable(all)
	if err != nil {
		return err
	}
	if _, on := g.pauses().Get(key); !on {
		return nil
	}
	if err := g.pauses().End(key); err != nil {
		return fmt.Errorf("gate: the pause cannot be ended: %w", err)
	}
	return g.log(telemetry.LevelPaused, by, "the pause has ended: "+cmp.Or(folder, "every project"), nil)
}

// Pausable is what [Gate.Pause] would pause: the folder, "" for every project. The
// error says why there is nothing.
func (g *Gate) Pausable(all bool) (folder string, err error) {
	folder, _, err = g.pausable(all)
	return folder, err
}

// pausable is the folder that a user means.
func (g *Gate) pausable(all bool) (folder, key string, err error) {
	switch {
	case g.StateDir == "":
		return "", "", errors.New("project: there is no folder to keep a pause in; set HOME or XDG_STATE_HOME")
	case all:
		return "", everywhere, nil
	case g.Nearest < 0:
		return "", "", errors.New("project: no .claude/sentinel applies here; `sentinel pause --all` pauses everywhere")
	}
	f := g.Folders[g.Nearest]
	return f.Dir, f.Key, nil
}

// pauseOf is the pause that holds for the rules of a folder. The user's own are
// paused with the nearest project.
func (g *Gate) pauseOf(paused map[string]state.Pause, f Folder) (state.Pause, bool) {
	if len(paused) == 0 {
		return state.Pause{}, false
	}
	if at, ok := paused[everywhere]; ok {
		return at, true
	}
	if f.User {
		if g.Nearest < 0 {
			return state.Pause{}, false
		}
		f = g.Folders[g.Nearest]
	}
	at, ok := paused[f.Key]
	return at, ok
}

// Paused says why the rules of a part of the call are not judged, if a user has
// paused them. Sentinel's own rules are judged all the same: a pause does not open
// Sentinel itself to the agent.
func (p *Pass) Paused(part int) (why string, ok bool) {
	if p == nil {
		return "", false
	}
	at, ok := p.gate.pauseOf(p.paused, p.call.Parts[part].Folder)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("paused by %s until %s", cmp.Or(at.By, "a person"), at.Until.Format(time.RFC3339)), true
}

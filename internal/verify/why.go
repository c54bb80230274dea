package verify

import (
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
)

// hooks are what an agent's settings say of our hook now.
type hooks struct {
	files   []install.Registration // with the hook
	plugin  bool
	off     string        // what switches all hooks off; "" if nothing does
	timeout time.Duration // how long the agent waits before a tool
}

// hooksOf reads the settings of an agent, and of the one whose hooks it runs as well.
// A file that cannot be read is left out: `sentinel doctor` reports it.
func (v *Verifier) hooksOf(name string) *hooks {
	if h := v.hooks[name]; h != nil {
		return h
	}
	h := &hooks{}
	v.hooks[name] = h
	a := v.opts.Agents.Find(name)
	if a == nil {
		return h
	}
	h.timeout = a.Timeout(sentinel.PhasePre)
	at := agent.Place{Root: v.root, Home: v.opts.Home, Getenv: v.opts.Getenv, Program: v.opts.Program}
	for _, a := range []*agent.Agent{a, v.opts.Agents.Find(a.Abilities.RunsHooksOf)} {
		if a == nil {
			continue
		}
		for _, s := range []install.Scope{install.Repository, install.User} {
			own, _ := a.Targets(at, s)
			also, _ := at.AlsoRead(a.Name, &a.Settings, s)
			for _, t := range append(own, also...) {
				v.lookAt(h, t)
			}
		}
		h.plugin = h.plugin || a.Plugin.Find != nil && a.Plugin.Find(at) != ""
	}
	return h
}

func (v *Verifier) lookAt(h *hooks, t install.Target) {
	r, err := install.Look(t, install.Hook{})
	if err != nil {
		return
	}
	if len(r.Off) > 0 && h.off == "" {
		h.off = text.OneLine(place.From(v.root, r.File) + ": " + r.Off[0])
	}
	if len(r.Entries) == 0 {
		return
	}
	h.files = append(h.files, r)
	for _, e := range r.Entries {
		if e.Timeout > 0 && (h.timeout == 0 || e.Timeout > h.timeout || len(h.files) == 1) {
			h.timeout = e.Timeout
		}
	}
}

func (h *hooks) registered() bool { return h.plugin || len(h.files) > 0 }

// covers reports whether the hook is started for a tool, as far as that is known.
func (h *hooks) covers(tool string) bool {
	if h.plugin {
		return true
	}
	for i := range h.files {
		if h.files[i].Covers(tool) {
			return true
		}
	}
	return false
}

// why finds the reason why no hook was asked about a call, by what there is evidence of.
func (s *session) why(c *Call, at time.Time) Why {
	switch {
	case !at.IsZero() && at.Before(s.v.since):
		return BeforeSetUp
	case s.hooks.off != "":
		return Disabled
	case !s.hooks.registered():
		return NoHook
	case !s.asked[c.Tool] && !s.hooks.covers(c.Tool):
		return NotTheTool
	case s.lastAsked.IsZero() && s.below():
		return SubFolder
	case c.Sub:
		return Subagent
	case !s.lastAsked.IsZero() && at.After(s.lastAsked):
		return SwitchedOff
	}
	return NobodyKnows
}

// below reports whether the agent was started below the project's own folder.
func (s *session) below() bool {
	return s.home != "" && s.home != s.v.root && safefile.Within(s.home, s.v.root) && safefile.Resolve(s.home) != safefile.Resolve(s.v.root)
}

// keyTime is when this user's key was made, which Sentinel does before anything else.
func keyTime(stateDir string) (made time.Time) {
	if info, err := os.Lstat(filepath.Join(stateDir, "key")); err == nil {
		made = info.ModTime()
	}
	return made
}

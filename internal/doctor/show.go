package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/project"
)

// harmful is the command that is shown. Nothing runs it: a hook only reads it.
const harmful = "git push --force origin main"

// A Shown is a harmful command that was sent through an agent's hook as it is registered.
type Shown struct {
	Agent, File   string // whose hook, and the settings that register it
	Command       string
	Rule, Message string // that stop it
	Fault         string // why the hook did not stop it; "" if it did
}

// ErrNothingToShow says why no call was sent through a hook.
var ErrNothingToShow = errors.New("the hook was not tried")

// Show sends a harmful command through the hook of the first of the agents with which that
// is possible, as the agent would, and looks whether the answer stops it in the agent's own
// way. The rule is the one that is in force in opts.Dir; the hook works on a copy of it in a
// folder that is thrown away, so that no log, approval or count is left.
func Show(ctx context.Context, opts Options, agents []string) (Shown, error) {
	d := newDoctor(opts)
	ctx, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	for _, name := range agents {
		ag, err := d.Project.Agents.Named(name)
		if err != nil || ag.Trial == nil {
			continue
		}
		a := &patient{doctor: d, agent: ag, name: name}
		a.read(install.Repository)
		a.read(install.User)
		for _, r := range a.files {
			for _, e := range r.Entries {
				program := a.startable(ctx, r, e)
				if program == "" {
					continue
				}
				t, message, err := a.harm(ctx)
				if err != nil {
					return Shown{}, err
				}
				f := d.tryOne(ctx, ag, e, program, t)
				shown := Shown{Agent: ag.DisplayName(), File: d.display(r.File), Command: harmful, Rule: t.rule, Message: message}
				if f.Status != StatusOK {
					shown.Fault = f.clean().What
				}
				return shown, nil
			}
		}
	}
	return Shown{}, fmt.Errorf("%w: no agent here has a hook command that can be run", ErrNothingToShow)
}

// startable is the program of an entry that is started before a tool and may be run; ""
// for another.
func (a *patient) startable(ctx context.Context, r registration, e install.Entry) string {
	c, plain := e.Call()
	if !plain || !r.Settings.IsBefore(e.Event) {
		return ""
	}
	path, _ := a.locate(c)
	if path == "" || !a.programs.at(ctx, path).runs() {
		return ""
	}
	return path
}

// harm is the trial by the rule that stops the harmful command here, and the rule's words.
func (a *patient) harm(ctx context.Context) (trial, string, error) {
	o := *a.Project
	o.NoModel, o.NoLog, o.CacheDir = true, true, ""
	p := project.Open([]string{a.Dir}, &o)
	d, err := a.judgeBy(ctx, p)
	if err != nil {
		return trial{}, "", err
	}
	at := slices.IndexFunc(d.Findings, func(f sentinel.Finding) bool { return f.Verdict == sentinel.VerdictBlock })
	if at < 0 {
		return trial{}, "", fmt.Errorf("%w: no rule here stops `%s`", ErrNothingToShow, harmful)
	}
	found := d.Findings[at]
	folder, _, err := p.Inspect().Rule(found.Rule.ID)
	if err != nil {
		return trial{}, "", err
	}
	id := strings.TrimPrefix(found.Rule.ID, "user:")
	text, err := safefile.Read(filepath.Join(folder.Dir, "rules", id+".yaml"), 1<<20)
	if err != nil {
		return trial{}, "", fmt.Errorf("%w: %w", ErrNothingToShow, err)
	}
	t := trial{command: harmful, rule: id, text: string(text), judge: func(ev sentinel.Event) (sentinel.Decision, error) {
		own := project.Options{ConfigDir: filepath.Join(ev.Dir, ".claude", "sentinel"), Agents: o.Agents, NoModel: true, NoLog: true}
		return project.Open([]string{ev.Dir}, &own).Evaluate(ctx, ev)
	}}
	return t, cmp.Or(found.Message, found.Reason), nil
}

// judgeBy is what a project decides on the harmful command.
func (a *patient) judgeBy(ctx context.Context, p *project.Project) (sentinel.Decision, error) {
	event, err := json.Marshal(a.agent.Trial(a.Dir, harmful))
	if err != nil {
		return sentinel.Decision{}, err
	}
	_, ev, err := a.decoded(a.name, event, a.Dir)
	if err != nil {
		return sentinel.Decision{}, err
	}
	return p.Evaluate(ctx, ev)
}

// Package doctor looks over an installation of Sentinel: every agent's hook, the
// rules and the trust in them, who judges, the lock on the GPU, the log, the
// user's folders. It says what works, what does not, and what to do about it.
//
// It only looks. It writes no record, changes no setting and asks no model. All that
// it runs is bounded and harmless: Sentinel's own hook, through the very line that
// the agent has, in a folder that is thrown away; and programs that the person
// has installed, for their version. A program that a repository names is never
// run because the repository names it.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// Status says how good or bad a finding is.
type Status string

// The statuses. Only StatusFail makes an installation unsound.
const (
	StatusOK     Status = "ok"     // it works
	StatusInfo   Status = "info"   // good to know
	StatusPerson Status = "person" // a step that only a person can take
	StatusWarn   Status = "warn"   // it works, and not as well as it could
	StatusFail   Status = "fail"   // it does not work
)

// A Finding is one thing that was looked at. Its texts are one line each, and
// safe to print whatever they quote.
type Finding struct {
	Area   string `json:"area"` // one of Areas
	Name   string `json:"name"` // what of the area: an agent, a backend, a file
	Status Status `json:"status"`
	What   string `json:"what"` // what there is, or what is wrong
	Do     string `json:"do"`   // what to do about it; "" when there is nothing to do
}

const (
	areaSentinel = "sentinel"
	areaAgents   = "agents"
	areaRules    = "rules"
	areaJudges   = "judges"
	areaLock     = "lock"
	areaLog      = "log"
	areaState    = "state"
	areaNotes    = "notes"
)

// defaultPatience bounds a whole examination.
const defaultPatience = 10 * time.Second

// Version is what a build of Sentinel says of itself, as `sentinel version --json`
// prints it.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Date     string `json:"date"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Options are the world that is looked at.
type Options struct {
	Dir  string // absolute: where the agent works
	Root string // the repository, whose agents' settings count
	Home string // the person's home folder, "" for none

	Name    string  // of the program on the PATH, which hooks start; "" means sentinel
	Self    string  // the running program's path, "" if not known
	Version Version // of the running program

	// Project says where Sentinel's files are and which agents are known, as for every
	// command.
	Project *project.Options
	// Environ is the environment that programs are started with, NAME=value.
	Environ []string
	// Patience bounds the examination; 0 means 10 s.
	Patience time.Duration
	// GOOS is the system whose commands are read; "" means this one. On another
	// than this one nothing is run.
	GOOS string
}

// A doctor examines one installation.
type doctor struct {
	Options
	project  *project.Project
	place    install.Place
	now      func() time.Time
	slots    chan struct{}
	programs *programs
}

// Examine looks at everything at once and returns what it found in the order of
// [Areas]. A part that has not answered when Patience is over, or ctx ends, is a finding
// that says so.
func Examine(ctx context.Context, opts Options) []Finding {
	d := newDoctor(opts)
	ctx, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	return gather(ctx, []check{
		{areaSentinel, d.self}, {areaAgents, d.agents},
		{areaRules, d.rules}, {areaJudges, d.judges},
		{areaLock, d.lock}, {areaLog, d.log},
		{areaState, d.state}, {areaNotes, d.notes},
	})
}

// Sound reports whether nothing failed.
func Sound(findings []Finding) bool {
	for _, f := range findings {
		if f.Status == StatusFail {
			return false
		}
	}
	return true
}

func newDoctor(opts Options) *doctor {
	d := &doctor{Options: opts, now: time.Now, slots: make(chan struct{}, slots)}
	d.programs = &programs{d: d, seen: map[string]func() program{}}
	if d.Patience <= 0 {
		d.Patience = defaultPatience
	}
	if d.GOOS == "" {
		d.GOOS = runtime.GOOS
	}
	if d.Project == nil {
		d.Project = &project.Options{}
	}
	if d.Project.Now != nil {
		d.now = d.Project.Now
	}
	d.project = project.Open([]string{d.Dir}, d.Project)
	d.place = install.Place{Root: d.Root, Home: d.Home, Getenv: d.getenv, GOOS: d.GOOS, Program: d.Project.Program}
	return d
}

// getenv reads the environment that programs are started with.
func (d *doctor) getenv(name string) string {
	for _, variable := range d.Environ {
		key, value, _ := strings.Cut(variable, "=")
		if key == name || d.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// A check looks at one thing.
type check struct {
	area string
	look func(context.Context) []Finding
}

// gather makes checks at the same time and joins their findings in the order of
// the checks. A check that crashes is a finding of its own: the others still
// count.
func gather(ctx context.Context, checks []check) []Finding {
	found := make([][]Finding, len(checks))
	var wait sync.WaitGroup
	for i, c := range checks {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					found[i] = []Finding{fail("doctor", fmt.Sprintf("internal error: %v", p), "report it with this line")}
				}
			}()
			found[i] = c.look(ctx)
		})
	}
	wait.Wait()
	all := []Finding{}
	for i, c := range checks {
		for _, f := range found[i] {
			f.Area = c.area
			all = append(all, f.clean())
		}
	}
	return all
}

func ok(name, what string) Finding { return Finding{Name: name, Status: StatusOK, What: what} }
func info(name, what, do string) Finding {
	return Finding{Name: name, Status: StatusInfo, What: what, Do: do}
}
func warn(name, what, do string) Finding {
	return Finding{Name: name, Status: StatusWarn, What: what, Do: do}
}
func person(name, what, do string) Finding {
	return Finding{Name: name, Status: StatusPerson, What: what, Do: do}
}
func fail(name, what, do string) Finding {
	return Finding{Name: name, Status: StatusFail, What: what, Do: do}
}

// clean makes the texts safe to print: they quote files, programs and servers.
func (f Finding) clean() Finding {
	f.Name, f.What, f.Do = text.OneLine(f.Name), text.OneLine(f.What), text.OneLine(f.Do)
	return f
}

// display names a file as a person knows it.
func (d *doctor) display(file string) string { return place.Shown(d.Root, d.Home, file) }

// fromHome is a text with the paths in it from the home folder.
func (d *doctor) fromHome(text string) string {
	if d.Home == "" {
		return text
	}
	return strings.ReplaceAll(text, d.Home+string(filepath.Separator), "~/")
}

// message is an error without the name of the package that made it.
func message(err error) string {
	var p rule.Problem
	if errors.As(err, &p) {
		return p.Error()
	}
	text := err.Error()
	for _, pkg := range []string{"install: ", "project: ", "telemetry: ", "gpulock: ", "state: "} {
		text = strings.TrimPrefix(text, pkg)
	}
	return text
}

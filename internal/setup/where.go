package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Where the hook can belong.
const (
	InProject = "project" // in files of the repository
	InUser    = "user"    // in the user's own settings
	InBoth    = "both"
)

// Done is what init has done.
type Done struct {
	Agents []string // that have the hook; none if nothing was written
	Commit string   // the command that has git take what was written; "" for nothing to commit
}

// Init writes what is not there yet, where the user wants it. One that is interrupted
// writes all or nothing.
func Init(ctx context.Context, o *Options) (Done, error) {
	own := *o
	own.User, own.Say = own.User || own.Where == InUser, o.once()
	theirs := own // its rules are the repository's: a second copy would say everything twice
	theirs.User, theirs.Hooks = true, true
	if _, err := newSetup(&theirs); err != nil && own.Where == InBoth { // before anything is written
		return Done{}, err
	}
	done, err := own.init(ctx)
	if err != nil || own.Where != InBoth {
		return done, err
	}
	theirs.Agents = theirs.hooked(install.User)
	_, err = theirs.init(ctx)
	return done, err
}

// once is Say without the lines that it has said: both places need the same of the user.
func (o *Options) once() func(format string, args ...any) {
	said := map[string]bool{}
	return func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !said[line] {
			said[line] = true
			o.Say(format, args...)
		}
	}
}

// hooked are the agents whose settings get the hook: those that were named, or else those
// that have it and those that are found, or else the first.
func (o *Options) hooked(s install.Scope) []string {
	if len(o.Agents) > 0 {
		return o.Agents
	}
	own := *o
	own.User = s == install.User
	names := own.registered() // they stay up to date
	for _, a := range o.Project.Agents.All() {
		if a.Settings.Known() && !slices.Contains(names, a.Name) && o.where(a, s) != "" {
			names = append(names, a.Name)
		}
	}
	if len(names) == 0 {
		return o.Project.Agents.Installable()[:1]
	}
	return names
}

// where is what shows that an agent is used: on this machine or, unless it is about the
// user alone, in the repository; "" if nothing does.
func (o *Options) where(a *agent.Agent, s install.Scope) string {
	at := o.place()
	where := OnMachine(a, at)
	if where == "" && s == install.Repository {
		where = inRepository(a, at)
	}
	return where
}

// findAgents takes the agents that are used here where none is named, and says so.
func (s *setup) findAgents() {
	if len(s.Agents) > 0 {
		return
	}
	s.found = true
	s.Agents = s.hooked(s.scope())
	var seen []string
	for _, name := range s.Agents {
		a := s.Project.Agents.Find(name)
		if where := s.where(a, s.scope()); where != "" {
			seen = append(seen, a.DisplayName()+" ("+text.OneLine(place.Shown(s.place().Root, s.Project.Home, where))+")")
		}
	}
	if len(seen) == 0 && len(s.registered()) == 0 {
		s.Say("No coding agent is found here: the hook is for %s. --agent names another one (%s).",
			s.Project.Agents.Find(s.Agents[0]).DisplayName(), strings.Join(s.Project.Agents.Installable(), ", "))
		return
	}
	if len(seen) > 0 {
		s.Say("Found %s. --agent narrows it.", strings.Join(seen, ", "))
	}
}

// advise says what is left for the user to do.
func (s *setup) advise() {
	s.steps()
	if s.DryRun || s.User {
		return
	}
	names := s.Agents
	if s.found { // a colleague's agents need no hook here
		names = (&Options{Dir: s.Dir, Project: s.Project}).hooked(install.User)
	}
	lacking := s.unregistered(install.User, names)
	if len(lacking) == 0 || s.Where != "" {
		return
	}
	var blind []string
	for _, name := range lacking {
		if a := s.Project.Agents.Find(name); a.Settings.Reach == install.ReachRoot {
			blind = append(blind, a.DisplayName())
		}
	}
	s.Say("The files of %s guard everybody who works there.", s.root)
	if len(blind) > 0 {
		s.Say("Agents that load none of them when started in a folder below it: %s.", strings.Join(blind, ", "))
	}
	s.Say("To guard every folder and repository of yours that has rules: %s", Rehook(s.Project.Program, strings.Join(lacking, " --agent "), true))
}

// steps says what only the user can do before the agents run the hook, as far as the
// agents' own files do not show that it is done.
func (s *setup) steps() {
	for _, name := range s.Agents {
		a, err := s.Project.Agents.Named(name)
		if err != nil {
			continue
		}
		for _, step := range a.Steps(s.place(), s.scope()) {
			if step.Done == "" && (step.Read || s.changes > 0) {
				s.Say("For you to do: %s", text.OneLine(step.String()))
			}
		}
	}
}

// commit is the command that adds the written files to the repository; "" for none.
func (s *setup) commit() string {
	if _, err := os.Lstat(filepath.Join(s.root, ".git")); s.User || errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	line := "git"
	if s.Dir != s.root {
		line += " -C " + install.Posix.Word(s.root)
	}
	line += " add"
	var names []string
	for _, path := range s.touched {
		rel, err := filepath.Rel(s.root, path)
		if err != nil || rel == filepath.Join(".sentinel", ".gitignore") { // it hides itself from git
			continue
		}
		if strings.HasPrefix(path, s.dir+string(filepath.Separator)) {
			rel = filepath.Join(".claude", "sentinel")
		}
		names = append(names, install.Posix.Word(filepath.ToSlash(rel)))
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return line + " " + strings.Join(slices.Compact(names), " ")
}

// unregistered are the agents among names without the hook in the scope.
func (o *Options) unregistered(scope install.Scope, names []string) []string {
	own := *o
	own.User = scope == install.User
	have := own.registered()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(have, name) })
}

package project

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
	"github.com/agentsentinel/sentinel/trigger"
)

// Nearest is the folder of the project that the first start lies in; the user's
// own without a project; nil without either.
func (p *Project) Nearest() *Folder {
	if f := p.nearest(); f != nil {
		return f
	}
	if len(p.Folders) > 0 {
		return p.Folders[0]
	}
	return nil
}

// nearest is the first folder that is not the user's own, or nil.
func (p *Project) nearest() *Folder {
	for _, f := range p.Folders {
		if !f.User {
			return f
		}
	}
	return nil
}

// user is the user's own folder, or an empty one with the defaults.
func (p *Project) user() *Folder {
	f := p.matchingUser()
	f.complete()
	return f
}

// matchingUser is user, with no more of a configuration than matching needs.
func (p *Project) matchingUser() *Folder {
	if len(p.Folders) > 0 && p.Folders[0].User {
		return p.Folders[0]
	}
	return &Folder{User: true, Config: config.Tools(), bare: true}
}

// complete gives a folder the whole of the default configuration.
func (f *Folder) complete() {
	if f.bare {
		f.Config, f.bare = config.Default(), false
	}
}

// NoRule is the error for the id of a rule that a project does not have.
type NoRule string

// Error names the rule, and the command that lists the rules.
func (id NoRule) Error() string {
	return fmt.Sprintf("there is no rule %q here; `sentinel rules list` lists them", text.OneLine(string(id)))
}

// Rule returns the first rule with an id, and its folder. The error is a [NoRule] if
// no rule has it.
func (i *Inspector) Rule(id string) (*Folder, *rule.Rule, error) {
	p := i.project
	if f, r := p.find(func(s *sentinel.RuleSpec) bool { return s.ID == id }); r != nil {
		return f, r, nil
	}
	return nil, nil, NoRule(id)
}

// RuleOf returns the rule of a finding and its folder, nil for one without a file.
func (i *Inspector) RuleOf(spec *sentinel.RuleSpec) (*Folder, *rule.Rule) {
	p := i.project
	return p.find(func(s *sentinel.RuleSpec) bool { return s.ID == spec.ID && s.Source == spec.Source })
}

func (p *Project) find(is func(*sentinel.RuleSpec) bool) (*Folder, *rule.Rule) {
	for _, f := range p.Folders {
		for _, r := range f.Rules() {
			if is(r.Spec()) {
				return f, r
			}
		}
	}
	return nil, nil
}

// projects are the folders that are not the user's own.
func (p *Project) projects() []*Folder {
	var fs []*Folder
	for _, f := range p.Folders {
		if !f.User {
			fs = append(fs, f)
		}
	}
	return fs
}

// further loads the folders of the paths that actions touch, and of those that
// commands run in, where they are not known yet: at and above each path, and at those
// below what is removed. The error says why some are left out.
func (p *Project) further(ctx context.Context, ev sentinel.Event, views []view) (fs []*Folder, err error) {
	var starts []string
	for _, v := range views {
		for i := range v.actions {
			starts = append(starts, touched(&v.actions[i])...)
			in, whole := p.entered(ev, &v.actions[i])
			if starts = append(starts, in...); !whole {
				err = errTooManyPaths
			}
		}
	}
	if len(starts) == 0 {
		return nil, nil
	}
	known := map[string]bool{}
	for _, f := range p.Folders {
		known[f.place().view()] = true
	}
	found, whole := findUpward(starts, p.opts.pins, maxLookups)
	if !whole {
		err = errTooManyPaths
	}
	for _, at := range found {
		at.touched = true
		switch {
		case known[at.view()] || at.ofDependency(true):
		case len(fs) == maxFurther:
			return fs, errTooManyProjects
		case ctx.Err() != nil:
			return fs, errNotMatched
		default:
			if f := load(at, &p.opts); !at.gone || f.Held() {
				fs = append(fs, f)
			}
		}
	}
	return fs, err
}

// Why rules of projects that the call reaches into are not looked at.
var (
	errTooManyPaths    = errors.New("the call names more paths than are looked at for the rules of other projects; make several calls of it")
	errTooManyProjects = errors.New("the call reaches into more projects with rules of their own than are looked at; make several calls of it")
)

// maxEntered bounds the folders of one line that are looked at for rules.
const maxEntered = 128

// entered are the folders other than the event's in which the commands of an action
// run: after cd, or with an option such as git -C. whole is false when there are more
// than are looked at.
func (p *Project) entered(ev sentinel.Event, a *sentinel.Action) (at []string, whole bool) {
	if a.Trigger != sentinel.Bash || a.Command == nil {
		return nil, true
	}
	if a.Dir != ev.Dir {
		at = append(at, filepath.FromSlash(a.Dir)) // the tool has an argument for it
	}
	for i := range a.Command.Commands {
		c := &a.Command.Commands[i]
		if c.Dir == "" && len(c.Context) == 0 {
			continue
		}
		for _, dir := range p.commandDirs(a, c) {
			switch {
			case dir == filepath.FromSlash(a.Dir) || slices.Contains(at, dir):
			case len(at) == maxEntered:
				return at, false
			default:
				at = append(at, dir)
			}
		}
	}
	return at, true
}

// commandDirs are the folder that a command runs in, and that of the repository that git
// is told to work on, as far as they are known.
func (p *Project) commandDirs(a *sentinel.Action, c *shell.Command) []string {
	dirs := []string{p.absolute(filepath.FromSlash(a.Dir), c.Dir)}
	for i, option := range c.Context {
		dir, ok := strings.CutPrefix(option, "--git-dir=")
		if option == "--git-dir" && i+1 < len(c.Context) {
			dir, ok = c.Context[i+1], true
		}
		if ok && c.Program == "git" {
			dirs = append(dirs, p.absolute(dirs[0], dir))
		}
	}
	return dirs
}

// absolute is a folder that a command names in the folder base.
func (p *Project) absolute(base, dir string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && p.opts.Home != "" && (rest == "" || rest[0] == '/') {
		dir = p.opts.Home + rest
	}
	return trigger.Abs(base, dir)
}

// within is for a folder that was found because commands of a line run in its project. It
// keeps the commands that do, and drops the others. If no command of the line runs there,
// the folder was found by the files of the line, which stays whole.
func (p *Project) within(f *Folder, actions []sentinel.Action) []sentinel.Action {
	for i := range actions {
		a := &actions[i]
		if a.Trigger != sentinel.Bash || a.Command == nil {
			continue
		}
		line := a.Command.Only(func(i int) bool {
			c := &a.Command.Commands[i]
			return c.DirUnknown || slices.ContainsFunc(p.commandDirs(a, c), func(dir string) bool { return isBelow(dir, f.at()) })
		})
		if len(line.Commands) > 0 {
			a.Command = line
		}
	}
	return actions
}

// isBelow reports whether a folder is a project's root or lies in it, by either name
// that it has.
func isBelow(dir, root string) bool {
	for _, d := range []string{dir, safefile.Resolve(dir)} {
		for _, r := range []string{root, safefile.Resolve(root)} {
			if safefile.Within(d, r) {
				return true
			}
		}
	}
	return false
}

// touched are the folders at which an action may meet rules.
func touched(a *sentinel.Action) []string {
	if a.Trigger != sentinel.FileWrite && a.Trigger != sentinel.FileRead {
		return nil
	}
	abs := func(form string) string { return trigger.Abs(a.Root, form) }
	at := []string{abs(a.Path)}
	if a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove {
		for _, form := range a.Forms {
			if path.Base(form) == ".claude" {
				at = append(at, filepath.Dir(abs(form)))
			}
		}
	}
	return at
}

package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Settings are those of the nearest project, or of the user's own folder, and
// what is wrong with their file.
func (e *Env) Settings(user bool) (dir string, c config.Config, problems []rule.Problem) {
	if f := e.SettingsFolder(user); f != nil {
		return f.Dir, f.Config, slices.DeleteFunc(slices.Clone(f.Problems()), func(p rule.Problem) bool {
			return !strings.HasPrefix(filepath.Base(p.File), "config.") // rules lint reports the others
		})
	}
	return "", config.Default(), nil
}

// SettingsFolder is the nearest project's folder, or the user's own, or nil.
func (e *Env) SettingsFolder(user bool) *project.Folder {
	for _, f := range project.Open([]string{e.Dir}, e.Options()).Folders {
		if f.User == user {
			return f
		}
	}
	return nil
}

// NothingApplies is printed where no folder of rules applies.
const NothingApplies = "No rules apply here. Run \"sentinel init\" to begin with the recommended rules."

// NothingAppliesIn is the same where the folders of p are there, and have no rules.
func NothingAppliesIn(p *project.Project) string {
	if len(p.Folders) == 0 {
		return NothingApplies
	}
	return strings.Replace(NothingApplies, "sentinel init", "sentinel init --pack recommended"+text.Unless(!p.Folders[0].User || len(p.Folders) > 1, " --user"), 1)
}

// Logs returns the logs to read: the named ones, or those of the projects that
// apply here, or else the user's own.
func (e *Env) Logs(p *project.Project, named []string, user bool) ([]string, error) {
	if len(named) > 0 {
		var paths []string
		for _, path := range named {
			path = e.Abs(path)
			if len(telemetry.Files(path)) == 0 {
				return nil, fmt.Errorf("there is no log %s", e.Short(path))
			}
			paths = append(paths, path)
		}
		return paths, nil
	}
	logs, refused := p.Inspect().Logs()
	var own, others []string
	for _, l := range logs {
		if l.Folder.User {
			own = append(own, l.Path)
		} else {
			others = append(others, l.Path)
		}
	}
	switch {
	case user && len(own) > 0:
		return own, nil
	case user:
		return nil, errors.New("your own folder keeps no log; `sentinel config set --user log_file sentinel.log` has one written")
	case len(others) > 0:
		return others, nil
	case len(own) > 0:
		return own, nil
	case len(refused) > 0:
		return nil, refused[0]
	case len(p.Folders) == 0:
		return nil, fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", e.Place())
	}
	return nil, errors.New("no log is written here, since `log_file` is not set; " +
		"`sentinel config set log_file .claude/sentinel/sentinel.log` has one written from now on")
}

// Pricing is what models cost, by the settings that apply here.
func (e *Env) Pricing() func(model string) (input, output float64) {
	_, c, _ := e.Settings(false)
	return func(model string) (input, output float64) {
		p := c.Pricing[model]
		return p.Input, p.Output
	}
}

// Repin pins files that a command of the user has written, see [project.Pins.Repin].
// A failure is reported, and does not undo what the command has done.
func (e *Env) Repin(f *project.Folder, files ...string) {
	if f == nil || f.User {
		return
	}
	if err := project.Open([]string{f.Root}, e.Options()).Pins().Repin(f, files...); err != nil {
		fmt.Fprintln(e.Stderr, "note: "+text.OneLine(err.Error()))
	}
}

// Reopened is the folder as it is now.
func (e *Env) Reopened(f *project.Folder) *project.Folder {
	for _, now := range project.Open([]string{e.Dir}, e.Options()).Folders {
		if now.Dir == f.Dir {
			return now
		}
	}
	return f
}

package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// A trial sends two events through a hook as the agent would: a command about
// which there is nothing to say, and one that a rule of the trial's own stops. The
// answers have to be what the agent understands. The rule and everything that the
// hook writes lie in a folder that is thrown away.

// The trial's rule and its commands. Nothing runs them: a hook only reads them.
const (
	trialRule     = "sentinel-doctor-trial"
	trialHarmless = "true"
	trialStopped  = trialRule + " --stop"
	trialConfig   = "backend: builtin\n"
	trialRuleText = "id: " + trialRule + "\ntrigger: bash\nseverity: block\nbackend: builtin\n" +
		"scope: [\"" + trialRule + " *\"]\nwhen: \"true\"\nmessage: This is a trial of the hook.\n"
)

// tries tries each command that is started before a tool runs, and says of the
// others why not.
func (a *patient) tries(ctx context.Context, r registration) (found []Finding) {
	var seen []string
	entries := slices.Clone(r.Entries)
	slices.SortStableFunc(entries, func(a, b install.Entry) int { return r.order(a) - r.order(b) })
	for _, e := range entries {
		id := e.Command + "\x00" + strings.Join(e.Args, "\x00")
		if slices.Contains(seen, id) {
			continue
		}
		seen = append(seen, id)
		f, tried := a.tryEntry(ctx, r, e)
		if (f.Status != StatusOK || tried) && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	if at := slices.IndexFunc(found, func(f Finding) bool { return f.Status == StatusOK }); at >= 0 {
		found = slices.DeleteFunc(found, func(f Finding) bool { return f.Status == StatusOK && f != found[at] })
	}
	return found
}

// order puts what is started before a tool first: the same command is tried once.
func (r *registration) order(e install.Entry) int {
	if r.Settings.IsBefore(e.Event) || e.Event == install.PluginEvent {
		return 0
	}
	return 1
}

// tryEntry tries one entry, if it is a plain call of a program that may be run.
func (a *patient) tryEntry(ctx context.Context, r registration, e install.Entry) (f Finding, tried bool) {
	c, plain := e.Call()
	if !plain {
		a.composed(r, e)
		return Finding{Status: StatusOK}, false
	}
	var further []string
	if e.Event == install.PluginEvent {
		further = a.pluginFolders()
	}
	path, problem := a.locate(c, further...)
	if path == "" {
		problem.Name = a.name
		return problem, false
	}
	p := a.programs.at(ctx, path)
	if !p.runs() {
		f = p.problem
		f.Name = a.name
		return f, false
	}
	if r.order(e) > 0 {
		return Finding{Status: StatusOK}, false // the same program; its phase says nothing about tools
	}
	if a.agent.Trial == nil {
		return Finding{Status: StatusOK}, false
	}
	f = a.try(ctx, a.agent, e, path)
	if f.Status == StatusOK && p.problem.Status == StatusWarn {
		f = p.problem
		f.Name = a.name
	}
	return f, true
}

// try sends the events through an entry of an agent's settings. e must be a plain
// call of a program that may be run; program is its path.
func (d *doctor) try(ctx context.Context, a *agent.Agent, e install.Entry, program string) Finding {
	start := time.Now()
	for _, command := range []string{trialHarmless, trialStopped} {
		t := trial{command: command, rule: trialRule, text: trialRuleText, judge: ofTrial(command == trialStopped)}
		if problem := d.tryOne(ctx, a, e, program, t); problem.Status != StatusOK {
			return problem
		}
	}
	took := (time.Since(start) / 2).Round(time.Millisecond)
	return ok(a.Name, fmt.Sprintf("tried: silent when all is well, blocks in the agent's own way, %v a call", took))
}

// A trial is one call that an entry is tried with.
type trial struct {
	command string
	rule    string // that is there; its id
	text    string // of its file
	judge   func(sentinel.Event) (sentinel.Decision, error)
}

func (d *doctor) tryOne(ctx context.Context, a *agent.Agent, e install.Entry, program string, t trial) Finding {
	name := a.Name
	const again = "correct the command, or run `sentinel init` again; docs/agents says what the agent wants to read"
	dir, err := os.MkdirTemp("", "sentinel-doctor-")
	if err != nil {
		return warn(name, fmt.Sprintf("not tried: there is no folder for it: %v", err), "make room in the folder for temporary files")
	}
	defer os.RemoveAll(dir)
	dir = resolved(dir)
	if err := t.layOut(dir); err != nil {
		return warn(name, fmt.Sprintf("not tried: %v", err), "make room in the folder for temporary files")
	}
	event, err := json.Marshal(a.Trial(dir, t.command))
	if err != nil {
		return fail(name, fmt.Sprintf("not tried: %v", err), "report it with this line")
	}
	want, err := d.expected(name, event, dir, t.rule, t.judge)
	if err != nil {
		return fail(name, fmt.Sprintf("not tried: %v", err), "report it with this line")
	}
	p, err := asAgent(e, program, dir)
	if err != nil {
		return warn(name, fmt.Sprintf("not tried: %v", err), "")
	}
	p.Dir, p.Stdin = dir, event
	p.Env = append(d.outside(dir), "SENTINEL_CONFIG_DIR="+filepath.Join(dir, ".claude", "sentinel"))
	limit := d.Patience * 3 / 5
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := d.run(ctx, p)
	shown := "`" + e.Command + "`"
	switch {
	case errors.Is(err, errNoTurn):
		return warn(name, shown+" was not tried: there was no time left", "try again when the machine is less busy")
	case ctx.Err() != nil:
		return fail(name, fmt.Sprintf("%s did not answer within %v: the agent gives it up, and most then go on unchecked", shown, limit),
			"try again when the machine is less busy; if it stays, find out what it waits for")
	case err != nil:
		return fail(name, fmt.Sprintf("%s does not run: %v", shown, err), "correct the command, or run `sentinel init` again")
	}
	if why := want.differs(out); why != "" {
		what := "a harmless call is not let through in silence"
		if t.command != trialHarmless {
			what = "a call that a rule blocks is not blocked"
		}
		return fail(name, fmt.Sprintf("tried %s: %s: %s", shown, what, why), again)
	}
	return Finding{Status: StatusOK}
}

// layOut writes the trial's configuration and rule.
func (t *trial) layOut(dir string) error {
	rules := filepath.Join(dir, ".claude", "sentinel", "rules")
	if err := os.MkdirAll(rules, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(rules), "config.yaml"), []byte(trialConfig), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(rules, t.rule+".yaml"), []byte(t.text), 0o600)
}

// asAgent is the program that an agent starts for an entry.
func asAgent(e install.Entry, program, dir string) (subprocess.Program, error) {
	switch {
	case e.Args != nil:
		return subprocess.Program{Argv: append([]string{program}, e.Args...)}, nil
	case e.Shell == install.Posix && runtime.GOOS != "windows":
		return subprocess.Program{Argv: []string{"/bin/sh", "-c", e.Command}}, nil
	case e.Shell == install.PowerShell && runtime.GOOS == "windows":
		return subprocess.Program{Argv: []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", e.Command}}, nil
	case e.Shell == install.Cmd && runtime.GOOS == "windows":
		// In a file, because cmd.exe takes quotes apart in a way of its own.
		file := filepath.Join(dir, "trial.cmd")
		err := os.WriteFile(file, []byte("@"+e.Command+"\r\n"), 0o600)
		return subprocess.Program{Argv: []string{"cmd", "/d", "/c", file}}, err
	case runtime.GOOS == "windows": // which sh that is, is the agent's to know
		c, plain := e.Call()
		if !plain {
			return subprocess.Program{}, fmt.Errorf("%q is more than one command", e.Command)
		}
		return subprocess.Program{Argv: append([]string{program, "hook"}, c.Flags...)}, nil
	}
	return subprocess.Program{}, fmt.Errorf("%q is a line for another system", e.Command)
}

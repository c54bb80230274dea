package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/coverage"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// rules looks at the folders of configuration and rules that apply.
func (d *doctor) rules(context.Context) []Finding {
	if len(d.project.Folders) == 0 {
		return []Finding{info("none", "no rules apply in "+d.Dir+": nothing is checked here", "sentinel init")}
	}
	var found []Finding
	if said := d.project.Notices().Borrowed(); said != "" {
		found = append(found, info("working tree", said, ""))
	}
	for _, f := range d.project.Folders {
		found = append(found, d.folder(f)...)
		if said := d.project.Inspect().AtHome(f, d.Dir); said != "" {
			found = append(found, warn(d.display(f.Dir), said, "move what is meant for every project there"))
		}
	}
	return append(found, d.paused()...)
}

// paused reports rules that a person has switched off for a time.
func (d *doctor) paused() (found []Finding) {
	for _, p := range d.project.Gate().Pauses() {
		where, off := "everywhere", "sentinel pause off --all"
		if p.Folder != "" {
			where, off = "for "+d.display(p.Folder), "sentinel pause off"
		}
		found = append(found, warn("pause", fmt.Sprintf("%s has switched the rules off %s until %s", cmp.Or(p.By, "a person"), where, p.Until.Local().Format(time.TimeOnly)), off))
	}
	return found
}

// maxProblems bounds what is reported of one folder: a cloned repository can have thousands
// of broken rules.
const maxProblems = 40

// folder looks at one folder.
func (d *doctor) folder(f *project.Folder) []Finding {
	name := d.display(f.Dir)
	found := []Finding{d.counted(name, f)}
	unread := f.PassedOver()
	problems := append(unread, f.Problems()...)
	tree := rule.TreeAt(f.Root)
	for _, r := range f.Written() {
		problems = append(problems, r.ScopeHints(tree)...)
	}
	for i, p := range f.Located(problems) {
		if i == maxProblems {
			found = append(found, info(name, fmt.Sprintf("and %d problems more", len(problems)-i), "sentinel rules lint"))
			break
		}
		said := d.problem(f, p)
		if i < len(unread) {
			said.Do = "until then nothing of it is in force"
		}
		found = append(found, said)
	}
	found = append(found, d.pinned(name, f)...)
	found = append(found, d.stale(f)...)
	found = append(found, d.packed(name, f)...)
	found = append(found, d.trust(name, f)...)
	return append(found, failOpen(name, f))
}

// counted says how many rules there are.
func (d *doctor) counted(name string, f *project.Folder) Finding {
	shadow, broken, off := 0, 0, 0
	written := f.Written()
	for _, r := range written {
		if r.Spec().Shadow {
			shadow++
		}
		switch {
		case r.Spec().Err != nil:
			broken++
		case r.Off():
			off++
		}
	}
	what := text.Count(len(written)-broken, "rule")
	if off > 0 {
		what += fmt.Sprintf(", %d of them switched off", off)
	}
	if shadow > 0 {
		what += fmt.Sprintf(", %d of them in shadow mode", shadow)
	}
	switch {
	case broken > 0:
		return warn(name, fmt.Sprintf("%s, and %d broken: not judged", what, broken), "see below")
	case len(written) < len(f.Rules()):
		return warn(name, what+"; what cannot be read or understood counts as a rule about everything, not judged", "see below")
	case len(f.Rules()) == 0:
		return warn(name, "no rules: nothing is checked", "sentinel init --pack recommended"+text.Unless(!f.User, " --user")+" adds the recommended rules")
	}
	return ok(name, what)
}

// pinned tells where pinned rules are in force instead of what the folder has.
func (d *doctor) pinned(name string, f *project.Folder) (found []Finding) {
	held := 0
	for _, diff := range f.Differences() {
		switch {
		case diff.Held:
			if held++; held <= maxProblems {
				found = append(found, warn(name, "pinned: "+diff.String(), ""))
			}
		case diff.Kind == pin.KindPin:
			found = append(found, warn(name, diff.What, "sentinel accept"))
		}
	}
	if held == 0 {
		return found
	}
	return append([]Finding{warn(name, fmt.Sprintf("the folder stops less than what was last known to you, so pinned rules are in force instead of it, in %s", text.Count(held, "place")),
		"sentinel accept shows the difference and takes it over")}, found...)
}

// stale tells of rules that were made of a line of an instruction file which has other
// words now, or is at another place.
func (d *doctor) stale(f *project.Folder) (found []Finding) {
	for i, s := range coverage.StaleOf(f.Root, f.Written()) {
		what := "made of " + s.Source + ": " + s.Why
		switch {
		case i == maxProblems:
			return append(found, info("stale", "and more", "sentinel coverage"))
		case s.Moved():
			found = append(found, info(s.Rule, what, "sentinel learn --no-model notes the line where it is now"))
		default:
			found = append(found, warn(s.Rule, "stale, "+what, "look at the line with sentinel coverage; then change the rule (sentinel rules edit "+s.Rule+") or remove it (sentinel rules rm "+s.Rule+")"))
		}
	}
	return found
}

// problem reports a fault in a file.
func (d *doctor) problem(f *project.Folder, p rule.Problem) Finding {
	at := p.File
	if filepath.IsAbs(at) {
		at = d.display(at)
	}
	if f.User {
		at = d.display(f.Dir) + "/" + at
	}
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			at = fmt.Sprintf("%s:%d", at, n)
		}
	}
	if p.Warning {
		return warn(at, p.Message, "correct the file; what is understood of it holds meanwhile")
	}
	do := "until it is corrected, what the file is about is let through (fail_open is true)"
	if !f.Config.FailOpen {
		do = "until it is corrected, what the file is about is stopped (fail_open is false)"
	}
	return fail(at, p.Message, do)
}

// packed says how many of the rules that packs deliver are here.
func (d *doctor) packed(name string, f *project.Folder) []Finding {
	dir := f.Config.RulesDir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(f.Dir, filepath.FromSlash(dir))
	}
	files, err := packs.Files(packs.All)
	if err != nil {
		return nil // cannot happen: they are part of the program
	}
	same, other := 0, 0
	for _, file := range files {
		here, err := safefile.Read(filepath.Join(dir, file.Name), maxRead)
		switch {
		case err == nil && strings.ReplaceAll(string(here), "\r\n", "\n") == string(file.Data):
			same++
		case err == nil || !os.IsNotExist(err):
			other++
		}
	}
	if same+other == 0 {
		return nil
	}
	return []Finding{info(name, fmt.Sprintf("%s of packs: %d as delivered, %d changed", text.Count(same+other, "rule"), same, other), "")}
}

// trust says what is not done until the configuration is trusted.
func (d *doctor) trust(name string, f *project.Folder) (found []Finding) {
	if f.User {
		return nil
	}
	refused := d.project.Inspect().Refused(f)
	for _, err := range refused {
		why := strings.TrimPrefix(message(err), sentinel.ErrRefused.Error()+": ")
		why = strings.TrimSuffix(why, "; read it, then run `"+text.Command(d.Project.Program, "trust")+"`")
		found = append(found, person(name, "refused: "+why, "read the configuration, then run `sentinel trust`"))
	}
	if len(refused) == 0 {
		state := "asks for nothing that needs trust"
		if f.Trusted(d.Project.StateDir) {
			state = "is trusted as it is now"
		}
		found = append(found, ok(name, "the configuration "+state))
	}
	return found
}

func failOpen(name string, f *project.Folder) Finding {
	if f.Config.FailOpen {
		return info(name, "fail_open is true: what cannot be judged is let through", "")
	}
	return info(name, "fail_open is false: what cannot be judged is stopped", "")
}

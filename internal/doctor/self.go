package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
)

// self looks at the program itself.
func (d *doctor) self(ctx context.Context) []Finding {
	found := []Finding{ok("version", fmt.Sprintf("%s, %s, %s", d.Version, d.Version.Go, d.Version.Platform))}
	name := cmp.Or(d.Name, "sentinel")
	all := d.onPath()
	if len(all) == 0 {
		return append(found, info("path", "no program called "+name+" is on the PATH; this one is "+d.Self,
			"put it on the PATH, so that hooks that name it find it"+fromSource(name)))
	}
	for i, path := range all {
		p := d.programs.at(ctx, path)
		where := " is on the PATH"
		if i > 0 {
			where += " too; hooks that name " + name + " start " + all[0]
		}
		switch {
		case p.problem.Status != StatusOK:
			p.problem.Name = "path"
			if i > 0 {
				p.problem.Status = StatusWarn // nothing starts it
			}
			p.problem.What += text.When(i > 0, "; it"+where)
			found = append(found, p.problem)
		case d.isSelf(path):
			found = append(found, ok("path", path+where))
		default:
			found = append(found, ok("path", path+where+text.Unless(i > 0, ", of this version")))
		}
	}
	return found
}

// maxPrograms bounds the programs of one name that are looked at.
const maxPrograms = 8

// onPath are the programs of this one's name on the PATH that agents have, each once, the one
// that a hook starts first.
func (d *doctor) onPath() (all []string) {
	for path := range setup.Programs(d.place, cmp.Or(d.Name, "sentinel")) {
		if !slices.ContainsFunc(all, func(p string) bool { return sameFile(p, path) }) {
			all = append(all, path)
		}
		if len(all) == maxPrograms {
			break
		}
	}
	return all
}

// An Install is a program of Sentinel's on this machine.
type Install struct {
	Path    string   `json:"path"`
	Version string   `json:"version"` // as it says itself; "" where it was not asked
	Self    bool     `json:"self"`    // this very program
	OnPath  bool     `json:"on_path"`
	Hooks   []string `json:"hooks"`   // agents whose hooks start it from here
	Problem string   `json:"problem"` // why it was not asked, or that it is another version
}

// Installs are the programs on the PATH, the one that runs, and those that the hooks of
// agents start from opts.Dir.
func Installs(ctx context.Context, opts Options) (all []Install) {
	d := newDoctor(opts)
	ctx, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	add := func(path string) *Install {
		i := slices.IndexFunc(all, func(p Install) bool { return sameFile(p.Path, path) })
		if i < 0 {
			p := d.programs.at(ctx, path)
			found := Install{Path: path, Self: d.isSelf(path), Hooks: []string{}}
			if p.version != (Version{}) {
				found.Version = text.OneLine(p.version.String())
			}
			if p.problem.Status != StatusOK {
				found.Problem = p.problem.clean().What
			}
			i, all = len(all), append(all, found)
		}
		return &all[i]
	}
	for _, path := range d.onPath() {
		add(path).OnPath = true
	}
	if d.Self != "" {
		add(d.Self)
	}
	for _, ag := range d.Project.Agents.All() {
		for _, path := range d.hookPrograms(ag) {
			if p := add(path); !slices.Contains(p.Hooks, ag.Name) {
				p.Hooks = append(p.Hooks, ag.Name)
			}
		}
	}
	return all
}

// hookPrograms are the programs that an agent's hooks start.
func (d *doctor) hookPrograms(ag *agent.Agent) (paths []string) {
	if !ag.Settings.Known() {
		return nil
	}
	a := &patient{doctor: d, agent: ag, name: ag.Name}
	a.read(install.Repository)
	a.read(install.User)
	for _, r := range a.files {
		for _, e := range r.Entries {
			if c, plain := e.Call(); plain {
				if path, _ := d.locate(c); path != "" && !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
	}
	return paths
}

// fromSource is how the program is installed, after what it is for; "" for another's own.
func fromSource(name string) string {
	return text.When(name == "sentinel", ": go install github.com/agentsentinel/sentinel/cmd/...@latest")
}

// String is a version in one word or two.
func (v Version) String() string {
	text := v.Version
	if v.Revision != "" {
		text += " (" + v.Revision[:min(12, len(v.Revision))] + ")"
	}
	if v.Modified {
		text += ", modified"
	}
	return text
}

// isSelf reports whether path is the running program.
func (d *doctor) isSelf(path string) bool { return sameFile(path, d.Self) }

func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

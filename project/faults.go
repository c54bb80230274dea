package project

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// maxFaults bounds how many broken files of a folder are named.
const maxFaults = 20

// faultsOf says of each broken file, in one line, where it is and what is wrong with it.
// Where that is not a rule, it is the configuration or a folder.
func faultsOf(problems ...[]rule.Problem) []string {
	var faults []string
	seen := map[string]bool{}
	for _, list := range problems {
		for i := range list {
			if p := &list[i]; !p.Warning && !seen[p.File] && len(faults) < maxFaults {
				seen[p.File] = true
				faults = append(faults, text.Line(p.Error()))
			}
		}
	}
	return faults
}

// Broken says of each file of the folder that is not in force, in one line, where it is
// and what is wrong with it: of the first twenty.
func (f *Folder) Broken() []string { return f.faults }

// warnedOf reports whether [Notices.Held] names the file that a fault is in.
func (f *Folder) warnedOf(fault string) bool {
	return slices.ContainsFunc(f.found, func(d pin.Difference) bool {
		return (d.Held || d.Kind == pin.KindBroken) && strings.HasPrefix(fault, text.Line(d.File)+":")
	})
}

// Faults is a line for the user about files that are not in force and that
// [Notices.Held] does not name, such as a configuration, or a rule that no backend
// judges. It is given once in a session, and again when there are other files; else it is
// "".
func (n *Notices) Faults(ev sentinel.Event) string {
	p := n.project
	if p.opts.StateDir == "" || p.opts.NoLog {
		return ""
	}
	count, first, all := 0, "", ""
	open := true
	for _, f := range p.Folders {
		for _, fault := range f.faults {
			if f.warnedOf(fault) {
				continue
			}
			if count++; first == "" {
				first, open = fault, f.Config.FailOpen
			}
			all += f.Dir + "\n" + fault + "\n"
		}
	}
	if count == 0 {
		return ""
	}
	within := time.Duration(0)
	if ev.Session == "" {
		within = 24 * time.Hour
	}
	if p.opts.givenTexts().Repeated(ev.Session, "notice:faults", all, within) {
		return ""
	}
	effect := "what it is about goes on unjudged"
	if !open {
		effect = "what it is about is stopped (fail_open: false)"
	}
	more := ""
	if count > 1 {
		more = fmt.Sprintf(" There are %d such files.", count)
	}
	notice := text.Line(fmt.Sprintf("not in force: %s. Until it is corrected %s.%s `sentinel rules lint` names every fault.", first, effect, more))
	p.Past().Book().Note("rules", ev.Agent, notice) // the notice itself matters more than its record
	return notice
}

package instructions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
)

// A line may name a check and behind it a command that writes the code, such as a formatter. An
// agent that keeps this order has written files after the check: to demand the check since the
// last change would send it back.

// thenRuns are the commands that a line wants to run after those of a duty.
func (b *builder) thenRuns(d *duty, all []duty) (list []string) {
	at := slices.IndexFunc(all, func(o duty) bool { return slices.Equal(o.names, d.names) })
	for _, o := range all[at+1:] {
		list = append(list, o.example)
	}
	if len(b.s.Code) > maxCode {
		return list
	}
	below := false
	for _, l := range b.s.Code {
		cmd, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(l), "$ "), " #")
		cmd = strings.TrimSpace(cmd)
		switch {
		case strings.HasPrefix(cmd, "#"), cmd == "":
		case slices.Contains(d.names, cmd):
			below = below || cmd == d.names[0]
		case below && !slices.Contains(list, cmd):
			list = append(list, cmd)
		}
	}
	return list
}

// inOrder is a rule about a command that the line's own order makes old: it has to run once, or
// at the end of a turn once in that turn. Other rules are as they were.
func (r ruleFile) inOrder(d *duty, behind []string, change string) ruleFile {
	if len(behind) == 0 || r.Requires.Since == nil {
		return r
	}
	probe := r
	probe.ID, probe.Severity, probe.Source, probe.Quote = "probe", "warn", "probe:1", "probe"
	ordered := ruleCase{Write: change, Content: "x", Turn: append([]string{d.example}, behind...)}
	if r.Trigger == "bash" {
		ordered = r.Tests[0]
		ordered.Before = []step{{Write: change}, {Bash: d.example}}
		for _, c := range behind {
			ordered.Before = append(ordered.Before, step{Bash: c})
		}
	}
	probe.Tests = append(slices.Clone(r.Tests), passes(ordered))
	if data, err := probe.render(); err != nil || holds("probe", data, imagined) {
		return r
	}
	if r.Trigger == "bash" {
		r.why = strings.TrimSuffix(r.why, " since the last change.") + "."
		r.Requires, r.Tests = &requires{Ran: r.Requires.Ran}, r.Tests[:2]
		for i := range r.Tests {
			r.Tests[i].Before = slices.DeleteFunc(slices.Clone(r.Tests[i].Before), func(s step) bool { return s.Write != "" })
		}
		return r
	}
	r.Trigger, r.Phase, r.Scope = "file_write", "stop", r.Requires.Since
	r.When = "not (" + strings.Join(pathglob.Each(r.Requires.Ran, func(p string) string { return "ran(" + strconv.Quote(p) + ")" }), " or ") + ")"
	r.Requires, r.Message = nil, strings.TrimSuffix(r.Message, " {{missing}}")
	return r
}

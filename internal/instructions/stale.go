package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
)

// A line may name a check and behind it a command that writes the code, such as a formatter. An
// agent that keeps this order has written files after the check: to demand the check since the
// last change would send it back.

// thenRuns are the commands that a line wants to run after those of a duty.
func (b *builder) thenRuns(d *ruletext.Duty, all []ruletext.Duty) (list []string) {
	at := slices.IndexFunc(all, func(o ruletext.Duty) bool { return slices.Equal(o.Names, d.Names) })
	for _, o := range all[at+1:] {
		list = append(list, o.Example)
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
		case slices.Contains(d.Names, cmd):
			below = below || cmd == d.Names[0]
		case below && !slices.Contains(list, cmd):
			list = append(list, cmd)
		}
	}
	return list
}

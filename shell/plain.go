package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// Bare is the command without the options that change only how a run of it is shown, how fast
// it is or how much more it does: go test ./... of `go test -v -count=1 ./...`. Options that keep
// names stay. ok is false where there is none.
func (c *Command) Bare(keep []string) (bare Command, ok bool) {
	plain := table.PlainOf(c.Program, c.Subcommand, false)
	bare = *c
	bare.Args, bare.Flags, bare.Operands = nil, nil, nil
	flags, operands := c.Flags, c.Operands
	for i := 0; i < len(c.Args); {
		n := 0
		if c.Args[i] == "--" {
			plain = table.PlainOf(c.Program, c.Subcommand, true)
			n = min(1, len(c.Args)-i-1) // it goes with what is behind it
		} else if name, _, _ := strings.Cut(c.Args[i], "="); !slices.Contains(keep, name) {
			n = plain.Takes(c.Args[i:])
		}
		for _, word := range c.Args[i : i+max(n, 1)] {
			isFlag := len(flags) > 0 && flags[0] == word
			isOperand := !isFlag && len(operands) > 0 && operands[0] == word
			if isFlag {
				flags = flags[1:]
			} else if isOperand {
				operands = operands[1:]
			}
			switch {
			case n > 0:
				ok = true
				continue
			case isFlag:
				bare.Flags = append(bare.Flags, word)
			case isOperand:
				bare.Operands = append(bare.Operands, word)
			}
			bare.Args = append(bare.Args, word)
		}
		i += max(n, 1)
	}
	if len(flags)+len(operands) > 0 { // it is a reading of another command
		return *c, false
	}
	bare.Text = c.Program
	for _, word := range bare.Args {
		bare.Text += " " + quote(word)
	}
	return bare, ok
}

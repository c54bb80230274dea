package decision

import (
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// effects shows what the commands of a line do, and how certain that is.
func (p *Printer) effects(line *shell.Line) {
	for i := range line.Effects {
		p.Line("  does: %s", text.OneLine(line.Effects[i].Describe()))
	}
}

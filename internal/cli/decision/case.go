package decision

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/ruletest"
)

func PrintResult(p *command.Env, r *ruletest.Result) {
	if r.State == ruletest.Passed {
		return
	}
	name := r.Case.Name()
	if r.Case.File != r.File {
		name = filepath.Base(r.Case.File) + ", " + name
	}
	p.Line("      case %d, %s", r.Case.Index+1, prompt.OneLine(name))
	if r.State == ruletest.Failed {
		p.Line("        expected %s, got %s: %s", r.Case.Expect, r.Got, prompt.OneLine(r.Why))
		return
	}
	p.Line("        %s", prompt.OneLine(r.Why))
}

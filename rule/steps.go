package rule

import (
	"math"
	"slices"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/shell"
)

// A stretch is the places, from 1 and in the order in which a line runs, of a command and of all that it runs, as a
// recipe or a script does.
type stretch struct{ from, to int }

func stretchOf(line *shell.Line, i int) stretch {
	return stretch{line.Order(i) + 1, line.Ends(i) + 1}
}

// or is the one of two stretches that ends later, or the longer one.
func (s stretch) or(other stretch) stretch {
	if other.to > s.to || other.to == s.to && other.from < s.from {
		return other
	}
	return s
}

// places tell where in the line of a call its writes are done.
type places struct {
	line *shell.Line      // the whole one; nil where a call has several
	runs func() []stretch // of the commands that are asked about
}

// places are those of a call.
func (n *Needs) places(actions []sentinel.Action) *places {
	var call *sentinel.Action
	for i := range actions {
		if a := &actions[i]; a.Trigger == sentinel.Bash && a.Carrier == "" {
			if call != nil {
				return &places{}
			}
			call = a
		}
	}
	if call == nil {
		return &places{}
	}
	line := parsed(call)
	return &places{line.Whole(), sync.OnceValue(func() (runs []stretch) {
		for _, pattern := range n.Ran {
			if _, ran := runOf(line, pattern, call.Root); ran.to > 0 {
				runs = append(runs, ran)
			}
		}
		return runs
	})}
}

// of is where the last command is that does an action, 0 where that is not known. formats says that only formatters
// do it.
func (p *places) of(a *sentinel.Action) (step int, formats bool) {
	if p.line == nil || len(a.Effects) == 0 {
		return 0, false
	}
	formats = true
	for _, k := range a.Effects {
		if k < 0 || k >= len(p.line.Effects) {
			return 0, false
		}
		e := &p.line.Effects[k]
		if e.Command < 0 || e.Command >= len(p.line.Commands) {
			return 0, false
		}
		step = max(step, p.step(p.line, e.Command))
		formats = formats && e.Kind == shell.EffectEdit && p.line.Formats(e.Command)
	}
	return step, formats
}

// step is where what command i of the line, or of a part of it, does is done. In the background and by a trap that
// may be later than all else; what a run starts so is a part of the run.
func (p *places) step(line *shell.Line, i int) int {
	at := line.Order(i) + 1
	if !line.Later(i) {
		return p.known(at)
	}
	last := 0
	for _, run := range p.runs() {
		if run.from <= at && at <= run.to {
			last = max(last, run.to)
		}
	}
	if last > 0 {
		return p.known(last)
	}
	return math.MaxInt
}

// known is a place as facts know it. In a line of more commands than they can tell apart, it is the first of the runs
// that end there or later.
func (p *places) known(at int) int {
	switch {
	case p.line == nil || at == 0:
		return 0
	case len(p.line.Commands) <= facts.MaxStep:
		return at
	}
	var ends []int
	for _, run := range p.runs() {
		ends = append(ends, run.to)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	first, _ := slices.BinarySearch(ends, at)
	if first == len(ends) {
		return math.MaxInt
	}
	return first + 1
}

// reshaped are the writes of commands that change files which their line does not name. Which ones is for the files to
// tell.
func (p *places) reshaped(line *shell.Line) (all []facts.Fact) {
	for i := range line.Commands {
		if may, _ := line.Reshapes(i); may {
			wrote := facts.Fact{Kind: facts.Wrote, Text: ".", Below: true, Maybe: true}
			if p.line != nil {
				wrote.Step = p.step(line, i)
			}
			all = append(all, wrote)
		}
	}
	return all
}

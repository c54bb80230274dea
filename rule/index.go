package rule

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/scope"
)

// An Index finds the rules that an action may be about without reading any of
// them: by trigger, and by a text that each pattern of the scope requires. It is
// immutable and safe for concurrent use.
type Index struct {
	sections [len(indexed) * len(phases)]string // for each trigger, those of each phase
	count    int                                // of rules
	fold     bool
}

// indexed are the triggers that an action can have.
var indexed = [...]sentinel.Trigger{sentinel.FileWrite, sentinel.FileRead, sentinel.Bash, sentinel.MCP}

// phases are those in which a rule can judge.
var phases = [...]sentinel.Phase{sentinel.PhasePre, sentinel.PhasePost, sentinel.PhaseStop}

// AppendIndex appends the index of files to dst. fold is that of the [Options]
// that their rules are built with.
func AppendIndex(dst []byte, files []File, fold bool) []byte {
	for _, trigger := range indexed {
		for _, phase := range phases {
			var section []byte
			last := 0
			for i := range files {
				d := &files[i].Definition
				if d.Mode == off || !d.judges(phase, trigger) || !sentinel.Trigger(d.Trigger).Covers(trigger) {
					continue
				}
				section = codec.Append(section, i-last)
				section = codec.Append(section, d.words(trigger, fold))
				last = i
			}
			dst = codec.AppendText(dst, string(section))
		}
	}
	return dst
}

// words returns a text for each pattern of the scope. Every action of this trigger
// that the rule matches has one of them in it. None means that no such text is
// known.
func (d *Definition) words(trigger sentinel.Trigger, fold bool) []string {
	words := make([]string, len(d.Scope))
	for i, pattern := range d.Scope {
		switch trigger {
		case sentinel.Bash:
			words[i] = scope.CommandWord(pattern)
		case sentinel.MCP:
			words[i] = scope.ToolWord(pattern)
		default:
			words[i] = scope.PathWord(pattern, fold)
		}
		if words[i] == "" {
			return nil
		}
	}
	return words
}

// ReadIndex reads what AppendIndex wrote for so many files. The index keeps
// parts of what r reads from.
func ReadIndex(r *codec.Reader, count int, fold bool) Index {
	x := Index{count: count, fold: fold}
	for i := range x.sections {
		x.sections[i] = r.Text()
	}
	return x
}

// Candidates calls yield with the number of each rule that may match the action,
// in ascending order, of the rules that judge in this phase. It leaves out no rule
// that matches. ok is false, and some numbers may be missing, when the index
// is damaged.
func (x *Index) Candidates(a *sentinel.Action, phase sentinel.Phase, yield func(i int)) (ok bool) {
	section := 0
	for section < len(indexed) && indexed[section] != a.Trigger {
		section++
	}
	if section == len(indexed) { // no rule file can name this trigger
		for i := range x.count {
			yield(i)
		}
		return true
	}
	at := slices.Index(phases[:], phase)
	if at < 0 {
		return true
	}
	section = section*len(phases) + at
	r := codec.Reader{Rest: x.sections[section]}
	finder := x.finder(a)
	for i := 0; r.Rest != ""; {
		i += int(min(r.Uint()>>1, uint64(x.count)))
		words := int(r.Uint()) - 1
		may := words <= 0 || finder == nil
		for ; words > 0 && !r.Failed; words-- {
			word := r.Text()
			may = may || finder.Has(word)
		}
		if r.Failed || i >= x.count {
			return false
		}
		if may {
			yield(i)
		}
	}
	return true
}

// Judges reports whether there may be rules that judge in this phase.
func (x *Index) Judges(phase sentinel.Phase) bool {
	at := slices.Index(phases[:], phase)
	for i := at; at >= 0 && i < len(x.sections); i += len(phases) {
		if x.sections[i] != "" {
			return true
		}
	}
	return false
}

// finder looks for words in the action; nil means that an action of this kind may
// match without them.
func (x *Index) finder(a *sentinel.Action) *scope.Finder {
	switch a.Trigger {
	case sentinel.Bash:
		if a.Command == nil {
			return nil
		}
		return scope.FindInLine(a.Command)
	case sentinel.MCP:
		return scope.FindInTool(forms(a))
	}
	if meetsInside(a) {
		return nil
	}
	for _, form := range forms(a) {
		if _, unknown := unknownBelow(form); unknown {
			return nil
		}
	}
	return scope.FindInPaths(forms(a), x.fold)
}

// meetsInside reports whether the action also meets the rules on what is in the
// folder that it names: a command that edits a folder, as git restore, changes
// what is in it.
func meetsInside(a *sentinel.Action) bool {
	restores := a.Op == sentinel.OpEdit && a.DerivedFrom != ""
	return restores || a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove
}

// unknownBelow returns the folder of a form such as "src/**", which means a
// folder whose content is not known.
func unknownBelow(form string) (dir string, ok bool) {
	if form == "**" {
		return ".", true
	}
	dir, ok = strings.CutSuffix(form, "/**")
	return dir, ok && dir != ""
}

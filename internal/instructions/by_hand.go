package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// byHandOnly forbids edits by hand. A program that writes a file, and the removal of one, do not count.
	byHandOnly = lazy.Regexp{Source: `\b(?:edit|modif|chang|touch|alter|updat|patch)\w*\b[^.;]*\b(?:by hand|manually|directly)\b|\b(?:manual|manually|directly|hand)[ -](?:edit|modif|chang|touch|alter|updat|patch)`}
	// keptByPeople says who edits a file, and not which edits are forbidden.
	keptByPeople = lazy.Regexp{Source: `\b(?:is|are|be|gets?) (?:only |always )?(?:edit|modifi|chang|updat|maintain|kept)\w* (?:by hand|manually)`}
	// makesIt is the command that writes the file, or changes it.
	makesIt = lazy.Regexp{Source: `\b(?:(?:re-?)?(?:generat|mak|buil|produc|writ|creat|compil|updat|manag|maintain|run)\w*|made|use|using|via|with|through)\b[^.;‹]{0,30}‹c\d+›`}
	// removesToo forbids more than edits, and anyTouch any change at all.
	removesToo = lazy.Regexp{Source: `\b(?:delet|remov|renam|mov|overwrit|replac|restor|revert)(?:e|es|ing)?\b`}
	anyTouch   = lazy.Regexp{Source: `\btouch`}
	// allOutputs are patterns of folders that tools make, and that may be removed as a whole.
	allOutputs = lazy.Regexp{Source: `^(?:\*\*/)?(?:node_modules|dist|build|out|target|coverage|bin|obj|__pycache__|\.next|\.nuxt|\.turbo|\.venv|\.cache|\.parcel-cache|\.svelte-kit|_build)/\*\*$`}
)

// typedText is a condition for writes of a text that a call has in it.
const typedText = `content != "" or old_content != ""`

// sparesPrograms lets copies, restored files, removed folders and the writes of a program pass, if the line
// forbids edits by hand alone or says which program writes the file. If the line forbids edits of any kind,
// folders that tools make may be removed.
func (b *builder) sparesPrograms(r *ruletext.Rule) {
	if r.Trigger != "file_write" || r.Phase != "" || !slices.Contains([]string{"writes", "kinds"}, b.hit.Form.Rule) || len(r.Scope) == 0 || r.When != "" {
		return
	}
	sample, words := pathglob.Sample(r.Scope[0]), b.hit.Phrase.Words
	switch {
	case removesToo.Get().MatchString(words):
	case byHandOnly.Get().MatchString(keptByPeople.Get().ReplaceAllString(words, "")), slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool { return makesIt.Get().MatchString(p.Words) }):
		r.When = typedText
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "git checkout -- " + sample}), ruletext.AsPass(ruletext.Case{Bash: "cp old.txt " + sample}))
	case !anyTouch.Get().MatchString(words) && !slices.ContainsFunc(r.Scope, func(g string) bool { return !allOutputs.Get().MatchString(g) }):
		r.When = `operation != "delete"`
	default:
		return
	}
	if dir, ok := strings.CutSuffix(r.Scope[0], "/**"); ok && r.When != "" {
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "rm -rf " + strings.TrimPrefix(dir, "**/")}))
	}
}

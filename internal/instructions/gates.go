package instructions

import (
	"path"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// moreGates are the commands of a list whose first one is a gate: "before running ‹c›, ‹c›, or
// variants such as ‹c›, …".
var moreGates = lazy.Regexp{Source: `^(?:(?:,? (?:or|and) |, |/)(?:(?:running |run |any |the )*(?:[\w-]+ ){0,2}(?:variants?|forms?|commands?|scripts?) (?:such as|like) )?(?:running |run )?‹c\d+›)+`}

// gateCommand is a command that has to wait, as the scope of a rule, with an example.
func gateCommand(t sentence.Term) (list []string, example string) {
	if t.Kind != sentence.Command || survey.Operator.Get().MatchString(t.Text) || survey.TooWide(t.Text, false) {
		return nil, ""
	}
	return patterns(sentence.Cleaned(t))
}

// furtherGates adds the other commands of the list that names the command of g. Commands that have to
// run before are left out.
func (b *builder) furtherGates(g *gate) {
	behind, _ := b.after("gate")
	run := b.hit.Slots["run"]
	for _, at := range sentence.Mark.Get().FindAllString(moreGates.Get().FindString(behind), -1) {
		if strings.Contains(run, at) {
			return
		}
		if list, example := gateCommand(b.termOf(at)); len(list) > 0 {
			g.scope, g.named = append(g.scope, list...), g.named+", `"+example+"`"
		}
	}
}

// prepares is a command that only makes the shell ready for others.
var prepares = lazy.Regexp{Source: `^(?:source|\.|export|set|unset|alias|deactivate|(?:conda|mamba|micromamba) activate|nvm use|workon|direnv allow)(?: |$)`}

// onlyPrepares reports whether a command checks nothing that a commit or the end of a turn could
// wait for: it makes the shell ready. Another command may wait for it, and the first write.
func (b *builder) onlyPrepares(cmd string) bool {
	return prepares.Get().MatchString(cmd) && !b.has("first") && !strings.HasPrefix(b.hit.Slots["gate"], "‹c")
}

var (
	// furtherOrder is a case with what else is to be done in it: "changing a page always bump its
	// number".
	furtherOrder = lazy.Regexp{Source: `^(\S+ .*?\w),? (?:always|please|you must|remember to|make sure to|be sure to) [a-z]`}
	// ofAlways is in front of an "always" that is of the case itself.
	ofAlways = lazy.Regexp{Source: `\b(?:must|should|will|can|to|is|are|be|not|that|which|who|it|they)$`}
)

// caseAlone takes out of a case what else is to be done in it.
func (b *builder) caseAlone() {
	if m := furtherOrder.Get().FindStringSubmatch(b.hit.Slots["words"]); m != nil && !ofAlways.Get().MatchString(m[1]) {
		b.hit.Slots["words"] = m[1]
	}
	if m := changesOfPart.Get().FindStringSubmatch(b.hit.Slots["words"]); m != nil && m[1] == path.Base(b.s.OfFolder()) {
		delete(b.hit.Slots, "words") // all that the file of the folder is about
	}
}

// changesOfPart is a case about a part of the project, by its name.
var changesOfPart = lazy.Regexp{Source: `^(?:all |any |the |every )*([\w-]+) (?:code )?changes?$`}

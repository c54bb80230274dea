package instructions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// madeBy goes on with the command that makes the files in front: "refresh ‹p› with ‹c›".
	madeBy = lazy.Regexp{Source: `^(?: (?:file|files|accordingly|too|as well))?,? (?:with|using|via|by|through)(?: (?:running|a run of|the command|the|calling|executing))* (‹c\d+›)|^ \((?:run|via|using|with|by running|by)? ?(‹c\d+›)\)`}
	// toMake is the command in front of the files that it makes: "run ‹c› to refresh ‹p›".
	toMake = lazy.Regexp{Source: `\b(?:run|use|call|execute|running|using) (?:the )?(‹c\d+›)(?: (?:from|in|at) [^.;,‹]{3,30})? (?:to|and) (?:re-?generate|refresh|update|sync|re-?build|re-?create|bump|write) [^.;‹]{0,40}$`}
	// options are those at the end of a command.
	options = lazy.Regexp{Source: ` --?[a-z][\w-]*(?: .*)?$`}
)

// maker is the command that makes the files, as the sentence says; "" if it names none.
func (b *builder) maker() string {
	marks := sentence.Mark.Get().FindAllString(b.hit.Slots["with"], -1)
	if len(marks) == 0 {
		return ""
	}
	front, _, _ := strings.Cut(b.hit.Phrase.Words, marks[0])
	_, behind, _ := strings.Cut(b.hit.Phrase.Words, marks[len(marks)-1])
	m := madeBy.Get().FindStringSubmatch(behind)
	if m == nil {
		m = toMake.Get().FindStringSubmatch(front)
	}
	for _, of := range m[min(1, len(m)):] {
		if list := b.hit.Phrase.TermsIn(of); len(list) == 1 && list[0].Code {
			return withoutArguments(sentence.Cleaned(list[0]))
		}
	}
	return ""
}

// madeByRun lets a run of the command that makes a file, as the line says, meet a rule that wants
// the file to change. It is not always known what a command writes.
func (b *builder) madeByRun(r ruletext.Rule) ruletext.Rule {
	cmd := b.maker()
	ran, example := ranPatterns(cmd)
	if r.Also == nil || r.Also.New || len(r.Also.By) > 0 || len(ran) == 0 || survey.Operator.Get().MatchString(cmd) || survey.TooWide(cmd, false) {
		return r
	}
	if b.has("deps") { // with other options it writes the file, too
		ran, _ = ranPatterns(options.Get().ReplaceAllString(cmd, ""))
	}
	from, with := r.Also.Changed, r.Also.With
	r.Trigger, r.Phase, r.Scope, r.Exclude, r.Also = "file_write", "stop", from, with, nil
	var not []string
	for _, w := range with {
		not = append(not, fmt.Sprintf("not changed(%q)", w))
	}
	for _, p := range ran {
		not = append(not, "not ran("+strconv.Quote(p)+")")
	}
	r.When = strings.Join(not, " and ")
	r.Message = strings.TrimSuffix(strings.TrimSuffix(r.Message, " {{missing}}"), ".") + ", with " + cmd + "."
	r.Why = fmt.Sprintf("It wants %s to change, or %s to run, in a turn that changes %s.", strings.Join(with, ", "), cmd, strings.Join(from, ", "))
	write := ruletext.Case{Write: pathglob.Sample(from[0]), Content: "x"}
	made, wrote := write, write
	made.Turn, wrote.Turn = []string{example}, []string{"touch " + pathglob.Sample(with[0])}
	r.Tests = []ruletext.Case{ruletext.AsStop(write), ruletext.AsPass(made), ruletext.AsPass(wrote), ruletext.AsPass(ruletext.Case{Write: other(append(slices.Clone(from), with...)), Content: "x"})}
	return r
}

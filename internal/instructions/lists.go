package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// protects is a heading above files that are not to be changed.
	protects = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:protected|read-?only|off-?limits|untouchable|frozen|locked)(?: (?:files?|paths?|folders?|directories|code|areas?|zones?|and|or|/))*|(?:files?|paths?|folders?|directories|code|areas?|things)(?: (?:that|which|and|folders?|directories|paths?))*(?: (?:you|agents?|ai|claude))? (?:must |should |may |to |are |is )?(?:not|never|off-limits)(?: (?:to|be|ever))*(?: (?:edit|touch|modify|change|alter)(?:ed|ied|d)?)?|(?:auto-?)?generated (?:files?|code|outputs?)[ (—–:-]+(?:do not|don['’]t|never) (?:edit|touch|modify|change)|(?:do not|don['’]t|never) (?:edit|touch|modify|change|alter)(?: (?:these|the following|any of these|files?|folders?|directories|paths?))*|` +
		`(?:the following|these|all of these)\b[\w ,/-]{0,60} (?:must|should|may) (?:not|never) be (?:edited|modified|changed|touched)(?: by hand| manually| directly| by agents?)?)(?: \([^)]*\))?[\W_]*$|` + remarkedBan}
	// prePull is one above what is to be done before a pull request.
	prePull = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:pre-?pr|(?:pr|pull request|merge request|pre-?submission|submission|pre-?submit)(?: (?:submission|review|merge))? (?:checklist|requirements?|readiness|gates?|checks)|checklist (?:before|for) (?:a |an |the |your |opening |submitting |creating )*(?:prs?|pull requests?))\b[^.]{0,20}$`}
	// process is the heading of the steps of work of all kinds.
	process = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:development|dev|git|work|coding|standard|typical|general|basic|recommended|feature|contribution|agent|implementation|required|daily|local|core|our|the|task|session|change|default|mandatory) )*(?:workflow|process|work ?flow|steps|contributing|development|procedure|loop|making changes|working on (?:a |an )?(?:tasks?|features?|issues?)|development cycle|how to contribute|how to work)\b[^.]{0,20}$`}
	// recording is a step in which what was done is recorded, by the sentence about what is
	// to happen before it.
	recording = []struct {
		step lazy.Regexp
		then string
	}{
		{lazy.Regexp{Source: `(?i)^\W*(?:(?:then|finally|and|now),? )?(?:git )?commit(?:\b(?: (?:and push|your|the|with|changes|work|all)\b.*)?\W*$|\b[:(—–-].*| with a .*)`}, "Before committing:"},
		{lazy.Regexp{Source: "(?i)^\\W*(?:(?:then|finally|and|now),? )?(?:push(?: (?:to|the|your|and|changes|branch)\\b.*)?|`git push[^`]*`)\\W*$"}, "Before pushing:"},
		{lazy.Regexp{Source: `(?i)^\W*(?:(?:then|finally|and|now),? )?(?:open|create|submit|raise|make) (?:a |the |your )?(?:draft )?(?:PR|pull request|merge request)\b`}, "Before opening a PR:"},
	}
)

// steps notes for each item of a list of steps by which later one the work is recorded.
func steps(list []Statement) {
	for i := range list {
		s := &list[i]
		if s.kind != markdown.Item || len(s.Section) == 0 || !process.Get().MatchString(s.heading()) {
			continue
		}
		for k := i + 1; k < len(list) && k < i+8 && s.then == "" && list[k].kind == markdown.Item && list[k].Lead == s.Lead && slices.Equal(list[k].Section, s.Section); k++ {
			for r := range recording {
				if recording[r].step.Get().MatchString(strings.TrimLeft(list[k].Text, "*_ ")) {
					s.then = recording[r].then
					break
				}
			}
		}
	}
}

func mapped(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

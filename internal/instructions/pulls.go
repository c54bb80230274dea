package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// beforePulls is what is done with pull requests, behind "before".
	beforePulls = lazy.Regexp{Source: `\b(?:before|prior to) ([^.;:—–()]*?)\b(?:prs?|pull requests?)\b`}
	// morePulls goes on with another thing done with them.
	morePulls = lazy.Regexp{Source: `^,? (?:or|and) ((?:\w+ing[ ,/]+(?:(?:or|and|otherwise|any|a|an|the) )*)+)(?:prs?|pull requests?)\b`}
	// doneNow is one thing done.
	doneNow = lazy.Regexp{Source: `\b\w+ing\b`}
	// youDo is the same as what a reader does: "before you review".
	youDo    = lazy.Regexp{Source: `^(?:you|agents?) (?:\w+ )?`}
	ofIssues = lazy.Regexp{Source: `\bissues?\b`}
)

// A pullAct is what is done with pull requests, with the commands that do it.
type pullAct struct {
	verbs    lazy.Regexp
	commands []string
	example  string
}

// pullActs are the acts on pull requests by their verbs.
var pullActs = []pullAct{
	{lazy.Regexp{Source: `\b(?:open|creat|submit|rais|mak|fil|push|send|publish|prepar|request|ask|propos|finish|finali[sz]|complet|draft|updat)(?:t?ing|e)?\b`}, []string{"gh pr create*"}, "gh pr create --fill"},
	{lazy.Regexp{Source: `\b(?:review|triag|handl|maintain|assess|evaluat|process|inspect|manag)(?:ing|e)?\b`}, []string{"gh pr checkout*", "gh pr diff*", "gh pr review*", "gh pr comment*"}, "gh pr checkout 12"},
	{lazy.Regexp{Source: `\bapprov(?:ing|e)\b`}, []string{"gh pr review --approve*", "gh pr review -a*"}, "gh pr review --approve 12"},
	{lazy.Regexp{Source: `\bcomment(?:ing)?\b`}, []string{"gh pr comment*"}, "gh pr comment 12 --body x"},
	{lazy.Regexp{Source: `\b(?:merg|land|integrat|accept)(?:ing|e)?\b`}, []string{"gh pr merge*"}, "gh pr merge 12"},
	{lazy.Regexp{Source: `\b(?:clos|reject)(?:ing|e)?\b`}, []string{"gh pr close*"}, "gh pr close 12"},
}

// pullWords are the words between "before" and the pull requests of a sentence, with these.
func (b *builder) pullWords() (done, said string) {
	for _, text := range []string{b.hit.Phrase.Quote, b.s.Lead, b.s.Heading()} {
		text = strings.Join(strings.Fields(survey.Plain(text)), " ")
		lower := strings.ToLower(text)
		at := beforePulls.Get().FindStringSubmatchIndex(lower)
		if at == nil || len(lower) != len(text) {
			continue
		}
		done, end := lower[at[2]:at[3]], at[1]
		for more := morePulls.Get().FindStringSubmatchIndex(lower[end:]); more != nil; more = morePulls.Get().FindStringSubmatchIndex(lower[end:]) {
			done, end = done+" "+lower[end+more[2]:end+more[3]], end+more[1]
		}
		return done, text[at[2]:end]
	}
	return "", ""
}

// pullGate is the gate of a sentence about what is done with pull requests, where it says more
// than that they are opened: nil with ok for what no call shows.
func (b *builder) pullGate(a *forms.Act) (g *gate, ok bool) {
	if !slices.Contains([]string{"pull-request", "merge", "close", "comment", "approve"}, a.Name) {
		return nil, false
	}
	done, said := b.pullWords()
	if !doneNow.Get().MatchString(done) && !youDo.Get().MatchString(done) {
		return nil, false
	}
	for i := range pullActs {
		p := &pullActs[i]
		if !p.verbs.Get().MatchString(done) {
			continue
		}
		if g == nil {
			g = &gate{"bash", nil, ruletext.Case{Bash: p.example}, "`" + p.example + "`"}
		}
		g.scope = append(g.scope, p.commands...)
		if p.example == "gh pr close 12" && ofIssues.Get().MatchString(done) {
			g.scope = append(g.scope, "gh issue close*")
		}
	}
	if g != nil && b.said("words") != "" {
		b.hit.Slots["words"] = said
	}
	return g, true
}

package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// explained is an act with an option in parentheses that says how it is done.
var explained = lazy.Regexp{Source: `(‹a\d+›) \(‹f\d+›\)( or |, | and )`}

// deleteFiles names the act of deleting any file. Deleting files in a folder is another act.
const deleteFiles = "delete-files"

var actInFolder = lazy.Regexp{Source: `‹a\d+› (?:in|from|under|below|inside|within|of) (?:the |any )?‹p\d+›`}

// actsAsVerb reports whether the mark of an act goes on with a list of verbs about a file: "never
// edit or ‹commit› ‹p›".
func (p *parser) actsAsVerb(i int) bool {
	c, was := p.last(), p.text(i-1)
	if !strings.HasPrefix(p.text(i), "‹a") || !c.Not || len(c.verbs) == 0 || c.Objects != "" || was != "or" && was != "nor" && was != "," {
		return false
	}
	for k := i + 1; k <= i+3; k++ {
		if strings.HasPrefix(p.text(k), "‹") {
			return strings.HasPrefix(p.text(k), "‹p")
		}
	}
	return false
}

// listed reports whether a verb goes on with a list of verbs that have one object: only commas and
// conjunctions are in front of it.
func (p *parser) listed(i int) bool {
	was, gap := p.text(i-1), p.last().gap
	if was == "or" || was == "nor" {
		return gap == 1 || gap == 2 && p.text(i-2) == ","
	}
	return was == "," && gap == 1
}

// instead reports whether the verb behind a comma begins what to do instead, as in "never edit ‹p›,
// run ‹c›". In "never run ‹c›, run ‹c› or push" it goes on with a list.
func (p *parser) instead(i int) bool {
	if c := p.last(); c.Objects == "" && c.gap < 2 || !slices.Contains(p.verbs[p.text(i)], "run") {
		return false
	}
	if w := p.text(i - 2); w == "hand" || w == "manually" || w == "directly" { // the clause in front is complete
		return true
	}
	for k := i + 1; k < len(p.at) && !strings.Contains(".;—–", p.text(k)); k++ {
		if w := p.text(k); (w == "or" || w == "nor" || w == "and") && len(p.verbs[p.text(k+1)]) > 0 {
			return false
		}
	}
	return true
}

// codeOnBranch is a command and the branch that it is done to, or a commit that is made.
var codeOnBranch = lazy.Regexp{Source: `\b(?:creat|mak)(?:e|ing) (?:an?|any|the|each|every|new) ‹c\d+›|‹c\d+› (?:on|to|onto|into|against) (?:the |your )?(?:‹t|main\b|master\b|develop\b|trunk\b|production\b)`}

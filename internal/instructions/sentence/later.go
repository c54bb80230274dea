package sentence

import (
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Parts of the pattern notYet.
const (
	// milestone is what a plan calls a step of the project's work.
	milestone = `(?:(?:phase|milestone|stage|sprint|epic|release|version|wave|iteration|step|m|v)[ -]?\d[\w.]*|(?:[\w-]+ ){0,2}(?:migration|rewrite|cut-?over|re-?write|transition|port))`
	// comes says of it that it is there.
	comes = `(?:lands?|ships?|arrives?|starts?|(?:is|has been|gets) (?:done|complete|completed|finished|over|merged|live|released|shipped|landed|implemented|reached))`
	// isDone is what a plan says of a thing.
	isDone = `(?:available|implemented|enforced|active|in (?:place|force|use)|supported|added|wired(?: up)?|set up|enabled|built|written|ready)`
	// isThere says of a thing that the project has it.
	isThere = `(?:lands?|ships?|exists?|(?:is|are|becomes?) (?:available|implemented|in place|wired(?: up)?|set up|supported|introduced|added))`
)

// notYet is a sentence about what holds later. A condition that each piece of work may meet is
// none: "once the tests pass".
var notYet = lazy.Regexp{Source: `\((?:(?:currently|still|it is|this is|todo:?) )?(?:(?:planned|proposed|future|upcoming|coming soon|tbd|not started)(?: (?:for|in|with|work|only|once|after|feature)\b[^():]{0,40})?|not yet ` + isDone + `|not ` + isDone + ` yet|do(?:es)? not exist yet|(?:once|when|after) added)(?:,? [^():]{0,40})?\)` +
	`|\((?:once|when|after|as soon as|available (?:once|after|from)) (?:the |our )?` + milestone + `\b[^()]{0,60}\)` +
	`|\b(?:once|after|as soon as) (?:the |our )?` + milestone + ` ` + comes + `\b` +
	`|[(,—–-] ?(?:but |only )?(?:once|as soon as) (?:the |our |it |they |this |that |these )?(?:[\w‹›-]+ ){0,3}?` + isThere + `\b` +
	`|^\W*\(?(?:planned|future|upcoming|coming soon|not yet (?:implemented|enforced|active|in force))(?:\)|:| -| —| –)` +
	`|^\W*(?:when|once|as soon as) (?:implemented|configured|supported|introduced|set up|wired up|in place)[,:] ` +
	`|^\W*(?:in the future|eventually|later on|at some point),? ` +
	`|\b(?:will|to) be (?:enforced|enabled|introduced|required|added|active) (?:later|soon|in the future|once|when|after|in (?:phase|milestone|v) ?\d)`}

// Later reports whether a sentence tells what will hold.
func (p *Phrase) Later() bool { return notYet.Get().MatchString(p.Words) }

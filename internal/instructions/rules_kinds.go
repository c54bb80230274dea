package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A line may say in brackets, or by a word behind, which things of a kind it means.

var (
	// inBrackets are the names in brackets behind another one.
	inBrackets = lazy.Regexp{Source: `^ ?\((?:e\.g\.,? |such as |like |i\.e\.,? )?((?:‹[act]\d+›|force push(?:es|ing)?|,|/|and|or|etc\.?| )+)\)`}
	// ofGitAlone is a command of git without the program.
	ofGitAlone = lazy.Regexp{Source: `^(?:restore|revert|reset|clean|checkout|switch|stash|rebase|push|branch|merge|rm|filter-branch|update-ref|reflog)(?: [\w./-]+)*$`}
	// byQuality goes on with what is true of dependencies that no call shows.
	byQuality = lazy.Regexp{Source: `^ (?:with (?:known|open|critical|security|unpatched|incompatible|copyleft|gpl)\b|for (?:\d+|a few|one|two|trivial|simple|small) |that (?:are|is|have|has) (?:not |un|known |no longer ))`}
)

// spelledOutActs are names with the commands in the place of an act that the line lists them for: "no
// destructive git commands (‹restore›, ‹clean›)".
func (b *builder) spelledOutActs(list []term) (all []term) {
	behind, _ := b.after("deny")
	for _, t := range list {
		m := inBrackets.Get().FindStringSubmatch(behind)
		var own []term
		if m != nil && t.kind == 'a' && t.text == "destructive" && ofGit.Get().MatchString(b.quote) {
			for _, o := range b.hit.phrase.termsIn(m[1]) {
				switch {
				case o.kind == 'a', o.kind == command && strings.HasPrefix(o.text, "git "):
					own = append(own, o)
				case ofGitAlone.Get().MatchString(o.text):
					own = append(own, term{command, "git " + o.text, true})
				}
			}
		}
		if len(own) < 2 {
			own = []term{t}
		}
		all = append(all, own...)
	}
	return all
}

// judgedByQuality reports whether a line is about dependencies of a quality that no call shows.
func (b *builder) judgedByQuality() bool {
	behind, _ := b.after("deny")
	return byQuality.Get().MatchString(behind) && slices.ContainsFunc(b.denied(), func(t term) bool { return t.kind == 'a' && t.text == "dependencies" })
}

// schemaFiles are those that a schema of data is written in.
var schemaFiles = []string{"**/*.prisma", "**/schema.*", "**/schemas/**", "**/schema/**", "**/models/**", "**/Models/**", "**/models.*", "**/entities/**"}

// ofSchema reports whether a line wants migrations for changes of a schema.
func (b *builder) ofSchema() bool {
	return b.hit.form.Name == "needs-with" && strings.HasPrefix(b.hit.slots["what"], "migration")
}

var (
	// doneBesides goes on with what has to be done besides.
	doneBesides = lazy.Regexp{Source: `^[^.;:]* without (?:\w+ly )?(?:restor|clos|releas|clean|check|handl|wrapp|escap|sanitiz|validat|await|catch|unsubscrib|remov|dispos|free|reset|test|document|updat|also )\w*`}
	// nameAlone is a name that is only forbidden without what another one adds to it.
	nameAlone = lazy.Regexp{Source: `\b(?:bare|plain|naked) ‹t\d+›`}
	// productName is a word of plain text that is no name in code.
	productName = lazy.Regexp{Source: `^[A-Z][A-Za-z]*$`}
	// sayNone says that there is none of a thing.
	sayNone = lazy.Regexp{Source: `(?:^|[\W_])no ‹t\d+›`}
)

// ofProducts reports whether a line says in plain words that a thing is not used or not there.
func (b *builder) ofProducts(t term) bool {
	return !strings.Contains(b.quote, "`"+t.text+"`") && productName.Get().MatchString(t.text) && sayNone.Get().MatchString(b.hit.phrase.words) && b.knownAs(t.text, t.text, true) == nil
}

var (
	// writesKind forbids to write files of a kind, which is to make them.
	writesKind = lazy.Regexp{Source: `\b(?:never|not|don't|avoid) (?:ever )?writ(?:e|ing) (?:any |new |plain |raw )*$`}
	// intoFile are secrets that are not to be put into a file, in front of its name.
	intoFile = lazy.Regexp{Source: `\b(?:secrets?|credentials?|passwords?|tokens?|api[- ]keys?)(?: values?| keys?)?(?: directly)? (?:in|into|to|inside|within) (?:the |any |your )*$`}
)

// newOnly reports whether a sentence forbids new files of an ending.
func (b *builder) newOnly() bool {
	before, _, ok := strings.Cut(b.hit.phrase.words, mark.Get().FindString(b.hit.slots["path"]))
	return ok && writesKind.Get().MatchString(before) && !slices.ContainsFunc(b.hit.terms("path"), func(t term) bool { return !bareEnding.Get().MatchString(t.text) })
}

// secretsInto reports whether a sentence only forbids secrets in files.
func (b *builder) secretsInto() bool {
	before, _, ok := strings.Cut(b.hit.phrase.words, mark.Get().FindString(b.hit.slots["path"]))
	return ok && intoFile.Get().MatchString(before)
}

package sentence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A ban may point to the one name in `code` of its sentence, or of the sentence in front: "‹t› leaks
// sockets. Do not use it." It is read as one of that name, where the name is what the sentence is about.

var (
	// banOfName is a sentence about a name, with a ban that points to it at its end.
	banOfName = lazy.Regexp{Source: `^\W*(?:(?:running|using|calling|executing|invoking|(?:the )?use of) )?(?:(?:the|our|there is an?|there is the) )?(?:(?:old|legacy|new|slow|script|command|flag|option|helper|function|method|target) )*‹([ctfp])(\d+)›(?: (?:command|script|flag|option|function|method|helper|hook|target|recipe|task|type|class|macro|call))? ([^‹]*?)(?:[.;:,!]|[—–-])+ ?(?:(?:so|and|but|please|therefore),? )*(never|do not|don't|avoid) (?:ever )?(?:(run|use|call|execute|invoke|pass|add|import)(?:ning|ing)? )?(?:it|this)(?: (?:yourself|directly|manually|at all|here|ever))?(?:[.;!]|$)`}
	// inSome is a case that the sentence in front names: the ban may be about that alone.
	inSome = lazy.Regexp{Source: `\b(?:if|when|whenever|while|unless|until|only|on (?:windows|macos|linux|arm)|in (?:ci|production|tests?|docker)|already|should|must|prefer|use)\b`}
)

// Pointed is a ban of a sentence that points to a name, with the name in its place.
func (p *Phrase) Pointed() (ban Phrase, ok bool) {
	m := banOfName.Get().FindStringSubmatch(p.Words)
	if m == nil || inSome.Get().MatchString(m[3]) {
		return Phrase{}, false
	}
	fits := map[string][]string{"c": {"", "run", "use", "execute", "call", "invoke"}, "t": {"", "use", "call", "invoke", "add", "import"}, "f": {"", "use", "pass", "add"}, "p": {"run", "execute"}}
	t := p.TermIn("‹" + m[1] + m[2] + "›")
	verb := m[5]
	script := m[1] == "p" && strings.Contains(p.Words, "script ") // which is run
	if !slices.Contains(fits[m[1]], verb) && !script || !t.Code || m[1] == "p" && Cleaned(*t) == "" {
		return Phrase{}, false
	}
	if verb == "" || m[1] == "p" {
		verb = map[string]string{"c": "run", "t": "use", "f": "use", "p": "run"}[m[1]]
	}
	not := "never " + verb
	if m[4] == "avoid" {
		not = map[bool]string{true: "avoid running", false: "avoid using"}[verb == "run"]
	}
	kind := t.Kind
	if kind == File {
		kind = Command // the script
	}
	ban = Phrase{Quote: p.Quote}
	ban.Words = fmt.Sprintf("%s %s.", not, ban.Add(kind, t.Text, true))
	return ban, true
}

package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// What a line wants in the place of a name, and what it wants the versions of.

var (
	// useBehind goes on behind a forbidden name with the one to use.
	useBehind = lazy.Regexp{Source: `^(?: \w+){0,4}?[,;.)]? ?(?:—|–|-|→|\()? ?(?:but |and |please |always |instead,? )*(?:use|prefer) (?:the |our |a |an )?(‹[tcp]\d+›)(?: instead)?(?:$|[.,;)!])`}
	// useInFront is in front of one.
	useInFront = lazy.Regexp{Source: `\b(?:use|prefer|write|call|return|with|via|through:?) (?:the )?(‹[tcp]\d+›)(?: (?:instead of|over|rather than)|,? ?(?:and )?(?:not|never)) (?:the |an? )?$`}
	// placeFront is the place or the aim of what a sentence forbids, in front, and placeBehind behind.
	placeFront  = lazy.Regexp{Source: `(?:^|[.;:] )((?:in|for|inside|within|during|under|on) [^,:;.()—–]{3,70}), `}
	placeBehind = lazy.Regexp{Source: `^(?: (?:types?|calls?|directly|statements?|imports?|hooks?))? ((?:in|for|inside|within|during|under|on|from|as (?:an?|the)) [^,:;.()—–]{3,70})(?:$|[,:;.(]| [—–-] )`}
	// unlessBehind is a place or a case in which a name may be all the same.
	unlessBehind = lazy.Regexp{Source: `^[^.;:—–]{0,40}?,?\(? ?\b(except|unless|outside(?: of)?|other than|apart from) ([^.;:()—–]{3,70})`}
	// versioned are things with versions that package.json does not name, and packaged are those that
	// it does.
	versioned = lazy.Regexp{Source: `(?i)\b(?:providers?|images?|docker|containers?|actions?|workflows?|charts?|helm|terraform|opentofu|plugins?|toolchains?|runtimes?|flakes?|inputs?|roles?|collections?|ansible|pods?|jars?|artifacts?|submodules?|extensions?|mods?|modules?|models?|compilers?|sdks?|apis?|schemas?|protocols?|binar(?:y|ies)|r packages?|cran|renv|hex|deps\.edn|conan|vcpkg|swiftpm|spm|maven|gradle|bom|nix|apt|brew|system|node version|tools?)\b`}
	packaged  = lazy.Regexp{Source: `(?i)\b(?:npm|pnpm|yarn|bun|package\.json|node|typescript|javascript|js|frontend)\b`}
)

// usedInstead is what the words behind a forbidden name, or the next sentence, want to be used.
func (b *builder) usedInstead() []sentence.Term {
	behind, ok := b.after("deny")
	if !ok {
		return nil
	}
	if m := useBehind.Get().FindStringSubmatch(behind); m != nil {
		return b.hit.Phrase.TermsIn(m[1])
	}
	before, _, _ := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["deny"]))
	if m := useInFront.Get().FindStringSubmatch(before); m != nil {
		return b.hit.Phrase.TermsIn(m[1])
	}
	at := slices.IndexFunc(b.s.Phrases, func(p sentence.Phrase) bool { return p.Quote == b.quote })
	if at < 0 || at+1 >= len(b.s.Phrases) {
		return nil
	}
	next := &b.s.Phrases[at+1]
	if m := useBehind.Get().FindStringSubmatch(" " + next.Words); m != nil {
		return next.TermsIn(m[1])
	}
	return nil
}

// ofOthersVersions reports whether a line is about versions that package.json does not name: of
// another kind of things, or of packages of another tool chain.
func (b *builder) ofOthersVersions() bool {
	said := b.quote + "\n" + ownLabel(b.s.Text) + "\n" + b.s.Heading()
	if packaged.Get().MatchString(said) {
		return false
	}
	chains := b.chains()
	return versioned.Get().MatchString(said) || len(chains) > 0 && !slices.ContainsFunc(chains, func(c *forms.Chain) bool { return c.Name == "npm" })
}

// placeNamed is the place or the aim that a ban of a name is limited to: "" for none that a message
// can tell.
func (b *builder) placeNamed() string {
	first := sentence.Mark.Get().FindString(b.hit.Slots["deny"])
	if b.hit.Form.Rule != "content" || first == "" {
		return ""
	}
	before, _, _ := strings.Cut(b.hit.Phrase.Words, first)
	behind, _ := b.after("deny")
	m := placeFront.Get().FindStringSubmatch(before)
	if m == nil {
		m = placeBehind.Get().FindStringSubmatch(behind)
	}
	if m == nil {
		return ""
	}
	return b.told(m[1])
}

// told is a part of the sentence as a message can tell it: "" for one that limits nothing.
func (b *builder) told(part string) string {
	part, _, _ = strings.Cut(reasonBehind.Get().ReplaceAllString(part, ""), " - ")
	_, what, _ := strings.Cut(part, " ")
	said := strings.TrimSpace(b.hit.Phrase.InWords(strings.NewReplacer("*", "", `"`, "").Replace(part)))
	if sentence.AllCases(what) || forms.AimedFor.Get().MatchString(" "+part) || len(said) > forms.MaxCase || vague.Get().MatchString(said) || strings.Count(said, "(") != strings.Count(said, ")") {
		return ""
	}
	return b.asWritten(said)
}

var (
	// namedHome is the only place of a name, given in words, with what it is called in code.
	namedHome = lazy.Regexp{Source: `^[^.;:—–(‹]{0,12}\b(?:except|outside(?: of)?|other than|apart from|but|only) [^.;:()—–‹]{3,70} \((?:(?:e\.g\.|such as|like|i\.e\.),? )?‹t\d+›`}
	// modelled is what a name may not mean.
	modelled = lazy.Regexp{Source: `^ (?:only |just |merely )?(?:to (?:model|represent|express|encode|denote|signal|mean|stand for|describe|indicate|convey)|for (?:modell?ing|representing|expressing|encoding|denoting|signall?ing|describing|indicating)) ([^.;:()—–‹]{3,70})`}
)

// rightSomewhere reports whether a name is right in a place that no path tells. A ban of what a name
// means becomes a reminder, which says that.
func (b *builder) rightSomewhere(behind string) bool {
	if m := modelled.Get().FindStringSubmatch(behind); m != nil && b.hit.Severity == "block" {
		b.hit.Severity = forms.Reminder
	}
	return namedHome.Get().MatchString(behind)
}

// withUnless is a message about a name with the place or the case in which that may be.
func (b *builder) withUnless(message string) string {
	behind, ok := b.after("deny")
	m := unlessBehind.Get().FindStringSubmatch(behind)
	if !ok || m == nil || forms.InState.Get().MatchString(strings.TrimLeft(behind, " ")) || tested.Get().MatchString(b.hit.Phrase.Words) {
		if what := b.placeNamed(); b.hit.Severity == "warn" && what != "" {
			return "If this is " + what + ", " + statement.Lowered(message)
		}
		return message
	}
	said := strings.TrimSpace(b.hit.Phrase.InWords(m[2]))
	if _, rest, _ := strings.Cut(behind, m[2]); rest != "" && strings.IndexAny(rest, " .,;:()—–") != 0 { // it goes on
		i := strings.LastIndex(said, " and ")
		if i < 0 || strings.HasSuffix(said[:i], ",") { // nothing, or a part of a list
			return message
		}
		said = said[:i]
	}
	if said == "" || len(said) > forms.MaxCase {
		return message
	}
	return strings.ToUpper(m[1][:1]) + m[1][1:] + " " + said + ", " + statement.Lowered(message)
}

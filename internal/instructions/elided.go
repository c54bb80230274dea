package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A text in `code` may leave something out, or name what any other may be: the arguments of a call,
// the end of an attribute, the type that another one is made of. A rule looks for what is in front.

var (
	// ofOneText is a call with a text that has a meaning of its own.
	ofOneText = lazy.Regexp{Source: `^[\w.]*[a-z]\w{3,}\(["'][a-z]{5,}[a-z:_-]*["']\)$`}
	// cutShort is a text whose end is left out, without what closes it.
	cutShort = lazy.Regexp{Source: `^(.*[\w)][(,\[{:.=/]+ ?)(?:\.\.\.|…)[)\]}>]*$`}
	// lookup is a look-up in a constant.
	lookup = lazy.Regexp{Source: `^[A-Z][A-Z_]{2,}\[(?:\.\.\.|…)\]$`}
	// byAddress is a call with the address of a variable, which each call has its own of.
	byAddress = lazy.Regexp{Source: `^([A-Za-z_][\w.:]*)\((?:[a-z]\w*, )*[&*][a-z]\w*(?:, [&*]?[a-z]\w*)*\)$`}
	// ofAnyType is a type that is made of any other.
	ofAnyType = lazy.Regexp{Source: `^([A-Z]\w{2,}<)(?:[A-Z]\d?|T[A-Z]\w*|_)(?:, ?(?:[A-Z]\d?|T[A-Z]\w*|_))*>$`}
	// lintRule is a rule of a linter that holds what a line says, with what becomes of it, or a word that
	// much other code has as a key.
	lintRule = lazy.Regexp{Source: `^(?:@?[\w-]+/)*no-[a-z-]+(?:$|: ?)|^[a-z]{1,4}:$|: ?["']?(?:error|warn|off)["']?$`}
	// someCode introduces what holds for code of one kind.
	someCode = lazy.Regexp{Source: `(?i)^\W*(?:all |any |the )*code (?:inside|in|within|of|that|which|called|running) [^:]*:\W*$`}
	// concreteType is a type that is made of others that are known.
	concreteType = lazy.Regexp{Source: `^[A-Za-z_][\w.:]*[<\[](?:` + typeNames + `)(?:, ?(?:` + typeNames + `))*[>\]]$`}
)

// typeNames are names of types that languages have.
const typeNames = `[iu](?:8|16|32|64|128|size)|f(?:32|64)|int(?:8|16|32|64)?|uint(?:8|16|32|64)?|float(?:32|64)?|double|long|short|char|byte|bool(?:ean)?|str|string|String|&str|object|Object|any|Any|unknown|void|number|Integer|Long|Boolean|std::string`

// elided is a name of code up to what it leaves out, with any arguments or types there.
func elided(t string) string {
	if strings.HasSuffix(t, anyArguments) {
		return t
	}
	if m := byAddress.Get().FindStringSubmatch(t); m != nil {
		return m[1] + anyArguments
	}
	if m := ofAnyType.Get().FindStringSubmatch(t); m != nil {
		return m[1]
	}
	if m := cutShort.Get().FindStringSubmatch(t); m != nil && (len(m[1]) > 6 || lookup.Get().MatchString(t)) && strings.ContainsAny(m[1], "([{") {
		short := strings.TrimRight(m[1], " ")
		if strings.Contains(short, "(/") { // of an expression, whose next sign may be written as \/
			short = strings.TrimSuffix(short, "/")
		}
		return short
	}
	return t
}

// wantsKind reports whether a line wants one of the things that only their ends tell apart, and not
// another: `Result<T, E>` and not `Result<T>`.
func (b *builder) wantsKind(name, short string) bool {
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return t.Text != name && hasName(t.Text, short) })
}

// hasName reports whether a text has a name as a whole.
func hasName(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		inside := at+i > 0 && lastWord.Get().MatchString(text[:at+i]) && repo.Identifier.Get().MatchString(name)
		if at += i + len(name); inside {
			continue
		}
		if at == len(text) || !repo.Identifier.Get().MatchString(text[at:]) || !lastWord.Get().MatchString(name) {
			return true
		}
	}
}

// aimFirst begins with what something is to be used for: "to check …, use ‹t› instead of ‹t›".
var aimFirst = lazy.Regexp{Source: `^(?:[\w ]{1,30}: ?)?to [a-z]+ [^‹]{3,80}, (?:please )?(?:use|prefer|call)\b`}

// withArgument goes on with what a call is not to be given.
var withArgument = lazy.Regexp{Source: `^ with (?:an? |the |any )?[a-z-]+ (?:arguments?|annotations?|options?|parameters?|values?|flags?)\b`}

// inFull is a name whose head the line leaves out, as in "use open_fast(), not _slow()": "" where
// the wanted name has no such head.
func (b *builder) inFull(name string) string {
	use := b.hit.Terms("use")
	for i := range b.s.Phrases { // a package, of which another sentence names the scope
		for _, t := range b.s.Phrases[i].Terms {
			if strings.HasPrefix(t.Text, "@") && strings.HasSuffix(t.Text, "/"+name) && package_.Get().MatchString(name) {
				return t.Text
			}
		}
	}
	if !strings.HasPrefix(name, "_") || !strings.HasSuffix(name, "()") || len(use) != 1 {
		return name
	}
	head, _, ok := strings.Cut(use[0].Text, "(")
	if at := strings.LastIndexByte(head, '_'); ok && at > 0 {
		return head[:at] + name
	}
	return ""
}

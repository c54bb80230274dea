package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// byItself goes on with what an agent is not to do of its own accord: a user may ask for it.
var byItself = lazy.Regexp{Source: `^ ?(?:by yourself|on your own(?: initiative| accord)?|of your own accord|without being (?:asked|told)|(?:automatically|proactively|autonomously|unprompted|unasked)(?:$|[.,;)!]| (?:after|every|each|for|when|on|at)\b))`}

// otherTrailer reports whether a line wants another trailer of commits than a sign-off.
func (b *builder) otherTrailer() bool {
	list := b.hit.terms("trailer")
	return b.has("trailer") && !slices.ContainsFunc(list, func(t term) bool { return strings.HasPrefix(strings.ToLower(t.text), "signed-off-by") })
}

var (
	// notCommitted are names that are not to be committed.
	notCommitted = lazy.Regexp{Source: `\b(?:never|not|don't) (?:ever )?(?:git )?(?:commit|stage|check in)(?: (?:any|the|files?|like|such as|of|your|local|generated|or|and|secrets|logs?|state))* ‹[tp]\d+›(?:(?:,? (?:and|or) |, ?| ?/ ?)‹[tp]\d+›)*`}
	// artifact is the name of a file that a program makes, which code has hardly. The object of
	// a call is no such file.
	artifact = lazy.Regexp{Source: `^[\w./*-]+\.(?:log|tfstate|state|bak|backup|tmp|swp|pid|out|zip|tar|gz|tgz|dll|so|exe|o|a|pyc|class|jar|war|apk|ipa|p12|pfx|jks|keystore|crt|cer|sqlite3|dump|dat|bin|cache|rej|orig|local|dmg|whl|egg|profraw|prof|wasm)$`}
	object   = lazy.Regexp{Source: `^(?:console|math|logger|log|system|sys|process|window|document|self|this)\.`}
)

// artifacts makes paths of the names that a sentence does not want to be committed and that
// are those of files: `build.log`.
func (p *phrase) artifacts() {
	p.words = notCommitted.Get().ReplaceAllStringFunc(p.words, func(s string) string {
		return mark.Get().ReplaceAllStringFunc(s, func(m string) string {
			t := p.termIn(m)
			if t.kind != name || !artifact.Get().MatchString(t.text) || path.Ext(t.text) == t.text || object.Get().MatchString(strings.ToLower(t.text)) {
				return m
			}
			t.kind = file
			return strings.Replace(m, "‹t", "‹p", 1)
		})
	})
}

// remarkedBan is the title of a list of files with a remark that they are not to be changed.
const remarkedBan = `(?i)^[\W_\d]*[\w ,/&-]{2,50} \((?:[\w -]{1,30} ?[,;—–:-]+ ?)?(?:do not|don['’]t|never)[ -](?:ever |hand[ -]?|manually |directly )*(?:edit|modify|touch|change)(?: (?:by hand|manually|directly|these|them))*\)[\W_]*$`

var (
	// uncommitted is a title of files that are not to be committed.
	uncommitted = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:[\w ,/&-]{2,50} \((?:[\w -]{1,30} ?[,;—–:-]+ ?)?)?(?:do not|don['’]t|never) commit(?: (?:these|them|the following|to git))*(?: (?:files?|folders?|paths?))?\)?[\W_]*$`}
	// pathFirst is an item that begins with paths.
	pathFirst = lazy.Regexp{Source: `^(?:(?:all|the|any|every|everything|files?|code|anything|in|under|inside|below) )*‹p\d+›`}
	// protectsMade is a title of what is made and not to be changed, madeHere an item below it that says how
	// its path is made, and sourceHere one that may be what others are made of.
	protectsMade = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:do not|don['’]t|never) (?:manually |directly |hand-?)*(?:edit|touch|modify|change|alter) (?:any |the |all )*(?:auto-?)?generated (?:files?|code|outputs?|artifacts?)(?: (?:by hand|manually|directly))?[\W_]*$`}
	madeHere     = lazy.Regexp{Source: `^\W*‹p\d+›[^.]*?\b(?:re-?)?(?:generated|made|built|produced|created|compiled|written) (?:via|by|from|with|using|anew|during)\b`}
	sourceHere   = lazy.Regexp{Source: `\b(?:sources?|edit|change|hand-?written|by hand|manually)\b`}
)

// bansPaths is the beginning that a title gives an item which begins with a path: "" for none.
func bansPaths(lead, first string) string {
	switch {
	case !pathFirst.Get().MatchString(first):
	case uncommitted.Get().MatchString(lead):
		return "never commit "
	case protects.Get().MatchString(lead), protectsMade.Get().MatchString(lead) && madeHere.Get().MatchString(first) && !sourceHere.Get().MatchString(first):
		return "never edit "
	}
	return ""
}

var (
	// readOnly says of what a name is for that it is not to be changed.
	readOnly = lazy.Regexp{Source: `^‹t\d+› ?[:—–-]+ ?[^.‹]{0,60}\(read-only\)`}
	// fromRoot is a path from the root of the repository.
	fromRoot = lazy.Regexp{Source: `^/[\w.-]+(?:/[\w.-]+)*/?$`}
	// scriptNamed is a file that a sentence wants to be left, and calls a script; ownFile is a
	// well-known file by its name alone.
	scriptNamed = lazy.Regexp{Source: `\b(?:never|not|don't) (?:manually |directly |hand-)*(?:edit|modify|change|touch)(?: the)? ‹t\d+› (?:script|file)\b`}
	ownFile     = lazy.Regexp{Source: `\b(?:never|not|don't) (?:manually |directly )*(?:edit|modify|change|touch|alter) (?:the |any )?(makefile|dockerfile|justfile|gemfile|rakefile|procfile|jenkinsfile|vagrantfile|brewfile|podfile)(?:$|[.,;)!]| (?:unless|without|directly|manually|by hand|itself|or|and)\b)`}
	plainFile   = lazy.Regexp{Source: `^[\w.-]+$`}
)

// namedFiles makes paths of names that a sentence about changes says to be files.
func (p *phrase) namedFiles() {
	p.words = readOnly.Get().ReplaceAllStringFunc(p.words, func(s string) string {
		if t := p.termIn(s); fromRoot.Get().MatchString(t.text) {
			t.kind, t.text = file, strings.Trim(t.text, "/")
			if path.Ext(t.text) == "" {
				t.text += "/"
			}
			s = strings.Replace(s, "‹t", "‹p", 1)
		}
		return s
	})
	p.words = scriptNamed.Get().ReplaceAllStringFunc(p.words, func(s string) string {
		if t := p.termIn(s); plainFile.Get().MatchString(t.text) {
			t.kind = file
			s = strings.Replace(s, "‹t", "‹p", 1)
		}
		return s
	})
	if at := ownFile.Get().FindStringSubmatchIndex(p.words); at != nil {
		word := p.words[at[2]:at[3]]
		p.words = p.words[:at[2]] + p.add(file, strings.ToUpper(word[:1])+word[1:], false) + p.words[at[3]:]
	}
}

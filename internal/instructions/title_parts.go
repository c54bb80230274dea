package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A heading or a lead may name one part of the project: a crate, a payload, the page that a
// section is about. A name that is forbidden below it is right elsewhere.

var (
	// partNouns are what parts of a program are called by. Without a word in front of it, such a noun is a topic.
	partNouns = lazy.Regexp{Source: `^(?:crates?|services?|workers?|payloads?|envelopes?|endpoints?|apis?|hosts?|daemons?|plug-?ins?|extensions?|gateways?|schedulers?|reactors?|factor(?:y|ies)|finalizers?|controllers?|handlers?|reducers?|resolvers?|seriali[sz]ers?|adapters?|providers?|repositor(?:y|ies)|screens?|pages?|sidebars?|panels?|dialogs?|modals?|tables?|rows?|clicks?|widgets?|layouts?|layers?|components?|charts?|editors?|players?|migrations?|seeders?|pipelines?|queues?|jobs?|bots?|servers?|clients?|sdks?|apps?|engines?|renderers?|compilers?|parsers?|runtimes?|kernels?|drivers?|prox(?:y|ies)|middlewares?|macros?|traits?|structs?|params|requests?|responses?|messages?|events?|syncs?|models?|modules?|packages?|subsystems?|wizards?|importers?|exporters?)$`}
	// placeNouns are those of them whose folder has the name without the noun: "the billing worker".
	placeNouns = lazy.Regexp{Source: `^(?:crate|service|worker|host|daemon|plug-?in|extension|gateway|server|client|app|engine|module|package|subsystem|layer)s?$`}
	// titleEnds end the name of a part in a title, and titleOf come before one.
	titleEnds = lazy.Regexp{Source: `(?: [—–|-]+ |[:(]|,? (?:must|should|shall|may|cannot|never|always|are|is|has|have)\b).*$`}
	titleOf   = lazy.Regexp{Source: `^.*\b(?:for|in|of|inside|within|on) (?:(?:the|an?|our|your|all|any|each|every) )*`}
	// ofEveryPart are words of titles that name no part: kinds of rules, of code and of programs.
	ofEveryPart = lazy.Regexp{Source: `^(?:the|an?|our|your|all|any|each|every|and|or|new|own|this|that|shared|common|custom|key|core|main|base|basic|important|critical|strict|mandatory|required|best|good|modern|specific|reusable|external|internal|third-party|rest|restful|http|https|graphql|grpc|rpc|web|ui|ux|frontend|front-end|backend|back-end|fullstack|server|client|server-side|client-side|database|db|sql|orm|data|domain|public|private|async|asynchronous|unit|integration|e2e|end-to-end|functional|class|function|presentational|stateless|type|typed|error|log|design|development|developer|code|coding|project|file|files|folder|directory|module|package|test|tests|testing|ai|agent|llm|state|global|local|system|import|imports|naming|git|commit|branch|pull|review|security|safety|performance|quality|style|styling|css|architecture|application|app|apps|api|apis|native|mobile|desktop|node|react|vue|svelte|angular|next|laravel|rails|django|spring|swiftui|compose|dependency|environment|configuration|build)$`}
	// ofRules are the last words of a title that say what it has.
	ofRules = lazy.Regexp{Source: `^(?:rules?|guidelines?|conventions?|patterns?|standards?|style|notes?|constraints?|requirements?|practices|principles?|best|development|design|usage|specifics|strategy|structure|considerations|invariants?|contracts?|changes?|anti-patterns?|pitfalls?|gotchas?|do|don['’]?ts?|overview|guide|essentials|basics|logic|code)$`}
	article = lazy.Regexp{Source: `^(?:the|an?|our|your)$`}
	// saysToUse is the end of a text in front of what is to be used, or not.
	saysToUse = lazy.Regexp{Source: `(?i)\b(?:use|using|prefer|avoid|no|never|not|instead of|over|with) $`}
	// placeLead is a lead that says where a list holds.
	placeLead = lazy.Regexp{Source: `^(?:(?:only )?(?:for|in|inside|within|on|under)) (?:(?:the|an?|our|your|all|any|each|every) )*([^,:(]{3,60})[^:]*:$`}
	// sideLead is a lead about the code of one side of an application.
	sideLead = lazy.Regexp{Source: `(?i)\b(?:in|into|from|to) (?:(?:the|any|our|your|all) )*(front-?end|client|browser|back-?end|server|mobile|renderer)(?:-side)? (?:code|files?|components?|bundles?|javascript)\b[^:]*:$`}
	// typeLead is a lead about a type of code.
	typeLead = lazy.Regexp{Source: `^‹t\d+› (?:is|has|holds|represents|wraps|stores|extends|implements|provides)\b[^:]*:$`}
)

// A titlePart is a part that a title names, with its folder or its file where the tree has one.
type titlePart struct {
	named bool
	at    []string // patterns of paths
	dir   string
}

// titledPart is the part of the project that the lead or one of the two nearest headings names.
func (b *builder) titledPart() (t titlePart) {
	if b.above.dir != "" || b.topic != "" || b.s.Folder != "" {
		return t // the folder is known
	}
	if t = b.leadPart(); t.named {
		return t
	}
	titles := b.s.Section[min(1, max(0, len(b.s.Section)-1)):] // not the title of the file
	for i := len(titles) - 1; i >= max(0, len(titles)-2); i-- {
		if t = b.headingPart(titles[i]); t.named {
			return t
		}
	}
	return t
}

// leadPart is the part that the lead names.
func (b *builder) leadPart() titlePart {
	p := sentence.NewPhrase(strings.Trim(b.s.Lead, "*_ "))
	words := strings.TrimRight(p.Words, "*_ ")
	if !strings.HasSuffix(words, ":") {
		words += ":"
	}
	if typeLead.Get().MatchString(words) && !slices.ContainsFunc(b.hit.Terms("deny"), func(t sentence.Term) bool { return strings.Contains(t.Text, p.Terms[0].Text) }) {
		return titlePart{named: true}
	}
	if m := sideLead.Get().FindStringSubmatch(words); m != nil {
		return b.placeCalled([]string{repo.BareName(m[1])})
	}
	m := placeLead.Get().FindStringSubmatch(words)
	if m == nil || everyCase.Get().MatchString("for "+m[1]) || ofAllWork(m[1]) || strings.Contains(m[1], "‹") {
		return titlePart{}
	}
	said := partWords(m[1])
	if len(said) == 0 || b.ofTechnology(said) || forms.OnTests.Get().MatchString(m[1]) && len(said) == 1 {
		return titlePart{}
	}
	return b.placeCalled(said)
}

// headingPart is the part that a heading names.
func (b *builder) headingPart(title string) titlePart {
	p := sentence.NewPhrase(title)
	for _, t := range p.Terms {
		base := path.Base(t.Text)
		if t.Kind == sentence.File && path.Ext(base) != "" && !repo.OfDocument(base) && b.s.OfFolder() == "" && b.p.Holds([]string{"**/" + base}) {
			return titlePart{named: true, at: []string{"**/" + base}}
		}
	}
	plain := strings.Trim(strings.NewReplacer("`", "", "*", "").Replace(title), " #0123456789.)")
	for _, w := range strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(" ,/:()\"'’", r) }) {
		if ofCodeType.Get().MatchString(w) && !wantsName(plain, w) && strings.ToLower(w[1:]) != w[1:] && !b.hasInName(w) && b.ofTree(w) {
			return b.placeCalled([]string{strings.ToLower(w)})
		}
	}
	plain = titleEnds.Get().ReplaceAllString(strings.ToLower(plain), "")
	if sentence.StartsVerb(plain) {
		return titlePart{}
	}
	said := partWords(titleOf.Get().ReplaceAllString(plain, ""))
	if len(said) < 2 || !partNouns.Get().MatchString(said[len(said)-1]) || b.ofTechnology(said[:len(said)-1]) {
		return titlePart{}
	}
	return b.placeCalled(said)
}

// wantsName reports whether a heading says to use a name, or not to.
func wantsName(heading, name string) bool {
	before, _, _ := strings.Cut(heading, name)
	return saysToUse.Get().MatchString(before)
}

// partWords are the words of a title without those that say what it has.
func partWords(said string) []string {
	list := strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(" ,/&\"'()>", r) })
	for len(list) > 0 && article.Get().MatchString(list[0]) {
		list = list[1:]
	}
	for len(list) > 0 && ofRules.Get().MatchString(list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	return list
}

// ofTechnology reports whether words in front of a noun name no part: each is said of all code, or is a
// language, or something that the project depends on or that the line itself names.
func (b *builder) ofTechnology(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !ofEveryPart.Get().MatchString(w) && !ofAllWork(w) && !b.hasInName(w) && !(b.p.Known() && b.p.DependsOn(w))
	})
}

// hasInName reports whether a word is in the name of what the line forbids, or of what it wants.
func (b *builder) hasInName(word string) bool {
	word = strings.TrimSuffix(repo.BareName(word), "s")
	return slices.ContainsFunc(append(b.hit.Terms("deny"), b.hit.Terms("use")...), func(t sentence.Term) bool {
		return strings.Contains(repo.BareName(t.Text), word)
	})
}

// ofTree reports whether a name is that of a type of the project: the tree has a file that is called like it,
// and the project is not.
func (b *builder) ofTree(name string) bool {
	bare := repo.BareName(name)
	return b.p.Known() && len(b.p.Names().Files[bare]) > 0 && !strings.Contains(repo.BareName(path.Base(b.p.Root)), bare)
}

// placeCalled is a part with the one folder of the tree that is called by its words.
func (b *builder) placeCalled(said []string) titlePart {
	part := titlePart{named: true}
	if !b.p.Known() {
		return part
	}
	called := []string{strings.Join(said, "")}
	if last := len(said) - 1; last > 0 && placeNouns.Get().MatchString(said[last]) {
		called = append(called, strings.Join(said[:last], ""))
	}
	for _, f := range b.p.Folders() {
		name := repo.BareName(path.Base(f))
		if own := b.s.OfFolder(); own != "" && !strings.HasPrefix(f, own+"/") || ofTestFiles.Get().MatchString(f) {
			continue
		}
		if !slices.Contains(called, name) || strings.ContainsAny(f, repo.SignsOfGlobs) || part.dir != "" && strings.HasPrefix(f, part.dir+"/") {
			continue
		}
		if part.dir != "" && (len(said) > 1 || strings.Count(f, "/") == strings.Count(part.dir, "/")) {
			return titlePart{named: true} // which of them is meant, no text shows
		}
		if part.dir != "" && strings.Count(f, "/") > strings.Count(part.dir, "/") {
			continue // a name in full means the outer one
		}
		part.dir = f
	}
	return part
}

// inTitledPart limits the statement of a line to the part that is named above it. It returns false where
// nothing shows where that part is.
func (b *builder) inTitledPart() bool {
	switch part := b.titledPart(); {
	case !part.named:
		return true
	case len(part.at) > 0:
		of := *b.s
		of.Globs = part.at
		b.s = &of
		return true
	case part.dir != "":
		b.s, b.above.words = b.s.Within(part.dir), ""
		return true
	}
	return false
}

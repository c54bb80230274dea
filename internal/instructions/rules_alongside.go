package instructions

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// companionWork is the kind of work that a line about companions of code is about.
var companionWork = lazy.Regexp{Source: `\b(?:(?:new|user-facing|public|breaking|significant|notable|meaningful|non-trivial|behaviou?ral|functional)(?: (?:public|user-facing|api|code|and|or|new|changed|bug))* (?:features?|functionality|behaviou?rs?|changes?|apis?|endpoints?|commands?|code|bug ?fix(?:es)?|fix(?:es)?)|behaviou?r changes?|bug ?fix(?:es)?)(?:(?:,? (?:and|or) |, |/)(?:new |bug |behaviou?r(?:al)? )?(?:features?|functionality|behaviou?r changes?|changes?|bug ?fix(?:es)?|fixes|apis?)\b)*\b`}

var (
	// eachFeature is a feature, which is new when it is made.
	eachFeature = lazy.Regexp{Source: `\b(?:each|every|any|all) (?:added |major |public )?features?\b`}
	// newWork is work that new files are made for, and onlyFixes work that no call shows.
	newWork   = lazy.Regexp{Source: `\bnew\b[^,]*\b(?:features?|functionality|endpoints?|apis?|commands?|code)\b`}
	onlyFixes = lazy.Regexp{Source: `^(?:bug ?)?fix(?:es)?$|^bug ?fix(?:es)?$`}
)

// companionCase is the case in which files have to change with code: "" for most changes.
func (b *builder) companionCase(work string) string {
	if onlyFixes.Get().MatchString(work) {
		return "mending a fault"
	}
	if work != "" || b.has("words") || b.has("thing") {
		return ""
	}
	return statement.Asked.Get().ReplaceAllString(caseSigns.Get().ReplaceAllString(b.limitation(), ""), "")
}

// whenChanges is a change that a line about companions of code names: "when behavior changes".
var whenChanges = lazy.Regexp{Source: `\b(?:if|when|whenever) ((?:[a-z-]+ ){1,5}(?:changes?|(?:is|are) (?:added|changed|modified)))(?:[.,;:)]|$)`}

// keptLog is a file that each piece of work belongs in.
var keptLog = lazy.Regexp{Source: `(?i)(?:^|/)(?:changelog|changes|history|news|release[-_]?notes|progress|status|worklog|journal|devlog)(?:\.\w+)?$`}

// keptByProgram tells what keeps files alike.
var keptByProgram = lazy.Regexp{Source: `^(?:the |this |our |a )?(?:[\w./-]+ ){1,6}uses [^.;]{3,60} to keep\b`}

var (
	// keptPair wants two things to be like each other.
	keptPair = lazy.Regexp{Source: `\bkeep (?:both )?((?:[\w/-]+ ){1,5}and (?:[\w/-]+ ){1,5})(?:in sync|in lockstep|aligned|consistent|synchroni[sz]ed)(?: with (?:each other|one another))?(?:$|[.,;)])`}
	// ofTheCode is what programs are made of, and what they do.
	ofTheCode = lazy.Regexp{Source: `\b(?:code|codebase|sources?|implementations?|behaviou?rs?|apis?|schemas?|types?|features?|functions?|signatures?|changes)\b`}
)

// keptAlike reports whether a sentence wants documents to be like each other, whatever the code is.
func keptAlike(words string) bool {
	m := keptPair.Get().FindStringSubmatch(words)
	return m != nil && !ofTheCode.Get().MatchString(m[1])
}

// aboutTests are words about what is in a folder of tests.
var aboutTests = lazy.Regexp{Source: `(?i)\b(?:tests?|testing|specs?|suites?|fixtures?|mocks?|stubs?|helpers?|factor(?:y|ies)|snapshots?|cases?|assertions?|support|harness\w*|examples?|scenarios?|files?)\b`}

// alongside wants files of a kind, such as tests, or a file that is named, to change with
// code by the time of a commit.
func (b *builder) alongside(changed []string) (list []ruletext.Rule) {
	if keptByProgram.Get().MatchString(b.hit.Phrase.Words) ||
		keptAlike(b.hit.Phrase.Words) ||
		b.has("log") && slices.ContainsFunc(b.hit.Terms("with"), func(t sentence.Term) bool { return !keptLog.Get().MatchString(t.Text) }) {
		return nil
	}
	from := "src/a.ts"
	switch {
	case b.ofSchema():
		changed, from = schemaFiles, "db/schema.sql"
	case len(changed) > 0:
		from = pathglob.Sample(changed[0])
	case !b.p.SourcesBelow(b.s.OfFolder()) && !b.ofDocuments(b.hit.Phrase.Words):
		return nil // what changes is elsewhere
	case ofTestFiles.Get().MatchString(path.Base(b.s.OfFolder())) && b.has("words") && !aboutTests.Get().MatchString(b.said("words")):
		return nil // the same: a folder of tests has none of it
	default:
		changed, from = b.ofPlace().outOfDocs().filesOfCase()
	}
	want := func(name string, with []string, to string) {
		list = append(list, b.companion(changed, from, name, with, to))
	}
	about := b.said("words")
	own := sentence.NewPhrase(b.quote).Words
	if needing.Get().MatchString(about) || strings.HasPrefix(about, "exist") {
		return nil
	}
	if about != "" && !b.has("thing") && !strings.Contains(own, strings.Fields(b.hit.Slots["words"])[0]) && (!b.ofDocuments(about) || statement.Perhaps.Get().MatchString(own)) {
		return nil // a step of a procedure: which changes begin it is not known
	}
	with := b.companions()
	if about != "" && !changes.Get().MatchString(about) {
		with = nil
	}
	for _, c := range with {
		if about != "" && slices.ContainsFunc(c.names, b.vain) || (strings.Contains(c.names[0], "/") || !b.p.Young()) && b.p.Lacks(c.globs) {
			continue
		}
		about := dangling.Get().ReplaceAllString(about, "$0 "+c.names[0])
		if about != "" && newThing.Get().MatchString(about) {
			r := newNeeds(changed, c.globs, c.String())
			r.Message = statement.IfAbout(about) + "change " + c.String() + " too. {{missing}}"
			list = append(list, r)
			continue
		}
		if want(c.String(), c.globs, pathglob.Sample(c.globs[0])); about != "" {
			last := &list[len(list)-1]
			last.OfCase, last.Message = about, statement.IfAbout(about)+"change "+c.String()+" too. {{missing}}"
		}
	}
	said := strings.FieldsFunc(b.hit.Slots["what"], func(r rune) bool { return r == ' ' || r == '/' || r == ',' })
	for i := range said {
		rest := strings.Join(said[i:], " ")
		for k := range forms.All().Kinds {
			if k := &forms.All().Kinds[k]; k.Said.Get().MatchString(rest) {
				want(cmp.Or(kinds()[said[i]], said[i]), b.named(k), k.Examples[0])
			}
		}
	}
	return list
}

// companion is a rule that wants one of some files to change with code. Where the work is new, a new
// file shows it.
func (b *builder) companion(changed []string, from, name string, with []string, to string) ruletext.Rule {
	about, work := "If the line is about this change, ", companionWork.Get().FindString(b.hit.Phrase.Words)
	if m := whenChanges.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil {
		about = "If " + m[1] + ", "
	} else if work != "" {
		about = statement.IfAbout(work)
	}
	if work == "" && eachFeature.Get().MatchString(b.hit.Phrase.Words) {
		work, about = "new features", statement.IfAbout("a new feature")
	}
	ofCase := b.companionCase(work)
	if m := whenChanges.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil && ofCase == "" && work == "" {
		ofCase = m[1]
	}
	if m := newThing.Get().FindString(b.hit.Phrase.Words); ofCase == "" && work == "" && m != "" {
		if ofCase = strings.TrimSpace(eachFront.Get().ReplaceAllString(m, "")); !strings.HasSuffix(ofCase, "s") {
			ofCase = "a " + ofCase
		}
	}
	if newThing.Get().MatchString(ofCase) {
		about = statement.IfAbout(ofCase)
	}
	if (newWork.Get().MatchString(work) || newThing.Get().MatchString(ofCase)) && !b.has("words") {
		r := newNeeds(changed, with, name)
		r.Also.Except = append(r.Also.Except, "**/*.md", "**/*.mdx", "**/*.rst")
		r.Message = about + "change " + name + " too. {{missing}}"
		return r
	}
	if globs, example := b.casePlaces(ofCase, ""); len(globs) > 0 && ofCase != "" {
		changed, from, ofCase = globs, example, ""
	}
	r := ruletext.Rule{OfCase: ofCase, ID: name, Also: &ruletext.Also{Changed: changed, With: with, By: []string{"commit"}}, Message: about + "change " + name + " too. {{missing}}"}
	r.Why = fmt.Sprintf("It wants commits of %s to change %s too.", strings.Replace(strings.Join(changed, ", "), code, "code", 1), name)
	commit := func(paths ...string) ruletext.Case {
		c := ruletext.Case{Bash: "git commit -m x"}
		for _, p := range paths {
			c.Before = append(c.Before, ruletext.Step{Write: p})
		}
		return c
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(commit(from)), ruletext.AsPass(commit(from, to)), ruletext.AsPass(commit("other.bin"))}
	if tests := scope.NewPaths(pathglob.OfTests(), false); !slices.ContainsFunc([]string{from, to}, func(f string) bool { _, ok := tests.Match(f); return ok }) {
		r.Also.Except = pathglob.OfTests() // of which no document tells
	}
	return r
}

// eachFront is in front of the name of what is new.
var eachFront = lazy.Regexp{Source: `^(?:an?|any|each|every) `}

// newThing is a case about something new, which a new file shows.
var newThing = lazy.Regexp{Source: `^(?:(?:you |we )?(?:add|creat|introduc)(?:e|es|ing)? )?(?:an? |any |each |every )?new (?:[\w-]+ ){0,2}(?:pages?|files?|crates?|packages?|modules?|providers?|components?|plugins?|rules?|skills?|agents?|integrations?|adapters?|screens?|services?|drivers?|docs?|documents?|articles?|guides?|examples?|workflows?|models?|controllers?|locales?|themes?|connectors?|extensions?)\b`}

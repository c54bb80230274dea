package sentence

import (
	"path"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// ofExtension is an ending next to the word for it, and extension one that may have more than one part.
	ofExtension = lazy.Regexp{Source: `‹[pt]\d+› (?:file ?)?(?:extensions?|suffix(?:es)?|endings?)\b|\b(?:extensions?|suffix|ending(?: in)?) ‹[pt]\d+›`}
	extension   = lazy.Regexp{Source: `^(?:\*\*/)?\*?((?:\.[a-z]\w{0,9}){1,3})$`}
	// ofEnding is a name of an ending of files in front of a word for files.
	ofEnding = lazy.Regexp{Source: `‹t\d+› (?:changes?|edits?|files?|sources?|pages?|modules?|scripts?|code|documents?|templates?)\b`}
	// BareEnding is an ending that the table of endings may not have.
	BareEnding = lazy.Regexp{Source: `^(?:\*\*/)?\*?(\.[a-z]\w{0,9})$`}
)

// endingsNamed makes files of the endings that a sentence calls so, and of those in front of a word for
// files.
func (p *Phrase) endingsNamed() {
	p.filesBy(&ofExtension, &extension)
	p.filesBy(&ofEnding, &BareEnding)
}

// filesBy makes files of the names in some parts of a sentence that are endings.
func (p *Phrase) filesBy(parts, ending *lazy.Regexp) {
	p.Words = parts.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		t := p.TermIn(s)
		if m := ending.Get().FindStringSubmatch(t.Text); m != nil {
			t.Kind, t.Text = File, "**/*"+m[1]
			s = strings.Replace(s, "‹t", "‹p", 1)
		}
		return s
	})
}

var (
	// fileWord is a name that is said to be that of a file, and dotted one that can be.
	fileWord = lazy.Regexp{Source: `\b(?:an?|any|another|no|new) ‹t\d+› file\b`}
	dotted   = lazy.Regexp{Source: `^[A-Za-z][\w-]*(?:\.[\w-]+)*\.[a-z]\w*$`}
)

// named makes a path of a name that is said to be that of a file.
func (p *Phrase) named(s string) string {
	if t := p.TermIn(s); t.Kind == Name && t.Code && dotted.Get().MatchString(t.Text) {
		t.Kind = File
		return strings.Replace(s, "‹t", "‹p", 1)
	}
	return s
}

var (
	// notCommitted are names that are not to be committed.
	notCommitted = lazy.Regexp{Source: `\b(?:never|not|don't) (?:ever )?(?:git )?(?:commit|stage|check in)(?: (?:any|the|files?|like|such as|of|your|local|generated|or|and|secrets|logs?|state))* ‹[tp]\d+›(?:(?:,? (?:and|or) |, ?| ?/ ?)‹[tp]\d+›)*`}
	// artifact is the name of a file that a program makes, which code has hardly. The object of
	// a call looks the same.
	artifact = lazy.Regexp{Source: `^[\w./*-]+\.(?:log|tfstate|state|bak|backup|tmp|swp|pid|out|zip|tar|gz|tgz|dll|so|exe|o|a|pyc|class|jar|war|apk|ipa|p12|pfx|jks|keystore|crt|cer|sqlite3|dump|dat|bin|cache|rej|orig|local|dmg|whl|egg|profraw|prof|wasm)$`}
	object   = lazy.Regexp{Source: `^(?:console|math|logger|log|system|sys|process|window|document|self|this)\.`}
)

// artifacts makes paths of the names that a sentence does not want to be committed and that
// are those of files: `build.log`.
func (p *Phrase) artifacts() {
	p.Words = notCommitted.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		return Mark.Get().ReplaceAllStringFunc(s, func(m string) string {
			t := p.TermIn(m)
			if t.Kind != Name || !artifact.Get().MatchString(t.Text) || path.Ext(t.Text) == t.Text || object.Get().MatchString(strings.ToLower(t.Text)) {
				return m
			}
			t.Kind = File
			return strings.Replace(m, "‹t", "‹p", 1)
		})
	})
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
func (p *Phrase) namedFiles() {
	p.Words = readOnly.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		if t := p.TermIn(s); fromRoot.Get().MatchString(t.Text) {
			t.Kind, t.Text = File, strings.Trim(t.Text, "/")
			if path.Ext(t.Text) == "" {
				t.Text += "/"
			}
			s = strings.Replace(s, "‹t", "‹p", 1)
		}
		return s
	})
	p.Words = scriptNamed.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		if t := p.TermIn(s); plainFile.Get().MatchString(t.Text) {
			t.Kind = File
			s = strings.Replace(s, "‹t", "‹p", 1)
		}
		return s
	})
	if at := ownFile.Get().FindStringSubmatchIndex(p.Words); at != nil {
		word := p.Words[at[2]:at[3]]
		p.Words = p.Words[:at[2]] + p.Add(File, strings.ToUpper(word[:1])+word[1:], false) + p.Words[at[3]:]
	}
}

// PlainName is a name, or a sign, that more than one language may have.
var PlainName = lazy.Regexp{Source: `^(?:\w+|\W+)$`}

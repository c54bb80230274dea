package sentence

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Mark is that of a term: its kind, and its place in [Phrase.Terms].
var Mark = lazy.Regexp{Source: `‹([acpft])(\d+)›`}

// TermsIn are the terms of the marks in a part of the phrase's words, each once.
func (p *Phrase) TermsIn(words string) (list []Term) {
	for _, m := range Mark.Get().FindAllStringSubmatch(words, -1) {
		n := 0
		for _, c := range m[2] {
			n = n*10 + int(c-'0')
		}
		if t := p.Terms[n]; !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// ofWords are the names and the words of a part of a sentence.
var ofWords = lazy.Regexp{Source: `‹[cpt]\d+›|[a-z][\w-]*`}

// WordsIn are the names of a part of a sentence, and its other words as names without a kind.
func (p *Phrase) WordsIn(part string) (list []Term) {
	for _, w := range ofWords.Get().FindAllString(part, -1) {
		if t := p.TermsIn(w); len(t) == 1 {
			list = append(list, t[0])
		} else {
			list = append(list, Term{Text: w})
		}
	}
	return list
}

// InWords are words of a phrase, with the names in the place of their marks.
func (p *Phrase) InWords(words string) string {
	return Mark.Get().ReplaceAllStringFunc(words, func(m string) string {
		list := p.TermsIn(m)
		switch {
		case len(list) != 1:
			return m
		case list[0].Kind == 'a':
			return strings.ReplaceAll(list[0].Text, "-", " ")
		}
		return list[0].Text
	})
}

var (
	// onlyFolder is a title that names a folder, alone or behind the name of what is in it.
	onlyFolder = lazy.Regexp{Source: `^\W*(?:the |rules for |conventions for |working (?:in|on) )?(‹p\d+›)(?: (?:folder|directory|package|app|module|library|service|crate|workspace|code|rules|conventions|guidelines|notes|workflow))*\W*$|^[\w &+.-]{2,40}\((?:in |under )?(‹p\d+›)(?:, [^)]*)?\)\W*$`}
	// inFolder is a title or a lead about what is in a folder.
	inFolder = lazy.Regexp{Source: `^\W*(?:(?:for|when|whenever|if)\b )?(?:you )?(?:(?:work|edit|chang|modify|add|touch|updat|writ|creat|mak)\w*(?:,? (?:or|and) \w+)? )?(?:[\w-]+ ){0,4}?(?:in|under|below|inside|within|to) (?:the |any )?(‹p\d+›)(?: (?:folder|directory|package|app|module|library|service|crate|workspace))?(?:, [^:]*)?\W*$`}
	// folderInWords is a lead that names a folder without marks, such as "in the acme-core folder".
	folderInWords = lazy.Regexp{Source: `^\W*(?:in|inside|within|under|for) the ((?:[a-z0-9]+[/_-])+[a-z0-9]+)/? (?:folder|directory)\b[^:‹]*:?\W*$`}
	// elsewhereRun is where commands are run, and a place that is not meant.
	elsewhereRun = lazy.Regexp{Source: `^\W*(?:run|execute|commands?|all commands|these|from|cd|install|do)\b|\b(?:from|not|never|no|don't|except|outside|without|unless|than)\b[^‹]*‹`}
	folderForm   = lazy.Regexp{Source: `^(?:\./)?[\w][\w.-]*(?:/[\w.-]+)*/?$`}
)

// NamedFolder is the folder that a title or a lead is about, with a slash behind it: "" without one.
func (p *Phrase) NamedFolder() string {
	if elsewhereRun.Get().MatchString(p.Words) {
		return ""
	}
	if m := folderInWords.Get().FindStringSubmatch(p.Words); m != nil {
		return m[1] + "/"
	}
	m := onlyFolder.Get().FindStringSubmatch(p.Words)
	if m == nil {
		m = inFolder.Get().FindStringSubmatch(p.Words)
	}
	return p.FolderIn(m[min(1, len(m)):]...)
}

// FolderIn is the folder among some paths, with a slash behind it: "" without one.
func (p *Phrase) FolderIn(paths ...string) string {
	for _, at := range paths {
		if list := p.TermsIn(at); len(list) == 1 {
			dir := strings.TrimPrefix(list[0].Text, "./")
			last := dir[strings.LastIndexByte(strings.TrimRight(dir, "/"), '/')+1:]
			if folderForm.Get().MatchString(dir) && strings.Contains(dir, "/") && (strings.HasSuffix(last, "/") || !strings.Contains(last, ".")) {
				return strings.TrimRight(dir, "/") + "/"
			}
		}
	}
	return ""
}

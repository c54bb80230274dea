package survey

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A Shows is what a file shows as right. It is read when a draft asks for it.
type Shows struct {
	Specimens func() []Specimen
	Openings  func() Openings
	Alike     func() map[string][]string
	Umbrellas func() []Umbrella
	Left      func() []string // the commands that are left to others
	Permits   func() []Permit
	Added     func() []string // what is said of things that a program adds
	Places    func() places
	Named     func() []NamedFile
	OneTask   func() bool // it is the prompt of one task
}

func showsOf(all []markdown.Block) Shows {
	return Shows{
		Specimens: sync.OnceValue(func() []Specimen { return specimens(all) }),
		Openings:  sync.OnceValue(func() Openings { return openingsOf(all) }),
		Alike:     sync.OnceValue(func() map[string][]string { return alike(all) }),
		Umbrellas: sync.OnceValue(func() []Umbrella { return umbrellas(all) }),
		Left:      sync.OnceValue(func() []string { return leftIn(all) }),
		Permits:   sync.OnceValue(func() []Permit { return permitsOf(all) }),
		Added:     sync.OnceValue(func() []string { return addedIn(all) }),
		Places:    sync.OnceValue(func() places { return placesOf(all) }),
		Named:     sync.OnceValue(func() []NamedFile { return namedFiles(all) }),
		OneTask:   sync.OnceValue(func() bool { return ofOneTask(all) }),
	}
}

// A Specimen is what a file shows as right: a command that it tells to run, code, or a file
// that it tells to edit.
type Specimen struct {
	Of       specimenOf
	Text     string
	Line     int
	From, To int  // the lines of its statement
	Told     bool // a sentence orders it: it is not one of a list of what there is
	Marked   bool // the file says itself that it is right
}

// A specimenOf is what a file does with a specimen.
type specimenOf int

// What a file does with specimens.
const (
	ToRun  specimenOf = iota // a command
	ToUse                    // a name in `code`
	ToShow                   // a block of code
	ToEdit                   // a file
)

// Verb says what a file does with a specimen.
func (s *Specimen) Verb() string {
	return [...]string{"tells to run", "tells to use", "shows", "tells to edit"}[s.Of]
}

// maxSpecimens bounds the specimens of one file.
const maxSpecimens = 1000

// These patterns tell right examples from wrong ones. A text that may be a wrong example is
// left out: a mistaken match costs one specimen.
const (
	signsOfBad  = `❌|🚫|⛔|✗|✘|⚠`
	signsOfGood = `✅|✓|✔`
	inComment   = `(?:#|//|/\*|--|<!--|;|%|\{/\*)`
)

var (
	// badAbove is a text that may show what not to do in the code below it, or what is done
	// in one case, or by others.
	badAbove = lazy.Regexp{Source: `(?i)\b(?:never|not|no|don['’]?t|doesn['’]?t|can(?:no|['’])t|won['’]?t|avoid\w*|without|instead of|rather than|wrong|bad|worse|incorrect|invalid|anti-?patterns?|forbidden|prohibited|banned|blocked|deprecated|legacy|obsolete|unsafe|mistakes?|pitfalls?|gotchas?|fails?|breaks?|problems?|only|unless|violations?|red flags?|ask|approv\w+|permission|users?|humans?|maintainers?|manual(?:ly)?)\b|^\W*(?:before|old|from|current)\b[^.]{0,20}:?\W*$|` + signsOfBad}
	// goodAbove says that the code below it is right.
	goodAbove = lazy.Regexp{Source: `(?i)^\W*(?:good|correct|right|do|do this|yes|instead|use|prefer(?:red)?|recommended|after|better|always)\b[^.]{0,40}:?\W*$|` + signsOfGood}
	// badRemark and goodRemark are comments in code.
	badRemark  = lazy.Regexp{Source: `(?i)` + inComment + `.*\b(?:bad|wrong|don['’]?t|do not|avoid|never|incorrect|not|invalid|instead of|before|old|anti-?pattern|no|forbidden|nope|errors?|fails?|breaks?|deprecated|legacy|optional|only|ask|users?|humans?|manual(?:ly)?)\b|` + signsOfBad}
	goodRemark = lazy.Regexp{Source: `(?i)` + inComment + `\W*(?:good|correct|right|do|do this|yes|instead|use|prefer(?:red)?|recommended|after|better|new|ok)\b|` + signsOfGood}
	remarkOnly = lazy.Regexp{Source: `^\s*(?:` + inComment + `|\*)`}
	// runCode is a command that a sentence tells to run.
	runCode = lazy.Regexp{Source: "(?i)(?:^|\\W)(run|rerun|running|execute|use|via|using|with|invoke)(?: the| an?)? `([^`]+)`"}
	// firstCode is a command that an item begins with, or that its label is in front of.
	firstCode = lazy.Regexp{Source: "^\\W*?(?:\\*{0,2}[\\w /()-]{1,40}\\*{0,2} ?[:—–-]\\*{0,2} ?)?`([^`]+)`"}
	// speaksAgainst tells what goes wrong with the command that a sentence begins with.
	speaksAgainst = lazy.Regexp{Source: `(?i)^\W*(?:(?:re-?run|run|us|execut|invok|call)n?ing\b)?[^.;:,]{0,50}?\b(?:skips|bypass(?:es)?|ignores|misses|loses|corrupts|overwrites|wipes|destroys|circumvents|lacks|hides|omits)\b`}
	// editCode is a file that a sentence tells to edit.
	editCode = lazy.Regexp{Source: "(?i)(?:^|[.;:,] |\\b(?:and|then|must|should|also|please|always|to) )\\W*(?:edit|update|modify|change|extend|add (?:it|them|an? [\\w -]{1,30}|the [\\w -]{1,30}|new [\\w -]{1,30}) (?:to|in)|register (?:it |them )?in)(?: the| an?| your)? `([^`]+)`"}
)

// specimens are what the blocks of a file show as right. A text that may show the opposite
// has none.
func specimens(all []markdown.Block) (list []Specimen) {
	seen := map[string]bool{}
	for i := range all {
		b := &all[i]
		if b.Invisible || len(list) >= maxSpecimens || len(b.Fences) == 0 && !slices.ContainsFunc(b.Lines, func(l string) bool { return strings.Contains(l, "`") }) {
			continue
		}
		near := b.Section[max(0, len(b.Section)-2):]
		above := near
		if b.Lead >= 0 && all[b.Lead].Kind != markdown.Heading {
			above = append(slices.Clip(above), lastOf(all[b.Lead].Text()))
		}
		if banned(b, all) || slices.ContainsFunc(above, badAbove.Get().MatchString) {
			continue
		}
		one := Specimen{From: b.Line, To: max(b.End, b.CodeEnd), Line: b.Line}
		found := spokenSpecimens(b, one)
		for k := range b.Fences {
			found = append(found, specimensIn(b, &b.Fences[k], one)...)
		}
		if slices.ContainsFunc(near, statement.CommandList.Get().MatchString) {
			for k := range found {
				found[k].Told = found[k].Told && found[k].Of != ToRun
			}
		}
		for _, s := range found {
			key := fmt.Sprint(s.Of, s.Told, s.Marked, s.Text)
			if !seen[key] || s.Of == ToUse { // that may be of the statement itself
				list = append(list, s)
			}
			seen[key] = true
		}
	}
	return list
}

// lastOf is the last sentence of a text.
func lastOf(s string) string {
	list := sentence.Sentences(s)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// spokenSpecimens are the specimens in the sentences of a block.
func spokenSpecimens(b *markdown.Block, like Specimen) (list []Specimen) {
	for _, said := range sentence.Sentences(b.Text()) {
		if !strings.Contains(said, "`") {
			continue
		}
		add := func(of specimenOf, text string, told bool) {
			one := like
			one.Of, one.Text, one.Told = of, strings.TrimSpace(text), told
			list = append(list, one)
		}
		for _, at := range useCode.Get().FindAllStringSubmatchIndex(said, -1) {
			if !notUsed.Get().MatchString(said[:at[0]]) {
				add(ToUse, said[at[2]:at[3]], true)
			}
		}
		if plain := Plain(said); badAbove.Get().MatchString(plain) || speaksAgainst.Get().MatchString(plain) {
			continue
		}
		for _, m := range runCode.Get().FindAllStringSubmatch(said, -1) {
			if verb := strings.ToLower(m[1]); sentence.KindOf(m[2]) == sentence.Command || strings.Contains(verb, "run") || verb == "execute" {
				add(ToRun, m[2], true)
			}
		}
		if m := firstCode.Get().FindStringSubmatch(said); m != nil && b.Kind == markdown.Item && sentence.KindOf(m[1]) == sentence.Command {
			add(ToRun, m[1], false)
		}
		for _, m := range editCode.Get().FindAllStringSubmatch(said, -1) {
			if sentence.KindOf(m[1]) == sentence.File {
				add(ToEdit, m[1], true)
			}
		}
	}
	return list
}

// specimensIn are the specimens in a code block.
func specimensIn(b *markdown.Block, f *markdown.Fence, like Specimen) (list []Specimen) {
	above := lastOf(b.Text())
	good := goodAbove.Get().MatchString(above)
	if !good && badAbove.Get().MatchString(b.Text()) || f.Lang == "diff" || f.Lang == "patch" {
		return nil
	}
	like.Told = b.Kind != markdown.Heading && forms.Imperative(strings.ToLower(above))
	if f.Lang != "" && !slices.Contains(markdown.Shells[:], f.Lang) {
		return codeSpecimens(f, like, good)
	}
	skip := false // what a remark is about: the commands up to the next empty line
	for i, l := range f.Lines {
		switch wrong := badRemark.Get().MatchString(l); {
		case wrong && remarkOnly.Get().MatchString(l):
			skip = true
		case strings.TrimSpace(l) == "" || goodRemark.Get().MatchString(l):
			skip = false
		}
		one := like
		one.Line = f.Line + i
		one.Text, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(l), "$ "), " #")
		if one.Text = strings.TrimSpace(one.Text); !skip && !badRemark.Get().MatchString(l) && (sentence.KindOf(one.Text) == sentence.Command || f.Lang != "" && sentence.KindOf(one.Text) == sentence.File) {
			list = append(list, one)
		}
	}
	return list
}

// codeSpecimens are the parts of a code block that no remark marks as wrong. Where one does, the others
// are marked as right.
func codeSpecimens(f *markdown.Fence, like Specimen, good bool) (list []Specimen) {
	like.Of, like.Marked = ToShow, good || slices.ContainsFunc(f.Lines, badRemark.Get().MatchString)
	from, bad := 0, false
	end := func(i int) {
		if text := strings.TrimSpace(strings.Join(f.Lines[from:i], "\n")); text != "" {
			one := like
			one.Text, one.Line = text, f.Line+from
			list = append(list, one)
		}
	}
	for i, l := range f.Lines {
		wrong := badRemark.Get().MatchString(l)
		switch right := goodRemark.Get().MatchString(l); {
		case wrong && !bad:
			end(i)
			bad = true
		case right && !wrong && bad:
			from, bad = i, false
		}
	}
	if !bad {
		end(len(f.Lines))
	}
	return list
}

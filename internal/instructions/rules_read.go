package instructions

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// readItself wants a file to be read before it is changed.
func (b *builder) readItself() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "file_write", When: `operation in ["edit", "append", "overwrite"] and not read(path)`, Message: "Read the file first."}
	r.Why = "It stops changes of files that the session has not read."
	to := ruletext.Case{Write: "src/a.ts", Old: "a", Content: "b"}
	known := to
	known.Before = []ruletext.Step{{Read: "src/a.ts"}}
	r.Tests = []ruletext.Case{ruletext.AsStop(to), ruletext.AsPass(known), ruletext.AsPass(ruletext.Case{Write: "src/new.ts", Content: "x"})}
	return []ruletext.Rule{r}
}

// A choice is one or more files; a line is met by any one.
type choice struct {
	globs, names []string
	other        string // what does as well, in plain words: "the docs"
}

// String joins the names by "or".
func (c *choice) String() string {
	if c.other != "" {
		return strings.Join(c.names, " or ") + " or " + c.other
	}
	return strings.Join(c.names, " or ")
}

// oneOf finds words that say that one of several files is enough.
var oneOf = lazy.Regexp{Source: `\b(?:or|either|one of|any of)\b|›(?: \([^)]*\))? ?/ ?‹`}

// choices are the files that a slot wants: each of those that it names, or one of them.
func (b *builder) choices(slot string) (list []choice) {
	one, all := oneOf.Get().MatchString(b.hit.Slots[slot]), b.hit.Terms(slot)
	behind, _ := b.after(slot)
	if m := besideOr.Get().FindStringSubmatch(behind); m != nil && len(all) == 1 {
		one, all = true, append(all, b.termOf(m[1]))
	}
	for _, t := range all {
		globs := statement.GlobsOf(t.Text)
		switch {
		case len(globs) == 0:
		case one && len(list) > 0:
			list[0].globs, list[0].names = append(list[0].globs, globs...), append(list[0].names, t.Text)
		default:
			list = append(list, choice{globs: globs, names: []string{t.Text}})
		}
	}
	return list
}

var (
	// ofDiff is a look at what changed in a file, and not at the file.
	ofDiff = lazy.Regexp{Source: `‹p\d+› (?:git )?(?:diffs?|changes|output|results?)\b`}
	// whilePresent is a condition on a file that another sentence names.
	whilePresent = lazy.Regexp{Source: `\b(?:when|if|while|only if) (?:(?:it|this|that|they|the file|that file|this file)(?:['’]s| is| are)? )?(?:present|exists?)\b`}
)

// beforeFirst wants files to be read before others are written, by a rule for each.
func (b *builder) beforeFirst() (list []ruletext.Rule) {
	if reviewed.Get().MatchString(b.hit.Phrase.Words) || ofDiff.Get().MatchString(b.hit.Phrase.Words) || whilePresent.Get().MatchString(strings.ToLower(survey.Plain(b.quote))) || optionally.Get().MatchString(b.quote) || b.losesKind() {
		return nil
	}
	if b.hit.Severity == "block" && (b.has("everything") || b.has("gate")) && b.limitedBehind("read", "gate") {
		b.hit.Severity = forms.Reminder
	}
	write, _ := b.paths("write")
	write = b.anywhere(write)
	read := b.choices("read")
	if near := b.choices("near"); len(near) > 0 {
		read = near
		write = []string{"**"}
		if dir, base := path.Split(near[0].globs[0]); dir != "" && (slices.Contains(statement.Everywhere, base) || base == "README.md") {
			write = []string{dir + "**"} // it is about the folder that it is in
		} else if b.has("folder") {
			return nil
		}
	}
	if b.hit.Slots["everything"] != "" {
		write = []string{"**"}
		if len(b.s.Globs) > 0 {
			write = b.s.Globs
		} else if what := b.whole(b.said("everything")); forms.OnTests.Get().MatchString(what) {
			write = pathglob.OfTests()
		} else if b.ofDocuments(what) {
			write = pagesOf(what)
		} else if of := b.filesOfWork(what); len(of) > 0 {
			write = of
		}
	}
	for i := range read {
		spell(b.p, &read[i])
		b.p.WithinFolders(read[i].globs)
		if strings.Contains(read[i].names[0], "/") && !b.p.Young() && b.p.Lacks(loose(b.p, read[i].globs)) {
			continue // the file does not exist
		}
		if b.ofOwnFolder(&read[i]) && b.hit.Slots["gate"] == "" {
			continue // each folder has one of its own, and a rule would take any
		}
		if !b.ofOwnFolder(&read[i]) && slices.ContainsFunc(read[i].globs, b.readByThen) {
			continue
		}
		if (len(write) == 0 || write[0] == "**") && isData(&read[i], b.said("words")) {
			continue // the case is about changes of the file itself, and not about other files
		}
		b.atTop(&read[i])
		if b.hit.Slots["gate"] != "" {
			list = append(list, b.readBeforeCall(&read[i])...)
			continue
		}
		if len(write) == 0 || write[0] == "**" && strings.HasPrefix(b.hit.Phrase.Words, "for ") {
			return nil // nothing that is known, or one thing among all
		}
		list = append(list, b.readBeforeWrite(write, &read[i]))
	}
	return list
}

// someOfCode is code of one kind, which the words behind it tell and no path does: "before writing any code that
// uses ‹words›".
var someOfCode = lazy.Regexp{Source: `\b(?:before|prior to) (?:you )?(?:[a-z]+ (?:or |and |, )?){1,3}?(?:any |new |the )*code (?:that|which|with|for|using|touching|involving|around|related to) [^.,;:—–(‹]{3}`}

// losesKind reports whether a line is about code of one kind, and what was found of it about all code.
func (b *builder) losesKind() bool {
	return b.has("everything") && someOfCode.Get().MatchString(b.hit.Phrase.Words) && !someOfCode.Get().MatchString("before "+b.said("everything"))
}

// dataFile is the name of a file of data, and the word for what is in it.
var dataFile = lazy.Regexp{Source: `(?:^|/)([a-z_-]{3,}?)s?\.(?:json|jsonl|ya?ml|toml|csv|xml|ini)$`}

// isData reports whether a case is about what is in a file of data, by its name: tasks in tasks.json.
func isData(c *choice, words string) bool {
	m := dataFile.Get().FindStringSubmatch(strings.ToLower(c.names[0]))
	return m != nil && slices.ContainsFunc(noun.Get().FindAllString(strings.ToLower(words), -1), func(w string) bool { return strings.TrimSuffix(w, "s") == m[1] })
}

// spell gives the files of a choice the letters that they have in the tree, where they differ only in
// these.
func spell(p *survey.Project, c *choice) {
	if !p.Known() {
		return
	}
	for i, g := range c.globs {
		dir := path.Dir(g)
		if strings.Contains(g, "*") || p.Has(g) || !p.HoldsFolder(dir) {
			continue
		}
		beside, _ := os.ReadDir(filepath.Join(p.Root, filepath.FromSlash(dir)))
		if at := slices.IndexFunc(beside, func(e os.DirEntry) bool { return strings.EqualFold(e.Name(), path.Base(g)) }); at >= 0 {
			c.globs[i] = path.Join(dir, beside[at].Name())
			if k := slices.Index(c.names, g); k >= 0 {
				c.names[k] = c.globs[i]
			}
		}
	}
}

// atTop makes the file that a folder's file names the one of the project's folder, where that has
// it: the folder may have one of the same name.
func (b *builder) atTop(c *choice) {
	if b.s.OfFolder() == "" || !b.p.Known() || b.ofOwnFolder(c) {
		return
	}
	for i, g := range c.globs {
		if !strings.ContainsAny(g, "/*") && b.p.Has(g) && slices.Contains(c.names, g) {
			c.globs[i], c.names[slices.Index(c.names, g)] = "./"+g, "./"+g
		}
	}
}

// ofDocuments reports whether words are about documents, and no code.
func (b *builder) ofDocuments(words string) bool {
	return ofPages.Get().MatchString(words) && !codeToo.Get().MatchString(words)
}

// pagesOf are the files that words about documents mean: text that a build reads has an ending of
// theirs, too, such as requirements.txt.
func pagesOf(words string) []string {
	if strings.Contains(words, "markdown") {
		return []string{"**/*.md", "**/*.mdx"}
	}
	return []string{"**/*.md", "**/*.mdx", "**/*.rst"}
}

var codeToo = lazy.Regexp{Source: `\b(?:code|sources?|any(?:thing)? else)\b`}

// readBeforeWrite wants a file to be read before others are written.
func (b *builder) readBeforeWrite(write []string, read *choice) ruletext.Rule {
	r, name, words := ruletext.Rule{ID: strings.Join(read.names, " ")}, read.String(), b.said("words")
	if all := b.whole(b.said("everything")); words == "" && !b.has("write") && !slices.Contains([]string{"first", "read", "begin"}, all) && (!forms.EveryWork.Get().MatchString(all) || strings.Contains(all, "significant")) {
		b.hit.Severity, words = "warn", all
	}
	if words == "" && !b.has("write") {
		if said, _ := caseIn(b.hit.Phrase.Words, true); said != "" {
			b.hit.Severity, words = "warn", b.hit.Phrase.InWords(said)
		}
	}
	if made := b.madeNew(); made != "" && words == "" && b.has("write") {
		b.hit.Severity, words = "warn", made
	}
	if b.ofOwnFolder(read) { // which one, the line leaves to the reader
		b.hit.Severity, read.globs = "warn", []string{"**/" + read.globs[0]}
		name = "the " + name + " of the folder of the change"
		if strings.HasPrefix(words, "working in ") {
			words = ""
		}
	}
	r.BeforeFirst, r.Message = &ruletext.BeforeFirst{Write: write, Read: read.globs}, "Read "+name+" first."
	if words != "" && b.hit.Severity == "warn" {
		r.OfCase, r.Message = words, statement.IfAbout(words)+"read "+name+" first."
	}
	r.Why = fmt.Sprintf("It stops the first write to %s until %s was read.", strings.Join(write, ", "), read)
	to := pathglob.Sample(write[0])
	if write[0] == "**" {
		to = "src/a.ts"
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: to, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: to, Content: "x", Before: []ruletext.Step{{Read: pathglob.Sample(read.globs[0])}}})}
	if base, ok := strings.CutPrefix(read.globs[0], "./"); ok {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: to, Content: "x", Before: []ruletext.Step{{Read: path.Join(b.s.OfFolder(), base)}}}))
	}
	return r
}

// ahead is the text between "before" and the end of a clause, alternatives the rest of a list in it.
var (
	ahead        = lazy.Regexp{Source: `\b(?:before|prior to) ([^‹.;:(—–]*)`}
	alternatives = lazy.Regexp{Source: `^(?:, [\w' /-]{2,40})*,? or [\w' /-]{2,60}`}
)

// whole is what files are to be read before, with the words in front of it: "storing,
// moving, or listing" any file.
func (b *builder) whole(all string) string {
	for _, m := range ahead.Get().FindAllStringSubmatch(b.hit.Phrase.Words, -1) {
		if before, behind, ok := strings.Cut(m[1], all); ok && all != "" && all != "first" {
			return strings.TrimSpace(before + all + alternatives.Get().FindString(behind))
		}
	}
	return all
}

// thatDo limits a call to some of its kind: "open a PR that changes the schema without …".
var thatDo = lazy.Regexp{Source: `^ that ((?:changes|touches|affects|adds|modifies|alters|introduces|removes) [\w '/-]{3,60}?)(?: without\b| before\b|[.,;:(]|$)`}

// readBeforeCall wants a file to be read before a call.
func (b *builder) readBeforeCall(read *choice) []ruletext.Rule {
	g, ok := b.gateOf()
	if !ok || g == nil {
		return nil
	}
	r := ruletext.Rule{ID: strings.Join(read.names, " "), Trigger: g.trigger, Scope: g.scope, Message: "Read " + read.String() + " first."}
	r.When = "not (" + strings.Join(pathglob.Each(read.globs, func(p string) string { return "read(" + strconv.Quote(p) + ")" }), " or ") + ")"
	if words := b.said("words"); words != "" {
		r.Message = statement.IfAbout(words) + "read " + read.String() + " first."
	} else if behind, _ := b.after("gate"); thatDo.Get().MatchString(behind) {
		b.hit.Severity = "warn"
		r.Message = "If it " + thatDo.Get().FindStringSubmatch(behind)[1] + ", read " + read.String() + " first."
	}
	r.Why = fmt.Sprintf("It stops %s until %s was read.", g.named, read)
	late := g.call
	late.Before = []ruletext.Step{{Read: pathglob.Sample(read.globs[0])}}
	r.Tests = []ruletext.Case{ruletext.AsStop(g.call), ruletext.AsPass(late)}
	return []ruletext.Rule{r}
}

// reviewed is a document that is to be looked at after the changes: "review ‹p› if the changes affect …".
var reviewed = lazy.Regexp{Source: `\breview ‹p\d+› (?:if|when) (?:the |your |these )?changes? affects?\b`}

package project

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// A rule that was made of a line of an instruction file names it to the agent, as in
// "CLAUDE.md:14 says". The line may have moved since. So its file is read, but only where the
// rule has something to say.

// origins finds the present lines of the words that the rules of a folder quote.
type origins struct {
	folder *Folder
	read   map[string][]word // by file; none of one that cannot be read
}

func (f *Folder) origins() *origins { return &origins{f, map[string][]word{}} }

// Places that are no line.
const (
	unknown = 0
	gone    = -1 // the words are not in the file any more
)

// correct puts the present line of the words into the texts of a finding, and leaves out a
// line that is not known.
func (o *origins) correct(f *sentinel.Finding, d *rule.Definition) {
	if d == nil || d.Quote == "" {
		return
	}
	file, line := d.Place()
	now := o.line(d)
	if now == line {
		return
	}
	place := text.When(now == gone, "an earlier ") + file + text.When(now > 0, ":"+strconv.Itoa(now))
	for _, said := range []*string{&f.Message, &f.Advice, &f.Reason} { // the reason may be the message
		*said = strings.ReplaceAll(*said, d.Source, place)
	}
}

// definition is that of a rule that is about the event; nil for one that is not of a file.
func (p *Part) definition(spec *sentinel.RuleSpec) *rule.Definition {
	if p.docket == nil {
		return nil
	}
	for r := range p.docket.Matches() {
		if of, ok := r.(interface{ Definition() *rule.Definition }); ok && r.Spec() == spec {
			return of.Definition()
		}
	}
	return nil
}

// line is the present line of the words that a rule quotes. A rule without a quotation has
// the line that it names.
func (o *origins) line(d *rule.Definition) int {
	file, line := d.Place()
	if d.Quote == "" {
		return line
	}
	if _, known := o.read[file]; !known {
		o.read[file] = o.folder.wordsOf(file)
	}
	if len(o.read[file]) == 0 {
		return unknown
	}
	return lineOf(o.read[file], d.Quote, line)
}

// maxInstructions bounds an instruction file that is looked at, in bytes.
const maxInstructions = 1 << 20

// wordsOf are the words of a file of the project; none of one that is outside of it.
func (f *Folder) wordsOf(file string) []word {
	name := filepath.FromSlash(file)
	if f.User || !filepath.IsLocal(name) {
		return nil
	}
	root := safefile.Resolve(f.at())
	path := safefile.Resolve(filepath.Join(root, name))
	if !safefile.Within(path, root) {
		return nil
	}
	data, err := safefile.Read(path, maxInstructions)
	if err != nil {
		return nil
	}
	return words(string(data))
}

// A word of an instruction file.
type word struct {
	text   string // in lower case
	line   int
	begins bool // what is before it does not go on with it
}

// words are those of a text, without the marks of quoted lines.
func words(s string) (list []word) {
	line, begins := 0, true
	for l := range strings.Lines(s) {
		line++
		l = strings.TrimLeft(strings.TrimSpace(strings.ToLower(text.Clean(l))), "> ")
		if first, _ := utf8.DecodeRuneInString(l); !unicode.IsLetter(first) { // a blank line, a list, a heading
			begins = true
		}
		for w := range strings.FieldsSeq(l) {
			list = append(list, word{w, line, begins || w == "|"})
			begins = false
		}
		begins = l == "" || strings.HasPrefix(l, "#")
	}
	return list
}

// lineOf is the line that has the words of a quotation, the nearest to another one, and gone
// if none has them. A sentence with more words after them is not the same.
func lineOf(list []word, quote string, near int) int {
	quoted := strings.Fields(strings.ToLower(quote))
	whole := len(quoted)
	cut := whole > 0 && strings.HasSuffix(quoted[whole-1], "…")
	if cut { // the last word may be a part of one
		whole--
	}
	found := gone
	for i := range list {
		if i+whole > len(list) {
			break
		}
		k := 0
		for k < whole && list[i+k].text == quoted[k] {
			k++
		}
		ends := cut || i+k == len(list) || list[i+k].begins || k > 0 && endsSentence(quoted[k-1])
		if k == whole && k > 0 && ends && (found == gone || abs(list[i].line-near) < abs(found-near)) {
			found = list[i].line
		}
	}
	return found
}

// endsSentence reports whether a word is the last of a sentence.
func endsSentence(w string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(w, "*_)\"'”"))
	return strings.ContainsRune(".!?:;|。！？；：", last)
}

func abs(n int) int { return max(n, -n) }

package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Turn is a way to say something that costs a reader a second pass, and what to write
// instead.
type Turn struct {
	Name    string
	Instead string
	expr    *regexp.Regexp
	but     *regexp.Regexp // what the expression finds and is plain English; nil for nothing
}

// start is where a sentence begins: at a text's start, or after the end of another.
const start = `(?:^|[.!?:;] +)`

// Turns are the turns that are looked for.
func Turns() []Turn {
	turn := func(name, instead, expr string) Turn {
		return Turn{Name: name, Instead: instead, expr: regexp.MustCompile(expr)}
	}
	isNo := turn("is no", "is not a; does not", `(?i)\b(?:\w+ )?(?:is|are|was|were) (?:no|none)\b(?: \w+)?`)
	isNo.but = regexp.MustCompile(`(?i)^there |\bno (?:longer|more|less|better|worse|different|larger|smaller|slower|faster|stricter)\b`)
	free := turn("a clause as subject", "a noun: the text that, the rule that", start+`(?:What|Who|Whoever|Whatever) [^.?!]{3,80}? (?:is|are|has|have|was|were|stands|gets|counts|goes|stays|comes|needs|does|belongs)\b[^.?!]*.?`)
	free.but = regexp.MustCompile(`\?$|(?:^|[.:;] )What (?:is|are) |Whatever [^,]*, `) // a question, and a concession
	return []Turn{
		isNo, free,
		turn("nobody", "no user; is not", `(?i)\b(?:nobody|whoever)\b`),
		turn("nothing as negation", "does not; no …", `(?i)\bnothing (?:of|which)\b`),
		turn("stands", "is", `(?i)\b(?:stands|stood|standing)\b|\bstand (?:in|at|for|on|there|before|after|beside|below|above|behind|alone|next)\b`),
		turn("beside, anew", "next to, besides, again", `(?i)\b(?:beside|anew)\b`),
		turn("leaves behind", "leaves", `(?i)\b(?:leaves?|left|leaving)\b[^.]{0,25} behind\b`),
		turn("who without a head", "the user who; a program that", `(?i)\b(?:for|of|from|by|to|with|tells?|asks?|and|or|says?|knows?) who(?:ever)? (?:\w+s|is|are|may|can|has)\b`),
		turn("what is not", "anything that is not", `(?i)\b(?:for|of|from|by|to|with|in|on|and|or|but) what (?:is|are|has|does) (?:no|not|none)\b`),
		turn("of which", "whose; that", `(?i)\b(?:of|by) (?:which|whom)\b`),
		turn("a fronted object", "subject first", start+`(?:Kept|Told|Asked|Counted|Shown|Written|Left out|Not counted|Judged|Meant|Taken) (?:is|are|was) |`+start+`Of (?:an?|the|each|its|these|those|several|many|two) [^.,:;]{2,40}? (?:only|is|are|was) `),
		turn("told of", "reported; distinguished", `(?i)\btold (?:of|apart)\b|\bno way out\b|\bhow it comes\b|\bmanieth\b`),
		turn("a private word", "see the words in CONTRIBUTING.md", `(?i)\b(?:speaks? to (?:its|the|a) reader|sittings?|peel(?:s|ed)?|wirer|a panel of|hears? (?:a|the) case)\b`),
	}
}

// A Hit is a turn in a text.
type Hit struct {
	Turn string
	Text string
}

// Hits are the turns in a text, whose lines are joined.
func Hits(turns []Turn, text string) (hits []Hit) {
	text = strings.Join(strings.Fields(text), " ")
	for _, t := range turns {
		for _, found := range t.expr.FindAllString(text, -1) {
			if t.but == nil || !t.but.MatchString(found) {
				hits = append(hits, Hit{t.Name, strings.TrimLeft(found, ".!?:; ")})
			}
		}
	}
	return hits
}

// A File is the prose of one file.
type File struct {
	Name  string
	Kind  string // Comments or Docs
	Words int
	Hits  []Hit
}

// The kinds of files.
const (
	Comments = "comments"
	Docs     = "docs"
)

// Rate is the number of turns in 1,000 words.
func (f *File) Rate() float64 { return rate(len(f.Hits), f.Words) }

func rate(hits, words int) float64 { return 1000 * float64(hits) / float64(max(words, 1)) }

// Read reads the comments of Go, of packs and of the messages of their rules, and the
// pages, below a root.
func Read(root fs.FS) (files []File, err error) {
	turns := Turns()
	err = fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if base := e.Name(); name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules" || base == "dist") {
				return fs.SkipDir
			}
			return nil
		}
		f := File{Name: name, Kind: Comments}
		var read func([]byte) ([]string, error)
		switch {
		case strings.HasSuffix(name, ".go"):
			read = goComments
		case strings.HasPrefix(name, "packs/") && strings.HasSuffix(name, ".yaml"):
			read = ruleProse
		case path.Ext(name) == ".md" && (strings.HasPrefix(name, "docs/") || slices.Contains([]string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}, name)):
			read, f.Kind = paragraphs, Docs
		default:
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		texts, err := read(data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, text := range texts {
			f.Words += len(strings.Fields(text))
			f.Hits = append(f.Hits, Hits(turns, text)...)
		}
		files = append(files, f)
		return nil
	})
	return files, err
}

// goComments are the comments of a Go file: lines that follow each other are one.
func goComments(data []byte) (texts []string, err error) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	last := -1
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return texts, nil
		}
		if tok != token.COMMENT || strings.HasPrefix(lit, "//go:") || strings.HasPrefix(lit, "//line ") {
			continue
		}
		line := file.Line(pos)
		text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(lit, "//"), "/*"), "*/")
		switch {
		case strings.TrimSpace(text) == "":
			last = -1 // a new paragraph
		case line == last+1 && len(texts) > 0:
			texts[len(texts)-1] += " " + text
			last = line
		default:
			texts, last = append(texts, text), line
		}
	}
}

// ruleProse are the comments of a rule, and its message.
func ruleProse(data []byte) (texts []string, err error) {
	var rule struct{ Message string }
	if err := yaml.Unmarshal(data, &rule); err != nil {
		return nil, err
	}
	texts = append(texts, rule.Message)
	open := false
	for line := range strings.Lines(string(data)) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if ok && open {
			texts[len(texts)-1] += " " + text
		} else if ok {
			texts = append(texts, text)
		}
		open = ok
	}
	return texts, nil
}

var (
	fences = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	spans  = regexp.MustCompile("`[^`\n]+`")
	cells  = regexp.MustCompile(`(?m) *\| *|^ *[-*] |^#+ `)
)

// paragraphs are those of a page, without code. A cell of a table is one, and an item of
// a list.
func paragraphs(data []byte) ([]string, error) {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	text = spans.ReplaceAllString(fences.ReplaceAllString(text, "\n\n"), "X")
	return strings.Split(cells.ReplaceAllString(text, "\n\n"), "\n\n"), nil
}

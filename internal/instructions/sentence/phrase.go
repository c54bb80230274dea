// Package sentence reads a sentence of an instruction file as forms see it: a [Phrase], whose words have
// marks in the place of commands, paths, options and names. One sentence may forbid several acts.
package sentence

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A Term is a name in a sentence: in `code`, or one that is known without.
type Term struct {
	Kind byte // command, path, flag or name
	Text string
	Code bool // it was in `code`
}

// CommandTerm is a command in `code`.
func CommandTerm(cmd string) Term { return Term{Kind: Command, Text: cmd, Code: true} }

// The kinds of terms, as they are written in a phrase.
const (
	Command = 'c'
	File    = 'p'
	Flag    = 'f'
	Name    = 't'
)

// A Phrase is a sentence as forms see it: in lower case, without marks of style, with
// ‹c0› in the place of a term.
type Phrase struct {
	Words  string
	Quote  string // the sentence as it is
	Terms  []Term
	Step   bool   // it is one of a list of steps, in front of what records the work
	Folder string // that the sentence limits itself to: "" for none
}

// Phrases makes the phrases of a text in one line.
func Phrases(s string) []Phrase {
	var list []Phrase
	for _, sentence := range Sentences(s) {
		list = append(list, NewPhrase(sentence))
	}
	return list
}

// Sentences cuts a text behind full stops, exclamation and question marks that are in no
// code, and before a word that begins a sentence.
func Sentences(s string) []string {
	var list []string
	from, code := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '`':
			code = !code
		case "。"[0]:
			if code || !strings.HasPrefix(s[i:], "。") {
				continue
			}
			list = append(list, strings.TrimSpace(s[from:i+len("。")]))
			from, i = i+len("。"), i+len("。")-1
		case '.', '!', '?':
			next := i + 1
			for next < len(s) && strings.IndexByte(`*_")'`, s[next]) >= 0 {
				next++
			}
			if code || next < len(s) && s[next] != ' ' || abbreviated(s[from:i]) {
				continue
			}
			if rest := strings.TrimLeft(s[next:], " "); rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
				continue
			}
			list = append(list, strings.TrimSpace(s[from:next]))
			from, i = next, next-1
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

func abbreviated(before string) bool {
	last := before[strings.LastIndexAny(before, " (")+1:]
	switch strings.ToLower(last) {
	case "e.g", "i.e", "etc", "vs", "cf", "no", "approx":
		return true
	}
	return last == "" || len(last) < 3 && last[0] >= '0' && last[0] <= '9'
}

var (
	linked   = lazy.Regexp{Source: `!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)`}
	emphasis = lazy.Regexp{Source: `\*\*|__|~~|(^|[\s(])[*_]([^\s*_])|([^\s*_])[*_]($|[\s).,:;!?])`}
	icons    = lazy.Regexp{Source: `[^\p{L}\p{N}\p{P}\p{Z}\s$+<=>^|~→` + "`" + `]+`}
)

// withoutLinks is a sentence with the file that a link leads to in its place, else its text. A link
// in `code` is left.
func withoutLinks(sentence string) string {
	out, at := "", 0
	for _, m := range linked.Get().FindAllStringSubmatchIndex(sentence, -1) {
		if strings.Count(sentence[:m[0]], "`")%2 == 1 {
			continue
		}
		said, to := sentence[m[2]:m[3]], strings.TrimPrefix(sentence[m[4]:m[5]], "./")
		if !strings.Contains(said, "`") && !strings.Contains(to, ":") && path.Ext(to) != "" && !strings.Contains(to, "#") {
			said = "`" + to + "`"
		}
		out, at = out+sentence[at:m[0]]+said, m[1]
	}
	return out + sentence[at:]
}

// Bounds of what is kept of texts that come again, such as headings and leads: they are read for each line
// below them.
const (
	MaxKept     = 4096    // texts
	MaxKeptText = 2 << 10 // bytes of one
)

var knownPhrases = lazy.Memo[Phrase]{Texts: MaxKept, Bytes: MaxKeptText}

// NewPhrase reads a sentence.
func NewPhrase(sentence string) Phrase {
	p, _ := knownPhrases.Get(sentence, func(s string) (Phrase, error) { return readPhrase(s), nil })
	p.Terms = slices.Clone(p.Terms) // a phrase changes its terms
	return p
}

func readPhrase(sentence string) Phrase {
	p := Phrase{Quote: sentence}
	s := withMarks(withExceptions(withoutLinks(sentence)))
	s = strings.NewReplacer("‹", "<", "›", ">", "’", "'", "‘", "'", "“", `"`, "”", `"`).Replace(s)
	s = markdown.CodeSpan.Get().ReplaceAllStringFunc(s, func(c string) string {
		c = withSlashes(strings.Trim(c, "` "))
		if c == "" {
			return ""
		}
		if m := arity.Get().FindStringSubmatch(c); m != nil {
			c = m[1] + "()"
		}
		if m := mcpName.Get().FindStringSubmatch(c); m != nil {
			return p.Add(Command, "*:"+m[1], true)
		}
		return p.Add(KindOf(c), c, true)
	})
	s = emphasis.Get().ReplaceAllString(oneSign(s), "$1$2$3$4")
	s = icons.Get().ReplaceAllString(s, " ")
	s = english(s)
	p.Words = withObjects(forgetting.Get().ReplaceAllString(strings.ToLower(p.bare(slashed(strings.Fields(s)))), "always"))
	p.Words = folder.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		if t := p.TermIn(s); PathForm.Get().MatchString(t.Text) {
			t.Kind, t.Text = File, strings.TrimSuffix(t.Text, "/")+"/"
			if s = strings.Replace(s, "‹t", "‹p", 1); strings.Contains(s, " sub") {
				s, t.Text = Mark.Get().FindString(s), "**/"+t.Text
			}
		}
		return s
	})
	p.Words = folderOutput.Get().ReplaceAllString(p.Words, "$1 files")
	p.wrapped()
	p.nameApply()
	p.endingsNamed()
	p.Words = mcpTool.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		if t := p.TermIn(s); called.Get().MatchString(t.Text) || strings.Contains(s, "mcp") && PlainName.Get().MatchString(t.Text) {
			t.Kind, t.Text = Command, "*:"+t.Text
			s = strings.Replace(s, "‹t", "‹c", 1)
		}
		return s
	})
	p.alongList(&toolList, func(s string) string {
		next := p.TermIn(s[len(Mark.Get().FindString(s)):])
		if t := p.TermIn(s); strings.HasPrefix(next.Text, "*:") && called.Get().MatchString(t.Text) {
			t.Kind, t.Text = Command, "*:"+t.Text
			s = strings.Replace(s, "‹t", "‹c", 1)
		}
		return s
	})
	p.artifacts()
	p.namedFiles()
	p.Words = fileWord.Get().ReplaceAllStringFunc(p.Words, p.named)
	p.Words = running.Get().ReplaceAllStringFunc(p.Words, p.program)
	p.Words = givenAt.Get().ReplaceAllStringFunc(p.Words, p.given)
	p.alongList(&furtherRun, p.alsoRun)
	p.alongList(&runList, p.alsoRun)
	p.alongList(&fileList, p.alsoFile)
	p.Words = scriptRun.Get().ReplaceAllStringFunc(p.Words, p.script)
	p.scriptsRun()
	p.openList()
	return p
}

// alongList replaces names of a list by what another one of it tells, as long as there is more to
// tell: "the ‹t› or ‹c› tools", "run ‹c› or ‹t›".
func (p *Phrase) alongList(re *lazy.Regexp, with func(string) string) {
	for before := ""; p.Words != before; {
		before, p.Words = p.Words, re.Get().ReplaceAllStringFunc(p.Words, with)
	}
}

var (
	// forgetting is a prohibition to leave something out, which asks for it.
	forgetting = lazy.Regexp{Source: `\b(?:do not|don't|never) (?:ever )?(?:forget|neglect|omit) to\b`}
	// running is a name in `code` that is said to be run.
	running = lazy.Regexp{Source: `\b(?:re-?)?(?:run|running|execute|executing|call|calling|only after)(?: (?:the|bare|a|plain|your))* ‹t\d+›(?: (?:skill|agent|sub-?agent|workflow|job|action|task|playbook)\b)?`}
	// scriptRun is a script of the project that is not to be run.
	scriptRun = lazy.Regexp{Source: `\b(?:never|not|don't) (?:(?:run|execute|call|invoke) ‹p\d+›|use ‹p\d+›(?:$|[.,;:)!]| (?:or|and|directly|[—–(-])))`}
	folder    = lazy.Regexp{Source: `‹t\d+› (?:sub)?(?:folders?|director(?:y|ies)|dirs?)\b|\b(?:anything|everything|files?|code) (?:in|under|inside|within|below) (?:the )?‹t\d+›`}
	// mcpTool is one of an MCP server.
	mcpTool  = lazy.Regexp{Source: `‹t\d+› (?:mcp )?(?:tool|function)s?\b|\bmcp tools? ‹t\d+›|\b(?:use|using|call|calling) ‹t\d+› (?:to [^.,;‹]{2,50} )?(?:before|prior to)\b`}
	toolList = lazy.Regexp{Source: `‹t\d+›(?:, |,? (?:or|and) )‹c\d+›`}
	called   = lazy.Regexp{Source: `^[a-z]\w*[_-][\w-]+$`}
	mcpName  = lazy.Regexp{Source: `^mcp__\w+?__(\w+)(?:\(|$)`}
	camel    = lazy.Regexp{Source: `^[a-z]+[A-Z]\w*(?:\(|$)`} // a function
	programs = lazy.Regexp{Source: `^[a-z][\w.-]*(?: [\w./:=*<>@-]+)*$`}
)

// program makes a command of a name that is run, whatever its program is.
func (p *Phrase) program(s string) string {
	t := p.TermIn(s)
	if !strings.HasSuffix(s, "›") {
		return s // a skill, a workflow …
	}
	if m := toolCall.Get().FindString(t.Text); m != "" {
		t.Text = "*:" + m[:strings.IndexByte(m, '(')]
	} else if !programs.Get().MatchString(t.Text) || camel.Get().MatchString(t.Text) || strings.HasPrefix(s, "call") && !strings.Contains(t.Text, " ") && !Endings.Get().MatchString(t.Text) { // a function is called, too
		return s
	}
	t.Kind = Command
	return strings.Replace(s, "‹t", "‹c", 1)
}

// script makes a command of a path that is run, where it is that of a script.
func (p *Phrase) script(s string) string {
	t := p.TermIn(s)
	if Cleaned(*t) == "" {
		return s
	}
	t.Kind = Command
	return strings.Replace(s, "‹p", "‹c", 1)
}

// Add notes a term, and returns its mark.
func (p *Phrase) Add(kind byte, s string, code bool) string {
	p.Terms = append(p.Terms, Term{kind, withSlashes(s), code})
	return fmt.Sprintf("‹%c%d›", kind, len(p.Terms)-1)
}

// TermIn is the term of the first mark in words.
func (p *Phrase) TermIn(words string) *Term {
	n, _ := strconv.Atoi(Mark.Get().FindStringSubmatch(words)[2])
	return &p.Terms[n]
}

package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// maxCode bounds the lines of a code block that are commands of the sentence above it.
const maxCode = 12

// asks is the end of a sentence that a command goes on with.
var asks = lazy.Regexp{Source: `\b(?:run|execute|use|using|with|via|by|call)$`}

// setup is a remark on a command that is not part of a check.
var setup = lazy.Regexp{Source: `(?i)\b(?:one-?time|set ?up|install|once|first time|optional|or\b|alternative|example|e\.g|individual|single|specific|watch|debug)|\b(?:if|when|whenever) [^.]{0,40}\b(?:chang|touch|modif|edit|affect)\w*`}

// hereText begins a here-document: the lines behind it are text.
var hereText = lazy.Regexp{Source: `<<-?\s*['"]?\w|@['"]\s*$`}

// withCode are the last sentence of a statement, or its heading, with each command of the
// code below it.
func withCode(s *statement.Statement) (list []sentence.Phrase) {
	if len(s.Phrases) == 0 || len(s.Code) == 0 || len(s.Code) > maxCode || slices.ContainsFunc(s.Code, hereText.Get().MatchString) || oneIs.Get().MatchString(s.Phrases[len(s.Phrases)-1].Words) {
		return nil
	}
	last := s.Phrases[len(s.Phrases)-1]
	lead := strings.TrimRight(last.Quote, "*_: ")
	if placeTaken.Get().MatchString(sentence.NewPhrase(lead).Words) || avoids.Get().MatchString(lead) {
		return nil
	}
	if titles := statement.Leads(s); s.Block == markdown.Heading && len(titles) > 0 {
		lead = titles[0]
	}
	skip, script := false, oneScript(s.Code)
	for i, l := range s.Code {
		if variant(s.Code, i) || !s.About(i) {
			continue
		}
		l, remark, _ := strings.Cut(strings.TrimSpace(l), " #")
		switch {
		case strings.HasPrefix(l, "#"):
			skip = setup.Get().MatchString(l)
		case l == "":
			skip = false
		case skip || s.CombinesAll(strings.TrimPrefix(strings.TrimSpace(l), "$ ")) || setup.Get().MatchString(remark) || strings.Contains(l, "`") || !s.Shell && sentence.KindOf(l) != sentence.Command:
		default:
			with := sentence.NewPhrase(lead)
			if !asks.Get().MatchString(with.Words) {
				with.Words += ":"
			}
			run := strings.TrimPrefix(strings.TrimSpace(l), "$ ")
			if script != "" {
				run = script
			}
			with.Words += " " + with.Add(sentence.Command, run, true)
			with.Quote = last.Quote
			if list = append(list, with); script != "" {
				return list
			}
		}
	}
	return list
}

// offered is a remark on a command that is right to run, in a block of others.
var offered = lazy.Regexp{Source: `(?i)^[^\pL]*(?:use\b|(?:this is |it is )?(?:instead|ok|okay|good|allowed|safe|fine|right|correct)\b|✅)|\binstead\b[^\pL]*$`}

// bannedCode is the prohibition of all commands of the code below a statement, where that forbids them.
func bannedCode(s *statement.Statement) (p sentence.Phrase, ok bool) {
	if !s.BansCode() || slices.ContainsFunc(s.Code, hereText.Get().MatchString) {
		return p, false
	}
	p = sentence.NewPhrase("Never run")
	skip, sign := false, " "
	for _, l := range s.Code {
		l, remark, _ := strings.Cut(strings.TrimSpace(l), " #")
		switch run := strings.TrimPrefix(strings.TrimSpace(l), "$ "); {
		case strings.HasPrefix(l, "#"):
			skip = offered.Get().MatchString(l)
		case l == "":
			skip = false
		case skip || strings.Contains(l, "`") || offered.Get().MatchString(remark) || !s.Shell && sentence.KindOf(run) != sentence.Command:
		default:
			p.Words += sign + p.Add(sentence.Command, run, true)
			sign = " or "
		}
	}
	p.Quote = s.Phrases[len(s.Phrases)-1].Quote
	return p, sign != " "
}

// itemCommands are the commands, in `code`, of the list that a statement introduces.
func itemCommands(s *statement.Statement) (list []string) {
	for _, i := range s.Items {
		for _, c := range markdown.CodeSpan.Get().FindAllString(i, -1) {
			if sentence.KindOf(strings.Trim(c, "` ")) == sentence.Command && len(list) < 6 && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

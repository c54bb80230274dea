package coverage

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// A line may list several names in `code`, and its rules may be about some of them: "never commit `.env`, `.key`".
// A name elsewhere in the line, such as that of a document to read, is not expected in a rule.

// Bounds of what is tried on the rules.
const (
	maxTried = 16 // names of a statement: of more, a rule has to name them
	maxCases = 32 // for one name
)

// unheld are the names of a statement that its rules do not hold, in lists with one that they hold, and in sentences that forbid
// these names alone.
func (r *Reader) unheld(s *Statement) []string {
	left, tried := []string{}, 0
	var known [][]string // by rule
	for _, id := range s.Rules {
		one := r.byID[id]
		if one == nil || one.Spec().Shadow {
			continue
		}
		if one.Definition().Prompt != "" {
			return left // a model may know the name in other words
		}
		known = append(known, about(one.Definition()))
	}
	for _, one := range listsIn(s.statement.Text) {
		var held, open []string
		for _, name := range one.list {
			if named(known, name) {
				held = append(held, name)
			} else {
				open = append(open, name)
			}
		}
		for _, name := range open {
			if tried++; (len(held) > 0 || one.banned) && (tried > maxTried || !r.stopsName(s.Rules, name, held)) && !slices.Contains(left, text.OneLine(name)) {
				left = append(left, text.OneLine(name))
			}
		}
	}
	return left
}

// named reports whether a rule has all words of a name in what it is about.
func named(rules [][]string, name string) bool {
	words := wordsOf(placeholder.Get().ReplaceAllString(name, " "))
	return len(words) == 0 || slices.ContainsFunc(rules, func(known []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, w) && !slices.Contains(known, w+"s") })
	})
}

// placeholder matches a part of a name that the reader replaces: <file>, [name].
var placeholder = lazy.Regexp{Source: `<[^>]*>|\[[^\]]*\]|"[^"]*"|'[^']*'`}

// about are the words of what a rule is about.
func about(d *rule.Definition) []string {
	return wordsOf(fmt.Sprint(d.Scope, d.When, d.Doubtful, d.Requires.Ran, d.Requires.Since, d.Also.Changed, d.Also.With, d.BeforeFirst.Write, d.BeforeFirst.Read))
}

// classes are signs of a regular expression that look like letters.
var classes = lazy.Regexp{Source: `\\[bBsSdDwWAzZ]`}

// wordsOf are the words of a pattern or a name. An option of one letter keeps its case.
func wordsOf(s string) []string {
	words := strings.FieldsFunc(classes.Get().ReplaceAllString(s, " "), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for i, w := range words {
		if len(w) > 1 {
			words[i] = strings.ToLower(w)
		}
	}
	return words
}

// stopsName reports whether one of the rules is against a name that it does not have in so many words: by a wider
// pattern, or by another form of the same option. It is tried alone, and in the place of names that are held in the
// rules' own cases.
func (r *Reader) stopsName(ids []string, name string, held []string) bool {
	cases := []rule.Case{{Bash: name}}
	for _, glob := range statement.GlobsOf(name) {
		file := pathglob.Sample(glob)
		cases = append(cases, rule.Case{Write: file, Content: "x"}, rule.Case{Read: file}, rule.Case{Bash: "git add " + file})
	}
	for _, id := range ids {
		if r.byID[id] == nil {
			continue
		}
		for _, c := range r.byID[id].Definition().Tests {
			for _, other := range held {
				if next := c; c.Expect == ruletext.Violation && put(&next, other, name) {
					cases = append(cases, next)
				}
			}
		}
	}
	return slices.ContainsFunc(cases[:min(len(cases), maxCases)], func(c rule.Case) bool { return r.stopped(c, ids) })
}

// put puts a name in the place of another one, and reports whether that is there.
func put(c *rule.Case, other, name string) bool {
	there := false
	for _, field := range []*string{&c.Bash, &c.Write, &c.Read, &c.Content} {
		if strings.Contains(*field, other) {
			*field, there = strings.ReplaceAll(*field, other, name), true
		}
	}
	return there
}

// A names is a list of names in `code`.
type names struct {
	list   []string
	denied bool // a word in front of it forbids
	banned bool // it is what a sentence forbids, and no more than its verb is in front
}

// listsIn are the names in `code` of a text, by their lists. A list goes on behind a remark in
// parentheses.
func listsIn(s string) (lists []names) {
	end, last, outer := 0, -1, -1 // last is the list of the name before, outer the one around a remark
	for _, at := range markdown.CodeSpan.Get().FindAllStringIndex(s, -1) {
		name, before := strings.Trim(s[at[0]:at[1]], "` "), s[end:at[0]]
		if closed := strings.LastIndexByte(before, ')'); closed >= 0 && outer >= 0 {
			before, last, outer = before[closed+1:], outer, -1
		}
		if last >= 0 && joins(before, lists[last].denied) {
			lists[last].list = append(lists[last].list, name)
		} else {
			if outer < 0 && strings.LastIndexByte(before, '(') > strings.LastIndexByte(before, ')') {
				outer = last
			}
			stop := strings.LastIndex(before, ". ")
			said := before[stop+1:]
			lists = append(lists, names{[]string{name}, denial.Get().MatchString(said), (end == 0 || stop >= 0) && ban.Get().MatchString(said)})
			last = len(lists) - 1
		}
		end = at[1]
	}
	return lists
}

var (
	denial = lazy.Regexp{Source: `(?i)\b(?:never|not?|nor|don['’]t|avoid|without|forbidden)\b`}
	// ban is a sentence up to the name of what it forbids.
	ban = lazy.Regexp{Source: `(?i)^\W*(?:never|do not|don['’]t|avoid)(?: \w+){0,3} \W*$`}
	// joint is what may separate two names of a list.
	joint = lazy.Regexp{Source: `^\)?(?:[,;/&]|\(?(?:or|and|nor)\b)[\w ,;/&'’-]*$`}
	// turn begins what says something else of the next name.
	turn = lazy.Regexp{Source: `\b(?:but|instead|which|that|who|because|since|unless|except|if|when|while|with|via|by|for|in|into|to|from|of|on|at|as|is|are|was|be|after|before|until|using|so|it|only|outside|inside|rather|over|like|such|always|must|should|may|can|where|how|why|through|between|within|under|above|below|against|about|its|their|this|these|those)\b`}
	sign = lazy.Regexp{Source: `[,;/&]`}
)

// maxBetween bounds the words of a thing without `code` in a list.
const maxBetween = 3

// joins reports whether a text between two names makes them members of one list. Behind a denial the names
// may have verbs of their own: "never use `a`, and never run `b`".
func joins(between string, denied bool) bool {
	between = strings.ToLower(strings.TrimSpace(strings.NewReplacer("*", "", "_", "").Replace(between)))
	again := denial.Get().MatchString(between)
	if !joint.Get().MatchString(between) || turn.Get().MatchString(between) || again && !denied {
		return false
	}
	for _, thing := range sign.Get().Split(between, -1) {
		words := strings.Fields(thing)
		if len(words) > maxBetween+1 || !again && slices.ContainsFunc(words, func(w string) bool { return sentence.Words().IsVerb[w] }) {
			return false
		}
	}
	return true
}

package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// queryText is a tree-sitter query as the tree of its brackets: what it requires of a
// source, without which most files would be parsed in vain. The grammar's own parser says
// what is wrong with a query.
type queryText struct {
	source   string
	patterns []*form // each with its predicates
}

// A form is a piece of a query: a bracket with its content, a string, a name.
type form struct {
	text     string // "(", "[", or the piece itself
	kids     []*form
	end      int  // in the source, behind its quantifier and captures
	optional bool // ? or *
	captures []string
}

// maxForms bounds how deep a query nests.
const maxForms = 100

var queryToken = lazy.Regexp{Source: `;[^\n]*|"(?:[^"\\]|\\.)*"|[()\[\]]|@[\w.-]+|#[\w-]+[?!]|[?*+]|[^\s()\[\]"@;?*+]+`}

// parseQuery reads a query; newQuery says whether it is one.
func parseQuery(source string) (*queryText, error) {
	tokens, depth := queryToken.Get().FindAllStringIndex(source, -1), 0
	for _, t := range tokens {
		switch source[t[0]] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
		if depth > maxForms {
			return nil, errors.New("query: nested too deep")
		}
	}
	q := &queryText{source: source}
	r := &formReader{source, tokens}
	for _, f := range r.forms() {
		if n := len(q.patterns); f.predicate() != "" && n > 0 {
			q.patterns[n-1].kids = append(q.patterns[n-1].kids, f)
			continue
		}
		q.patterns = append(q.patterns, &form{text: "(", kids: []*form{f}})
	}
	return q, nil
}

type formReader struct {
	source string
	tokens [][]int
}

// forms reads to the closing bracket, which it leaves, or to the end.
func (r *formReader) forms() (list []*form) {
	for ; len(r.tokens) > 0; r.tokens = r.tokens[1:] {
		end := r.tokens[0][1]
		word := r.source[r.tokens[0][0]:end]
		if strings.ContainsAny(word[:1], "@?*+") {
			if len(list) == 0 {
				continue
			}
			last := list[len(list)-1]
			last.end, last.optional = end, last.optional || word == "?" || word == "*"
			if label, ok := strings.CutPrefix(word, "@"); ok {
				last.captures = append(last.captures, label)
			}
			continue
		}
		f := &form{text: word, end: end}
		switch word[0] {
		case ';':
			continue
		case ')', ']':
			return list
		case '(', '[':
			r.tokens = r.tokens[1:]
			if f.kids = r.forms(); len(r.tokens) == 0 {
				return append(list, f)
			}
			f.end = r.tokens[0][1]
		}
		list = append(list, f)
	}
	return list
}

// each visits f and its parts. certain says that every match has the part.
func (f *form) each(certain bool, visit func(f *form, certain bool)) {
	certain = certain && !f.optional
	visit(f, certain)
	for _, k := range f.kids {
		k.each(certain && f.text != "[", visit)
	}
}

// predicate returns the name of (#eq? @a "b"), or "".
func (f *form) predicate() string {
	if f.text == "(" && len(f.kids) > 0 && f.kids[0].text[0] == '#' {
		return f.kids[0].text
	}
	return ""
}

// captured returns the captures of a pattern; true says that every match has one.
func (f *form) captured() map[string]bool {
	captures := map[string]bool{}
	f.each(true, func(k *form, sure bool) {
		for _, c := range k.captures {
			if k.text[0] != '#' { // which asks about it
				captures[c] = captures[c] || sure
			}
		}
	})
	return captures
}

// check finds what never matches: predicates on captures that do not exist, and nodes that
// the language's trees do not have.
func (q *queryText) check(lang string) (err error) {
	if len(q.patterns) == 0 {
		return errors.New("query: there is no pattern in it")
	}
	for _, p := range q.patterns {
		captures := p.captured()
		p.each(true, func(f *form, _ bool) {
			for _, c := range f.captures {
				if _, defined := captures[c]; !defined && err == nil {
					err = fmt.Errorf("query: a predicate is about @%s, which the pattern does not capture", c)
				}
			}
			if lang == Python && f.text == "expression_statement" {
				err = errors.New("in Python's trees an expression that is a statement has no expression_statement around it: ask for the expression")
			}
		})
	}
	return err
}

// marked is the query with @hit behind every pattern that has none.
func (q *queryText) marked() string {
	var b strings.Builder
	from := 0
	for _, p := range q.patterns {
		_, has := p.captured()["hit"]
		at := p.kids[0]
		if at.text == "(" && len(at.kids) > 0 && strings.ContainsAny(at.kids[0].text[:1], `(["`) { // a group: of siblings, or of a pattern and its predicates
			siblings := slices.DeleteFunc(slices.Clone(at.kids), func(k *form) bool { return k.predicate() != "" })
			has = has || len(siblings) > 1 && len(siblings[0].captures) > 0
			at = at.kids[0]
		}
		if !has {
			b.WriteString(q.source[from:at.end] + " @hit ")
			from = at.end
		}
	}
	return b.String() + q.source[from:]
}

// literals lists texts. Every source that a pattern matches has one of them.
func (q *queryText) literals() []string {
	all := eachNeeds(q.patterns)
	slices.Sort(all)
	return slices.Compact(all)
}

// eachNeeds lists texts of alternatives, so that a source that one of them matches has one; nil
// where an alternative needs none.
func eachNeeds(alternatives []*form) (all []string) {
	for _, f := range alternatives {
		texts := f.best(f.captured())
		if len(texts) == 0 {
			return nil
		}
		all = append(all, texts...)
	}
	return all
}

// best is the rarest of the texts that a form needs; of alternatives, those of each.
func (f *form) best(captures map[string]bool) (best []string) {
	switch {
	case f.optional:
		return nil
	case f.text == "[":
		return eachNeeds(f.kids)
	}
	best = f.needs(captures)
	for _, k := range f.kids {
		if texts := k.best(captures); worth(texts) > worth(best) {
			best = texts
		}
	}
	return best
}

// needs returns texts; a predicate on a capture requires one of them.
func (f *form) needs(certain map[string]bool) []string {
	name := f.predicate()
	if name == "" || len(f.kids[0].captures) != 1 || !certain[f.kids[0].captures[0]] {
		return nil
	}
	var texts []string
	for _, a := range f.kids[1:] {
		if len(a.captures) > 0 { // compared with another capture
			return nil
		}
		text, err := strconv.Unquote(a.text)
		if err != nil {
			text = unescape(strings.Trim(a.text, `"`))
		}
		texts = append(texts, text)
	}
	switch {
	case name == "#eq?" && len(texts) == 1, name == "#any-of?":
		return texts
	case name == "#match?" && len(texts) == 1:
		return RegexNeeds(texts[0], caseSensitive)
	}
	return nil
}

package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// queryText is a parsed tree-sitter query: its captures, and the texts that it
// requires. Without those, most files would be parsed in vain.
type queryText struct {
	source   string
	patterns []*form
}

// A form is a piece of a query.
type form struct {
	open       byte // ( [ " @ # or a letter
	text       string
	kids       []*form
	start, end int  // end: behind its quantifier and captures
	optional   bool // ? or *
	captures   []string
}

// maxForms bounds how deep a query nests.
const maxForms = 100

func parseQuery(source string) (*queryText, error) {
	r := &queryReader{s: source}
	forms, err := r.forms(0, 0)
	if err != nil {
		return nil, fmt.Errorf("query: %w at byte %d", err, r.at)
	}
	if grouped, changed := group(source, forms); changed {
		return parseQuery(grouped)
	}
	q := &queryText{source: source, patterns: forms}
	if len(forms) == 0 {
		return nil, errors.New("query: there is no pattern in it")
	}
	for _, p := range forms {
		if name, _ := p.predicate(); name != "" || p.open != '(' && p.open != '[' && p.open != '"' {
			return nil, fmt.Errorf("query: a pattern is (node …), not %s", source[p.start:p.end])
		}
		if err := p.checkCaptures(); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// group moves the predicates behind a pattern into it: (node) @a (#eq? @a "x") becomes ((node) @a (#eq? @a "x")).
func group(source string, forms []*form) (grouped string, changed bool) {
	var b strings.Builder
	from := 0
	for i, f := range forms {
		if name, _ := f.predicate(); name != "" {
			continue
		}
		end := f.end
		for _, next := range forms[i+1:] {
			if name, _ := next.predicate(); name == "" {
				break
			}
			end = next.end
		}
		if end > f.end {
			b.WriteString(source[from:f.start] + "(" + source[f.start:end] + ")")
			from, changed = end, true
		}
	}
	return b.String() + source[from:], changed
}

type queryReader struct {
	s  string
	at int
}

// forms reads forms until the closing bracket, or the end.
func (r *queryReader) forms(closing byte, depth int) ([]*form, error) {
	if depth > maxForms {
		return nil, errors.New("nested too deep")
	}
	var list []*form
	for {
		r.blank()
		if r.at >= len(r.s) {
			if closing != 0 {
				return nil, fmt.Errorf("%q is missing", closing)
			}
			return list, nil
		}
		switch c := r.s[r.at]; {
		case c == ')' || c == ']':
			if c != closing {
				return nil, fmt.Errorf("%q closes nothing", c)
			}
			r.at++
			return list, nil
		case c == '@' || strings.IndexByte("?*+", c) >= 0:
			if err := r.suffix(list); err != nil {
				return nil, err
			}
		default:
			f, err := r.form(depth)
			if err != nil {
				return nil, err
			}
			list = append(list, f)
		}
	}
}

func (r *queryReader) form(depth int) (*form, error) {
	f := &form{open: r.s[r.at], start: r.at}
	var err error
	switch f.open {
	case '(', '[':
		closing := byte(')')
		if f.open == '[' {
			closing = ']'
		}
		r.at++
		f.kids, err = r.forms(closing, depth+1)
	case '"':
		f.text, err = r.quoted()
	default:
		f.text = r.word()
		if f.text == "" {
			return nil, fmt.Errorf("%q cannot stand here", r.s[r.at])
		}
		f.open = 'a'
		if f.text[0] == '#' {
			f.open = '#'
		}
	}
	f.end = r.at
	return f, err
}

// suffix reads a capture or a quantifier of the last form.
func (r *queryReader) suffix(list []*form) error {
	if r.s[r.at] != '@' {
		if len(list) == 0 {
			return errors.New("a quantifier belongs behind a pattern")
		}
		last := list[len(list)-1]
		last.optional = last.optional || r.s[r.at] != '+'
		r.at++
		last.end = r.at
		return nil
	}
	r.at++
	label := r.word()
	if label == "" || len(list) == 0 {
		return errors.New("a capture is @name behind a pattern")
	}
	last := list[len(list)-1]
	last.captures = append(last.captures, label)
	last.end = r.at
	return nil
}

func (r *queryReader) blank() {
	for r.at < len(r.s) {
		switch c := r.s[r.at]; {
		case c == ';':
			for r.at < len(r.s) && r.s[r.at] != '\n' {
				r.at++
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		default:
			return
		}
	}
}

func (r *queryReader) word() string {
	from := r.at
	for r.at < len(r.s) && strings.IndexByte(" \t\r\n()[]\";@", r.s[r.at]) < 0 {
		if r.at > from && strings.IndexByte("?*+", r.s[r.at]) >= 0 && r.s[from] != '#' {
			break
		}
		r.at++
		if r.s[r.at-1] == '?' { // of #eq?
			break
		}
	}
	return r.s[from:r.at]
}

func (r *queryReader) quoted() (string, error) {
	from := r.at
	for r.at++; r.at < len(r.s) && r.s[r.at] != '"'; r.at++ {
		if r.s[r.at] == '\\' {
			r.at++
		}
	}
	if r.at >= len(r.s) {
		r.at = len(r.s)
		return "", errors.New("a string has no end")
	}
	r.at++
	inner := r.s[from+1 : r.at-1]
	if s, err := strconv.Unquote(`"` + inner + `"`); err == nil {
		return s, nil
	}
	return unescape(inner), nil
}

// each visits f and its parts. certain says that every match has the part.
func (f *form) each(certain bool, visit func(f *form, certain bool)) {
	certain = certain && !f.optional
	visit(f, certain)
	for _, k := range f.kids {
		k.each(certain && f.open != '[', visit)
	}
}

// predicate returns the name and arguments of (#eq? @a "b").
func (f *form) predicate() (name string, args []*form) {
	if f.open != '(' || len(f.kids) == 0 || f.kids[0].open != '#' {
		return "", nil
	}
	return f.kids[0].text, f.kids[1:]
}

// checkCaptures finds predicates on captures that do not exist: they never hold.
func (f *form) checkCaptures() error {
	defined := map[string]bool{}
	f.each(true, func(k *form, _ bool) {
		if name, _ := k.predicate(); name == "" && k.open != '#' {
			for _, c := range k.captures {
				defined[c] = true
			}
		}
	})
	var err error
	f.each(true, func(k *form, _ bool) {
		name, args := k.predicate()
		if name == "" {
			return
		}
		for _, c := range slices.Concat(k.kids[0].captures, captured(args)) {
			if !defined[c] && err == nil {
				err = fmt.Errorf("query: (%s …) is about @%s, which the pattern does not capture", name, c)
			}
		}
	})
	return err
}

func captured(forms []*form) []string {
	var all []string
	for _, f := range forms {
		all = append(all, f.captures...)
	}
	return all
}

// names reports whether the query asks for nodes of that name.
func (q *queryText) names(node string) bool {
	found := false
	for _, p := range q.patterns {
		p.each(true, func(f *form, _ bool) {
			found = found || f.open == '(' && len(f.kids) > 0 && f.kids[0].text == node
		})
	}
	return found
}

// marked is the query with @hit behind every pattern that has none.
func (q *queryText) marked() string {
	var b strings.Builder
	from := 0
	for _, p := range q.patterns {
		has := false
		p.each(true, func(f *form, _ bool) { has = has || slices.Contains(f.captures, "hit") })
		end := p.end
		if p.open == '(' && len(p.kids) > 0 && p.kids[0].open != 'a' { // a group: of siblings, or of a pattern and its predicates
			nodes := slices.DeleteFunc(slices.Clone(p.kids), func(k *form) bool { name, _ := k.predicate(); return name != "" })
			if len(nodes) == 0 {
				continue
			}
			has = has || len(nodes) > 1 && len(nodes[0].captures) > 0
			end = nodes[0].end
		}
		if !has {
			b.WriteString(q.source[from:end] + " @hit ")
			from = end
		}
	}
	return b.String() + q.source[from:]
}

// literals lists texts. Every source that a pattern matches has one of them.
func (q *queryText) literals() []string {
	var all []string
	for _, p := range q.patterns {
		best := p.needs()
		if len(best) == 0 {
			return nil
		}
		all = append(all, best...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// needs returns the texts of the predicate that says most: one of them is there.
func (f *form) needs() []string {
	certain := map[string]bool{}
	f.each(true, func(k *form, sure bool) {
		if k.open == '#' {
			return // its arguments
		}
		for _, c := range k.captures {
			certain[c] = certain[c] || sure
		}
	})
	var best []string
	f.each(true, func(k *form, sure bool) {
		if texts := k.predicateNeeds(certain); sure && worth(texts) > worth(best) {
			best = texts
		}
	})
	return best
}

// predicateNeeds returns the texts that a predicate on a certain capture requires.
func (f *form) predicateNeeds(certain map[string]bool) []string {
	name, args := f.predicate()
	if name == "" || len(f.kids[0].captures) != 1 || !certain[f.kids[0].captures[0]] {
		return nil
	}
	var texts []string
	for _, a := range args {
		if len(a.captures) > 0 { // compared with another capture
			return nil
		}
		texts = append(texts, a.text)
	}
	switch {
	case name == "#eq?" && len(texts) == 1, name == "#any-of?":
		return texts
	case name == "#match?" && len(texts) == 1:
		return RegexNeeds(texts[0], caseSensitive)
	}
	return nil
}

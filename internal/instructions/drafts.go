package instructions

import (
	"slices"
	"strconv"
	"strings"
)

// maxDrafts bounds the drafts of one statement.
const maxDrafts = 6

// Drafts makes the drafts of a statement; none for a description and for what no form
// is about. Each lints, and its cases pass.
func Drafts(s *Statement, p *Project) (list []Draft) {
	if s.Kind == Description || ordersReader(s.Text) {
		return nil
	}
	list = lists(s)
	for _, c := range candidates(s) {
		c.nameActs()
		hits := forms().find(&c)
		for i := range hits {
			b := builder{s: s, p: p, hit: &hits[i], quote: c.quote}
			for _, d := range b.build() {
				same := func(o Draft) bool { return o.ID == d.ID || sameRule(o.YAML, d.YAML) }
				if len(list) < maxDrafts && !slices.ContainsFunc(list, same) {
					list = append(list, d)
				}
			}
		}
	}
	return list
}

// sameRule reports whether two drafts differ in name and message alone.
func sameRule(a, b string) bool { return core(a) == core(b) }

var own = lazy(`(?m)^(?:id|message|source|quote|severity):.*\n(?:  .*\n)*`)

func core(yaml string) string { return own().ReplaceAllString(yaml, "") }

// ordersReader reports whether a text is an order to whoever makes rules of it.
func ordersReader(s string) bool { return order().MatchString(s) }

var (
	pronoun  = lazy(`^(?:do not|don't|never) [\w-]+(?: [\w-]+)?(?: (?:it|them|these|this|manually|directly|by hand|either))`)
	useAfter = lazy(`^(?:use|run|always use|instead,? use|prefer) `)
	// negative is a lead or a heading that forbids what is listed below it.
	negative = lazy(`(?i)^[\W_]*(?:(?:you |agents? )?(?:must )?(?:never|do not|don['’]t|avoid|must not|forbidden|prohibited|banned)(?: (?:ever )?(?:run|use|do|these|commands?|the following|any of these|attempt|things|patterns))*(?: \([^)]*\))?|(?:things|what) (?:to avoid|not to do)|don['’]ts|blocked\b.*)[\W_]*$`)
	listed   = lazy(`(?i)^[\W_]*(?:when(?:ever)?|if|after|every time)(?: you)?(?: \w+){0,2}? (?:add|creat|chang|modif|updat|bump|renam|remov)\w*\b.*\b(?:update|all of|following|must|also|these|places)\b.*:[\W_]*$`)
)

// candidates are the sentences of a statement as forms may see them: each alone, two that
// belong together, an item with what its list says of it, and a sentence with the code
// below it.
func candidates(s *Statement) (list []phrase) {
	for i, p := range s.phrases {
		if i > 0 && (pronoun().MatchString(p.words) || useAfter().MatchString(p.words)) {
			joined := newPhrase(s.phrases[i-1].quote + " " + p.quote)
			joined.quote = s.phrases[i-1].quote + " " + p.quote
			list = append(list, joined)
		}
	}
	if len(s.phrases) > 0 && s.kind == item {
		first := s.phrases[0]
		section := ""
		if len(s.Section) > 0 {
			section = s.Section[len(s.Section)-1]
		}
		for _, lead := range []string{s.Lead, section} {
			if !negative().MatchString(lead) || strings.HasPrefix(first.words, "no ") || strict().MatchString(first.words) {
				continue
			}
			verb := "never "
			if strings.HasPrefix(first.words, "‹") {
				verb = "never use "
			}
			under := newPhrase(verb + first.quote)
			under.quote = first.quote
			list = append(list, under)
			break
		}
	}
	if len(s.phrases) > 0 && (s.kind == item || len(s.Section) > 0) {
		for _, lead := range leads(s) {
			under := newPhrase(lead + " " + s.phrases[0].quote)
			under.quote = s.phrases[0].quote
			list = append(list, under)
		}
	}
	list = append(list, s.phrases...)
	if commands := itemCommands(s); len(commands) > 0 && strings.HasPrefix(strings.ToLower(strings.TrimLeft(s.Text, "*_ ")), "always format") {
		with := newPhrase(strings.TrimRight(s.Text, ".: ") + ": " + strings.Join(commands, " or "))
		with.quote = s.Text
		list = append(list, with)
	}
	if n := len(s.phrases); n > 0 && len(s.code) > 0 && len(s.code) <= 4 {
		last := s.phrases[n-1]
		for _, l := range s.code {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.Contains(l, "`") {
				with := newPhrase(strings.TrimRight(last.quote, ":") + " `" + strings.TrimSpace(strings.SplitN(l, "  #", 2)[0]) + "`")
				with.quote = last.quote
				list = append(list, with)
			}
		}
	}
	return list
}

// leads are the beginnings that an item's list or its heading gives it: "Before
// committing:".
func leads(s *Statement) (list []string) {
	if s.kind == item && timed().MatchString(s.Lead) {
		list = append(list, strings.TrimRight(s.Lead, "*_: ")+":")
	}
	if n := len(s.Section); n > 0 {
		title := s.Section[n-1]
		switch {
		case precommit().MatchString(title):
			list = append(list, "Before committing:")
		case prepush().MatchString(title):
			list = append(list, "Before pushing:")
		case timed().MatchString(title):
			list = append(list, strings.TrimRight(title, "*_: ")+":")
		}
	}
	return list
}

var (
	timed     = lazy(`(?i)^[\W_]*(?:always |you must |must )?(?:before|after|prior to)\b[^.]{3,60}$`)
	precommit = lazy(`(?i)^[\W_\d]*(?:pre-?commit|commit checklist|before (?:you )?commit|quality gates?\b.*commit)`)
	prepush   = lazy(`(?i)^[\W_\d]*(?:pre-?push|before (?:you )?push)`)
)

// itemCommands are the commands, in `code`, of the list that a statement introduces.
func itemCommands(s *Statement) (list []string) {
	for _, i := range s.items {
		for _, c := range codeSpan().FindAllString(i, -1) {
			if kindOf(strings.Trim(c, "` ")) == command && len(list) < 6 && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// lineOf is the line of the file on which a sentence of the statement begins.
func (s *Statement) lineOf(quote string) int {
	at := strings.Index(s.Text, quote)
	for i, l := range s.lines {
		at -= len(strings.Join(strings.Fields(l), " ")) + 1
		if at < 0 {
			return s.Line + i
		}
	}
	return s.Line
}

// slug is an id made of words.
func slug(parts ...string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.Join(parts, "-")) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// maxSlug bounds an id, in bytes.
const maxSlug = 60

// at is the line of a phrase as `source` of a rule.
func at(file string, line int) string { return file + ":" + strconv.Itoa(line) }

// lists makes the drafts of a list of files that change together.
func lists(s *Statement) (list []Draft) {
	if len(s.items) < 2 || !listed().MatchString(s.Text) {
		return nil
	}
	var paths []string
	for _, i := range s.items {
		p := newPhrase(i)
		if t := p.terms; len(t) > 0 && t[0].kind == file && t[0].code && strings.HasPrefix(strings.TrimLeft(p.words, "* "), "‹") && len(globsOf(t[0].text)) > 0 && !slices.Contains(paths, t[0].text) {
			paths = append(paths, t[0].text)
		}
	}
	first := slices.IndexFunc(paths, func(p string) bool {
		return strings.Contains(p, "/") && !strings.HasSuffix(p, ".md") && !strings.Contains(p, "test") && !strings.Contains(p, "index.")
	})
	if first < 0 || len(paths)*2 < len(s.items) {
		return nil
	}
	b := builder{s: s, hit: &found{form: &form{Name: "together"}, severity: "warn"}, quote: s.Text}
	for i, p := range paths {
		if i != first {
			list = append(list, b.finish([]ruleFile{together(globsOf(paths[first]), globsOf(p), p)})...)
		}
	}
	return list[:min(len(list), maxDrafts)]
}

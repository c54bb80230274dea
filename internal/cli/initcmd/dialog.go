package initcmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/coverage"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
)

// A question is put to a user who did not give its flag. Each has an answer that Enter
// takes, so that Enter alone does what init does without a terminal, and a little more.
type question struct {
	flag    string // that answers it
	text    string
	options []option
	more    []string // further words that count
	usual   []string // what Enter means
	many    bool     // several words can be chosen
	take    func(words []string)
}

// An option is a word that can be chosen, and what it means.
type option struct{ word, said string }

// Words that mean several, and none.
const (
	allOfThem = "all"
	none      = setup.NoPack
)

// questions are those that are open, in their order.
func (f *flags) questions(ctx context.Context, env *command.Env) ([]question, error) {
	p, err := setup.Propose(ctx, &f.Options)
	if err != nil {
		return nil, err
	}
	var open []question
	if p.Fresh {
		open = append(open, f.agents(env, p.Agents))
	}
	if p.Elsewhere {
		open = append(open, f.where())
	}
	if p.Judge != "" {
		open = append(open, f.judge(env, p))
	}
	if p.Fresh {
		open = append(open, f.packs())
		if files := f.files(ctx, env); len(files.usual) > 0 {
			open = append(open, files)
		}
	}
	return open, nil
}

func (f *flags) agents(env *command.Env, found []setup.Used) question {
	q := question{flag: "agent", many: true, text: "Which agents get the hook?", more: env.Agents.Installable()}
	for _, a := range found {
		q.options = append(q.options, option{a.Name, a.Display + text.After(", found by ", a.Where) + text.When(a.Where == "", ", since none is found here")})
		q.usual = append(q.usual, a.Name)
	}
	q.take = func(words []string) {
		if slices.Sort(words); !slices.Equal(words, slices.Sorted(slices.Values(q.usual))) {
			f.Agents = words
		}
	}
	return q
}

func (f *flags) where() question {
	return question{
		flag: "where", text: "Where does the hook belong?", usual: []string{setup.InBoth},
		options: []option{
			{setup.InProject, "in files of this repository: it guards everybody who works in it"},
			{setup.InUser, "in your own settings: it guards your agents wherever there are rules"},
			{setup.InBoth, "in both; a call is judged once"},
		},
		take: func(words []string) { f.Where = words[0] },
	}
}

func (f *flags) judge(env *command.Env, p setup.Proposal) question {
	c, answers := config.Default(), ", which does not answer"
	if p.Answers {
		answers = ", which answers"
	}
	return question{
		flag: "backend", text: "Who judges? A model sees more; most rules need none.", usual: []string{p.Judge},
		options: []option{{sentinel.Builtin, "the rules' own expressions, without a model"}, {c.Backend, p.Model + answers}},
		more:    append(c.BackendNames(), env.Added()...),
		take:    func(words []string) { f.Backend = words[0] },
	}
}

func (f *flags) packs() question {
	q := question{flag: "pack", many: true, text: "Which rules to begin with? docs/packs.md describes them.", usual: []string{packs.Recommended}, more: packs.Names()}
	for _, name := range []string{packs.Recommended, packs.All} {
		files, _ := packs.Files(name) // a program without packs has none
		q.options = append(q.options, option{name, text.Count(len(files), "rule")})
	}
	q.options = append(q.options, option{none, "no rule"})
	q.take = func(words []string) { f.Packs = words }
	return q
}

// files asks about the instruction files that rules can be made of.
func (f *flags) files(ctx context.Context, env *command.Env) question {
	root := place.Root(env.Dir)
	q := question{flag: "from", many: true, text: "Which files of instructions to make rules of? You see the rules first."}
	for _, file := range coverage.NewReader(ctx, root, env.Options()).Read(nil).Files {
		can := 0
		for i := range file.Statements {
			can += min(1, file.Statements[i].Proposed())
		}
		if name := env.Short(filepath.Join(root, filepath.FromSlash(file.Path))); can > 0 && name == text.OneLine(name) {
			q.options = append(q.options, option{name, fmt.Sprintf("%d of its %s can be rules", can, text.Count(file.Directives, "instruction"))})
			q.usual = append(q.usual, name)
		}
	}
	q.options = append(q.options, option{none, "no file"})
	q.take = func(words []string) { f.from = slices.DeleteFunc(words, func(w string) bool { return w == none }) }
	return q
}

// put asks the question.
func (q *question) put(d *person.Dialog, width int) {
	var b strings.Builder
	b.WriteString("\n" + q.text + "\n")
	wide := 0
	for _, o := range q.options {
		wide = max(wide, len(o.word))
	}
	for _, o := range q.options {
		b.WriteString(text.Cut(fmt.Sprintf("  %-*s  %s", wide, o.word, text.OneLine(o.said)), width-1) + "\n")
	}
	if others := q.others(); len(others) > 0 {
		b.WriteString(fold("or ", ", ", others, width))
	}
	d.Say(b.String())
	usual := strings.Join(q.usual, " ")
	if len(q.usual) > 3 {
		usual = allOfThem
	}
	d.AskUntil(text.When(q.many, "One or more")+text.Unless(q.many, "One"), usual, func(answer string) error {
		words, err := q.words(answer)
		if err == nil {
			q.take(words)
		}
		return err
	})
}

// others are the words that count and are not among the options.
func (q *question) others() []string {
	return slices.DeleteFunc(slices.Clone(q.more), func(w string) bool {
		return slices.ContainsFunc(q.options, func(o option) bool { return o.word == w })
	})
}

// words are those of an answer: whole, or the beginning of one alone.
func (q *question) words(answer string) (words []string, err error) {
	var known []string
	for _, o := range q.options {
		known = append(known, o.word)
	}
	known = append(known, q.others()...)
	switch {
	case slices.Contains(known, answer):
		return []string{answer}, nil
	case answer == allOfThem:
		return slices.Clone(q.usual), nil
	}
	for _, said := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' }) {
		word := said
		if !slices.Contains(known, said) {
			begin := slices.DeleteFunc(slices.Clone(known), func(w string) bool { return !strings.HasPrefix(w, strings.ToLower(said)) })
			if near := nearest.Word(said, known); len(begin) == 0 && near != "" {
				begin = []string{near, near} // a guess is not taken
			}
			if len(begin) != 1 {
				meant := slices.Compact(begin)
				return nil, fmt.Errorf("%s is none of the words%s", text.OneLine(said), text.After("; did you mean ", strings.Join(meant[:min(3, len(meant))], " or ")))
			}
			word = begin[0]
		}
		words = append(words, word)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	switch {
	case len(words) != 1 && !q.many:
		return nil, fmt.Errorf("one of the words, please")
	case len(words) == 0:
		return nil, fmt.Errorf("at least one of the words, please")
	case len(words) > 1 && slices.Contains(words, none):
		return nil, fmt.Errorf("%s stands alone", none)
	}
	return words, nil
}

// fold writes words with the text between them, as many in a line as fit.
func fold(lead, between string, words []string, width int) string {
	var b strings.Builder
	line := "  " + lead
	for i, w := range words {
		if w += text.When(i < len(words)-1, between); len(line)+len(w) >= width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = "  " + strings.Repeat(" ", len(lead))
		}
		line += w
	}
	return b.String() + line + "\n"
}

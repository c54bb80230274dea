package syntax

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	ts "github.com/odvcencio/gotreesitter"
	"github.com/odvcencio/gotreesitter/grammars"
)

// maxWork bounds the steps of a query at one node. Only a query for pairs among
// thousands of siblings needs more.
const maxWork = 100_000

// patterns is a tree-sitter query compiled for one grammar.
type patterns struct {
	query   *ts.Query
	grammar string
}

// explicit compiles a tree-sitter query for the languages that q covers.
func (q *Query) explicit(source, lang string) error {
	if lang == "" {
		return errors.New("a query needs lang: node names differ between grammars")
	}
	text, err := parseQuery(source)
	if err != nil {
		return err
	}
	q.patterns = map[string]*patterns{}
	for _, name := range q.langs {
		entry := grammars.DetectLanguageByName(name)
		if entry == nil {
			return fmt.Errorf("%w: this program was built without that of %s", ErrLanguage, name)
		}
		compiled, err := newQuery(text.marked(), entry)
		if err != nil {
			if _, own := newQuery(source, entry); own != nil {
				err = own // with places in the text as it was written
			}
			return fmt.Errorf("query for %s: %w", name, err)
		}
		if err := text.check(lang); err != nil {
			return err
		}
		q.patterns[name] = &patterns{query: compiled, grammar: name}
	}
	q.literals = text.literals()
	return nil
}

func newQuery(source string, entry *grammars.LangEntry) (q *ts.Query, err error) {
	defer caught(&err)
	return ts.NewQuery(source, entry.Language())
}

// find runs the query on one file.
func (p *patterns) find(ctx context.Context, f File) Result {
	if err := check(&f); err != nil {
		return Result{Err: err}
	}
	if err := vet(ctx, &f); err != nil {
		return Result{Err: err}
	}
	t, err := parse(ctx, p.grammar, &f)
	if err != nil {
		return Result{Err: err}
	}
	defer t.close()
	r := Result{Broken: t.RootNode().HasErrorOrMissing()}
	cursor := p.query.Exec(t.RootNode(), t.lang, t.src)
	cursor.SetMatchWorkBudget(maxWork)
	deadline := time.Now().Add(limit(t.src))
	seen := map[[2]uint32]bool{}
	for {
		m, more := cursor.NextMatch()
		switch {
		case ctx.Err() != nil:
			return Result{Err: ctx.Err()}
		case time.Now().After(deadline):
			return Result{Err: fmt.Errorf("%w: the query on %s", ErrTooHard, f.Path)}
		case !more:
			r.Truncated = cursor.DidExceedMatchLimit()
			slices.SortStableFunc(r.Hits, func(a, b Hit) int { return a.First - b.First })
			return r
		case len(r.Hits) >= MaxHits:
			r.Truncated = true
			return r
		}
		t.hits(&r, &m, seen)
	}
}

// hits adds the places of a match: its @hit nodes, each once, or all that it
// spans.
func (t *tree) hits(r *Result, m *ts.QueryMatch, seen map[[2]uint32]bool) {
	var marked [][2]uint32
	span := [2]uint32{^uint32(0), 0}
	captures := map[string]string{}
	for _, c := range m.Captures {
		at := [2]uint32{c.Node.StartByte(), c.Node.EndByte()}
		if c.Name == "hit" {
			marked = append(marked, at)
			continue
		}
		captures[c.Name] = snippet(t.src[at[0]:at[1]])
		span = [2]uint32{min(span[0], at[0]), max(span[1], at[1])}
	}
	if len(marked) == 0 && len(captures) > 0 {
		marked = [][2]uint32{span}
	}
	for _, at := range marked {
		if seen[at] {
			continue
		}
		seen[at] = true
		r.Hits = append(r.Hits, Hit{First: t.line(at[0]), Last: t.line(max(at[1], at[0]+1) - 1), Start: int(at[0]), End: int(at[1]), Snippet: snippet(t.src[at[0]:at[1]]), Captures: captures})
	}
}

// line is the line of a byte, from 1.
func (t *tree) line(at uint32) int {
	if t.lines == nil {
		for i, b := range t.src {
			if b == '\n' {
				t.lines = append(t.lines, uint32(i))
			}
		}
	}
	n, _ := slices.BinarySearch(t.lines, at)
	return n + 1
}

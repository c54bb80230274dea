package syntax

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Bounds of the hits of Find.
const (
	MaxHits    = 10_000 // in one file
	maxSnippet = 400    // bytes
)

// Query is a compiled probe of type ast. It is safe for concurrent use.
type Query struct {
	langs     []string
	literals  []string
	patterns  map[string]*patterns                                // by language: an explicit query
	shorthand func(p *program, found func(at *code, full string)) // or one of call, class_base, imports
	outside   *Query                                              // in whose hits no hit counts; nil is nothing
}

// Hit is one place that a query finds.
type Hit struct {
	First, Last int               // lines, from 1, inclusive
	Start, End  int               // bytes of the source that Snippet begins with
	Snippet     string            // the source of the place, at most 400 bytes: hostile text
	Captures    map[string]string // texts of the query's captures by name, without @, at most 400 bytes each; "name" is the full name of the function, base class or module
}

// Result is the result of Find for one file.
type Result struct {
	Hits      []Hit // in the order of the source
	Truncated bool  // there may be more: MaxHits was reached, or the query took too much work
	Broken    bool  // the file has syntax errors, so that Hits may be incomplete; false does not say that it has none
	Err       error // the file was not examined; wraps ErrLanguage, ErrTooLarge, ErrTooHard or the context's error where it is one of them
}

// Compile checks and compiles a probe of type ast. It must have exactly one of
// query, call, class_base and imports. Only a query needs a language.
func Compile(p *rubric.Probe) (*Query, error) {
	if p.Lang != "" && !Supports(p.Lang) {
		return nil, fmt.Errorf("syntax: probe %s: no grammar for %q; there are %s", p.ID, p.Lang, strings.Join(Languages(), ", "))
	}
	if p.Lang == Rust && p.Query == "" {
		return nil, fmt.Errorf("syntax: probe %s: in Rust only a query finds something: write `query: …` in place of call, class_base and imports", p.ID)
	}
	q := &Query{langs: covers(p.Lang)}
	var err error
	switch given := count(p.Query, p.Call, p.Base, p.Imports); {
	case given != 1:
		err = fmt.Errorf("exactly one of query, call, class_base and imports is needed, not %d of them", given)
	case p.Query != "":
		err = q.explicit(p.Query, p.Lang)
	case p.Call != "":
		err = q.calls(p.Call)
	case p.Base != "":
		err = q.bases(p.Base)
	default:
		err = q.importing(p.Imports)
	}
	if err == nil && p.Outside != "" {
		q.outside = &Query{langs: q.langs}
		if err = q.outside.explicit(p.Outside, p.Lang); err != nil {
			err = fmt.Errorf("outside: %w", err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("syntax: probe %s: %w", p.ID, err)
	}
	return q, nil
}

func count(given ...string) int {
	n := 0
	for _, s := range given {
		if strings.TrimSpace(s) != "" {
			n++
		}
	}
	return n
}

// covers lists the languages that a probe of that language is asked of. Without one it
// is not a query, which alone finds something in Rust.
func covers(lang string) []string {
	switch lang {
	case "":
		return slices.DeleteFunc(Languages(), func(l string) bool { return l == Rust })
	case TypeScript:
		return []string{TSX, TypeScript}
	}
	return []string{lang}
}

// Languages lists the languages whose files the query can be asked of: that of
// the probe, with tsx for typescript, or all but Rust for a probe that names none.
func (q *Query) Languages() []string { return slices.Clone(q.langs) }

// Literals lists texts. A file without any of them has no hit. nil means that the
// query requires no text. Names written with escapes, which some languages allow,
// are not considered.
func (q *Query) Literals() []string { return slices.Clone(q.literals) }

// Find runs the query on one file. A file of another language than the query's
// is an error.
func (q *Query) Find(ctx context.Context, f File) Result {
	r := q.find(ctx, f)
	if q.outside == nil || r.Err != nil || len(r.Hits) == 0 {
		return r
	}
	around := q.outside.find(ctx, f)
	if around.Err != nil {
		return Result{Err: around.Err}
	}
	r.Hits = slices.DeleteFunc(r.Hits, func(h Hit) bool {
		return slices.ContainsFunc(around.Hits, func(a Hit) bool { return a.First <= h.First && h.Last <= a.Last })
	})
	r.Truncated = r.Truncated || around.Truncated
	return r
}

// find is Find without regard to outside.
func (q *Query) find(ctx context.Context, f File) (r Result) {
	defer caught(&r.Err)
	if !slices.Contains(q.langs, f.Lang) {
		return Result{Err: fmt.Errorf("%w: the query is for %s, and %s is %q", ErrLanguage, strings.Join(q.langs, ", "), f.Path, f.Lang)}
	}
	if q.patterns != nil {
		return q.patterns[f.Lang].find(ctx, f)
	}
	p, err := read(ctx, &f)
	if err != nil {
		return Result{Err: err}
	}
	r.Broken = p.broken
	q.shorthand(p, func(at *code, full string) {
		if len(r.Hits) >= MaxHits {
			r.Truncated = true
			return
		}
		r.Hits = append(r.Hits, p.hit(at, full))
	})
	slices.SortStableFunc(r.Hits, func(a, b Hit) int { return a.First - b.First })
	return r
}

// hit returns the place of a piece of the program. A call in a chain begins at its
// name.
func (p *program) hit(at *code, full string) Hit {
	h := Hit{First: at.first, Last: at.last, Captures: map[string]string{"name": snippet([]byte(full))}}
	from := at.start
	if callee := at.kid(0); at.kind == call && callee.last > at.first {
		h.First = callee.last
		from = callee.end
		for from > at.start && p.src[from-1] != '\n' {
			from--
		}
	}
	h.Start, h.End = from, at.end
	h.Snippet = snippet(p.src[from:at.end])
	return h
}

// snippet cuts a text to its first 400 bytes of valid UTF-8.
func snippet(s []byte) string {
	text := strings.TrimSpace(string(s[:min(len(s), maxSnippet)]))
	if len(s) > maxSnippet {
		for range utf8.UTFMax { // a character that was cut in two
			if r, n := utf8.DecodeLastRuneInString(text); r == utf8.RuneError && n == 1 {
				text = text[:len(text)-1]
			}
		}
	}
	return strings.ToValidUTF8(text, "�")
}

var errNoName = errors.New("this is no name")

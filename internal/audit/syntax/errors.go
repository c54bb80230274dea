package syntax

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"

	ts "github.com/odvcencio/gotreesitter"
)

// JSON is a language for [Errors] alone.
const JSON = "json"

// Answer is yes, no, or that it cannot be said, which is the zero value.
type Answer uint8

// The answers.
const (
	NotKnown Answer = iota
	Yes
	No
)

// SyntaxErrors says whether a file has syntax errors.
type SyntaxErrors struct {
	Found Answer
	Line  int    // of the first one; 0 if it is not known
	Text  string // of the parser; it may have hostile text
	Err   error  // why nothing can be said; nil if a parser that overlooks errors saw none
}

// Errors looks for syntax errors. Of Go and JSON, the answer is exact. Of the
// other languages it is Yes or NotKnown: errors that are found are there, but the
// grammars overlook some, and nothing is ever said to be free of them.
func Errors(ctx context.Context, f File) (e SyntaxErrors) {
	defer caught(&e.Err)
	if f.Lang != JSON {
		if err := check(&f); err != nil {
			return SyntaxErrors{Err: err}
		}
	} else if len(f.Source) > MaxFile {
		return SyntaxErrors{Err: fmt.Errorf("%w: %s", ErrTooLarge, f.Path)}
	}
	if err := ctx.Err(); err != nil {
		return SyntaxErrors{Err: err}
	}
	switch f.Lang {
	case Go:
		return goErrors(f.Source)
	case JSON:
		return jsonErrors(f.Source)
	}
	if err := vet(ctx, &f); err != nil {
		return SyntaxErrors{Err: err}
	}
	t, err := parse(ctx, f.Lang, &f)
	if err != nil {
		return SyntaxErrors{Err: err}
	}
	defer t.close()
	return t.errors()
}

func goErrors(src []byte) SyntaxErrors {
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	var list scanner.ErrorList
	switch {
	case err == nil:
		return SyntaxErrors{Found: No}
	case errors.As(err, &list) && len(list) > 0:
		return SyntaxErrors{Found: Yes, Line: list[0].Pos.Line, Text: list[0].Msg}
	}
	return SyntaxErrors{Found: Yes, Text: err.Error()}
}

func jsonErrors(src []byte) SyntaxErrors {
	var any json.RawMessage
	err := json.Unmarshal(src, &any)
	if err == nil {
		return SyntaxErrors{Found: No}
	}
	e := SyntaxErrors{Found: Yes, Text: err.Error()}
	var at *json.SyntaxError
	if errors.As(err, &at) {
		e.Line = 1 + bytes.Count(src[:min(max(int(at.Offset)-1, 0), len(src))], []byte("\n"))
	}
	return e
}

// errors finds the first node of the tree that is an error or is missing.
func (t *tree) errors() SyntaxErrors {
	root := t.RootNode()
	if !root.HasErrorOrMissing() {
		return SyntaxErrors{}
	}
	e := SyntaxErrors{Found: Yes, Text: "syntax error"}
	ts.Walk(root, func(n *ts.Node, _ int) ts.WalkAction {
		switch {
		case n.IsMissing():
			e.Line, e.Text = t.line(n.StartByte()), fmt.Sprintf("missing %s", n.Type(t.lang))
		case n.IsError():
			e.Line = t.line(n.StartByte())
		default:
			return ts.WalkContinue
		}
		return ts.WalkStop
	})
	return e
}

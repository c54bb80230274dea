package syntax

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	ts "github.com/odvcencio/gotreesitter"
	"github.com/odvcencio/gotreesitter/grammars"
	"golang.org/x/sync/semaphore"
)

const (
	// Written code takes about a second for a megabyte; a busy machine several.
	// A hostile file takes all the time that it gets, however small it is.
	minParse = 2 * time.Second  // for a small file
	maxParse = 10 * time.Second // for the largest
	maxDepth = 5000             // levels of a tree that are walked; written code has less than a hundred
	drain    = 256 << 10        // after a larger source the parser's memory is given back

	// vetFrom is the size from which JavaScript is read by the TSX grammar first.
	// At the end of a source that is left open, the JavaScript grammar's recovery
	// takes time by the square of the depth, and does not look at its time limit.
	vetFrom = 16 << 10
)

// budget is how much source is parsed at once, in bytes: a tree takes up to 500
// times the room of its source.
var budget = semaphore.NewWeighted(MaxFile)

// parsers keeps idle parsers (*ts.Parser) by language.
var parsers sync.Map

// tree is a parsed source. It has to be closed.
type tree struct {
	*ts.Tree
	lang  *ts.Language
	src   []byte
	lines []uint32 // where lines end; see line
	kept  bool     // by a memo, which closes it
}

func (t *tree) close() {
	if t.kept {
		return
	}
	t.Release()
	budget.Release(weight(t.src))
	if len(t.src) > drain {
		ts.DrainArenaPools()
	}
}

// patience stretches the limits where a test must not depend on how busy the
// machine is.
var patience time.Duration = 1

// limit is the time that a source may take.
func limit(src []byte) time.Duration {
	return patience * (minParse + time.Duration(int64(maxParse-minParse)*int64(len(src))/MaxFile))
}

// weight is the part of the budget that a source takes.
func weight(src []byte) int64 { return int64(min(len(src)+1, MaxFile)) }

// check refuses files that are never parsed.
func check(f *File) error {
	switch {
	case !Supports(f.Lang):
		return fmt.Errorf("%w: %q (%s)", ErrLanguage, f.Lang, f.Path)
	case len(f.Source) > MaxFile:
		return fmt.Errorf("%w: %s", ErrTooLarge, f.Path)
	}
	return nil
}

// parse reads f with the grammar of that name.
func parse(ctx context.Context, grammar string, f *File) (*tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entry := grammars.DetectLanguageByName(grammar)
	if entry == nil {
		return nil, fmt.Errorf("%w: this program was built without that of %s", ErrLanguage, grammar)
	}
	if t := f.keptTree(grammar); t != nil {
		return t, nil
	}
	if err := f.tooHard(grammar); err != nil {
		return nil, err
	}
	f.Memo.drop()
	src := f.Source
	if err := budget.Acquire(ctx, weight(src)); err != nil {
		return nil, err
	}
	parsed, err := parseWith(ctx, entry, src)
	if err == nil {
		t := &tree{Tree: parsed, lang: entry.Language(), src: src}
		f.keep(grammar, t)
		return t, nil
	}
	budget.Release(weight(src))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	err = fmt.Errorf("syntax: %s: %w", f.Path, err)
	f.keepHard(grammar, err)
	return nil, err
}

func parseWith(ctx context.Context, entry *grammars.LangEntry, src []byte) (t *ts.Tree, err error) {
	defer caught(&err)
	idle, _ := parsers.LoadOrStore(entry.Name, &sync.Pool{})
	pool := idle.(*sync.Pool)
	p, _ := pool.Get().(*ts.Parser)
	lang := entry.Language()
	if p == nil {
		p = ts.NewParser(lang)
	}
	var cancelled uint32
	defer context.AfterFunc(ctx, func() { atomic.StoreUint32(&cancelled, 1) })()
	p.SetTimeoutMicros(uint64(limit(src).Microseconds()))
	p.SetCancellationFlag(&cancelled)
	start := time.Now()
	if entry.TokenSourceFactory != nil {
		t, err = p.ParseWithTokenSourceStrict(src, entry.TokenSourceFactory(src, lang))
	} else {
		t, err = p.ParseStrict(src)
	}
	p.SetCancellationFlag(nil)
	pool.Put(p)
	switch {
	case errors.Is(err, ts.ErrParseStoppedEarly):
		err = fmt.Errorf("%w: %s", ErrTooHard, t.ParseStopReason())
	case err == nil && t.RootNode() == nil:
		err = errors.New("the parser gave no tree")
	case err == nil && time.Since(start) >= limit(src) && t.RootNode().HasErrorOrMissing():
		err = fmt.Errorf("%w: no time was left to try again", ErrTooHard) // it says nothing of that, and gives its first try
	}
	if err != nil && t != nil {
		t.Release()
	}
	return t, err
}

// caught turns a panic of a parser into an error. A parser that panicked is not
// used again.
func caught(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("syntax: the parser failed: %v at %s", fault, faultAt(debug.Stack()))
	}
}

// faultAt finds the first place below the panic in a stack.
func faultAt(stack []byte) string {
	_, below, _ := strings.Cut(string(stack), "\npanic(")
	lines := strings.Split(below, "\n")
	if len(lines) < 4 {
		return "an unknown place"
	}
	return strings.TrimSpace(lines[3])
}

// vet refuses JavaScript that is dangerous for its grammar: large and unsound
// files.
func vet(ctx context.Context, f *File) error {
	if f.Lang != JavaScript || len(f.Source) < vetFrom || f.Memo != nil && f.Memo.sound {
		return nil
	}
	if err := f.tooHard(JavaScript); err != nil {
		return err
	}
	t, err := parse(ctx, TSX, f)
	if err != nil {
		return err
	}
	defer t.close()
	if t.RootNode().HasErrorOrMissing() || deeper(t.RootNode(), maxDepth) {
		err := fmt.Errorf("%w: %s is not sound JavaScript", ErrTooHard, f.Path)
		f.keepHard(JavaScript, err)
		return err
	}
	if f.Memo != nil {
		f.Memo.sound = true
	}
	return nil
}

// deeper reports whether the tree has more levels than that.
func deeper(root *ts.Node, levels int) bool {
	deep := false
	ts.Walk(root, func(_ *ts.Node, depth int) ts.WalkAction {
		if deep = deep || depth > levels; deep {
			return ts.WalkStop
		}
		return ts.WalkContinue
	})
	return deep
}

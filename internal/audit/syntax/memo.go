package syntax

import (
	"context"
	"errors"
)

// A Memo keeps the syntax tree of one file, so that several queries parse it once.
// The zero value is ready. It belongs to one file and one goroutine, and has to be
// closed, because its tree counts against the limit of simultaneous trees. Until
// then its goroutine must not read without it: a goroutine that holds room and waits
// for more may wait forever.
type Memo struct {
	tree     *tree // the latest one alone
	grammar  string
	hard     map[string]error // by grammar: why the file is too hard for it
	sound    bool             // vet took it
	program  *program
	programs error // the reason for no program
}

// Close releases the tree. The memo may be used again.
func (m *Memo) Close() {
	m.drop()
	m.program, m.programs, m.hard, m.sound = nil, nil, nil, false
}

// drop releases the tree. Call it before waiting for room: a goroutine that holds
// room and waits for more may wait forever.
func (m *Memo) drop() {
	if m != nil && m.tree != nil {
		m.tree.kept = false
		m.tree.close()
		m.tree = nil
	}
}

// keptTree returns the tree that the file's memo has for the grammar, or nil.
func (f *File) keptTree(grammar string) *tree {
	if f.Memo == nil || f.Memo.tree == nil || f.Memo.grammar != grammar {
		return nil
	}
	return f.Memo.tree
}

// keep moves a tree to the memo, which closes it later.
func (f *File) keep(grammar string, t *tree) {
	if f.Memo != nil {
		t.kept = true
		f.Memo.tree, f.Memo.grammar = t, grammar
	}
}

// tooHard returns the error of an earlier query that found the file too hard for
// the grammar. Such a file is not parsed again.
func (f *File) tooHard(grammar string) error {
	if f.Memo == nil {
		return nil
	}
	return f.Memo.hard[grammar]
}

// keepHard has the memo remember such an error.
func (f *File) keepHard(grammar string, err error) {
	if f.Memo == nil || !errors.Is(err, ErrTooHard) {
		return
	}
	if f.Memo.hard == nil {
		f.Memo.hard = map[string]error{}
	}
	f.Memo.hard[grammar] = err
}

// remembered reads the program of a file once.
func remembered(ctx context.Context, f *File, read func(context.Context, *File) (*program, error)) (*program, error) {
	if f.Memo == nil {
		return read(ctx, f)
	}
	if f.Memo.program != nil || f.Memo.programs != nil {
		return f.Memo.program, f.Memo.programs
	}
	p, err := read(ctx, f)
	if err == nil || errors.Is(err, ErrTooHard) || errors.Is(err, ErrTooLarge) {
		f.Memo.program, f.Memo.programs = p, err
	}
	return p, err
}

// Package syntax finds structure in source text: calls, classes, imports, the
// wiring of graphs, string literals, and the nodes of a tree-sitter query.
//
// Everything is found in syntax trees. A comment, a docstring and a string never
// count as code, and no regular expression decides structure. Go is read by
// go/parser, which is exact; the other languages, and explicit queries on Go, by
// tree-sitter grammars.
//
// Sources are hostile: they are capped in size, time and depth, and a fault of a
// parser becomes an error. A file that was not examined is an error and never an
// empty answer; see [ErrLanguage], [ErrTooLarge], [ErrTooHard].
//
// All functions are safe for concurrent use.
package syntax

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// The languages, as rubrics name them.
const (
	Go         = "go"
	Python     = "python"
	TypeScript = "typescript"
	TSX        = "tsx"
	JavaScript = "javascript"
	Rust       = "rust"
)

// MaxFile bounds a source, in bytes. Hardly a larger one is written by hand, and
// parsing takes seconds.
const MaxFile = 1 << 20

// Why a file was not examined; errors of this package wrap one of them, or the
// context's error. None of them says anything about the code.
var (
	ErrLanguage = errors.New("syntax: no grammar for this language")           // as an outcome: not supported
	ErrTooLarge = errors.New("syntax: the file is larger than 1 MB")           // not available
	ErrTooHard  = errors.New("syntax: the file takes too long or is too deep") // not available
)

// Languages lists the supported languages, sorted.
func Languages() []string {
	return []string{Go, JavaScript, Python, Rust, TSX, TypeScript}
}

// Supports reports whether there is a grammar for lang.
func Supports(lang string) bool { return slices.Contains(Languages(), lang) }

// Language names the language of a file by the ending of its name, or "" if the language is
// not supported. The content is not looked at.
func Language(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return Go
	case ".py", ".pyi", ".pyw":
		return Python
	case ".ts", ".mts", ".cts":
		return TypeScript
	case ".tsx":
		return TSX
	case ".js", ".mjs", ".cjs", ".jsx":
		return JavaScript
	case ".rs":
		return Rust
	}
	return ""
}

// File is a source file.
type File struct {
	Path   string // for error messages and results
	Lang   string // one of Languages
	Source []byte // not kept, not changed
	Memo   *Memo  // may be nil: keeps the tree for the next query on this file
}

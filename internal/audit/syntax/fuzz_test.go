package syntax_test

import (
	"context"
	"testing"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"(call) @hit", `((a) @b (#eq? @b "c"))`, "os.system", "std::process::Command::new", "*.a", `(call function: [(identifier) @f (attribute)] (#any-of? @f "x" "y"))`, "(a (b)* @c . (d)? !e)", "\"", ";"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 300 {
			t.Skip()
		}
		for _, p := range []rubric.Probe{{Call: s}, {Base: s}, {Imports: s}, {Lang: "python", Query: s}, {Lang: "typescript", Query: s}} {
			if q, err := syntax.Compile(&p); err == nil {
				for _, l := range q.Literals() {
					if l == "" {
						t.Fatalf("%q: an empty literal", s)
					}
				}
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	for name, src := range hostile(30) {
		f.Add(src, len(name))
	}
	f.Add("from os import *\nclass A(B): x = f'{a()}'\nfor a, b in [(1, 'x')]: g.add_edge(a, b)\n", 2)
	f.Fuzz(func(t *testing.T, src string, lang int) {
		if len(src) > 400 {
			t.Skip()
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		langs := syntax.Languages()
		askAll(ctx, t, syntax.File{Path: "f", Lang: langs[uint(lang)%uint(len(langs))], Source: []byte(src)})
	})
}

package syntax_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

func compiled(t testing.TB, p rubric.Probe) *syntax.Query {
	q, err := syntax.Compile(&p)
	require.NoError(t, err)
	return q
}

// lines runs a query and writes what it hits, as first-last.
func lines(t testing.TB, q *syntax.Query, lang, src string) []string {
	r := q.Find(context.Background(), syntax.File{Path: "f", Lang: lang, Source: []byte(src)})
	require.NoError(t, r.Err)
	found := []string{}
	for _, h := range r.Hits {
		found = append(found, fmt.Sprintf("%d-%d %s", h.First, h.Last, h.Snippet))
	}
	return found
}

func TestExplicitQueries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lang, query, src string
		found, literals  []string
	}{
		"os.system": {"python", `(call function: (attribute object: (identifier) @o attribute: (identifier) @a) (#eq? @o "os") (#eq? @a "system")) @hit`,
			"# os.system(1)\nos.system(\n 2)\n'os.system(3)'\nos.popen(4)\n", []string{"2-3 os.system(\n 2)"}, []string{"system"}},
		"base classes": {"python", `(class_definition name: (identifier) @name superclasses: (argument_list [(identifier)(attribute)] @base) (#match? @base "(BaseModel|TypedDict)$")) @hit`,
			"class A(BaseModel): pass\nclass B(x.TypedDict, BaseModel): pass\nclass C(D): pass\n", []string{"1-1 class A(BaseModel): pass", "2-2 class B(x.TypedDict, BaseModel): pass"}, []string{"BaseModel", "TypedDict"}},
		"go exec": {"go", `(call_expression function: (selector_expression operand: (identifier) @p field: (field_identifier) @f) (#eq? @p "exec") (#match? @f "^Command(Context)?$")) @hit`,
			"package p\n// exec.Command()\nvar a = exec.Command()\nvar b = exec.CommandContext()\nvar c = exec.Commander()\n", []string{"3-3 exec.Command()", "4-4 exec.CommandContext()"}, []string{"Command"}},
		"unsafe":       {"rust", `(unsafe_block) @hit`, "// unsafe {}\nfn f() {\n unsafe { x() }\n}\n", []string{"3-3 unsafe { x() }"}, nil},
		"a path":       {"rust", `(call_expression function: (scoped_identifier) @f (#match? @f "(^|::)Command::new$")) @hit`, "fn f() { Command::new(1); process::Command::new(2); Other::new(3); \"Command::new()\"; }\n", []string{"1-1 Command::new(1)", "1-1 process::Command::new(2)"}, []string{"Command::new"}},
		"any":          {"typescript", `(predefined_type) @t (#eq? @t "any")`, "let a: any; let b: string;\n", []string{"1-1 any"}, []string{"any"}},
		"any in group": {"typescript", `((predefined_type) @t (#eq? @t "any"))`, "let a: any; // any\nlet b: string;\n", []string{"1-1 any"}, []string{"any"}},
		"no capture":   {"javascript", `(debugger_statement)`, "debugger;\n'debugger'\n", []string{"1-1 debugger;"}, nil},
		"alternatives": {"javascript", `[(debugger_statement) (with_statement)]`, "debugger;\nwith (a) {}\n", []string{"1-1 debugger;", "2-2 with (a) {}"}, nil},
		"alternatives with texts": {"javascript", `[((identifier) @a (#eq? @a "one")) ((call_expression function: (identifier) @f) (#eq? @f "other"))] @hit`, "one;\nother(1);\nother;\n",
			[]string{"1-1 one", "2-2 other(1)"}, []string{"one", "other"}},
		"an alternative without": {"javascript", `[((identifier) @a (#eq? @a "one")) (debugger_statement)] @hit`, "one;\ndebugger;\n", []string{"1-1 one", "2-2 debugger;"}, nil},
		"any-of":                 {"javascript", `(call_expression function: (identifier) @f (#any-of? @f "eval" "Function"))`, "eval(1)\nFunction(2)\nf(3)\n", []string{"1-1 eval(1)", "2-2 Function(2)"}, []string{"Function", "eval"}},
		"two patterns":           {"python", "(assert_statement) @hit ; one\n(raise_statement)", "assert a\nraise b\n", []string{"1-1 assert a", "2-2 raise b"}, nil},
		"siblings":               {"python", `((import_statement) @a . (import_statement) @b)`, "import a\nimport b\n", []string{"1-2 import a\nimport b"}, nil},
		"optional text":          {"python", `(call function: (identifier)? @f (#eq? @f "g")) @hit`, "g()\n", []string{"1-1 g()"}, nil},
		"no case":                {"python", `((identifier) @i (#match? @i "(?i)secret"))`, "SECRET = 1\n", []string{"1-1 SECRET"}, nil},
		"not":                    {"python", `(call function: (identifier) @f (#not-eq? @f "g")) @hit`, "g()\nh()\n", []string{"2-2 h()"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := rubric.Probe{ID: "p", Type: rubric.TypeAST, Lang: c.lang, Query: c.query}
			q := compiled(t, p)
			require.Equal(t, c.found, lines(t, q, c.lang, c.src))
			require.Equal(t, c.literals, q.Literals())
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]rubric.Probe{
		"not 0 of them":                   {},
		"not 2 of them":                   {Call: "a", Base: "b"},
		`no grammar for "cobol"`:          {Lang: "cobol", Call: "a"},
		"a query needs lang":              {Query: "(call)"},
		`unknown node type "nothing"`:     {Lang: "python", Query: "(nothing)"},
		`unknown field name "nothing"`:    {Lang: "python", Query: "(call nothing: (identifier))"},
		"about @g":                        {Lang: "python", Query: `(call function: (identifier) @f (#eq? @g "x"))`},
		"no expression_statement around":  {Lang: "python", Query: "(expression_statement)"},
		"predicate must follow a pattern": {Lang: "python", Query: `(#eq? @a "x")`},
		"there is no pattern":             {Lang: "python", Query: " ; nothing\n "},
		"expected ')'":                    {Lang: "python", Query: "(call"},
		`unexpected character ")"`:        {Lang: "python", Query: "(call))"},
		"unterminated string":             {Lang: "python", Query: `(call "x)`},
		"nested too deep":                 {Lang: "python", Query: strings.Repeat("(", 200)},
		"missing closing ]":               {Lang: "python", Query: `((identifier) @i (#match? @i "["))`},
		"#frob?":                          {Lang: "python", Query: `((identifier) @i (#frob? @i "x"))`},
		"in Rust only a query":            {Lang: "rust", Call: "f"},
		`this is no name: "os.system(x)"`: {Call: "os.system(x)"},
		"only one name can follow":        {Call: ".a.b"},
		"would match everything":          {Call: "*.*"},
		"a class has no leading dot":      {Base: ".BaseModel"},
		`no name: "a *"; write a module`:  {Imports: "a *"},
		`no name: "os..system"; write`:    {Call: "os..system"},
		"probe py.x: exactly one":         {ID: "py.x"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, err := syntax.Compile(&p)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "syntax: probe ")
		})
	}
}

func TestLiteralsOfNames(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]rubric.Probe{
		"system": {Call: "os.system"}, "subprocess": {Call: "subprocess.*"}, "Command": {Call: "os/exec.Command*"},
		"unwrap": {Call: ".unwrap"}, "BaseModel": {Base: "pydantic.BaseModel"}, "graph": {Imports: "langgraph.graph"}, "eval": {Call: "builtins.eval"},
	} {
		require.Equal(t, []string{name}, compiled(t, p).Literals())
	}
}

func TestQueriesKnowTheirLanguages(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"tsx", "typescript"}, compiled(t, rubric.Probe{Lang: "typescript", Call: "f"}).Languages())
	require.Equal(t, []string{"go", "javascript", "python", "tsx", "typescript"}, compiled(t, rubric.Probe{Call: "f"}).Languages())
	r := compiled(t, rubric.Probe{Lang: "python", Call: "f"}).Find(context.Background(), syntax.File{Path: "a.go", Lang: "go"})
	require.ErrorIs(t, r.Err, syntax.ErrLanguage)
	r = compiled(t, rubric.Probe{Call: "f"}).Find(context.Background(), syntax.File{Path: "a.rb", Lang: "ruby"})
	require.ErrorIs(t, r.Err, syntax.ErrLanguage)
	for path, lang := range map[string]string{"a/b.go": "go", "b.PY": "python", "c.pyi": "python", "d.mts": "typescript", "e.tsx": "tsx", "f.jsx": "javascript", "g.rs": "rust", "go": "", ".py.txt": "", "README.md": ""} {
		require.Equal(t, lang, syntax.Language(path), path)
		require.Equal(t, lang != "", syntax.Supports(syntax.Language(path)))
	}
}

func TestManyHitsAreCut(t *testing.T) {
	t.Parallel()
	src := []byte(strings.Repeat("f()\n", syntax.MaxHits+1))
	for _, p := range []rubric.Probe{{Lang: "python", Call: "f"}, {Lang: "python", Query: "(call)"}} {
		r := compiled(t, p).Find(context.Background(), syntax.File{Path: "f.py", Lang: "python", Source: src})
		require.NoError(t, r.Err)
		require.True(t, r.Truncated)
		require.Len(t, r.Hits, syntax.MaxHits)
	}
}

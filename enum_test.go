package sentinel_test

import (
	"encoding"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// enums has a value of each enum of the package.
var enums = map[string]any{
	"Op": sentinel.OpNone, "Outcome": sentinel.OutcomeUnknown, "Phase": sentinel.PhaseUnknown, "Priority": sentinel.PriorityJudge,
	"Result": sentinel.ResultUnknown, "Severity": sentinel.SeverityUnset, "ShadowMode": sentinel.ShadowInline,
	"UnknownTool": sentinel.UnknownByFailOpen, "Verdict": sentinel.VerdictUndecided,
}

// Every value of every enum has one text form, which is its String, and reads back. A
// type of numbers with constants is an enum: a new one is in the table too.
func TestTextForms(t *testing.T) {
	t.Parallel()
	declared := declaredEnums(t)
	require.ElementsMatch(t, slices.Collect(maps.Keys(enums)), slices.Collect(maps.Keys(declared)), "the table enums, and the types of the package")
	for name, of := range enums {
		kind := reflect.TypeOf(of)
		require.Equal(t, name, kind.Name())
		value := func(n uint64) any {
			v := reflect.New(kind).Elem()
			v.SetUint(n)
			return v.Interface()
		}
		seen := map[string]bool{}
		prefix := strings.TrimSuffix(strings.TrimSuffix(name, "Tool"), "Mode")
		beyond := value(uint64(len(declared[name])))
		for constant, n := range declared[name] {
			v := value(n)
			m, ok := v.(encoding.TextMarshaler)
			require.True(t, ok, "%s has no MarshalText: see enum.go", name)
			text, err := m.MarshalText()
			require.NoError(t, err, constant)
			require.Equal(t, fmt.Sprint(v), string(text))
			if constant != "OpNone" {
				require.Equal(t, inWords(strings.TrimPrefix(constant, prefix)), string(text), "the text of %s is its name", constant)
			}
			require.False(t, seen[string(text)], "%s: two values have the text %q", name, text)
			seen[string(text)] = true
			back := reflect.New(kind)
			require.NoError(t, back.Interface().(encoding.TextUnmarshaler).UnmarshalText(text))
			require.Equal(t, v, back.Elem().Interface())
		}
		_, err := beyond.(encoding.TextMarshaler).MarshalText()
		require.ErrorContains(t, err, "has no text form", "%s: a value beyond the last", name)
		require.Regexp(t, `^.+\(\d+\)$`, fmt.Sprint(beyond), "but people can read it")
		require.ErrorContains(t, reflect.New(kind).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte("nonsense")), `"nonsense"`)
	}
}

// inWords is ByFailOpen as by_fail_open.
func inWords(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// declaredEnums are the types of numbers of this package that have constants, with these.
func declaredEnums(t *testing.T) map[string]map[string]uint64 {
	t.Helper()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	checker := types.Config{Error: func(error) {}} // imports are not there, and not needed
	pkg, _ := checker.Check("sentinel", fset, files, nil)
	found := map[string]map[string]uint64{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok {
			continue
		}
		named, ok := c.Type().(*types.Named)
		if !ok || named.Obj().Pkg() != pkg {
			continue
		}
		if basic, ok := named.Underlying().(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
			n, exact := constant.Uint64Val(c.Val())
			require.True(t, exact, name)
			of := named.Obj().Name()
			if found[of] == nil {
				found[of] = map[string]uint64{}
			}
			found[of][name] = n
		}
	}
	return found
}

package sentinel_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxPublic is how many packages others may import. Each is a promise.
const maxPublic = 21

// TestPublicPackages: a reader of a package's documentation finds what it is for and a
// whole example that runs.
func TestPublicPackages(t *testing.T) {
	t.Parallel()
	public := publicPackages(t)
	require.LessOrEqual(t, len(public), maxPublic, public)
	for _, dir := range public {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		about, examples := "", 0
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			require.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") {
				examples += len(doc.Examples(f))
			} else if f.Doc != nil {
				about += f.Doc.Text()
			}
		}
		if !strings.HasPrefix(about, "Package ") {
			t.Errorf("%s: the comment of the package does not say what it is for", dir)
		}
		if examples == 0 {
			t.Errorf("%s has no example: add one to example_test.go", dir)
		}
	}
}

// maxManual is how many lines the documentation of the root may have. Who embeds the
// engine reads them from the first to the last.
const maxManual = 800

// TestManualIsShort: what serves one caller alone is not in the root.
func TestManualIsShort(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not on the PATH of this test")
	}
	out, err := exec.Command("go", "doc", "-all", ".").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "func New[R Rule]", "the whole of it")
	require.LessOrEqual(t, strings.Count(string(out), "\n"), maxManual, "go doc -all . | wc -l")
}

// publicPackages are the folders with packages that others can import.
func publicPackages(t *testing.T) (dirs []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if hidden := strings.HasPrefix(d.Name(), ".") && name != "."; hidden || slices.Contains(notPublic, d.Name()) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
				return filepath.SkipDir
			}
			return nil
		}
		dir := path.Dir(filepath.ToSlash(name))
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return nil
	}))
	return dirs
}

// notPublic are folders whose packages are the project's own.
var notPublic = []string{"internal", "cmd", "examples", "bench", "e2e", "tools", "testdata", "plugin", "node_modules"}

// The most lines of a file and of a function that are no tests. More than that has two subjects.
const maxFile, maxFunction = 500, 80

func TestFilesAndFunctionsAreShort(t *testing.T) {
	t.Parallel()
	for set, f := range sources(t) {
		name := set.Position(f.Package).Filename
		if n := set.Position(f.FileEnd).Line - 1; n > maxFile {
			t.Errorf("%s has %d lines, more than %d", name, n, maxFile)
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > maxFunction {
					t.Errorf("%s: %s has %d lines, more than %d", name, fn.Name.Name, n, maxFunction)
				}
			}
		}
	}
}

// TestContextsCarryNoValues: what a function needs is a parameter or a field, where its
// readers see it.
func TestContextsCarryNoValues(t *testing.T) {
	t.Parallel()
	for set, f := range sources(t) {
		pkg := "context"
		for _, imp := range f.Imports {
			if imp.Path.Value == `"context"` && imp.Name != nil {
				pkg = imp.Name.Name
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			of, ok := n.(*ast.SelectorExpr)
			if !ok || of.Sel.Name != "WithValue" {
				return true
			}
			if x, ok := of.X.(*ast.Ident); ok && x.Name == pkg {
				t.Errorf("%s: context.WithValue hides what it hands on: make it a parameter or a field", set.Position(of.Pos()))
			}
			return true
		})
	}
}

// sources yields the files that are no tests, of all modules.
func sources(t *testing.T) iter.Seq2[*token.FileSet, *ast.File] {
	t.Helper()
	return func(yield func(*token.FileSet, *ast.File) bool) {
		require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(name) > 1 && name[0] == '.'):
				return fs.SkipDir
			case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			if !yield(set, f) {
				return fs.SkipAll
			}
			return nil
		}))
	}
}

package syntax_test

import (
	"context"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// BenchmarkFind asks this package's own files, compared with their bare parsing.
func BenchmarkFind(b *testing.B) {
	paths, err := filepath.Glob("*.go")
	require.NoError(b, err)
	var files []syntax.File
	for _, path := range paths {
		files = append(files, source(b, path))
	}
	ask := func(b *testing.B, q *syntax.Query) {
		for b.Loop() {
			for _, f := range files {
				require.NoError(b, q.Find(context.Background(), f).Err)
			}
		}
		b.ReportMetric(float64(b.N*len(files))/b.Elapsed().Seconds(), "files/s")
	}
	b.Run("call", func(b *testing.B) { ask(b, compiled(b, rubric.Probe{Lang: "go", Call: "strings.Cut"})) })
	b.Run("query", func(b *testing.B) { ask(b, compiled(b, rubric.Probe{Lang: "go", Query: "(call_expression) @hit"})) })
	b.Run("go-parser", func(b *testing.B) {
		for b.Loop() {
			for _, f := range files {
				_, err := parser.ParseFile(token.NewFileSet(), "", f.Source, parser.SkipObjectResolution)
				require.NoError(b, err)
			}
		}
		b.ReportMetric(float64(b.N*len(files))/b.Elapsed().Seconds(), "files/s")
	})
}

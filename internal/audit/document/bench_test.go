package document_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/document"
)

// report is a document of eleven pages with some 3,000 letters and a few boxes on
// each, as reports have.
func report() []byte {
	p := newPDF()
	for n := range 11 {
		var b strings.Builder
		b.WriteString(textAt("F2", 16, 72, 740, fmt.Sprintf("%d. A chapter of the report", n+1)))
		for i := range 45 {
			b.WriteString(textAt("F1", 11, 72, 712-14*float64(i), fmt.Sprintf("Line %d names src/nodes/part_%d.py and says what it does for the audit.", i, i)))
		}
		p.page(b.String()+boxes(10), "")
	}
	return p.bytes()
}

// BenchmarkOpen reads eleven pages with the compiled code at hand.
func BenchmarkOpen(b *testing.B) {
	o := *options(b)
	o.NoPictures = true
	path := write(b, "report.pdf", report())
	for b.Loop() {
		_, err := document.Open(b.Context(), path, &o)
		require.NoError(b, err)
	}
}

// BenchmarkProcess starts the same program to do nothing: what no reader in a
// process of its own can be faster than.
func BenchmarkProcess(b *testing.B) {
	argv := role(b, "__nothing")
	for b.Loop() {
		require.NoError(b, exec.Command(argv[0], argv[1]).Run())
	}
}

// BenchmarkPdftotext reads the same pages with poppler, where it is installed.
func BenchmarkPdftotext(b *testing.B) {
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		b.Skip("pdftotext is not installed")
	}
	path := write(b, "report.pdf", report())
	for b.Loop() {
		require.NoError(b, exec.Command(tool, path, "-").Run())
	}
}

// BenchmarkPaths compares a document of 1,000 sentences with a tree of 5,000
// files.
func BenchmarkPaths(b *testing.B) {
	var text strings.Builder
	var tree []string
	for i := range 5000 {
		tree = append(tree, fmt.Sprintf("src/dir%d/file%d.py", i%100, i))
	}
	for i := range 1000 {
		fmt.Fprintf(&text, "The work is done in src/dir%d/file%d.py, and tested by tests/**/test_%d.py.\n\n", i%100, 5*i, i%150)
	}
	d := open(b, "a.md", []byte(text.String()))
	for b.Loop() {
		document.Paths(b.Context(), []*document.Document{d}, pathRubric(), tree)
	}
}

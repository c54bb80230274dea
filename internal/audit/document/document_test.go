package document_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
)

// cache holds pdfium's compiled code for all tests of one run.
var cache string

// reader is the program that reads; "" is the test binary.
var reader string

// The test binary is the reading process too, and readers that misbehave.
func TestMain(m *testing.M) {
	if len(os.Args) >= 2 && strings.HasPrefix(os.Args[1], "__") {
		syscall.Exit(play(os.Args[1])) // which does not wait, as the race detector does in os.Exit
	}
	dir, err := os.MkdirTemp("", "document-test-")
	if err != nil {
		panic(err)
	}
	cache = dir
	if raceDetector {
		reader = plainReader(dir)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// plainReader builds a reader without the race detector, which makes compiling and
// running pdfium some ten times slower; "" when it cannot be built here.
func plainReader(dir string) string {
	exe := filepath.Join(dir, "reader.exe")
	if exec.Command("go", "build", "-race=false", "-o", exe, "./testdata/reader").Run() != nil {
		return ""
	}
	return exe
}

// play is what the process does that a test names by its argument.
func play(role string) int {
	switch role {
	case "__pdf":
		return document.ChildMain(os.Stdin, os.Stdout)
	case "__hang":
		hang()
	case "__text-hang": // the text comes, and then nothing more
		document.WriteText(os.Stdout, "The text came whole, and it is longer than twenty letters.")
		hang()
	case "__crash":
		return 3
	case "__garbage":
		fmt.Print("usage: some other program")
	case "__folders":
		_, _ = io.Copy(io.Discard, os.Stdin) // comes when the folder is gone
		folders, err := os.ReadDir(os.Args[2])
		if err != nil {
			return 1
		}
		document.WriteFailure(os.Stdout, fmt.Sprintf("%d folders", len(folders)))
	case "__where":
		_, _ = io.Copy(io.Discard, os.Stdin)
		_, err := os.Getwd()
		files, _ := os.ReadDir(".")
		made := os.WriteFile("file", nil, 0o600) == nil
		document.WriteFailure(os.Stdout, fmt.Sprintf("%d variables, a folder: %t, %d files, one made: %t", len(os.Environ()), err == nil, len(files), made))
	}
	return 0
}

// hang waits until the process is ended. Where nothing else waits, select {} is a deadlock.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

// role is the argv of this binary in a role.
func role(t testing.TB, name string) []string {
	if name == "__pdf" && reader != "" {
		return []string{reader}
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	return []string{exe, name}
}

// warm compiles pdfium once: not every test that runs first.
var warm sync.Once

// options read PDFs with this binary. The time is for a machine under load.
func options(t testing.TB) *document.Options {
	o := &document.Options{Reader: role(t, "__pdf"), Cache: cache, Timeout: 10 * time.Minute}
	warm.Do(func() {
		p := newPDF()
		p.page(textAt("F1", 11, 72, 700, "Warm, and long enough to be a text."), "")
		path := filepath.Join(cache, "warm.pdf")
		require.NoError(t, os.WriteFile(path, p.bytes(), 0o600))
		_, err := document.Open(t.Context(), path, o)
		require.NoError(t, err)
	})
	return o
}

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// open reads a document that can be read: a file that is not a PDF in this process.
func open(t testing.TB, name string, data []byte) *document.Document {
	t.Helper()
	var o *document.Options
	if bytes.Contains(data, []byte("%PDF-")) {
		o = options(t)
	}
	d, err := document.Open(t.Context(), write(t, name, data), o)
	require.NoError(t, err)
	return d
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	text := textAt("F1", 11, 72, 700, "A page with enough text to be one.")
	page := func(change func(p *pdf)) []byte {
		p := newPDF()
		change(p)
		p.page(text, "")
		return p.bytes()
	}
	whole := page(func(*pdf) {})
	tests := []struct {
		name    string
		file    string
		data    []byte
		limit   func(o *document.Options)
		outcome audit.Outcome
		reason  string
	}{
		{name: "0 bytes", file: "a.pdf", outcome: audit.NotAvailable, reason: "0 bytes"},
		{name: "0 bytes of text", file: "a.md", outcome: audit.NotAvailable, reason: "0 bytes"},
		{name: "blank text", file: "a.md", data: []byte(" \n\n"), outcome: audit.NotAvailable, reason: "holds no text"},
		{name: "no PDF", file: "a.pdf", data: []byte("<html>404 not found</html>"), outcome: audit.Error, reason: "its content is no PDF"},
		{name: "header only", file: "a.pdf", data: []byte("%PDF-1.7\n%%EOF\n"), outcome: audit.Error, reason: "broken"},
		{name: "half", file: "a.pdf", data: whole[:len(whole)/3], outcome: audit.Error, reason: ""},
		{name: "password", file: "a.pdf", data: page(func(p *pdf) { p.encrypt("secret") }), outcome: audit.NotAvailable, reason: "opens with a password"},
		{name: "other encryption", file: "a.pdf", data: page(func(p *pdf) {
			p.trailer = fmt.Sprintf("/Encrypt %d 0 R", p.add("<< /Filter /Other /V 1 >>"))
		}), outcome: audit.NotAvailable, reason: "encrypted"},
		{name: "no page", file: "a.pdf", data: newPDF().bytes(), outcome: audit.Error, reason: ""},
		{name: "too many pages", file: "a.pdf", data: page(func(p *pdf) {
			for range 3 {
				p.page(text, "")
			}
		}), limit: func(o *document.Options) { o.MaxPages = 3 }, outcome: audit.NotAvailable, reason: "it has 4 pages, and at most 3 are read"},
		{name: "blank pages", file: "a.pdf", data: func() []byte { p := newPDF(); p.page("", ""); return p.bytes() }(), outcome: audit.NotAvailable, reason: "no text layer"},
		{name: "too many bytes", file: "a.pdf", data: whole, limit: func(o *document.Options) { o.MaxBytes = 100 }, outcome: audit.NotAvailable, reason: "at most 100 are read"},
		{name: "too much for its memory", file: "a.pdf", data: whole, limit: func(o *document.Options) { o.MaxMemory = 1000 }, outcome: audit.NotAvailable, reason: "1000 bytes of memory"},
		{name: "pdfium in too little memory", file: "a.pdf", data: whole, limit: func(o *document.Options) { o.MaxMemory = 1 << 20 }, outcome: audit.Error, reason: "could not be started"},
		{name: "too much text", file: "a.txt", data: []byte("four words of text"), limit: func(o *document.Options) { o.MaxText = 10 }, outcome: audit.NotAvailable, reason: "at most 10 are read"},
		{name: "binary", file: "a.docx", data: []byte("PK\x03\x04\x00\x00"), outcome: audit.Error, reason: "neither PDF nor text"},
		{name: "no program that reads", file: "a.pdf", data: whole, limit: func(o *document.Options) { o.Reader = nil }, outcome: audit.NotAvailable, reason: "no program is given"},
		{name: "a program that is not there", file: "a.pdf", data: whole, limit: func(o *document.Options) { o.Reader = []string{"/no/such/program"} }, outcome: audit.Error, reason: "not found"},
		{name: "HTML by its name", file: "a.html", data: []byte("text"), outcome: audit.Error, reason: "give it as PDF, Markdown or text"},
		{name: "HTML by its content", file: "report", data: []byte(" <!DOCTYPE html><p>text</p>"), outcome: audit.Error, reason: "it is HTML, which is not read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := *options(t)
			if tt.limit != nil {
				tt.limit(&o)
			}
			path := write(t, tt.file, tt.data)
			d, err := document.Open(t.Context(), path, &o)
			var u *document.Unreadable
			require.ErrorAs(t, err, &u)
			require.Equal(t, tt.outcome, u.Outcome, u.Error())
			require.ErrorContains(t, u, tt.reason)
			require.Equal(t, filepath.ToSlash(path), u.Name)
			require.Same(t, u, d.Unreadable)
			require.Equal(t, u.Name, d.Name)
		})
	}
}

func TestNoFile(t *testing.T) {
	t.Parallel()
	for _, path := range []string{filepath.Join(t.TempDir(), "none.pdf"), t.TempDir(), os.DevNull} {
		d, err := document.Open(t.Context(), path, nil)
		var u *document.Unreadable
		require.ErrorAs(t, err, &u, path)
		require.Equal(t, audit.Error, u.Outcome)
		require.NotNil(t, d)
	}
	_, err := document.Open(t.Context(), filepath.Join(t.TempDir(), "none.pdf"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestEncryptedWithoutPassword(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.encrypt("")
	p.page(textAt("F1", 11, 72, 700, "Who may print is restricted, reading is not."), "")
	d := open(t, "a.pdf", p.bytes())
	require.Equal(t, "Who may print is restricted, reading is not.", d.Pages[0].Text)
}

func TestFormats(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page(textAt("F1", 11, 72, 700, "A page with enough text to be one."), "")
	tests := []struct {
		file, data, format string
	}{
		{"report.pdf", string(p.bytes()), document.FormatPDF},
		{"report", string(p.bytes()), document.FormatPDF},
		{"late.pdf", "junk before it\n" + string(p.bytes()), document.FormatPDF},
		{"report.MD", "# Title\n", document.FormatMarkdown},
		{"report.txt", "# no heading", document.FormatText},
		{"NOTES", "text", document.FormatText},
	}
	for _, tt := range tests {
		t.Run(tt.file+" "+tt.format, func(t *testing.T) {
			t.Parallel()
			d := open(t, tt.file, []byte(tt.data))
			require.Equal(t, tt.format, d.Format)
			require.Len(t, d.Digest, 64)
			require.Nil(t, d.Unreadable)
		})
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	o := *options(t)
	o.Reader = role(t, "__hang")
	p := newPDF()
	p.page(textAt("F1", 11, 72, 700, "A page."), "")
	ctx, cancel := contextThatEnds(t)
	defer cancel()
	d, err := document.Open(ctx, write(t, "a.pdf", p.bytes()), &o)
	require.ErrorIs(t, err, ctx.Err())
	require.Nil(t, d)
}

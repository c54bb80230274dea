package document_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
)

// contextThatEnds ends while a process hangs that never would.
func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 50*time.Millisecond)
}

// A reading process that misbehaves is not a fact about the document.
func TestReaderMisbehaves(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page(textAt("F1", 11, 72, 700, "A page with enough text to be one."), "")
	data := p.bytes()
	tests := []struct {
		role    string
		outcome audit.Outcome
		reason  string
	}{
		{"__hang", audit.NotAvailable, "took longer than 50ms, and was stopped"},
		{"__crash", audit.Error, "exit status 3"},
		{"__garbage", audit.Error, "cannot be understood"},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			t.Parallel()
			o := &document.Options{Reader: role(t, tt.role), Timeout: 10 * time.Minute, MaxText: 1000}
			if tt.role == "__hang" {
				o.Timeout = 50 * time.Millisecond
			}
			_, err := document.Open(t.Context(), write(t, "a.pdf", data), o)
			var u *document.Unreadable
			require.ErrorAs(t, err, &u)
			require.ErrorContains(t, u, tt.reason)
			require.Equal(t, tt.outcome, u.Outcome)
		})
	}
}

// The output of the reading process is not trusted: the document may have
// taken it over.
func TestReaderLies(t *testing.T) {
	t.Parallel()
	const text = `{"content":{"pages":[{"Number":1}],"blocks":[{"Page":1,"Text":"x","Kind":5,"First":2,"Last":2}]}}`
	all := func(messages ...string) string { return strings.Join(messages, "\n") + "\n" }
	pages := func(list string) string { return all(`{"content":{"pages":[` + list + `]}}`) }
	block := func(b string) string { return all(`{"content":{"pages":[{"Number":1}],"blocks":[` + b + `]}}`) }
	require.NoError(t, document.Understand(10, all(text, `{"done":{}}`), 1000))
	require.NoError(t, document.Understand(10, all(text), 1000), "text that came whole counts")
	tests := []struct {
		name, written string
		outcome       audit.Outcome
		reason        string
	}{
		{"nothing", "", audit.Error, "broke down"},
		{"too much", `{"content":` + strings.Repeat(" ", 5000), audit.NotAvailable, "gave more than"},
		{"half a message", text[:40], audit.Error, "unexpected EOF"},
		{"no message", all("[]"), audit.Error, "cannot unmarshal array"},
		{"an empty message", all("{}"), audit.Error, "wrong order"},
		{"a page of another number", pages(`{"Number":2}`), audit.Error, "wrong order"},
		{"no pages", pages(""), audit.Error, "wrong order"},
		{"a page that is none", pages("null"), audit.Error, "wrong order"},
		{"too many pages", pages(`{"Number":1},{"Number":2},{"Number":3}`), audit.Error, "wrong order"},
		{"a picture before the text", all(`{"picture":{"page":1,"png":"AAAA"}}`), audit.Error, "wrong order"},
		{"done before the text", all(`{"done":{}}`), audit.Error, "wrong order"},
		{"no number", pages(`{"Number":1e999}`), audit.Error, "cannot unmarshal number"},
		{"fewer images than none", pages(`{"Number":1,"Images":-1}`), audit.Error, "wrong order"},
		{"more paths than are counted", pages(`{"Number":1,"Paths":9000000000}`), audit.Error, ""},
		{"blocks of no kind", block(`{"Kind":6,"Page":1}`), audit.Error, "wrong order"},
		{"a block of no page", block(`{"Page":2}`), audit.Error, "wrong order"},
		{"lines that go backwards", block(`{"Page":1,"First":2,"Last":1}`), audit.Error, "wrong order"},
		{"a hidden line before the first", pages(`{"Number":1,"Hidden":[{"Line":-1}]}`), audit.Error, "wrong order"},
		{"a failure that is a fact", all(`{"failure":{"outcome":"false","reason":"x"}}`), audit.Error, ""},
		{"a reason that is long and coloured", all(`{"failure":{"outcome":"error","reason":"\u001b[31mred` + strings.Repeat(" long", 200) + `"}}`), audit.Error, "red long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := document.Understand(2, tt.written, 2000)
			var u *document.Unreadable
			require.ErrorAs(t, err, &u)
			require.Equal(t, tt.outcome, u.Outcome, u.Reason)
			require.ErrorContains(t, u, tt.reason)
			require.LessOrEqual(t, len(u.Reason), 500)
			require.NotContains(t, u.Reason, "\x1b")
		})
	}
}

// Text that came whole is not lost when a page cannot be rendered in time.
func TestTextOutlivesPictures(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page("", "")
	path := write(t, "a.pdf", p.bytes())
	o := &document.Options{Reader: role(t, "__text-hang"), Timeout: time.Second}
	d, err := document.Open(t.Context(), path, o)
	for n := 0; err != nil && n < 6; n++ { // a machine so slow that the process had not begun
		o.Timeout *= 2
		d, err = document.Open(t.Context(), path, o)
	}
	require.NoError(t, err)
	require.Contains(t, d.Pages[0].Text, "The text came whole")
	pictures, err := d.Pictures(t.Context())
	require.ErrorContains(t, err, "took longer")
	require.Empty(t, pictures)
}

// There is nothing in the reading process to take.
func TestReaderIsAlone(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page("", "")
	_, err := document.Open(t.Context(), write(t, "a.pdf", p.bytes()), &document.Options{Reader: role(t, "__where"), Timeout: 10 * time.Minute})
	if runtime.GOOS == "windows" { // which wants SYSTEMROOT, and keeps the folder of a process
		require.ErrorContains(t, err, "a folder: true, 0 files")
		return
	}
	require.ErrorContains(t, err, "0 variables")
	require.ErrorContains(t, err, "0 files, one made: false")
}

// A small file that unpacks to more than there is memory for.
func TestBomb(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	chunk := []byte(strings.Repeat("BT /F1 11 Tf (x) Tj ET\n", 1<<16))
	for range 24 { // 36 MB
		_, err := z.Write(chunk)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	p := newPDF()
	c := p.stream("/Filter /FlateDecode", packed.String())
	p.pages = append(p.pages, p.add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", objPages, c, objFont)))
	o := *options(t)
	o.MaxMemory = 32 << 20
	p.page(textAt("F1", 11, 72, 700, "A page behind it, which pdfium could make anything of."), "")
	d, err := document.Open(t.Context(), write(t, "bomb.pdf", p.bytes()), &o)
	var u *document.Unreadable
	require.ErrorAs(t, err, &u)
	require.Equal(t, audit.Error, u.Outcome)
	require.ErrorContains(t, u, "page 1: pdfium broke down on it")
	require.NotContains(t, u.Error(), "\n")
	require.Len(t, d.Pages, 1)
}

// A tree of pages that says it is longer than it is.
func TestPageCountIsALie(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.count = 1 << 30
	p.page(textAt("F1", 11, 72, 700, "A page with enough text to be one."), "")
	d, err := document.Open(t.Context(), write(t, "a.pdf", p.bytes()), options(t))
	if err == nil {
		require.Len(t, d.Pages, 1)
		return
	}
	var u *document.Unreadable
	require.ErrorAs(t, err, &u)
	require.False(t, u.Outcome.Fact())
}

// A form that holds itself is walked to a bound; one that does so twice is as
// large as memory allows.
func TestFormInItself(t *testing.T) {
	t.Parallel()
	tests := []struct{ content, reason string }{
		{"/X Do ", "nested deeper than 16"},
		{"/X Do /X Do ", "broke down"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			p := newPDF()
			resources := fmt.Sprintf("/XObject << /X %d 0 R >>", len(p.objects)+1)
			p.form(tt.content+"0 0 1 1 re f ", resources)
			p.page(textAt("F1", 11, 72, 700, "Text beside a form that holds itself.")+"/X Do ", resources)
			o := *options(t)
			o.MaxMemory = 32 << 20
			_, err := document.Open(t.Context(), write(t, "a.pdf", p.bytes()), &o)
			var u *document.Unreadable
			require.ErrorAs(t, err, &u)
			require.Equal(t, audit.Error, u.Outcome)
			require.ErrorContains(t, u, tt.reason)
		})
	}
}

// A page that is too much costs its own text, and is said.
func TestPageOfTooMuch(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page(textAt("F1", 11, 72, 700, body), "")
	p.page(textAt("F1", 11, 72, 700, "never read")+strings.Repeat("0 0 1 1 re f\n", 100_000), "")
	o := *options(t)
	o.NoPictures = true
	d, err := document.Open(t.Context(), write(t, "a.pdf", p.bytes()), &o)
	require.NoError(t, err)
	require.True(t, d.Cut)
	require.Equal(t, body, d.Pages[0].Text)
	require.Empty(t, d.Pages[1].Text)
}

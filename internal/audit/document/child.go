package document

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// ChildMain reads one document in a process of its own. The job comes from in,
// the answer goes to out, and the result is the exit status. The program of
// [Options.Reader] calls it and does nothing else.
//
// It opens only files of the parent's cache. pdfium sees no file system, and no
// more memory than the parent allows.
func ChildMain(in io.Reader, out io.Writer) int {
	if err := readOne(in, out); err != nil {
		return 1
	}
	return 0
}

// readOne answers one job. The error is one of the streams; the answer reports a
// broken document.
func readOne(in io.Reader, out io.Writer) error {
	from := bufio.NewReader(in)
	line, err := from.ReadBytes('\n')
	if err != nil {
		return err
	}
	var j job
	if err := json.Unmarshal(line, &j); err != nil {
		return err
	}
	if j.Size < 0 || j.Size > j.MaxMemory {
		return fmt.Errorf("a document of %d bytes with %d bytes of memory", j.Size, j.MaxMemory)
	}
	data := make([]byte, j.Size)
	if _, err := io.ReadFull(from, data); err != nil {
		return err
	}
	debug.SetMemoryLimit(2 * j.MaxMemory) // pdfium's memory and our copies of it
	answer := json.NewEncoder(out)
	if j.Format != FormatPDF {
		if err := answer.Encode(message{Content: parse(j.Format, string(data))}); err != nil {
			return err
		}
		return answer.Encode(message{Done: &done{}})
	}
	last, err := readPDF(&j, data, answer)
	var u *Unreadable
	switch {
	case errors.As(err, &u):
		return answer.Encode(message{Failure: &failure{Outcome: u.Outcome, Reason: u.Reason}})
	case err != nil:
		return err
	}
	return answer.Encode(message{Done: &last})
}

// readPDF sends the pages and the pictures of a PDF.
func readPDF(j *job, data []byte, out *json.Encoder) (last done, err error) {
	lib, closeLib, err := openLibrary(j)
	if err != nil {
		return last, &Unreadable{Outcome: audit.Error, Reason: "the PDF reader could not be started: " + firstLine(err)}
	}
	defer closeLib()
	doc, err := lib.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return last, openFailure(err)
	}
	count, err := lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	switch {
	case err != nil:
		return last, &Unreadable{Outcome: audit.Error, Reason: "its pages cannot be counted: " + firstLine(err)}
	case count.PageCount == 0:
		return last, &Unreadable{Outcome: audit.Error, Reason: "it has no pages"}
	case count.PageCount > j.MaxPages:
		return last, &Unreadable{Outcome: audit.NotAvailable, Reason: fmt.Sprintf("it has %d pages, and at most %d are read", count.PageCount, j.MaxPages)}
	}
	r := &reader{lib: lib, doc: doc.Document, job: j, out: out}
	return r.read(count.PageCount)
}

// wasmPages is as much memory as WebAssembly has, in pages of 64 KB.
const wasmPages = 1 << 16

// openLibrary makes the one instance of pdfium that this process has.
func openLibrary(j *job) (lib pdfium.Pdfium, closeLib func(), err error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(min(j.MaxMemory>>16, wasmPages)))
	if j.Cache != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(j.Cache); err == nil { // without it, it only takes longer
			config = config.WithCompilationCache(cache)
		}
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1,
		FSConfig:      wazero.NewFSConfig(), // no folder is mounted
		RuntimeConfig: config,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		return nil, nil, err
	}
	lib, err = pool.GetInstanceWithContext(context.Background())
	if err != nil {
		return nil, nil, errors.Join(err, pool.Close())
	}
	return lib, func() { _ = pool.Close() }, nil // the process ends next
}

// openFailure says why pdfium would not open a document.
func openFailure(err error) *Unreadable {
	switch {
	case errors.Is(err, pdferrors.ErrPassword):
		return &Unreadable{Outcome: audit.NotAvailable, Reason: "it is encrypted, and opens with a password only"}
	case errors.Is(err, pdferrors.ErrSecurity):
		return &Unreadable{Outcome: audit.NotAvailable, Reason: "it is encrypted in a way that cannot be read"}
	case errors.Is(err, pdferrors.ErrFormat):
		return &Unreadable{Outcome: audit.Error, Reason: "it is broken: no PDF structure was found in it"}
	}
	return &Unreadable{Outcome: audit.Error, Reason: "it cannot be opened: " + firstLine(err)}
}

// reader reads the pages of one open document.
type reader struct {
	lib  pdfium.Pdfium
	doc  references.FPDF_DOCUMENT
	job  *job
	out  *json.Encoder
	text int // bytes so far
	rows int // lines so far
	seen int // objects so far
	cut  bool
	// broken: pdfium has stopped in the middle of something.
	broken bool
}

// read sends all pages, then the pictures, so that a page that never finishes
// rendering costs no text.
func (r *reader) read(count int) (last done, err error) {
	var drawn []int
	var pages []*rawPage
	for n := 1; n <= count && !r.cut; n++ {
		p := r.page(n)
		pages = append(pages, p)
		if p.Diagram() {
			drawn = append(drawn, n)
		}
	}
	if err := r.out.Encode(message{Content: compose(pages, r.cut)}); err != nil {
		return last, err
	}
	switch {
	case !r.job.Pictures:
		return last, nil
	case r.broken:
		last.Unrendered = "pdfium broke down on a page"
		return last, nil
	}
	return r.pictures(drawn)
}

// page reads one page. A failure is noted in it; the other pages are still read.
func (r *reader) page(n int) *rawPage {
	p := &rawPage{Page: Page{Number: n}}
	loaded, err := r.lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.doc, Index: n - 1})
	if err != nil {
		r.fail(p, err)
		return p
	}
	defer r.lib.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	page := requests.Page{ByReference: &loaded.Page}
	if err := r.survey(page, p); err != nil {
		r.fail(p, err)
		return p
	}
	if err := r.lines(page, p); err != nil {
		r.fail(p, err)
	}
	return p
}

// fail says in a page why it could not be read. When pdfium itself broke down,
// nothing that it says afterwards can be trusted, and no other page is read.
func (r *reader) fail(p *rawPage, err error) {
	p.err = firstLine(err)
	if brokeDown(err) {
		p.err = "pdfium broke down on it: " + p.err
		r.broken, r.cut = true, true
	}
}

// brokeDown reports whether pdfium stopped in the middle of its work, usually
// because memory ran out. wazero has no error type for that.
func brokeDown(err error) bool { return strings.Contains(firstLine(err), "wasm error") }

// firstLine returns an error's text without the stack of a WebAssembly program.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/subprocess"
	"github.com/agentsentinel/sentinel/internal/text"
)

// answer is the answer of the reading process.
type answer struct {
	content  *content
	pictures []picture
	done     *done
	failure  *failure
}

// convert runs the reading process in an empty folder and with an empty
// environment, so that there is nothing in it to take. Where the system lets it,
// the folder is removed as soon as the process is in it: nothing can be put
// there, and nothing is left of it however both end.
func convert(ctx context.Context, format string, data []byte, o *Options) (*answer, error) {
	cache, err := cacheDir(o.Cache)
	if err != nil {
		return nil, fmt.Errorf("the folder for compiled code: %w", err)
	}
	dir, err := os.MkdirTemp("", "sentinel-pdf-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	own, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	a, maxPages := &answer{}, 1
	if format == FormatPDF {
		maxPages = o.MaxPages
	}
	var readErr error
	out, err := subprocess.Stream(own, subprocess.Program{Argv: o.Reader, Dir: dir, Env: []string{}}, func(in io.WriteCloser, out io.Reader) error {
		if runtime.GOOS != "windows" { // where a process enters its folder only after it was started
			_ = os.Remove(dir)
		}
		go ask(in, job{Format: format, Size: int64(len(data)), Cache: cache, Pictures: !o.NoPictures,
			MaxPages: o.MaxPages, MaxText: o.MaxText, MaxMemory: o.MaxMemory}, data)
		readErr = a.read(out, maxOutput(o), maxPages)
		if errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF) {
			return nil // how it ended says why
		}
		return errEnough
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, subprocess.ErrNotFound) {
		return nil, &Unreadable{Outcome: audit.Error, Reason: "the program that reads documents was not found", Err: err}
	}
	return a.understand(ending{out.Exit, err, readErr}, o)
}

// ask sends the job and the document after it. A process that does not want them
// ends, and its answer says why.
func ask(in io.WriteCloser, j job, data []byte) {
	defer in.Close()
	if json.NewEncoder(in).Encode(j) == nil {
		_, _ = in.Write(data)
	}
}

// cacheDir makes the folder for compiled code, and returns it as a process in
// another folder finds it.
func cacheDir(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// ending is how a reading process came to its end.
type ending struct {
	exit    int
	run     error // of the process
	reading error // the error in reading its output
}

// understand checks the answer. Complete text counts, however the process ended
// after it.
func (a *answer) understand(end ending, o *Options) (*answer, error) {
	switch {
	case a.failure != nil:
		return nil, &Unreadable{Outcome: a.failure.Outcome, Reason: excerpt(text.OneLine(a.failure.Reason))}
	case a.done != nil:
		return a, nil
	case a.content != nil:
		a.done = &done{Unrendered: end.why(o)}
		return a, nil
	case errors.Is(end.run, context.DeadlineExceeded), errors.Is(end.reading, errFlood):
		return nil, &Unreadable{Outcome: audit.NotAvailable, Reason: end.why(o)}
	}
	return nil, &Unreadable{Outcome: audit.Error, Reason: end.why(o)}
}

// why says how a reading process came to its end before its time.
func (e ending) why(o *Options) string {
	switch {
	case errors.Is(e.run, context.DeadlineExceeded):
		return fmt.Sprintf("reading it took longer than %s, and was stopped", o.Timeout)
	case errors.Is(e.reading, errFlood):
		return fmt.Sprintf("reading it gave more than %d bytes", maxOutput(o))
	case e.exit > 0:
		return fmt.Sprintf("the reader broke down on it (exit status %d)", e.exit)
	case errors.Is(e.reading, io.EOF), e.exit < 0:
		return "the reader broke down on it"
	case e.reading != nil:
		return fmt.Sprintf("the reader gave an answer that cannot be understood: %v", e.reading)
	}
	return fmt.Sprintf("the reader failed: %v", e.run)
}

var (
	errAnswer = errors.New("messages in the wrong order")
	errFlood  = errors.New("too much output")
	errEnough = errors.New("nothing more is wanted") // whatever the process still does
)

// read reads messages to the last one, of at most so many bytes. Messages before an
// error count. Every message is checked, because the document may control the process.
func (a *answer) read(in io.Reader, most int64, maxPages int) error {
	limited := &io.LimitedReader{R: in, N: most}
	messages := json.NewDecoder(limited)
	for {
		var m message
		if err := messages.Decode(&m); err != nil {
			if limited.N <= 0 {
				return errFlood
			}
			return err
		}
		switch {
		case m.Failure != nil && (m.Failure.Outcome == audit.NotAvailable || m.Failure.Outcome == audit.Error):
			a.failure = m.Failure
			return nil
		case m.Content != nil && a.content == nil && m.Content.sound(maxPages):
			a.content = m.Content
		case m.Picture != nil && a.fits(m.Picture):
			a.pictures = append(a.pictures, *m.Picture)
		case m.Done != nil && a.content != nil:
			a.done = m.Done
			a.done.Unrendered = excerpt(text.OneLine(a.done.Unrendered))
			return nil
		default:
			return errAnswer
		}
	}
}

// fits reports whether p is a picture of a page that is there, after those of
// earlier pages, and no larger than asked for.
func (a *answer) fits(p *picture) bool {
	after := 0
	if n := len(a.pictures); n > 0 {
		after = a.pictures[n-1].Page
	}
	if a.content == nil || p.Page <= after || p.Page > len(a.content.Pages) || len(a.pictures) == maxPictures {
		return false
	}
	size, err := png.DecodeConfig(bytes.NewReader(p.PNG))
	return err == nil && size.Width <= maxSide && size.Height <= maxSide
}

// maxOutput bounds the answer of the reading process, in bytes: text, where a byte
// may become six in JSON, the figures of each block, and pictures in base64.
func maxOutput(o *Options) int64 {
	const perBlock, perPicture = 128, maxPNG * 3 / 2
	return 6*int64(o.MaxText) + maxBlocks*perBlock + maxPictures*perPicture
}

package repo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/text"
)

// blobs reads objects through one git cat-file that lives as long as the
// repository.
type blobs struct {
	ask   chan question
	end   context.CancelFunc
	ended chan struct{}
	once  sync.Once
	run   func() // starts the process, at the first question
	err   error  // of the process; read after ended
}

type question struct {
	hash   string
	limit  int64
	answer chan answer // with room for one
}

type answer struct {
	content []byte
	err     error
}

var errClosed = errors.New("the repository is closed")

func newBlobs(g *git) *blobs {
	ctx, cancel := context.WithCancel(context.Background())
	b := &blobs{ask: make(chan question), end: cancel, ended: make(chan struct{})}
	b.run = func() {
		defer close(b.ended)
		b.err = g.stream(ctx, []string{"cat-file", "--batch"}, func(in io.WriteCloser, out io.Reader) error {
			served := make(chan error) // by a goroutine of its own: this one has a thread, which is slow to wake
			go func() { served <- b.serve(ctx, in, bufio.NewReaderSize(out, 64<<10)) }()
			return <-served
		})
	}
	return b
}

// close ends the process and returns when it has ended.
func (b *blobs) close() {
	b.end()
	b.once.Do(func() { b.err = errClosed; close(b.ended) })
	<-b.ended
}

// get returns the content of an object of at most limit bytes.
func (b *blobs) get(ctx context.Context, hash string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.once.Do(func() { go b.run() })
	q := question{hash: hash, limit: limit, answer: make(chan answer, 1)}
	select {
	case b.ask <- q:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.ended:
		return nil, b.failure()
	}
	select {
	case a := <-q.answer:
		return a.content, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.ended:
		select {
		case a := <-q.answer: // it was answered before
			return a.content, a.err
		default:
			return nil, b.failure()
		}
	}
}

func (b *blobs) failure() error {
	if b.err == nil || errors.Is(b.err, context.Canceled) {
		return errClosed
	}
	return b.err
}

// serve answers one question after the other. An answer that is not understood
// ends the process: what follows would be read wrongly.
func (b *blobs) serve(ctx context.Context, in io.Writer, out *bufio.Reader) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case q := <-b.ask:
			content, err := exchange(in, out, q)
			if err != nil && ctx.Err() != nil {
				err = errClosed // which broke it off, wherever it was
			}
			q.answer <- answer{content, err}
			if err != nil && !errors.Is(err, ErrNotAvailable) {
				return err
			}
		}
	}
}

func exchange(in io.Writer, out *bufio.Reader, q question) ([]byte, error) {
	if _, err := io.WriteString(in, q.hash+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return readObject(out, q.limit)
}

// readObject reads one answer of git cat-file --batch. What is not there, and what
// is larger than limit, is [ErrNotAvailable]; any other error means that nothing
// that follows can be understood.
func readObject(out *bufio.Reader, limit int64) ([]byte, error) {
	header, err := out.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	fields := strings.Fields(string(header))
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, ErrNotAvailable
	}
	var size int64 = -1
	if len(fields) == 3 {
		if size, err = strconv.ParseInt(fields[2], 10, 64); err != nil {
			size = -1
		}
	}
	if size < 0 {
		return nil, fmt.Errorf("git cat-file: an answer that is not understood: %s", text.Name(text.CutBytes(string(header), 100)))
	}
	if size > limit {
		if _, err := io.CopyN(io.Discard, out, size); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		return nil, lastByte(out, ErrNotAvailable)
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(out, content); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return content, lastByte(out, nil)
}

// lastByte reads the line feed that ends an object.
func lastByte(out *bufio.Reader, err error) error {
	switch b, failed := out.ReadByte(); {
	case failed != nil:
		return fmt.Errorf("git cat-file: %w", failed)
	case b != '\n':
		return errors.New("git cat-file: an object that is longer than it said")
	}
	return err
}

package repo

import (
	"bufio"
	"cmp"
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
	ctx   context.Context // of the process; its cause says why it ended
	end   context.CancelCauseFunc
	free  chan pipes // has the pipes of the process, while they are not used
	ended chan struct{}
	once  sync.Once
	run   func() // starts the process, at the first question
	err   error  // of the process; read after ended
}

type pipes struct {
	in  io.Writer
	out *bufio.Reader
}

var errClosed = errors.New("the repository is closed")

func newBlobs(g *git) *blobs {
	b := &blobs{free: make(chan pipes, 1), ended: make(chan struct{})}
	b.ctx, b.end = context.WithCancelCause(context.Background())
	b.run = func() {
		defer close(b.ended)
		b.err = g.stream(b.ctx, []string{"cat-file", "--batch"}, func(in io.WriteCloser, out io.Reader) error {
			b.free <- pipes{in, bufio.NewReaderSize(out, 64<<10)}
			<-b.ctx.Done()
			return b.ctx.Err()
		})
	}
	return b
}

// close ends the process and returns when it has ended.
func (b *blobs) close() {
	b.end(errClosed)
	b.once.Do(func() { close(b.ended) })
	<-b.ended
}

// get returns the content of an object of at most limit bytes. One that is broken off by
// the end of ctx ends the process: what follows would be read wrongly. So does an answer
// that is not understood.
func (b *blobs) get(ctx context.Context, hash string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.once.Do(func() { go b.run() })
	var p pipes
	select {
	case p = <-b.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.ended:
		return nil, cmp.Or(context.Cause(b.ctx), b.err)
	}
	defer context.AfterFunc(ctx, func() { b.end(ctx.Err()) })()
	content, err := p.ask(hash, limit)
	if err != nil && !errors.Is(err, ErrNotAvailable) {
		b.end(err)
		return nil, context.Cause(b.ctx)
	}
	b.free <- p
	return content, err
}

func (p pipes) ask(hash string, limit int64) ([]byte, error) {
	if _, err := io.WriteString(p.in, hash+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return readObject(p.out, limit)
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

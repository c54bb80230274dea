package telemetry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// chunkSize is how much of a file a lane takes at a time.
const chunkSize = 1 << 20

// A chunk is a part of a file. The lines that begin in it belong to it.
type chunk struct {
	file     *os.File
	size     int64 // of the file
	from, to int64
}

// openChunks opens the files and cuts them. A file that is named twice, as when a
// log is rotated at this moment, is read once; one that is gone is passed over.
func openChunks(files []string) (chunks []chunk, closeAll func(), bytes int64, opened int, err error) {
	var open []*os.File
	var infos []os.FileInfo
	closeAll = func() {
		for _, f := range open {
			_ = f.Close() // it was only read
		}
	}
	// The newest is opened first: if the log is rotated meanwhile, the same file is
	// met again under the next name, instead of being missed under the last one.
	for i := len(files) - 1; i >= 0; i-- {
		f, info, err := safefile.Open(files[i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			closeAll()
			return nil, func() {}, 0, 0, fmt.Errorf("telemetry: the log %s cannot be read: %w", files[i], err)
		}
		open = append(open, f)
		if sameAsOne(infos, info) {
			continue
		}
		infos = append(infos, info)
		var own []chunk
		for at := int64(0); at < info.Size(); at += chunkSize {
			own = append(own, chunk{file: f, size: info.Size(), from: at, to: min(at+chunkSize, info.Size())})
		}
		chunks = append(own, chunks...)
		bytes += info.Size()
		opened++
	}
	return chunks, closeAll, bytes, opened, nil
}

func sameAsOne(infos []os.FileInfo, info os.FileInfo) bool {
	for _, other := range infos {
		if os.SameFile(other, info) {
			return true
		}
	}
	return false
}

// each calls do with every line that begins in the chunk, without its end. tooLong
// is called for one that is longer than any record. buffer is used, and returned
// for the next chunk. A line may not be kept.
func (c *chunk) each(buffer []byte, do func(line []byte), tooLong func()) ([]byte, error) {
	from := c.from
	if from > 0 {
		from-- // whether a line begins at the chunk's own beginning is seen in the byte before
	}
	data, err := c.read(buffer[:0], from, c.to)
	if err != nil {
		return data, err
	}
	rest := data
	if c.from > 0 {
		n := bytes.IndexByte(rest, '\n')
		if n < 0 || from+int64(n)+1 >= c.to {
			return data, nil // no line begins here
		}
		rest = rest[n+1:]
	}
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			return c.last(data, len(data)-len(rest), do, tooLong)
		}
		emit(rest[:n], do, tooLong)
		rest = rest[n+1:]
	}
	return data, nil
}

// last reads on until the chunk's last line ends.
func (c *chunk) last(data []byte, begin int, do func(line []byte), tooLong func()) ([]byte, error) {
	at, seen := c.to, len(data)
	for at < c.size {
		if len(data)-begin > maxLine {
			tooLong()
			return data, nil
		}
		to := min(at+64<<10, c.size)
		var err error
		if data, err = c.read(data, at, to); err != nil {
			return data, err
		}
		at = to
		if n := bytes.IndexByte(data[seen:], '\n'); n >= 0 {
			emit(data[begin:seen+n], do, tooLong)
			return data, nil
		}
		seen = len(data)
	}
	emit(data[begin:], do, tooLong)
	return data, nil
}

func emit(line []byte, do func(line []byte), tooLong func()) {
	switch {
	case len(line) > maxLine:
		tooLong()
	case len(bytes.TrimSpace(line)) > 0:
		do(line)
	}
}

// read appends what stands between two places of the file. A file that has become
// shorter meanwhile ends earlier.
func (c *chunk) read(data []byte, from, to int64) ([]byte, error) {
	begin := len(data)
	need := begin + int(to-from)
	if cap(data) < need {
		grown := make([]byte, begin, need+64<<10)
		copy(grown, data)
		data = grown
	}
	data = data[:need]
	n, err := c.file.ReadAt(data[begin:], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return data[:begin], fmt.Errorf("telemetry: reading the log: %w", err)
	}
	return data[:begin+n], nil
}

package telemetry

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// A Follower reads the records that are appended to a log, across rotations. It is
// not safe for concurrent use. The log need not exist yet.
type Follower struct {
	path string
	file *os.File
	at   int64  // how far it was read
	rest []byte // the beginning of an incomplete line
}

// Follow begins at the end of the log at path, or with fromStart at its start.
func Follow(path string, fromStart bool) *Follower {
	f := &Follower{path: path}
	if f.open() == nil && !fromStart {
		if info, err := f.file.Stat(); err == nil {
			f.at = info.Size()
		}
	}
	return f
}

// Close closes the file.
func (f *Follower) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

func (f *Follower) open() error {
	file, _, err := safefile.OpenNoFollow(f.path, os.O_RDONLY, 0)
	if errors.Is(err, safefile.ErrNotRegular) {
		return fs.ErrNotExist // the log may come yet
	}
	if err != nil {
		return err
	}
	f.file, f.at, f.rest = file, 0, nil
	return nil
}

// Next returns the records since the last call, without waiting for any. It passes
// over lines that are not records. After a rotation the records of the old file come
// before those of the new one.
func (f *Follower) Next() ([]Record, error) {
	var records []Record
	for {
		if f.file == nil {
			if err := f.open(); err != nil {
				return records, withoutMissing(err)
			}
		}
		read, err := f.read()
		records = append(records, read...)
		if err != nil {
			return records, err
		}
		if current(f.file, f.path) {
			return records, nil
		}
		// Between reading and looking a last line may have come.
		if read, err = f.read(); err != nil {
			return records, err
		}
		records = append(records, read...)
		if err := f.Close(); err != nil {
			return records, err
		}
	}
}

func withoutMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// read returns the records of the complete lines that the file has gained.
func (f *Follower) read() ([]Record, error) {
	info, err := f.file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < f.at { // the file was truncated
		f.at, f.rest = 0, nil
	}
	var records []Record
	for f.at < info.Size() {
		data, err := io.ReadAll(io.NewSectionReader(f.file, f.at, min(info.Size()-f.at, maxPart)))
		if err != nil || len(data) == 0 {
			return records, err
		}
		f.at += int64(len(data))
		records = append(records, f.split(data)...)
	}
	return records, nil
}

// maxPart bounds what is read of a file at once, in bytes.
const maxPart = 4 << 20

// split returns the records of the lines that end in the next part of the file.
func (f *Follower) split(data []byte) (records []Record) {
	data = append(f.rest, data...)
	end := bytes.LastIndexByte(data, '\n') + 1
	f.rest = bytes.Clone(data[end:])
	if len(f.rest) > maxLine {
		f.rest = nil
	}
	for r, err := range Scan(bytes.NewReader(data[:end])) {
		if err == nil {
			records = append(records, r)
		}
	}
	return records
}

package judgebench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// maxResults bounds a file of results, in bytes.
const maxResults = 256 << 20

// Results are the answers of earlier runs in a file, to which this run adds its own: one
// JSON object a line. It is safe for concurrent use; nil keeps nothing.
type Results struct {
	mu    sync.Mutex
	known map[[2]string]Record // by judge and case, the last one
	file  *os.File
	err   error
}

// OpenResults opens a file of results, which is made if it is not there.
func OpenResults(path string) (*Results, error) {
	records, end, err := readRecords(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	k := &Results{known: map[[2]string]Record{}}
	for _, r := range records {
		k.known[[2]string{r.Judge, r.Case}] = r
	}
	if k.file, _, err = safefile.OpenAppend(path, 0o600); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if end >= 0 { // the run before was stopped within a line
		err = k.file.Truncate(end)
	}
	return k, err
}

// Close closes the file.
func (k *Results) Close() error {
	if k == nil {
		return nil
	}
	return k.file.Close()
}

// get fills a record with what is kept of the same question to the same judge.
func (k *Results) get(r *Record, asked string) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	known, ok := k.known[[2]string{r.Judge, r.Case}]
	if !ok || known.Asked != asked || known.Said == unavailable {
		return false
	}
	known.Kept, known.Place = true, r.Place
	*r = known
	return true
}

// put keeps a record.
func (k *Results) put(r *Record) {
	if k == nil {
		return
	}
	line, err := json.Marshal(r)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		_, err = k.file.Write(append(line, '\n'))
	}
	k.err = errors.Join(k.err, err)
}

// failed is why something could not be kept.
func (k *Results) failed() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return fmt.Errorf("the results cannot be kept: %w", k.err)
	}
	return nil
}

// ReadRun reads the records of a run: a file of results, or what `--json` prints.
func ReadRun(path string) ([]Record, error) {
	records, _, err := readRecords(path)
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("%s holds no result of sentinel bench judges", path)
	}
	return records, err
}

// readRecords reads records, each in a line or all in reports. A run that was stopped may
// leave a part of a line at the end, which is left out; it begins at end. end is -1 without one.
func readRecords(path string) (records []Record, end int64, err error) {
	data, err := safefile.Read(path, maxResults)
	if err != nil {
		return nil, -1, fmt.Errorf("reading %s: %w", path, err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	if rest := data[len(whole):]; len(whole) == 0 || !bytes.HasPrefix(rest, []byte("{")) || json.Valid(rest) {
		whole, end = data, -1
	} else {
		end = int64(len(whole))
	}
	dec := json.NewDecoder(bytes.NewReader(whole))
	for {
		var v struct {
			Record
			Results []Record `json:"results"`
		}
		line := 1 + bytes.Count(bytes.TrimRight(whole[:dec.InputOffset()], "\n"), []byte("\n"))
		if len(records) > 0 {
			line++
		}
		switch err := dec.Decode(&v); {
		case err == io.EOF && (len(records) > 0 || len(data) == 0):
			return records, end, nil
		case err != nil:
			return nil, -1, fmt.Errorf("%s:%d: is no result of sentinel bench judges: %w", path, line, err)
		}
		if v.Record.Case != "" && v.Record.Judge != "" {
			v.Results = append(v.Results, v.Record)
		}
		if len(v.Results) == 0 {
			return nil, -1, fmt.Errorf("%s:%d: is no result of sentinel bench judges: name another file", path, line)
		}
		records = append(records, v.Results...)
	}
}

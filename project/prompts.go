package project

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Prompts show what is judged: parts of files, commands, what tools return. With
// `log_prompts` they are kept in the user's state folder, which no repository and
// no other user sees, and no longer than the log itself.

const (
	promptsKept = 1       // rotated files beside the one that is written
	maxPrompts  = 8 << 20 // bytes of one line that is read back
)

// PromptsFile is where prompts and answers of the nearest project are kept when its
// configuration says `log_prompts: true`; "" where nothing can be kept.
func (p *Project) PromptsFile() string {
	f := p.Nearest()
	if f == nil {
		return ""
	}
	return p.opts.stateFolder("prompts", digest.Hex(resolve(f.Dir))+".jsonl")
}

// keepPrompts keeps what judges were asked about a call, as far as the engines that
// asked them kept it.
func (p *Project) keepPrompts(ev sentinel.Event, d sentinel.Decision) error {
	path := p.PromptsFile()
	if path == "" || p.opts.NoLog {
		return nil
	}
	traces := telemetry.Traces(p.opts.now(), ev, d)
	return telemetry.Open(path, &telemetry.Options{
		MaxMB: p.Nearest().Config.LogMaxMB, Keep: promptsKept, Logger: p.opts.Logger,
	}).WriteTraces(traces)
}

// Prompts returns what was kept of the call, or the finding, with this id: see
// telemetry.Record.ID. None is no error: they may not have been kept, or be gone.
func (p *Project) Prompts(id string) ([]telemetry.Trace, error) {
	var found []telemetry.Trace
	path := p.PromptsFile()
	if path == "" || id == "" {
		return nil, nil
	}
	for _, name := range telemetry.Files(path) {
		f, err := os.Open(name)
		if err != nil {
			return found, err
		}
		found = appendTraces(found, f, id)
		f.Close()
	}
	return found, nil
}

// appendTraces reads the traces of one file. Lines that are torn, or longer than
// any that is written, are passed over.
func appendTraces(found []telemetry.Trace, r io.Reader, id string) []telemetry.Trace {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxPrompts)
	for lines.Scan() {
		var t telemetry.Trace
		if json.Unmarshal(lines.Bytes(), &t) == nil && telemetry.SameCall(t.ID, id) && (t.ID == id || !strings.Contains(id, ".")) {
			found = append(found, t)
		}
	}
	return found
}

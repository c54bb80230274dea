package contextacc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
)

// The files of a session's folder.
const (
	summaryName    = "summary.json"
	checkpointName = "checkpoint"
	againName      = "again"
)

// maxFile bounds the size of one of them, in bytes. A summary of 150 words has about
// 1,000.
const maxFile = 256 << 10

// A Summary describes a session. A model wrote its texts from hostile ones: they are
// data, never instructions.
type Summary struct {
	TaskScope    string    `json:"task_scope"`
	Progress     string    `json:"progress"`
	CurrentFocus string    `json:"current_focus"`
	Updated      time.Time `json:"updated"` // UTC
}

// Text is the summary as {{session_context}} shows it, "" for an empty one.
func (s Summary) Text() string {
	var b strings.Builder
	for _, part := range [...]struct{ name, text string }{
		{"Task scope", s.TaskScope}, {"Progress", s.Progress}, {"Current focus", s.CurrentFocus},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", part.name, part.text)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (s Summary) isEmpty() bool { return s.TaskScope == "" && s.Progress == "" && s.CurrentFocus == "" }

// Load returns the summary in a session's folder. The error wraps fs.ErrNotExist if the
// file is missing; a file that is not a summary is another error.
func Load(dir string) (Summary, error) {
	folder, err := state.OpenFolder(dir, false)
	if err != nil {
		return Summary{}, err
	}
	defer folder.Close()
	return loadSummary(folder)
}

func loadSummary(folder *state.Folder) (Summary, error) {
	var s Summary
	if err := readJSON(folder, summaryName, &s); err != nil {
		return Summary{}, err
	}
	if s.isEmpty() {
		return Summary{}, fmt.Errorf("contextacc: %s says nothing", summaryName)
	}
	return s, nil
}

// Forget removes the summary and the checkpoint in a session's folder. An agent that
// does not name its sessions needs it when a new one begins. Missing files are not an
// error.
func Forget(dir string) error {
	folder, err := state.OpenFolder(dir, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer folder.Close()
	return errors.Join(folder.Remove(summaryName), folder.Remove(checkpointName))
}

// readJSON reads a file of this package. The error of a missing one is
// fs.ErrNotExist.
func readJSON(folder *state.Folder, name string, v any) error {
	data, err := folder.Read(name, maxFile)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("contextacc: %s is not what was written: %w", name, err)
	}
	return nil
}

func writeJSON(folder *state.Folder, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return folder.Replace(name, append(data, '\n'))
}

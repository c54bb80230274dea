package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	commandWithin = 2 * time.Minute
	outputMax     = 64 << 10 // bytes of a file or of output that the model reads
)

// The names of the tools are among those that package trigger knows, with the
// arguments it looks for, so that nothing has to be configured.
const (
	readFile   = "read_file"
	writeFile  = "write_file"
	runCommand = "run_command"
)

// A toolSpec tells the model of a tool.
type toolSpec struct {
	Type     string       `json:"type"`
	Function functionSpec `json:"function"`
}

type functionSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func toolSpecs() []toolSpec {
	spec := func(name, description, parameters string) toolSpec {
		return toolSpec{"function", functionSpec{name, description, json.RawMessage(parameters)}}
	}
	return []toolSpec{
		spec(readFile, "Reads a file of the folder.",
			`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		spec(writeFile, "Writes a file of the folder; makes the folders above it.",
			`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`),
		spec(runCommand, "Runs a shell command in the folder.",
			`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`),
	}
}

// textArg is a string argument, "" when it is missing. Names are exact, as they
// are to the engine: what runs must be what was judged, and encoding/json would
// fill a field "path" from PATH too.
func textArg(args map[string]json.RawMessage, name string) (text string, err error) {
	if raw, ok := args[name]; ok {
		if err = json.Unmarshal(raw, &text); err != nil {
			err = fmt.Errorf("%s is no string", name)
		}
	}
	return text, err
}

// tools work in one folder. Files are reached through an [os.Root], which no
// link and no ".." leads out of; a command can do what the user can.
type tools struct {
	dir  string
	root *os.Root
}

func openTools(dir string) (*tools, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &tools{dir: dir, root: root}, nil
}

// Close lets the folder go.
func (t *tools) Close() error { return t.root.Close() }

// run does what a call asks. The result may say something besides an error.
func (t *tools) run(ctx context.Context, call toolCall) (string, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(call.arguments(), &args); err != nil {
		return "", fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	path, pathErr := textArg(args, "path")
	content, contentErr := textArg(args, "content")
	line, lineErr := textArg(args, "command")
	if err := errors.Join(pathErr, contentErr, lineErr); err != nil {
		return "", err
	}
	switch call.Function.Name {
	case readFile:
		return t.read(path)
	case writeFile:
		return t.write(path, content)
	case runCommand:
		return t.command(ctx, line)
	}
	return "", fmt.Errorf("there is no tool %q", call.Function.Name)
}

func (t *tools) read(path string) (string, error) {
	f, err := t.root.Open(filepath.FromSlash(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, outputMax+1))
	return cut(text), err
}

func (t *tools) write(path, content string) (string, error) {
	path = filepath.FromSlash(path)
	if err := t.root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if err := t.root.WriteFile(path, []byte(content), 0o644); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes written to %s", len(content), path), nil
}

func (t *tools) command(ctx context.Context, line string) (string, error) {
	if line == "" {
		return "", errors.New("no command")
	}
	ctx, cancel := context.WithTimeout(ctx, commandWithin)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.dir, &out, &out
	cmd.WaitDelay = time.Second // what a command left running may keep its output open
	err := cmd.Run()
	return cut(out.Bytes()), err
}

// cut is as much of a text as the model reads.
func cut(text []byte) string {
	if len(text) <= outputMax {
		return string(text)
	}
	return string(bytes.ToValidUTF8(text[:outputMax], nil)) + "\n… the rest is left out"
}

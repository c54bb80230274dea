package scripttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

// Variables of a script's commands: where the schemas are, and where is noted which of
// them were used.
const schemasVar, seenVar = "SENTINEL_TEST_SCHEMAS", "SENTINEL_TEST_SCHEMAS_SEEN"

// Schemas has the commands of a script hold what they print against the schemas in a
// folder; a file in the folder seen is made for each that was used.
func Schemas(e *testscript.Env, dir, seen string) error {
	abs, err := filepath.Abs(dir)
	e.Setenv(schemasVar, abs)
	e.Setenv(seenVar, seen)
	return err
}

// Fits holds the JSON values that a command printed against the schema of that command,
// if it has the flag --json. A program that doctor tries has none of Sentinel's variables:
// what it prints is not held.
func Fits(root *cobra.Command, args []string, out io.Reader) error {
	dir := os.Getenv(schemasVar)
	cmd, _, err := root.Find(args)
	if err != nil || dir == "" || cmd.Flags().Lookup("json") == nil {
		return nil // there is no such command, or another program has the flag
	}
	file := SchemaFile(cmd)
	for dec := json.NewDecoder(out); ; {
		var value any
		switch err := dec.Decode(&value); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			return err
		}
		if err := resolved.Validate(value); err != nil {
			return fmt.Errorf("%s --json does not fit %s: %w", cmd.CommandPath(), file, err)
		}
		seen := filepath.Join(os.Getenv(seenVar), file)
		if _, err := os.Stat(seen); err == nil {
			continue // another command may be writing it just now
		}
		if err := os.WriteFile(seen, nil, 0o600); err != nil {
			return err
		}
	}
}

// SchemaFile is the name of the file with the schema of what a command prints.
func SchemaFile(cmd *cobra.Command) string {
	return strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), "sentinel "), " ", "-") + ".json"
}

// Unseen are the schemas of a folder that no command of a script was held against.
func Unseen(dir, seen string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files {
		if _, err := os.Stat(filepath.Join(seen, filepath.Base(file))); err != nil {
			names = append(names, filepath.Base(file))
		}
	}
	return names, err
}

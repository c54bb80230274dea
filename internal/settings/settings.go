// Package settings reads and changes single settings in configuration files.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/yamledit"
	"github.com/agentsentinel/sentinel/rule"
)

// Unknown is the error for a setting that does not exist.
func Unknown(name string) error {
	var names []string
	for _, k := range config.Keys() {
		names = append(names, k.Name)
	}
	guess := ""
	if near := nearest.Word(name, names); near != "" {
		guess = "; did you mean " + near + "?"
	}
	return fmt.Errorf("there is no setting %q%s: `sentinel config get` lists all", text.OneLine(name), guess)
}

// maxSettings bounds a configuration that is edited, in bytes.
const maxSettings = 1 << 20

// Read reads a file that may be missing. One that is a link or too large
// was not made by init, and is left to the user.
func Read(file string) (data []byte, mode fs.FileMode, err error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o644, nil
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file; edit it by hand", file)
	case info.Size() > maxSettings:
		return nil, 0, fmt.Errorf("%s is larger than %d bytes; edit it by hand", file, maxSettings)
	}
	data, err = safefile.ReadNoFollow(file, maxSettings)
	return data, info.Mode().Perm(), err
}

// Set returns the file with a setting changed. A value that the configuration would
// complain about, if only by a warning, is an error; but a setting of a backend that
// this program does not have is only doubtful, since another program may bring it.
func Set(file string, before []byte, key, text string, added []string) (after []byte, doubts []rule.Problem, err error) {
	value, err := Value(key, text)
	if err != nil {
		return nil, nil, err
	}
	if after, err = yamledit.Set(before, strings.Split(key, "."), value); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	_, old := config.Parse(file, before, added...)
	_, problems := config.Parse(file, after, added...)
	for _, p := range problems {
		switch {
		case slices.ContainsFunc(old, func(o rule.Problem) bool { return o.Message == p.Message }):
		case p.Warning && strings.HasPrefix(key, "backends."):
			doubts = append(doubts, p)
		default:
			return nil, nil, fmt.Errorf("%s; nothing was changed", p.Message)
		}
	}
	return after, doubts, nil
}

// Value reads a value as its setting takes it. The settings of a backend
// that is not ours are anybody's.
func Value(key, given string) (any, error) {
	i := slices.IndexFunc(config.Keys(), func(k config.Key) bool { return k.Name == key })
	if i < 0 && !strings.HasPrefix(key, "backends.") {
		return nil, Unknown(key)
	}
	if strings.TrimSpace(given) == "" { // an empty variable of a script unsets nothing
		return nil, fmt.Errorf("%s: there is no value; `null` takes the setting back", key)
	}
	var value any
	if err := yaml.Unmarshal([]byte(given), &value); err != nil {
		return nil, fmt.Errorf("%s: %q is no YAML value: %w", key, text.OneLine(given), err)
	}
	if _, quoted := value.(string); i >= 0 && config.Keys()[i].Type == "text" && value != nil && !quoted {
		return given, nil // 10 is a fine name of a model
	}
	return value, nil
}

// SchemaID is the address at which a schema is published.
func SchemaID(schema []byte) string {
	var s struct {
		ID string `json:"$id"`
	}
	_ = json.Unmarshal(schema, &s) // a part of the program: a test holds that it has one
	return s.ID
}

package wire

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// maxState bounds a file of an agent's own that is only looked at, in bytes.
const maxState = 4 << 20

// ReadState reads a JSON file of an agent's own, which may have comments.
func ReadState(file string, v any) error {
	if !filepath.IsAbs(file) { // below a home folder that there is not
		return fs.ErrNotExist
	}
	text, err := safefile.Read(file, maxState)
	if err != nil {
		return err
	}
	return json.Unmarshal(install.WithoutComments(text), v)
}

// TrustStep is the step of an agent that runs the hooks of trusted folders only. done is
// what shows that the folder is one.
func TrustStep(title, program, done string) install.Step {
	return install.Step{
		What: title + " runs the hooks of a folder that it trusts", Do: "choose to trust this one when " + program + " asks",
		Read: true, Done: done,
	}
}

// FolderTrust says where an agent that descends from Gemini CLI keeps which folders its
// user trusts.
type FolderTrust struct {
	Title, Program string
	File           string   // the folders and their levels of trust
	Settings       []string // in which trust is asked for, or not; the last one that says so counts
	Asks           bool     // where none says so
	Variable       string   // in the environment; "true" trusts every folder; "" for none
}

// Steps are those in the folder dir.
func (t *FolderTrust) Steps(p install.Place, dir string) []install.Step {
	asks, by := t.Asks, ""
	for _, file := range t.Settings {
		var s struct {
			Security struct {
				FolderTrust struct{ Enabled *bool }
			}
		}
		if err := ReadState(file, &s); err == nil && s.Security.FolderTrust.Enabled != nil {
			asks, by = *s.Security.FolderTrust.Enabled, file
		}
	}
	switch {
	case !asks && by == "": // it has never asked
		return nil
	case t.Variable != "" && p.Getenv != nil && p.Getenv(t.Variable) == "true":
		return []install.Step{TrustStep(t.Title, t.Program, t.Variable+" is true")}
	case !asks:
		return []install.Step{TrustStep(t.Title, t.Program, by+" has folder trust off")}
	}
	var levels map[string]string
	_ = ReadState(t.File, &levels) // none is trusted where the file cannot be read
	step := TrustStep(t.Title, t.Program, "")
	switch level, folder := levelOf(levels, dir); level {
	case "TRUST_FOLDER", "TRUST_PARENT":
		step.Done = t.File + " trusts " + folder
	case "DO_NOT_TRUST":
		step.What, step.Do = fmt.Sprintf("%s runs no hooks in %s, which you chose not to trust", t.Title, folder), "if they are to run, take that out of "+t.File
	}
	return []install.Step{step}
}

// levelOf is the level of the longest folder that holds dir.
func levelOf(levels map[string]string, dir string) (level, folder string) {
	longest := ""
	for name, l := range levels {
		at := filepath.FromSlash(name)
		if l == "TRUST_PARENT" {
			at = filepath.Dir(at)
		}
		if len(name) > len(longest) && Holds(at, dir) {
			level, folder, longest = l, at, name
		}
	}
	return level, folder
}

// Holds reports whether a path is dir or lies below it, by the names that links lead to.
func Holds(dir, path string) bool {
	return filepath.IsAbs(dir) && safefile.Within(Real(path), Real(dir))
}

// Real is a path without links, or as it is where that cannot be told.
func Real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return path
}

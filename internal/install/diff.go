package install

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the change in the unified format that patch and git apply read;
// "" when there is none. A file that does not exist is /dev/null; as git has it, an
// absolute path loses its first slash after the a and the b.
func (c Change) Diff() string {
	if !c.Changed() {
		return ""
	}
	name := strings.TrimLeft(filepath.ToSlash(c.File), "/")
	from, to := "a/"+name, "b/"+name
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	text := diff.Diff(from, c.Before, to, c.After)
	_, text, _ = bytes.Cut(text, []byte("\n")) // a line of the library's own
	return string(text)
}

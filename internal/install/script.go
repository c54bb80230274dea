package install

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
)

// A script is a whole file of ours: an agent's hook that is a program, or a
// plugin. One of its lines holds a digest of the others, so that it can be told,
// in any clone, whether it is as we wrote it.
type script struct {
	text    string // with the line digestLine
	comment string // what a comment begins with in its language
}

const (
	digestMark = "sentinel-digest: "
	digestLine = "@digest@"
)

// render fills in the digest.
func (s script) render() []byte {
	before, after, _ := strings.Cut(s.text, digestLine+"\n")
	return []byte(before + s.comment + " " + digestMark + digest.Hex(before+after) + "\n" + after)
}

// An ownership says whose a file is.
type ownership uint8

const (
	foreign   ownership = iota
	changed             // ours, but not as we wrote it
	untouched           // ours, as we wrote it, now or in an earlier version
)

// whose reads the digest out of a file. Line ends may have become those of
// Windows on the way through a repository.
func whose(text []byte) ownership {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	at := bytes.Index(text, []byte(digestMark))
	if at < 0 {
		return foreign
	}
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	line, rest, _ := bytes.Cut(text[start:], []byte("\n"))
	if bytes.HasSuffix(line, []byte(digest.Hex(append(bytes.Clone(text[:start]), rest...)))) {
		return untouched
	}
	return changed
}

// plan says what becomes of a file that is to be the script.
func (s script) plan(c *Change) error {
	after := s.render()
	if c.Before == nil {
		c.After = after
		return nil
	}
	switch whose(c.Before) {
	case untouched:
		c.After = after
		if bytes.Equal(bytes.ReplaceAll(c.Before, []byte("\r\n"), []byte("\n")), after) {
			c.After = c.Before
		}
	case changed:
		c.After = c.Before
		c.Notes = append(c.Notes, c.File+" was changed since Sentinel wrote it, and is left as it is; delete it and repeat to have it written anew")
	default:
		if !bytes.Contains(c.Before, []byte("sentinel hook")) {
			return fmt.Errorf("install: %s is there already and is not Sentinel's; call `sentinel hook --agent %s` in it, or move it away and repeat", c.File, c.Agent)
		}
		c.After = c.Before // somebody called us in a script of their own
	}
	return nil
}

// planRemoval takes the file away if it is as we wrote it.
func planRemoval(c *Change) {
	c.After = c.Before
	switch {
	case c.Before == nil:
	case whose(c.Before) == untouched:
		c.After = nil
	case whose(c.Before) == changed:
		c.Notes = append(c.Notes, c.File+" was changed since Sentinel wrote it, and stays: remove it by hand if you do not need it")
	case bytes.Contains(c.Before, []byte("sentinel hook")):
		c.Notes = append(c.Notes, c.File+" is not a file that Sentinel wrote, but it calls `sentinel hook`: take that out by hand")
	}
}

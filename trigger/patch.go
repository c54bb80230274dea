package trigger

import (
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
)

const patchBegin = "*** Begin Patch"

// A patchFile is what a patch does to one file.
type patchFile struct {
	op           sentinel.Op
	path, moveTo string
	content, old string
}

// parsePatch reads every patch in text that is written in the form of the
// apply_patch tool: "*** Add File: path" and its like between "*** Begin Patch"
// and "*** End Patch". A patch without end counts to the end of the text, since
// a tool may be as lenient.
func parsePatch(text string) []patchFile {
	at := strings.Index(text, patchBegin)
	if at < 0 {
		return nil
	}
	var files []patchFile
	var content, old strings.Builder
	flush := func() {
		if n := len(files); n > 0 {
			files[n-1].content, files[n-1].old = content.String(), old.String()
		}
		content.Reset()
		old.Reset()
	}
	inPatch := false
	for line := range strings.SplitSeq(text[at:], "\n") {
		line = strings.TrimSuffix(line, "\r")
		op, path := patchHeader(line)
		switch head := strings.TrimSpace(line); {
		case head == patchBegin:
			inPatch = true
		case head == "*** End Patch":
			inPatch = false
		case !inPatch || strings.HasPrefix(line, "@@") || head == "*** End of File":
		case path != "" && op == sentinel.OpMove:
			if n := len(files); n > 0 {
				files[n-1].moveTo = path
			}
		case path != "":
			flush()
			files = append(files, patchFile{op: op, path: path})
		case strings.HasPrefix(line, "+"):
			content.WriteString(line[1:] + "\n")
		case strings.HasPrefix(line, "-"):
			old.WriteString(line[1:] + "\n")
		default: // context is in both
			context := strings.TrimPrefix(line, " ") + "\n"
			content.WriteString(context)
			old.WriteString(context)
		}
	}
	flush()
	return files
}

// patchHeader reads a line that names a file; OpMove is its new name.
func patchHeader(line string) (sentinel.Op, string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "*** ")
	if !ok {
		return sentinel.OpNone, ""
	}
	verb, path, _ := strings.Cut(rest, ": ")
	path = strings.TrimSpace(path)
	switch verb {
	case "Add File":
		return sentinel.OpCreate, path
	case "Update File":
		return sentinel.OpEdit, path
	case "Delete File":
		return sentinel.OpDelete, path
	case "Move to":
		return sentinel.OpMove, path
	}
	return sentinel.OpNone, ""
}

// unifiedDiff reads the hunks of a unified diff as an edit. What is outside of them counts
// as content, as in splitDiff.
func unifiedDiff(diff string) edit {
	e := edit{part: diff != ""}
	var content, old strings.Builder
	inHunk := false
	for line := range strings.Lines(diff) {
		sign, rest := line[:1], line[1:]
		switch {
		case strings.HasPrefix(line, "@@ "):
			inHunk, e.hasOld = true, true
		case inHunk && sign == "+":
			content.WriteString(rest)
		case inHunk && sign == "-":
			old.WriteString(rest)
		case inHunk && sign == " ":
			content.WriteString(rest)
			old.WriteString(rest)
		default:
			inHunk = inHunk && strings.TrimSpace(line) == ""
			content.WriteString(line)
		}
	}
	e.content, e.old = content.String(), old.String()
	return e
}

// patchActions turns a patch into actions, one for each file, and one more for
// each new name.
func (c *call) patchActions(text string) []sentinel.Action {
	var actions []sentinel.Action
	for _, f := range parsePatch(text) {
		a := c.fileAction(sentinel.FileWrite, f.op, c.dir, f.path)
		a.Content, a.Old = f.content, f.old
		if f.moveTo != "" {
			a.Op = sentinel.OpMove
			to := c.fileAction(sentinel.FileWrite, sentinel.OpCreate, c.dir, f.moveTo)
			to.Content, to.Old = f.content, f.old
			if f.content != "" && f.old == "" {
				to.Old = "\n" // what is added is a part of the file: it replaces none that is there
			}
			actions = append(actions, a, to)
			continue
		}
		actions = append(actions, a)
	}
	return actions
}

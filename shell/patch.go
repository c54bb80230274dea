package shell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// patchOptions say how a patch is applied.
type patchOptions struct {
	strip   int    // leading elements cut off the paths in the patch
	dir     string // prefix of every path
	reverse bool
}

// patches records the files of patches that are read from files, or from
// standard input when there are none.
func (w walker) patches(index int, files []field, o patchOptions) {
	if len(files) == 0 || len(files) == 1 && isStdin(files[0].text) {
		in := w.input(asPatch)
		switch {
		case in.known:
			w.diff(index, in.text, o)
		case w.piped && len(in.files) == 0 && !ofGit(in):
			w.unknownPatch(index, o)
		}
		return
	}
	for _, f := range files {
		if f.sub != nil { // <(cat x)
			text, ok := w.filesText(f.sub.files, asPatch)
			w.diff(index, f.sub.text+text, o)
			if !ok && !f.sub.known && !ofGit(*f.sub) {
				w.unknownPatch(index, o)
			}
			continue
		}
		w.note(EffectRead, index, f)
		content, _ := w.fileContent(f)
		if text, ok := w.filesText(content.files, asPatch); ok && !content.known {
			content.text, content.known = text, true
		}
		if from := content.from; !content.known {
			content = w.readNamed(f, asPatch)
			content.from = from
		}
		switch _, named := w.fileName(f); {
		case content.known:
			w.diff(index, content.text, o)
		case !named || len(content.from) > 0 && !ofGit(content): // another one that is not there changes nothing
			w.unknownPatch(index, o)
		}
	}
}

// ofGit reports whether a patch comes from git alone. What it may change is compared
// with the repository's commits by the reader of the line.
func ofGit(patch output) bool {
	return !patch.filtered && len(patch.from) > 0 && !slices.ContainsFunc(patch.from, func(program string) bool { return program != "git" })
}

// unknownPatch records a patch that cannot be read: any file below the folder may change.
func (w walker) unknownPatch(index int, o patchOptions) {
	w.noteGuess(EffectEdit, index, field{text: cmp.Or(o.dir, "."), inner: -1})
}

// patchCommand records patch [file [patchfile]], patch -i patchfile.
func (w walker) patchCommand(c *recorded) {
	if c.HasFlag("--dry-run") {
		return
	}
	o := patchOptions{strip: patchStrip(c.Command, -1), reverse: c.HasFlag("-R")}
	if dir, ok := c.Value("-d"); ok {
		w = w.subshell()
		w.env.chdir(field{text: dir, known: !strings.Contains(dir, "$")})
	}
	var from []field
	if file, ok := c.Value("-i"); ok {
		from = []field{c.named(file)}
	} else if len(c.operands) > 1 {
		from = c.operands[1:2]
	}
	if len(c.operands) > 0 { // the file is named: whatever the patch says, it is that one
		w.note(EffectEdit, c.index, c.operands[0])
		return
	}
	w.patches(c.index, from, o)
}

// patchStrip returns the value of -p, or what the program does without it; -1
// means that a/ and b/ are cut off when they are there.
func patchStrip(c *Command, without int) int {
	if v, ok := c.Value("-p", "--strip"); ok {
		if n, err := strconv.Atoi(v); err == nil {
			return n
		}
	}
	return without
}

// diff records one effect for each file of a unified diff.
func (w walker) diff(index int, text string, o patchOptions) {
	for _, f := range readDiff(text) {
		oldPath, newPath := f.stripped(f.oldPath, o), f.stripped(f.newPath, o)
		added, removed := f.added, f.removed
		if o.reverse {
			oldPath, newPath, added, removed = newPath, oldPath, removed, added
		}
		e := Effect{Kind: EffectEdit, Command: index, Content: added, Old: removed}
		p := field{text: newPath, inner: -1, known: true}
		switch {
		case newPath == "":
			e.Kind, p.text, e.Content = EffectDelete, oldPath, ""
		case oldPath == "":
			e.Kind, e.ContentKnown = EffectCreate, true
		case oldPath != newPath && f.renamed:
			w.effect(Effect{Kind: EffectMove, Command: index, To: newPath}, field{text: oldPath, inner: -1, known: true})
		}
		w.effect(e, p)
	}
}

// A fileDiff is what a unified diff does to one file. A path is "" when the
// file is not there before, or after.
type fileDiff struct {
	oldPath, newPath string
	added, removed   string
	renamed          bool
}

// stripped cuts leading elements off a path of the patch, as patch -p does.
func (f *fileDiff) stripped(p string, o patchOptions) string {
	if p == "" {
		return ""
	}
	n := o.strip
	if n < 0 {
		n = 0
		if strings.HasPrefix(p, "a/") || strings.HasPrefix(p, "b/") {
			n = 1
		}
	}
	for ; n > 0; n-- {
		_, rest, ok := strings.Cut(p, "/")
		if !ok {
			break
		}
		p = rest
	}
	if o.dir != "" {
		p = strings.TrimSuffix(o.dir, "/") + "/" + p
	}
	return cleanPath(p)
}

// readDiff reads a unified diff, with or without git's headers.
func readDiff(text string) []*fileDiff {
	var files []*fileDiff
	var f *fileDiff
	var added, removed strings.Builder
	headed := false // f has a "diff --git" line and no "---" yet
	done := func() {
		if f != nil {
			f.added, f.removed = added.String(), removed.String()
			added.Reset()
			removed.Reset()
		}
	}
	start := func() {
		done()
		f = &fileDiff{}
		files = append(files, f)
	}
	inHunk := hunk{}
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		if inHunk.takes(bare) {
			switch {
			case strings.HasPrefix(bare, "+"):
				added.WriteString(line[1:])
			case strings.HasPrefix(bare, "-"):
				removed.WriteString(line[1:])
			}
			continue
		}
		switch {
		case strings.HasPrefix(bare, "diff --git "):
			start()
			headed = true
			f.oldPath, f.newPath = gitPaths(bare[len("diff --git "):])
		case strings.HasPrefix(bare, "--- "):
			if !headed {
				start()
			}
			headed = false
			f.oldPath = diffPath(bare[4:])
		case strings.HasPrefix(bare, "+++ ") && f != nil:
			f.newPath = diffPath(bare[4:])
		case strings.HasPrefix(bare, "rename from ") && f != nil, strings.HasPrefix(bare, "rename to ") && f != nil:
			f.renamed = true
		case strings.HasPrefix(bare, "new file mode") && f != nil:
			f.oldPath = ""
		case strings.HasPrefix(bare, "deleted file mode") && f != nil:
			f.newPath = ""
		case strings.HasPrefix(bare, "@@ "):
			inHunk = readHunk(bare)
		}
	}
	done()
	return files
}

// A hunk counts the lines that are left of one hunk, so that a removed line
// that starts with "-- " is not taken for a header.
type hunk struct{ old, new int }

func (h *hunk) takes(line string) bool {
	if h.old <= 0 && h.new <= 0 {
		return false
	}
	switch {
	case strings.HasPrefix(line, "+"):
		h.new--
	case strings.HasPrefix(line, "-"):
		h.old--
	case strings.HasPrefix(line, `\`):
	default:
		h.old--
		h.new--
	}
	return true
}

// readHunk reads "@@ -1,5 +1,6 @@"; a count that is left out is 1.
func readHunk(line string) hunk {
	words := strings.Fields(line)
	count := func(i int) int {
		if i >= len(words) {
			return 0
		}
		_, n, ok := strings.Cut(words[i], ",")
		if !ok {
			return 1
		}
		c, err := strconv.Atoi(n)
		if err != nil {
			return 0
		}
		return c
	}
	return hunk{count(1), count(2)}
}

// gitPaths cuts "a/x b/x" into its two paths.
func gitPaths(s string) (oldPath, newPath string) {
	if i := strings.LastIndex(s, " b/"); i > 0 {
		return strings.Trim(s[:i], `"`), strings.Trim(s[i+1:], `"`)
	}
	oldPath, newPath, _ = strings.Cut(s, " ")
	return oldPath, newPath
}

// diffPath returns the path of a "---" or "+++" line, "" for /dev/null.
func diffPath(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.Trim(strings.TrimSpace(s), `"`)
	if s == "/dev/null" {
		return ""
	}
	return s
}

// applyPatch records the files of an apply_patch envelope, which is an operand
// or comes on standard input.
func (w walker) applyPatch(c *recorded) {
	text := w.input(asPatch).text
	if len(c.operands) > 0 {
		text = c.operands[0].text
	}
	for _, e := range readEnvelope(text) {
		p := field{text: e.Path, inner: -1, known: true}
		e.Command = c.index
		w.effect(e, p)
		if e.Kind == EffectMove {
			w.effect(Effect{Kind: EffectCreate, Command: c.index, Content: e.Content, Old: e.Old}, field{text: e.To, inner: -1, known: true})
		}
	}
}

// PatchEffects returns what a patch does to files: one effect for each file,
// with the added lines as Content and the removed ones as Old. It takes a
// unified diff (a/ and b/ are cut off the paths) and the envelope that starts
// with "*** Begin Patch". Text that is neither has no effects.
func PatchEffects(text string) []Effect {
	if strings.Contains(text, "*** Begin Patch") {
		return readEnvelope(text)
	}
	a := newAnalyzer(&Line{}, handlers{})
	w := walker{analyzer: a, frame: &frame{}, env: &env{}}
	w.diff(0, text, patchOptions{strip: -1})
	return a.line.Effects
}

// readEnvelope reads "*** Begin Patch … *** End Patch". Its paths are taken as
// written.
func readEnvelope(text string) []Effect {
	_, text, ok := strings.Cut(text, "*** Begin Patch")
	if !ok {
		return nil
	}
	var effects []Effect
	var added, removed strings.Builder
	done := func() {
		if n := len(effects); n > 0 {
			effects[n-1].Content, effects[n-1].Old = added.String(), removed.String()
		}
		added.Reset()
		removed.Reset()
	}
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(bare) == "*** End Patch" {
			break
		}
		if header, ok := strings.CutPrefix(strings.TrimSpace(bare), "*** "); ok {
			verb, path, _ := strings.Cut(header, ": ")
			e := Effect{Path: strings.TrimSpace(path), Certain: true}
			switch verb {
			case "Add File":
				e.Kind, e.ContentKnown = EffectCreate, true
			case "Update File":
				e.Kind = EffectEdit
			case "Delete File":
				e.Kind = EffectDelete
			case "Move to":
				if n := len(effects); n > 0 {
					effects[n-1].Kind, effects[n-1].To = EffectMove, e.Path
				}
				continue
			default:
				continue
			}
			done()
			effects = append(effects, e)
			continue
		}
		switch {
		case strings.HasPrefix(bare, "+"):
			added.WriteString(line[1:])
		case strings.HasPrefix(bare, "-"):
			removed.WriteString(line[1:])
		}
	}
	done()
	return effects
}

package shell

import (
	"path"
	"slices"
	"strings"
)

// copies records cp, install, ln, scp and rsync: the last operand, or the
// folder of -t, is written; the others are read.
func (w walker) copies(c *recorded) {
	operands := c.operands
	if c.Program == "rclone" {
		operands = c.rest(1)
	}
	if c.Program == "install" && c.HasFlag("-d") {
		return
	}
	var to field
	target, ok := c.Value("-t", "--target-directory")
	switch {
	case ok && c.Program != "rsync" && c.Program != "scp":
		to = c.named(strings.TrimSuffix(target, "/") + "/")
	case len(operands) == 0:
		return
	case len(operands) == 1:
		if c.Program != "ln" {
			return
		}
		to = field{text: path.Base(operands[0].text), known: operands[0].known}
	default:
		to = operands[len(operands)-1]
		operands = operands[:len(operands)-1]
	}
	dryRun := c.Program == "rsync" && c.HasFlag("-n")
	for _, from := range operands {
		remote := isRemote(from.text)
		if remote {
			_, from.text, _ = strings.Cut(from.text, ":")
		} else if c.Program != "ln" {
			w.note(EffectRead, c.index, from)
		}
		if isRemote(to.text) || dryRun || isDevice(to.text) && !isDisk(to.text) {
			continue
		}
		e := Effect{Kind: EffectCreate, Command: c.index}
		if content, _ := w.fileContent(from); content.known {
			e.Content, e.ContentKnown = content.text, true
		} else if from.text == "/dev/null" {
			e.ContentKnown = true
		} else if w.piped && w.stdin.known && (from.text == "/dev/stdin" || from.text == "-") {
			e.Content, e.ContentKnown = w.stdin.text, true
		}
		if c.Program == "rsync" && strings.HasSuffix(from.text, "/") { // what is in it, not the folder itself
			w.effect(e, to)
			continue
		}
		w.intoFolder(e, from, to, len(operands) > 1)
		if remote {
			w.fetched(c, from, to)
			continue
		}
		content, ok := w.fileContent(from)
		if ok {
			w.remember(to.text, content, false)
		}
		inside := to
		if inside.text = strings.TrimSuffix(to.text, "/") + "/" + path.Base(from.text); len(operands) == 1 && !strings.HasSuffix(to.text, "/") {
			w.rememberCopy(from, to, content)
		}
		w.rememberCopy(from, inside, content)
	}
	if c.Program == "rsync" && c.HasFlag("--delete") && !isRemote(to.text) && !dryRun {
		w.noteGuess(EffectDelete, c.index, to)
	}
}

// fetched notes that a file, or one of that name in a folder, comes from elsewhere.
func (w walker) fetched(c *recorded, from, to field) {
	content := output{from: []string{c.Program}}
	w.remember(to.text, content, false)
	w.remember(from.withBase(to).text, content, false)
}

// fetches records the commands of clouds that copy an object to a file: aws s3 cp, gh
// release download -O.
func (w walker) fetches(c *recorded) {
	n := len(c.operands)
	from, to := field{text: "://"}, field{}
	if n > 1 {
		from, to = c.operands[n-2], c.operands[n-1]
	}
	if value, ok := c.Value("-O", "--output", "--file", "--destination"); ok && strings.ContainsAny(value, "./") {
		from, to = field{text: "://" + path.Base(value)}, c.named(value)
	}
	if strings.Contains(from.text, "://") && to.text != "" && to.text != "-" && !strings.Contains(to.text, "://") {
		w.intoFolder(Effect{Kind: EffectCreate, Command: c.index}, from, to, false)
		w.fetched(c, from, to)
	}
}

// intoFolder records an effect on the target of a copy or move. A target that
// ends in a slash, or that takes several sources, is a folder. One that may be
// either is taken for both.
func (w walker) intoFolder(e Effect, from, to field, several bool) {
	inside := from.withBase(to)
	isFolder := several || strings.HasSuffix(to.text, "/") || to.text == "." || to.text == ".." || to.text == "~" || strings.HasSuffix(to.text, "/.") || strings.HasSuffix(to.text, "/..")
	if isFolder {
		w.effect(e, inside)
		return
	}
	w.effect(e, to)
	if path.Ext(to.text) == "" && path.Base(to.text) != path.Base(from.text) && path.Ext(from.text) != "" {
		e.Certain = false
		w.guessed(e, inside)
	}
}

// moves records mv: every source goes away, every target is written.
func (w walker) moves(c *recorded) {
	operands := c.operands
	if target, ok := c.Value("-t"); ok {
		operands = append(slices.Clone(operands), c.named(strings.TrimSuffix(target, "/")+"/"))
	}
	w.moveTo(c, operands)
}

// moveTo records that all operands but the last move to the last.
func (w walker) moveTo(c *recorded, operands []field) {
	if len(operands) < 2 {
		return
	}
	to := operands[len(operands)-1]
	sources := operands[:len(operands)-1]
	for _, from := range sources {
		e := Effect{Kind: EffectMove, Command: c.index, To: homePath(to.text)}
		if len(sources) > 1 || strings.HasSuffix(to.text, "/") {
			e.To = strings.TrimSuffix(e.To, "/") + "/" + path.Base(from.text)
		}
		w.effect(e, from)
		if isDevice(to.text) {
			continue
		}
		written := Effect{Kind: EffectCreate, Command: c.index}
		content, ok := w.fileContent(from)
		if ok {
			written.Content, written.ContentKnown = content.text, content.known
			w.remember(to.text, content, false)
		}
		w.rememberCopy(from, to, content)
		w.intoFolder(written, from, to, len(sources) > 1)
	}
}

// dd has its files in words of their own: if=, of=.
func (w walker) dd(c *recorded) {
	for _, f := range c.words[1:] {
		name, value, ok := strings.Cut(f.text, "=")
		if !ok {
			continue
		}
		f.text, f.names = value, withoutPrefix(f.names, name+"=")
		switch name {
		case "of":
			if isDevice(value) && !isDisk(value) {
				continue
			}
			e := Effect{Kind: ddKind(c), Command: c.index}
			if in := w.input(asData); in.known && !strings.Contains(joinFields(c.words), "if=") {
				e.Content, e.ContentKnown = in.text, true
			}
			w.effect(e, f)
		case "if":
			if !isDevice(value) {
				w.note(EffectRead, c.index, f)
			}
		}
	}
}

// ddKind is what dd does to a file that is there: it cuts off what is there, unless it is
// told to keep it, or to begin behind its first byte.
func ddKind(c *recorded) EffectKind {
	keeps, appends := false, false
	for _, f := range c.words[1:] {
		name, value, _ := strings.Cut(f.text, "=")
		words := strings.Split(value, ",")
		keeps = keeps || (name == "seek" || name == "oseek") && value != "0" || name == "conv" && slices.Contains(words, "notrunc")
		appends = appends || name == "oflag" && slices.Contains(words, "append")
	}
	switch {
	case keeps && appends:
		return EffectAppend
	case keeps:
		return EffectEdit
	}
	return EffectCreate
}

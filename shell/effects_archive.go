package shell

import (
	"path"
	"slices"
	"strings"
)

// tar records the archive and, on extraction, the folder that is written to. That
// is a guess, since the names of the files are in the archive.
func (w walker) tar(c *recorded) {
	operands := c.operands
	letters := ""
	if len(operands) > 0 && len(c.Args) > 0 && operands[0].text == c.Args[0] {
		letters, operands = operands[0].text, operands[1:] // tar xzf, without a dash
	}
	for _, f := range c.Flags {
		if !strings.HasPrefix(f, "--") {
			letters += f[1:]
		}
	}
	dir := "."
	if d, ok := c.Value("-C", "--directory"); ok {
		dir = d
	} else if strings.Contains(letters, "C") {
		for i, f := range operands {
			if f.text == "-C" && i+1 < len(operands) {
				dir = operands[i+1].text
			}
		}
	}
	archive, ok := c.Value("-f", "--file")
	if !ok && strings.Contains(letters, "f") && len(operands) > 0 {
		archive, operands = operands[0].text, operands[1:]
	}
	folder := w
	if dir != "." {
		folder = w.subshell()
		folder.env.chdir(c.named(dir))
	}
	switch {
	case strings.ContainsAny(letters, "x") || c.HasFlag("--extract", "--get"):
		if archive != "" && archive != "-" {
			w.note(EffectRead, c.index, c.named(archive))
		}
		if strings.Contains(letters, "O") || c.HasFlag("-t", "--to-stdout") {
			return
		}
		if len(operands) == 0 {
			w.noteGuess(EffectCreate, c.index, field{text: strings.TrimSuffix(dir, "/") + "/", inner: -1})
		}
		for _, f := range operands {
			folder.noteGuess(EffectCreate, c.index, f)
		}
	case strings.ContainsAny(letters, "cru") || c.HasFlag("--create", "--append", "--update"):
		for _, f := range operands {
			folder.note(EffectRead, c.index, f)
		}
		if isRemote(archive) {
			w.analyzer.senders = append(w.analyzer.senders, sender{command: c.index, feeds: c.index, to: archive})
		}
		if archive != "" && archive != "-" && !isRemote(archive) && !isDevice(archive) {
			w.note(EffectCreate, c.index, c.named(archive))
		}
		if c.HasFlag("--remove-files") {
			folder.packedAway(c, operands)
		}
	case archive != "" && archive != "-":
		w.note(EffectRead, c.index, c.named(archive))
	}
}

// packedAway records files and folders that a packer deletes when it has packed them.
func (w walker) packedAway(c *recorded, files []field) {
	for _, f := range files {
		w.effect(Effect{Kind: EffectDelete, Command: c.index, Recursive: true}, f)
	}
}

// inputNames are the files whose names a command reads on standard input.
func (w walker) inputNames() []field {
	names, known := w.xargsItems("\n", true)
	if !known {
		return []field{w.listed(Span{})}
	}
	return names
}

// archive records the other packers. The files that they unpack are a guess.
func (w walker) archive(c *recorded) {
	operands := c.operands
	if len(operands) == 0 {
		return
	}
	switch c.Program {
	case "zip":
		w.note(EffectCreate, c.index, operands[0])
		w.note(EffectRead, c.index, operands[1:]...)
		if slices.Contains(c.Args, "-@") {
			w.note(EffectRead, c.index, w.inputNames()...)
		}
		if c.HasFlag("-m", "--move") {
			w.packedAway(c, operands[1:])
		}
	case "unzip", "unrar", "7z":
		if c.Program == "unzip" {
			w.note(EffectRead, c.index, operands[0])
			if c.HasFlag("-l", "-t", "-p", "-Z") {
				return
			}
		}
		if c.Program == "7z" && slices.Contains(c.Args, "-sdel") {
			w.packedAway(c, c.rest(2))
			return
		}
		dir, ok := c.Value("-d")
		if !ok {
			dir = "."
		}
		w.noteGuess(EffectCreate, c.index, field{text: strings.TrimSuffix(dir, "/") + "/", inner: -1})
	case "gunzip", "bunzip2":
		for _, f := range operands {
			w.note(EffectRead, c.index, f)
			f.text = strings.TrimSuffix(f.text, path.Ext(f.text))
			w.noteGuess(EffectCreate, c.index, f)
		}
	case "gzip", "xz", "zstd", "bzip2", "lzma", "lz4":
		w.note(EffectRead, c.index, operands...)
		keeps := c.HasFlag("-k", "--keep", "-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list")
		if c.Program == "zstd" || c.Program == "lz4" {
			keeps = !c.HasFlag("--rm")
		}
		if !keeps {
			w.note(EffectDelete, c.index, operands...)
		}
	}
}

// pieces records split and csplit, which write files whose names begin with a text.
func (w walker) pieces(c *recorded) {
	w.reads(c, c.first())
	prefix := field{text: "x", inner: -1}
	switch name, ok := c.Value("-f", "--prefix"); {
	case ok && c.Program == "csplit":
		prefix = c.named(name)
	case c.Program == "split" && len(c.operands) > 1:
		prefix = c.operands[1]
	}
	w.noteGuess(EffectCreate, c.index, prefix)
	prefix.text += "*"
	w.noteGuess(EffectCreate, c.index, prefix)
}

// writesOutput records compilers and converters, which write the file of -o.
func (w walker) writesOutput(c *recorded) {
	out, ok := c.Value("-o", "--output", "--outfile")
	if ok && out != "-" && !isDevice(out) {
		w.note(EffectCreate, c.index, c.named(out))
	}
	if c.facts.Has("lines") {
		w.note(EffectRead, c.index, c.operands...)
	}
	if c.Program == "objcopy" || c.Program == "strip" && !ok {
		w.note(EffectEdit, c.index, c.operands[max(0, len(c.operands)-1):]...)
	}
}

// writesLast records programs that write, or put something else at, their last operand.
func (w walker) writesLast(c *recorded) {
	if c.Program == "mount" && !c.HasFlag("-B", "--bind", "--rbind") && !strings.Contains(c.Text, "bind") {
		return
	}
	if len(c.operands) > 0 && (c.Program != "pax" || c.HasFlag("-w")) && (c.Program != "cpio" || c.HasFlag("-p")) {
		w.noteGuess(EffectDelete, c.index, c.operands[len(c.operands)-1])
	}
}

// desktop records gio trash and its like.
func (w walker) desktop(c *recorded) {
	switch c.Subcommand {
	case "trash", "remove":
		w.note(EffectDelete, c.index, c.rest(1)...)
	case "move", "rename":
		w.moveTo(c, c.rest(1))
	case "copy", "save":
		w.noteGuess(EffectCreate, c.index, c.operands[len(c.operands)-1])
	}
}

// curlValues are the letters of curl's options that take a value.
const curlValues = "odTFKcDEHuAebmwxXrtyYzC"

// curl records the files that a download writes and an upload reads.
func (w walker) curl(c *recorded) {
	create := Effect{Kind: EffectCreate, Command: c.index}
	read := Effect{Kind: EffectRead, Command: c.index}
	dir, _ := c.Value("--output-dir")
	creates, reads, data, fields := c.facts.List("creates"), c.facts.List("reads"), c.facts.List("data"), c.facts.List("fields")
	for i, f := range c.words {
		next := field{}
		if i+1 < len(c.words) {
			next = c.words[i+1]
		}
		name, value, inline := strings.Cut(f.text, "=")
		switch {
		case strings.HasPrefix(f.text, "--") && inline:
			next = f
			next.text = value
		case len(f.text) > 2 && f.text[0] == '-' && f.text[1] != '-': // -sSLo file, -sofile
			at := strings.IndexAny(f.text, curlValues)
			if at < 0 {
				continue
			}
			if name = "-" + f.text[at:at+1]; at+1 < len(f.text) {
				next = f
				next.text = f.text[at+1:]
			}
		}
		switch isField := slices.Contains(fields, name); {
		case slices.Contains(creates, name):
			if next.text == "-" || isDevice(next.text) {
				continue
			}
			if dir != "" && (name == "-o" || name == "--output") {
				next.text = strings.TrimSuffix(dir, "/") + "/" + next.text
			}
			w.effect(create, next)
			w.remember(next.text, output{from: []string{"curl"}}, false)
		case isField, slices.Contains(data, name):
			if _, file, ok := strings.Cut(next.text, "@"); ok && (strings.HasPrefix(next.text, "@") || strings.Contains(name, "urlencode") || isField) {
				file, _, _ = strings.Cut(file, ";")
				for _, next.text = range strings.Split(file, ",") { // -F sends several
					w.effect(read, next)
				}
			} else if _, file, ok := strings.Cut(next.text, "=<"); ok && isField {
				next.text = file
				w.effect(read, next)
			}
		case slices.Contains(reads, name):
			w.effect(read, next)
		}
		if lower, rest, ok := strings.Cut(f.text, "://"); ok && strings.EqualFold(lower, "file") {
			f.text = rest
			w.effect(read, f)
		}
	}
	if c.HasFlag("-O", "--remote-name-all") {
		w.download(c, dir)
	}
}

// download records files that are named by the last part of an address.
func (w walker) download(c *recorded, dir string) {
	for _, f := range c.operands {
		address, _, _ := strings.Cut(f.text, "?")
		if _, rest, ok := strings.Cut(address, "://"); ok {
			address = rest
		}
		if !strings.Contains(address, "/") || strings.HasSuffix(address, "/") {
			address = "index.html"
		}
		f.text = path.Base(address)
		if dir != "" {
			f.text = strings.TrimSuffix(dir, "/") + "/" + f.text
		}
		w.note(EffectCreate, c.index, f)
		w.remember(f.text, output{from: []string{c.Program}}, false)
	}
}

// wget records the file that a download writes.
func (w walker) wget(c *recorded) {
	for _, option := range []string{"--post-file", "--body-file", "-i"} {
		if file, ok := c.Value(option); ok {
			w.note(EffectRead, c.index, c.named(file))
		}
	}
	name := "-O"
	if c.Program == "aria2c" {
		name = "-o"
	}
	file, ok := c.Value(name)
	if ok {
		if file != "-" && !isDevice(file) {
			w.note(EffectCreate, c.index, c.named(file))
			w.remember(file, output{from: []string{c.Program}}, false)
		}
		return
	}
	dir, _ := c.Value("-P", "--directory-prefix")
	w.download(c, dir)
}

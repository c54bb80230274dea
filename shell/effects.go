package shell

import (
	"path"
	"runtime"
	"slices"
	"strings"
)

// onlyTells reports whether a program for files prints its help or version and
// does nothing else. GNU's look for these flags among all words. Those of macOS,
// and GNU's where POSIXLY_CORRECT is set, stop at the first operand and take the
// flag for a file.
func (w walker) onlyTells(c *Command) bool {
	switch c.Program {
	case "rm", "rmdir", "unlink", "shred", "cp", "mv", "ln", "link", "install", "tee", "touch", "truncate", "dd", "chmod", "chown":
	default:
		return false
	}
	at := slices.IndexFunc(c.Args, func(arg string) bool { return arg == "--help" || arg == "--version" })
	if at < 0 || slices.Contains(c.Args[:at], "--") {
		return false
	}
	if _, set := w.env.get(posixly); runtime.GOOS != "darwin" && !set && !slices.ContainsFunc(c.Assigns, func(a string) bool { return strings.HasPrefix(a, posixly) }) {
		return true
	}
	return !slices.ContainsFunc(c.Args[:at], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
}

// posixly is the variable that has GNU's programs read options as POSIX says.
const posixly = "POSIXLY_CORRECT"

// effects records what a command does to the files that its words name. What
// redirections do is recorded where they stand.
func (w walker) effects(index int, s simple) {
	c := w.line.Commands[index]
	if c.Dir != w.dir || c.DirUnknown != w.lost { // git -C dir
		w = w.subshell()
		w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	}
	create := Effect{Kind: EffectCreate, Command: index}
	edit := Effect{Kind: EffectEdit, Command: index}
	read := Effect{Kind: EffectRead, Command: index}
	remove := Effect{Kind: EffectDelete, Command: index}
	operands := operandFields(&c, s)
	if w.onlyTells(&c) {
		return
	}
	switch c.Program {
	case "cd", "echo", "printf", "export", "true", ":", "test", "[", "ls", "npm", "go", "make", "systemctl":
		return // the most frequent ones without any
	case "git":
		w.gitAlias(index, s)
		w.gitEffects(&c, index, s)
	case "rm", "rmdir", "unlink", "shred", "srm", "rimraf", "trash", "trash-put", "del", "wipe", "Remove-Item":
		w.each(remove, operands)
	case "tee", "sponge":
		w.tee(&c, index, operands)
	case "cp", "gcp", "ditto", "scp", "rsync", "install", "ln", "link", "rclone", "robocopy", "xcopy":
		w.copies(&c, index, operands, s)
	case "mv", "rename-file":
		target, ok := c.Value("-t")
		if ok {
			operands = append(slices.Clone(operands), named(s, strings.TrimSuffix(target, "/")+"/"))
		}
		w.moves(index, operands)
	case "touch", "mkfifo", "mknod":
		if c.Program == "touch" && c.HasFlag("-c") {
			return
		}
		w.each(create, operands)
	case "truncate":
		w.each(edit, operands)
	case "dd":
		w.dd(index, s)
	case "sed":
		w.sed(&c, index, s)
	case "awk", "gawk", "mawk", "nawk":
		w.awkFiles(&c, index, operands)
	case "perl", "ruby":
		w.inPlace(&c, index, s)
	case "find":
		w.findEffects(&c, index, s)
	case "patch":
		w.patchCommand(&c, index, operands)
	case "apply_patch", "applypatch":
		w.applyPatch(index, operands)
	case "tar", "bsdtar":
		w.tar(&c, index, s)
	case "unzip", "7z", "gunzip", "gzip", "bunzip2", "xz", "zip", "cpio", "unrar", "zstd", "bzip2":
		w.archive(&c, index, operands)
	case "curl":
		w.curl(&c, index, s)
	case "wget", "aria2c":
		w.wget(&c, index, s)
	case "cat", "head", "tail", "less", "more", "tac", "nl", "bat", "batcat", "xxd", "od", "hexdump", "hd", "strings", "base64", "base32", "sort", "uniq", "wc", "cut", "paste", "column",
		"rev", "fold", "diff", "cmp", "comm", "join", "md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "cksum", "file", "iconv", "expand", "pr", "look", "most", "view", "type", "Get-Content", "gc", "zcat", "zless", "gzcat", "xmllint", "yq", "dos2unix", "split", "csplit", "readlink-file", "plutil":
		w.filter(&c, index, operands, s)
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "jq", "rga":
		w.search(&c, index, operands, s)
	case "vim", "vi", "nvim", "ex", "ed", "nano", "emacs", "code", "pico", "micro", "sudoedit", "vipw", "sudo":
		for _, f := range operands {
			if !strings.HasPrefix(f.text, "+") {
				w.guessed(edit, f)
			}
		}
	case "chmod", "chown", "chgrp", "chattr", "setfacl", "xattr":
		if len(operands) > 1 {
			w.each(edit, operands[1:])
		}
	case "openssl", "gpg", "gpg2", "age", "sops", "ssh-keygen":
		w.crypto(&c, index, s)
	case "psql", "mysql", "sqlite3":
		if f, ok := c.Value("-f", "--file"); ok && c.Program == "psql" {
			w.effect(read, named(s, f))
		}
		if c.Program == "sqlite3" && len(operands) > 0 {
			w.guessed(edit, operands[0])
		}
	case "mkfs", "wipefs", "mkswap", "fdisk", "parted", "sgdisk", "gdisk":
		if len(operands) > 0 {
			w.effect(edit, operands[0])
		}
	case "crontab":
		w.each(read, operands)
	case "kubectl", "docker", "podman":
		w.containerFiles(&c, index, s)
	default:
		if strings.HasPrefix(c.Program, "mkfs.") && len(operands) > 0 {
			w.effect(edit, operands[len(operands)-1])
		}
	}
}

// operandFields returns the fields that c.Operands were taken from.
func operandFields(c *Command, s simple) []field {
	out := make([]field, 0, len(c.Operands))
	i := 1
	for _, text := range c.Operands {
		for i < len(s.words) && s.words[i].text != text {
			i++
		}
		if i >= len(s.words) {
			break
		}
		out = append(out, s.words[i])
		i++
	}
	return out
}

// named returns the field of a value that stands in the words of a command,
// alone or behind its option.
func named(s simple, value string) field {
	for _, f := range s.words {
		if f.text == value || value != "" && strings.HasSuffix(f.text, value) {
			f.text = value
			return f
		}
	}
	return field{text: value, inner: -1, known: !strings.Contains(value, "$")}
}

// each records the same effect on every path.
func (w walker) each(e Effect, paths []field) {
	for _, f := range paths {
		w.effect(e, f)
	}
}

// input returns what the command reads on standard input, from a file of the
// project when scripts may be read.
func (w walker) input() output {
	if !w.piped {
		return output{}
	}
	in := w.stdin
	if !in.known && in.path != "" {
		if content := w.readScript(field{text: in.path, known: true}); content.known {
			in.text, in.known = content.text, true
		}
	}
	return in
}

// tee writes its input to every operand.
func (w walker) tee(c *Command, index int, operands []field) {
	in := w.input()
	e := Effect{Kind: EffectCreate, Command: index, Content: in.text, ContentKnown: in.known}
	if c.HasFlag("-a") {
		e.Kind = EffectAppend
	}
	for _, f := range operands {
		if isDevice(f.text) && !isDisk(f.text) {
			continue
		}
		w.effect(e, f)
		w.remember(f.text, in, e.Kind == EffectAppend)
	}
}

// isRemote reports whether a path of scp, rsync or rclone is on another machine.
func isRemote(p string) bool {
	host, _, ok := strings.Cut(p, ":")
	return ok && host != "" && !strings.Contains(host, "/") && len(host) > 1
}

// copies records cp, install, ln, scp and rsync: the last operand, or the
// folder of -t, is written; the others are read.
func (w walker) copies(c *Command, index int, operands []field, s simple) {
	if c.Program == "rclone" && len(operands) > 0 {
		operands = operands[1:]
	}
	if c.Program == "install" && c.HasFlag("-d") {
		return
	}
	var to field
	target, ok := c.Value("-t", "--target-directory")
	switch {
	case ok && c.Program != "rsync" && c.Program != "scp":
		to = named(s, strings.TrimSuffix(target, "/")+"/")
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
		if isRemote(from.text) {
			w.remember(to.text, output{from: []string{c.Program}}, false)
		}
		if !isRemote(from.text) && c.Program != "ln" {
			w.effect(Effect{Kind: EffectRead, Command: index}, from)
		}
		if isRemote(to.text) || dryRun || isDevice(to.text) && !isDisk(to.text) {
			continue
		}
		e := Effect{Kind: EffectCreate, Command: index}
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
		if content, ok := w.fileContent(from); ok {
			w.remember(to.text, content, false)
		}
	}
	if c.Program == "rsync" && c.HasFlag("--delete") && !isRemote(to.text) && !dryRun {
		w.guessed(Effect{Kind: EffectDelete, Command: index}, to)
	}
}

// intoFolder records an effect on the target of a copy or move. A target that
// ends in a slash, or that takes several sources, is a folder. One that may be
// either is taken for both.
func (w walker) intoFolder(e Effect, from, to field, several bool) {
	inside := to
	inside.text = strings.TrimSuffix(to.text, "/") + "/" + path.Base(from.text)
	inside.known = to.known && from.known
	inside.glob = to.glob || from.glob
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
func (w walker) moves(index int, operands []field) {
	if len(operands) < 2 {
		return
	}
	to := operands[len(operands)-1]
	sources := operands[:len(operands)-1]
	for _, from := range sources {
		e := Effect{Kind: EffectMove, Command: index, To: homePath(to.text)}
		if len(sources) > 1 || strings.HasSuffix(to.text, "/") {
			e.To = strings.TrimSuffix(e.To, "/") + "/" + path.Base(from.text)
		}
		w.effect(e, from)
		if isDevice(to.text) {
			continue
		}
		written := Effect{Kind: EffectCreate, Command: index}
		content, ok := w.fileContent(from)
		if ok {
			written.Content, written.ContentKnown = content.text, content.known
			w.remember(to.text, content, false)
		}
		w.intoFolder(written, from, to, len(sources) > 1)
	}
}

// dd has its files in words of their own: if=, of=.
func (w walker) dd(index int, s simple) {
	for _, f := range s.words[1:] {
		name, value, ok := strings.Cut(f.text, "=")
		if !ok {
			continue
		}
		f.text = value
		switch name {
		case "of":
			if isDevice(value) && !isDisk(value) {
				continue
			}
			e := Effect{Kind: EffectCreate, Command: index}
			if in := w.input(); in.known && !strings.Contains(joinFields(s.words), "if=") {
				e.Content, e.ContentKnown = in.text, true
			}
			w.effect(e, f)
		case "if":
			if !isDevice(value) {
				w.effect(Effect{Kind: EffectRead, Command: index}, f)
			}
		}
	}
}

// sedScripts returns the scripts among the words of sed: the values of -e, or
// else the first operand.
func sedScripts(s simple) []field {
	var scripts []field
	for i := 1; i < len(s.words); i++ {
		f := s.words[i]
		switch {
		case f.text == "-e" || f.text == "--expression" || len(f.text) > 2 && f.text[0] == '-' && f.text[1] != '-' && strings.HasSuffix(f.text, "e") && !strings.HasPrefix(f.text, "-i"):
			if i++; i < len(s.words) {
				scripts = append(scripts, s.words[i])
			}
		case strings.HasPrefix(f.text, "--expression="):
			f.text = f.text[len("--expression="):]
			scripts = append(scripts, f)
		case f.text == "-f" || f.text == "--file":
			return scripts
		}
	}
	if len(scripts) > 0 {
		return scripts
	}
	for i := 1; i < len(s.words); i++ {
		f := s.words[i]
		if f.text == "--" {
			continue
		}
		if !strings.HasPrefix(f.text, "-") && f.text != "" {
			return []field{f}
		}
	}
	return nil
}

// sed records the files that sed reads, or with -i changes, and those that its
// w command writes. BSD's -i takes a suffix as the next word, which is "" or
// starts with a dot.
func (w walker) sed(c *Command, index int, s simple) {
	scripts := sedScripts(s)
	operands := operandFields(c, s)
	hasScript := c.HasFlag("-e", "-f")
	inPlace := c.HasFlag("-i")
	if inPlace && len(operands) > 0 && (operands[0].text == "" || strings.HasPrefix(operands[0].text, ".") && len(operands) > 2 && path.Ext(operands[0].text) == operands[0].text) {
		operands = operands[1:]
	}
	var old, text string
	single := len(scripts) == 1
	if single {
		if parts, ok := sedSubstitution(scripts[0].text); ok {
			old, text = parts[0], parts[1]
		}
	}
	for _, f := range scripts {
		w.sedWrites(index, f)
	}
	if !hasScript && len(operands) > 0 {
		operands = operands[1:]
	}
	for _, f := range operands {
		if inPlace {
			w.effect(Effect{Kind: EffectEdit, Command: index, Old: old, Content: text}, f)
		} else {
			w.effect(Effect{Kind: EffectRead, Command: index}, f)
		}
	}
}

// sedWrites records the files of sed's w command and of s///w.
func (w walker) sedWrites(index int, script field) {
	text := strings.TrimLeft(script.text, "0123456789,$ ")
	name := ""
	if rest, ok := strings.CutPrefix(text, "w "); ok {
		name = rest
	} else if parts, ok := sedSubstitution(text); ok {
		if _, after, ok := strings.Cut(parts[2], "w "); ok {
			name = after
		}
	} else if i := strings.LastIndex(text, "/w "); i >= 0 && strings.HasPrefix(text, "/") {
		name = text[i+3:]
	}
	name, _, _ = strings.Cut(strings.TrimSpace(name), "\n")
	if name != "" && !isDevice(name) {
		script.text = name
		w.effect(Effect{Kind: EffectCreate, Command: index}, script)
	}
}

// awkFiles records the files that awk reads, or with -i inplace changes.
func (w walker) awkFiles(c *Command, index int, operands []field) {
	e := Effect{Kind: EffectRead, Command: index}
	if v, ok := c.Value("-i"); ok && v == "inplace" {
		e.Kind = EffectEdit
	}
	if !c.HasFlag("-f") && len(operands) > 0 {
		operands = operands[1:]
	}
	for _, f := range operands {
		if !isAssign(f.text) {
			w.effect(e, f)
		}
	}
}

// inPlace records perl -i and ruby -i, which change the files they are given.
func (w walker) inPlace(c *Command, index int, s simple) {
	hasCode := c.HasFlag("-e", "-E")
	if !hasCode {
		return
	}
	kind := EffectRead
	for _, f := range c.Flags {
		if strings.HasPrefix(f, "--") {
			continue
		}
		head, _, _ := strings.Cut(f[1:], "e")
		if strings.Contains(head, "i") && !strings.HasPrefix(f, "-I") && !strings.HasPrefix(f, "-M") {
			kind = EffectEdit
		}
	}
	e := Effect{Kind: kind, Command: index}
	if code, ok := c.Value("-e", "-E"); ok && kind == EffectEdit {
		if parts, ok := sedSubstitution(code); ok {
			e.Old, e.Content = parts[0], parts[1]
		}
	}
	if kind == EffectEdit || c.HasFlag("-n", "-p") {
		w.each(e, operandFields(c, s))
	}
}

// findName is the name that find looks for below its folders, "" when it finds
// others too.
func findName(words []field) string {
	name := ""
	for i, f := range words {
		switch f.text {
		case "-o", "-or", "!", "-not", ",":
			return ""
		case "-name", "-iname":
			if name == "" && i+1 < len(words) && words[i+1].known {
				name = words[i+1].text
			}
		}
	}
	if strings.Contains(name, "/") {
		return ""
	}
	return name
}

// findEffects records find -delete and the files of -fprint.
func (w walker) findEffects(c *Command, index int, s simple) {
	for i, f := range s.words {
		switch f.text {
		case "-delete":
			if slices.Contains(c.Args, "-empty") {
				continue // what holds nothing
			}
			paths := operandFields(c, s)
			if len(paths) == 0 {
				paths = []field{{text: "."}}
			}
			for _, p := range paths {
				if name := findName(s.words); name != "" {
					p.text = strings.TrimSuffix(p.text, "/") + "/**/" + name
				}
				w.guessed(Effect{Kind: EffectDelete, Command: index}, p)
			}
		case "-fprint", "-fprintf", "-fprint0", "-fls":
			if i+1 < len(s.words) {
				w.effect(Effect{Kind: EffectCreate, Command: index}, s.words[i+1])
			}
		}
	}
}

// tar records the archive and, on extraction, the folder that is written to,
// which is a guess: only the archive tells the files.
func (w walker) tar(c *Command, index int, s simple) {
	operands := operandFields(c, s)
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
		folder.env.chdir(named(s, dir))
	}
	switch {
	case strings.ContainsAny(letters, "x") || c.HasFlag("--extract", "--get"):
		if archive != "" && archive != "-" {
			w.effect(Effect{Kind: EffectRead, Command: index}, named(s, archive))
		}
		if strings.Contains(letters, "O") || c.HasFlag("-t", "--to-stdout") {
			return
		}
		if len(operands) == 0 {
			w.guessed(Effect{Kind: EffectCreate, Command: index}, field{text: strings.TrimSuffix(dir, "/") + "/", inner: -1})
		}
		for _, f := range operands {
			folder.guessed(Effect{Kind: EffectCreate, Command: index}, f)
		}
	case strings.ContainsAny(letters, "cru") || c.HasFlag("--create", "--append", "--update"):
		for _, f := range operands {
			folder.effect(Effect{Kind: EffectRead, Command: index}, f)
		}
		if archive != "" && archive != "-" && !isRemote(archive) && !isDevice(archive) {
			w.effect(Effect{Kind: EffectCreate, Command: index}, named(s, archive))
		}
		if c.HasFlag("--remove-files") {
			for _, f := range operands {
				folder.effect(Effect{Kind: EffectDelete, Command: index}, f)
			}
		}
	case archive != "" && archive != "-":
		w.effect(Effect{Kind: EffectRead, Command: index}, named(s, archive))
	}
}

// archive records the other packers. What they unpack is a guess.
func (w walker) archive(c *Command, index int, operands []field) {
	if len(operands) == 0 {
		return
	}
	switch c.Program {
	case "zip":
		w.effect(Effect{Kind: EffectCreate, Command: index}, operands[0])
		w.each(Effect{Kind: EffectRead, Command: index}, operands[1:])
	case "unzip", "unrar", "7z":
		if c.Program == "unzip" {
			w.effect(Effect{Kind: EffectRead, Command: index}, operands[0])
			if c.HasFlag("-l", "-t", "-p", "-Z") {
				return
			}
		}
		dir, ok := c.Value("-d")
		if !ok {
			dir = "."
		}
		w.guessed(Effect{Kind: EffectCreate, Command: index}, field{text: strings.TrimSuffix(dir, "/") + "/", inner: -1})
	case "gunzip", "bunzip2":
		for _, f := range operands {
			w.effect(Effect{Kind: EffectRead, Command: index}, f)
			f.text = strings.TrimSuffix(f.text, path.Ext(f.text))
			w.guessed(Effect{Kind: EffectCreate, Command: index}, f)
		}
	case "gzip", "xz", "zstd", "bzip2":
		w.each(Effect{Kind: EffectRead, Command: index}, operands)
	}
}

// curl records the files that a download writes and an upload reads.
func (w walker) curl(c *Command, index int, s simple) {
	create := Effect{Kind: EffectCreate, Command: index}
	read := Effect{Kind: EffectRead, Command: index}
	dir, _ := c.Value("--output-dir")
	for i, f := range s.words {
		next := field{}
		if i+1 < len(s.words) {
			next = s.words[i+1]
		}
		name, value, inline := strings.Cut(f.text, "=")
		switch {
		case strings.HasPrefix(f.text, "--") && inline:
			next = f
			next.text = value
		case len(f.text) > 2 && f.text[0] == '-' && f.text[1] != '-' && strings.IndexByte("odTFKcD", f.text[1]) >= 0:
			name, next = f.text[:2], f
			next.text = f.text[2:]
		case len(f.text) > 2 && f.text[0] == '-' && f.text[1] != '-':
			name = "-" + f.text[len(f.text)-1:] // -sSLo file
		}
		switch name {
		case "-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii":
			if next.text == "-" || isDevice(next.text) {
				continue
			}
			if dir != "" && (name == "-o" || name == "--output") {
				next.text = strings.TrimSuffix(dir, "/") + "/" + next.text
			}
			w.effect(create, next)
			w.remember(next.text, output{from: []string{"curl"}}, false)
		case "-d", "--data", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F", "--form", "-H", "--header":
			if _, file, ok := strings.Cut(next.text, "@"); ok && (strings.HasPrefix(next.text, "@") || strings.Contains(name, "urlencode") || name == "-F" || name == "--form") {
				next.text, _, _ = strings.Cut(file, ";")
				w.effect(read, next)
			} else if _, file, ok := strings.Cut(next.text, "=<"); ok && (name == "-F" || name == "--form") {
				next.text = file
				w.effect(read, next)
			}
		case "-T", "--upload-file", "-K", "--config", "--netrc-file", "-E", "--cert", "--key":
			w.effect(read, next)
		}
		if lower, rest, ok := strings.Cut(f.text, "://"); ok && strings.EqualFold(lower, "file") {
			f.text = rest
			w.effect(read, f)
		}
	}
	if c.HasFlag("-O", "--remote-name-all") {
		w.download(c, index, s, dir)
	}
}

// download records files that are named by the last part of an address.
func (w walker) download(c *Command, index int, s simple, dir string) {
	for _, f := range operandFields(c, s) {
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
		w.effect(Effect{Kind: EffectCreate, Command: index}, f)
		w.remember(f.text, output{from: []string{c.Program}}, false)
	}
}

// wget records the file that a download writes.
func (w walker) wget(c *Command, index int, s simple) {
	for _, option := range []string{"--post-file", "--body-file", "-i"} {
		if file, ok := c.Value(option); ok {
			w.effect(Effect{Kind: EffectRead, Command: index}, named(s, file))
		}
	}
	name := "-O"
	if c.Program == "aria2c" {
		name = "-o"
	}
	file, ok := c.Value(name)
	if ok {
		if file != "-" && !isDevice(file) {
			w.effect(Effect{Kind: EffectCreate, Command: index}, named(s, file))
			w.remember(file, output{from: []string{c.Program}}, false)
		}
		return
	}
	dir, _ := c.Value("-P", "--directory-prefix")
	w.download(c, index, s, dir)
}

// filter records programs that read their operands.
func (w walker) filter(c *Command, index int, operands []field, s simple) {
	switch c.Program {
	case "sort":
		if out, ok := c.Value("-o"); ok {
			w.effect(Effect{Kind: EffectCreate, Command: index}, named(s, out))
		}
	case "xxd", "uniq":
		if len(operands) > 1 {
			w.effect(Effect{Kind: EffectCreate, Command: index}, operands[1])
			operands = operands[:1]
		}
	case "dos2unix":
		w.each(Effect{Kind: EffectEdit, Command: index}, operands)
		return
	case "yq":
		kind := EffectRead
		if c.HasFlag("-i", "--inplace") {
			kind = EffectEdit
		}
		if len(operands) > 1 {
			w.each(Effect{Kind: kind, Command: index}, operands[1:])
		}
		return
	case "type":
		return // type rm asks what rm is
	}
	for _, f := range operands {
		if !isDevice(f.text) && !strings.HasPrefix(f.text, "<(") {
			w.effect(Effect{Kind: EffectRead, Command: index}, f)
		}
	}
}

// search records programs whose first operand is what they look for.
func (w walker) search(c *Command, index int, operands []field, s simple) {
	if f, ok := c.Value("-f"); ok && c.Program != "jq" {
		w.effect(Effect{Kind: EffectRead, Command: index}, named(s, f))
	}
	if c.Program == "jq" || !c.HasFlag("-e", "-f", "--files") {
		operands = operands[min(1, len(operands)):]
	}
	w.each(Effect{Kind: EffectRead, Command: index}, operands)
}

// crypto records the files of openssl -in and -out, gpg -o, ssh-keygen -f.
func (w walker) crypto(c *Command, index int, s simple) {
	for i, f := range s.words {
		if i+1 == len(s.words) {
			break
		}
		next := s.words[i+1]
		switch f.text {
		case "-in", "-inkey", "-key", "-kfile", "-CAkey", "-i":
			w.effect(Effect{Kind: EffectRead, Command: index}, next)
		case "-out", "-keyout", "-o", "--output":
			w.effect(Effect{Kind: EffectCreate, Command: index}, next)
		case "-f":
			if c.Program == "ssh-keygen" {
				w.guessed(Effect{Kind: EffectCreate, Command: index}, next)
			}
		}
	}
	if c.Program != "openssl" && c.Program != "ssh-keygen" {
		w.each(Effect{Kind: EffectRead, Command: index}, operandFields(c, s))
	}
}

// containerFiles records docker cp and kubectl cp, and the files of kubectl -f.
func (w walker) containerFiles(c *Command, index int, s simple) {
	switch c.Subcommand {
	case "cp":
		operands := operandFields(c, s)
		if len(operands) != 3 {
			return
		}
		if !isRemote(operands[1].text) {
			w.effect(Effect{Kind: EffectRead, Command: index}, operands[1])
		}
		if !isRemote(operands[2].text) {
			w.intoFolder(Effect{Kind: EffectCreate, Command: index}, operands[1], operands[2], false)
		}
	case "apply", "create", "delete", "replace":
		if f, ok := c.Value("-f"); ok && !strings.Contains(f, "://") {
			w.effect(Effect{Kind: EffectRead, Command: index}, named(s, f))
		}
	}
}

package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// A mount is a folder of this machine that a container has.
type mount struct {
	at       string // the path that it has there
	from     field  // the folder, from the one that the line starts in
	readOnly bool
}

// container walks the command of docker exec and docker run, also as a part of
// docker compose and docker container.
func (w walker) container(c *recorded) {
	i := slices.IndexFunc(c.words, func(f field) bool { return f.text == "exec" || f.text == "run" })
	if i < 0 {
		return
	}
	switch c.Subcommand {
	case "exec", "run", "compose", "container":
	default:
		return
	}
	verb := c.words[i].text
	o := table.OptionsOf("docker", "")
	if verb == "exec" {
		o = table.Valued("-e= -u= -w= --env= --user= --workdir= --env-file= --detach-keys= --index=")
	}
	run := c.from(i)
	at := skipOptions(run.words, 1, o)
	if at >= len(run.words) {
		return
	}
	rest := run.from(at + 1)
	if entry, ok := c.Value("--entrypoint"); ok {
		rest.words = append([]field{{text: entry, span: c.span, inner: -1, known: true}}, rest.words...)
	} else if verb == "run" {
		rest.words = ofImage(run.words[at], rest.words)
	}
	if len(rest.words) > 0 {
		w.mounting(run.words[1:at], o).within(c.Program + " " + verb).analyze(rest)
	}
}

// mounting returns a walker for a container that options give folders of this machine, and the
// one that it starts in.
func (w walker) mounting(options []field, o table.Options) walker {
	in := w.elsewhere()
	for i, f := range options {
		next := field{}
		if i+1 < len(options) {
			next = options[i+1]
		}
		value := func(name string) (field, bool) {
			text, ok := o.Value(f.text, next.text, name, next.text != "")
			of := f
			if text == next.text {
				of = next
			}
			of.text, of.inner = text, -1
			return of, ok && strings.HasPrefix(f.text, "-")
		}
		if dir, ok := value("-w"); ok && strings.HasPrefix(dir.text, "/") {
			in.env.chdir(dir)
		}
		if text, ok := value("-v"); ok {
			in.mount(w.bind(text))
		}
		if text, ok := value("--mount"); ok {
			in.mount(w.bindOf(text))
		}
	}
	return in
}

// mount adds a mount to the frame of a container.
func (w walker) mount(m mount) {
	if strings.HasPrefix(m.at, "/") && m.from.text != "" {
		w.frame.mounts = append(slices.Clip(w.frame.mounts), m)
	}
}

// bind reads -v folder:path:options. A name in place of the folder is a volume.
func (w walker) bind(f field) mount {
	from, rest, _ := strings.Cut(f.text, ":")
	if drive := hasDrive(f.text); drive {
		var more string
		more, rest, _ = strings.Cut(rest, ":")
		from += ":" + more
	}
	if !strings.ContainsAny(from, "/.~$\\") {
		return mount{}
	}
	at, options, _ := strings.Cut(rest, ":")
	return w.mountOf(f, from, at, slices.Contains(strings.Split(options, ","), "ro"))
}

// bindOf reads --mount type=bind,source=folder,target=path.
func (w walker) bindOf(f field) mount {
	var kind, from, at string
	readOnly := false
	for part := range strings.SplitSeq(f.text, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "type":
			kind = value
		case "source", "src":
			from = value
		case "target", "dst", "destination":
			at = value
		case "readonly", "ro":
			readOnly = value != "false" && value != "0"
		}
	}
	if kind != "bind" {
		return mount{}
	}
	return w.mountOf(f, from, at, readOnly)
}

// mountOf is the mount of a folder at a path, which the word f has.
func (w walker) mountOf(f field, from, at string, readOnly bool) mount {
	f.known = f.known && (!w.lost || isFixed(homePath(from))) && !w.remote
	f.text, f.names, f.gone = joinPath(w.dir, homePath(from)), nil, nil
	return mount{at: cleanPath(at), from: f, readOnly: readOnly}
}

// onHost is the file of this machine that a path in a container is, where a mount says so.
func (w walker) onHost(f field, write bool) (field, bool) {
	name := f.text
	if !isFixed(name) && !w.lost {
		name = joinPath(w.dir, name)
	}
	name, of, ok := onHost(w.mounts, name)
	if !ok || of.readOnly && write {
		return f, false
	}
	f.text, f.known, f.inner, f.gone = name, f.known && of.from.known, -1, nil
	return f, true
}

// onHost is the path here of an absolute path in a container, by the mount that is nearest to it.
func onHost(mounts []mount, name string) (at string, of mount, ok bool) {
	if !strings.HasPrefix(name, "/") {
		return "", of, false
	}
	name = cleanPath(name)
	for _, m := range mounts {
		rest, below := strings.CutPrefix(name, m.at)
		if below && (rest == "" || rest[0] == '/' || m.at == "/") && len(m.at) >= len(of.at) {
			at, of, ok = cleanPath(m.from.text+"/"+rest), m, true
		}
	}
	return at, of, ok
}

// mounted is a command that runs in a container.
type mounted struct {
	command int
	mounts  []mount
}

// ownFolders makes the folders of commands in containers those of this machine.
func (a *analyzer) ownFolders() {
	for _, m := range a.mounted {
		c := &a.line.Commands[m.command]
		if c.DirUnknown {
			continue
		}
		at, of, ok := onHost(m.mounts, c.Dir)
		if c.Dir, c.DirUnknown = at, !ok || !of.from.known; at == "." || c.DirUnknown {
			c.Dir = ""
		}
	}
}

// effectOnHost records the effect of a container on a file that this machine gives it.
func (w walker) effectOnHost(e Effect, path field) bool {
	at, ok := w.onHost(path, e.Kind != EffectRead)
	if !ok {
		return false
	}
	if to, ok := w.onHost(field{text: e.To}, true); ok && e.To != "" {
		e.To = to.text
	}
	in := w.subshell()
	f := *w.frame
	f.remote, f.mounts = false, nil
	in.frame = &f
	in.env.dir, in.env.lost = "", false
	in.effect(e, at)
	return true
}

// machine returns a walker for what ssh runs on a host, which may be this machine.
func (w walker) machine(host string) walker {
	_, name, ok := strings.Cut(strings.TrimPrefix(host, "ssh://"), "@")
	if !ok {
		name = host
	}
	switch strings.ToLower(name) {
	case "localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "$(hostname)", "$hostname", "$(hostname -f)":
		in := w.subshell()
		in.env.dir, in.env.lost = "~", false
		return in
	}
	return w.elsewhere()
}

// ofImage returns the words that docker run gives a container, with the program of the image
// before its arguments: alpine/git push is git push.
func ofImage(image field, words []field) []field {
	name := image.text[strings.LastIndexByte(image.text, '/')+1:]
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimSuffix(name, "-cli")
	if !table.Find(name).Has("subcommands") {
		if len(words) > 0 && strings.HasPrefix(words[0].text, "-") {
			return nil // arguments to a program that is not known
		}
		return words
	}
	if len(words) > 0 && words[0].text != "" && words[0].text[0] != '-' && (table.Find(words[0].text) != "" || strings.Contains(words[0].text, "/")) {
		return words
	}
	return append([]field{{text: name, span: image.span, inner: -1, known: true}}, words...)
}

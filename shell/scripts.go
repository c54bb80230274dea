package shell

import (
	"path"
	"slices"
	"strings"
)

// follow walks what a recorded command runs in turn: the command of find -exec,
// of ssh and docker exec, an editor's or an interpreter's script.
func (w walker) follow(index int, s simple) {
	c := w.line.Commands[index]
	if lang := language(c.Program); lang != "" {
		w.interpreter(index, lang, s)
		return
	}
	switch c.Program {
	case "find", "fd", "fdfind":
		w.find(&c, s)
	case "ssh", "mosh", "autossh":
		w.ssh(&c, s)
	case "docker", "podman", "nerdctl", "docker-compose":
		w.container(&c, s)
	case "kubectl", "oc", "k":
		if c.Subcommand == "exec" || c.Subcommand == "run" || c.Subcommand == "debug" {
			w.afterOperands(s, " "+c.Program+" "+c.Subcommand, 1)
		}
	case "lxc", "multipass", "vagrant", "crictl":
		if c.Subcommand == "exec" || c.Subcommand == "ssh" {
			w.vmExec(&c, s)
		}
	case "git":
		w.git(index, s)
	case "tar", "bsdtar":
		w.tarActions(&c, s)
	case "rsync":
		w.optionText(s, "rsync -e", "-e", "--rsh", "--rsync-path")
	case "scp", "sftp":
		w.optionText(s, c.Program+" -S", "-S")
		w.sshOptions(s)
	case "awk", "gawk", "mawk", "nawk":
		w.awk(index, s)
	case "sed":
		w.sedRuns(&c, s)
	case "vim", "vi", "nvim", "ex", "view", "vimdiff":
		w.vim(index, s)
	case "npm", "npx", "pnpm", "yarn", "bunx":
		w.optionText(s, c.Program+" -c", "-c", "--call")
	case "nix-shell", "nix":
		w.optionText(s, c.Program+" --run", "--run", "--command")
	case "tmux", "screen":
		w.multiplexer(&c, s)
	case "hyperfine", "concurrently":
		for _, f := range s.words[1:] {
			if strings.Contains(f.text, " ") {
				w.subshell().nested(textOf(f, c.Program))
			}
		}
	case "nodemon", "watchexec", "entr":
		w.optionText(s, c.Program+" --exec", "--exec", "-x")
	case "at", "batch":
		if w.piped && w.stdin.known {
			w.subshell().nested(nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: s.span, wrapper: c.Program})
		}
	case "ip":
		if len(c.Operands) > 3 && c.Operands[0] == "netns" && c.Operands[1] == "exec" {
			w.within("ip netns exec").run(s.from(4))
		}
	case "nc", "ncat", "netcat", "socat":
		w.netcat(&c, s)
	case "man", "systemd-run", "less":
		w.optionText(s, c.Program+" -P", "-P", "--pager")
	case "zip":
		w.optionText(s, "zip -TT", "-TT", "--unzip-command")
	case "rg":
		w.optionText(s, "rg --pre", "--pre")
	case "psql", "sqlite3", "mysql", "ftp":
		w.sqlShell(&c, s)
	case "apply_patch", "applypatch":
	default:
		w.directScript(index, s)
	}
}

// directScript follows ./script.sh: a program named by a path of the project.
func (w walker) directScript(index int, s simple) {
	p := s.words[0]
	if !strings.Contains(p.text, "/") && path.Ext(p.text) != ".sh" {
		return
	}
	for _, dir := range []string{"/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/proc/"} {
		if strings.HasPrefix(p.text, dir) {
			return
		}
	}
	in := w.subshell()
	in.env.params, in.env.knows = s.words[1:], true
	in.scriptFile(index, p, "")
}

// optionText reads the value of an option as shell, wherever it stands.
func (w walker) optionText(s simple, wrapper string, names ...string) {
	o := optionsOf(w.program(&s.words[0]), "")
	for i, f := range s.words[1:] {
		if len(f.text) < 2 || f.text[0] != '-' {
			continue
		}
		next := field{}
		if i+2 < len(s.words) {
			next = s.words[i+2]
		}
		for _, name := range names {
			text, ok := o.value(f.text, next.text, name, next.text != "")
			if !ok {
				continue
			}
			if text != next.text {
				next = f
				next.text, next.inner = text, -1
			}
			w.subshell().nested(textOf(next, wrapper))
			break
		}
	}
}

// find walks the commands of -exec and its kin. {} stands for what is found,
// which the line tells only as far as the folders that are searched.
func (w walker) find(c *Command, s simple) {
	found := field{text: ".", inner: -1}
	if len(c.Operands) > 0 && c.Program == "find" {
		found.text = c.Operands[0]
	}
	for i := 1; i < len(s.words); i++ {
		wrapper := "find " + s.words[i].text
		switch s.words[i].text {
		case "-exec", "-execdir", "-ok", "-okdir":
		case "-x", "--exec", "-X", "--exec-batch":
			if c.Program == "find" {
				continue
			}
			wrapper = "fd " + s.words[i].text
		default:
			continue
		}
		end := i + 1
		for end < len(s.words) && s.words[end].text != ";" && s.words[end].text != "+" {
			end++
		}
		run := s
		run.words = s.words[:end]
		run = run.from(i + 1)
		if len(run.words) > 0 {
			below := "*"
			if name := findName(s.words[:i]); name != "" && c.Program == "find" {
				below = "**/" + name
			}
			run.words = replaceItem(run.words, "{}", field{text: strings.TrimSuffix(found.text, "/") + "/" + below, inner: -1})
			in := w.subshell()
			in.env.piped, in.env.stdin = false, output{}
			in.within(wrapper).run(run)
		}
		i = end
	}
}

// ssh walks the command for the other machine, and the options that run one here.
func (w walker) ssh(c *Command, s simple) {
	w.sshOptions(s)
	o := optionsOf("ssh", "")
	i := skipOptions(s.words, 1, o.valued)
	if i >= len(s.words) {
		return
	}
	i++ // the host
	i = skipOptions(s.words, i, o.valued)
	in := w.elsewhere()
	in.env.piped = false
	if i < len(s.words) {
		in.env.piped = w.piped
		in.nested(joined(s.words[i:], c.Program))
	} else if w.piped && w.stdin.known {
		in.nested(nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: s.span, wrapper: c.Program})
	}
}

// sshOptions walks -o ProxyCommand=… and LocalCommand, which run here.
func (w walker) sshOptions(s simple) {
	for i, f := range s.words {
		if len(f.text) < 2 || f.text[0] != '-' {
			continue
		}
		next := field{}
		if i+1 < len(s.words) {
			next = s.words[i+1]
		}
		text, ok := optionsOf("ssh", "").value(f.text, next.text, "-o", next.text != "")
		if !ok {
			continue
		}
		if text == next.text {
			f = next
		}
		name, value, ok := strings.Cut(strings.TrimSpace(text), "=")
		if !ok {
			name, value, ok = strings.Cut(text, " ")
		}
		switch strings.ToLower(name) {
		case "proxycommand", "localcommand", "knownhostscommand":
			if ok {
				w.subshell().nested(nested{text: value, inner: -1, span: f.span, wrapper: "ssh -o " + name})
			}
		}
	}
}

// container walks the command of docker exec and docker run, also as a part of
// docker compose and docker container.
func (w walker) container(c *Command, s simple) {
	i := slices.IndexFunc(s.words, func(f field) bool { return f.text == "exec" || f.text == "run" })
	if i < 0 {
		return
	}
	switch c.Subcommand {
	case "exec", "run", "compose", "container":
	default:
		return
	}
	verb := s.words[i].text
	valued := containerValued
	if verb == "exec" {
		valued = " -e -u -w --env --user --workdir --env-file --detach-keys --index "
	}
	run := s.from(i)
	at := skipOptions(run.words, 1, valued)
	entry, ok := c.Value("--entrypoint")
	in := w.elsewhere().within(c.Program + " " + verb)
	if at+1 < len(run.words) {
		rest := run.from(at + 1)
		if verb == "run" && strings.HasPrefix(rest.words[0].text, "-") && !ok {
			return // arguments to the image's own program
		}
		if ok {
			rest.words = append([]field{{text: entry, span: rest.span, inner: -1, known: true}}, rest.words...)
		}
		in.run(rest)
	}
}

// afterOperands walks the command that follows n operands, or "--": kubectl
// exec pod -- command.
func (w walker) afterOperands(s simple, wrapper string, n int) {
	in := w.elsewhere().within(strings.TrimSpace(wrapper))
	for i, f := range s.words {
		if f.text == "--" {
			in.run(s.from(i + 1))
			return
		}
	}
	if !strings.HasSuffix(wrapper, "exec") {
		return
	}
	verb := slices.IndexFunc(s.words, func(f field) bool { return f.text == "exec" })
	if verb < 0 {
		return
	}
	i := verb + 1
	valued := optionsOf("kubectl", "exec").valued
	for ; n > 0; n-- {
		i = skipOptions(s.words, i, valued) + 1
	}
	if i = skipOptions(s.words, i, valued); i < len(s.words) {
		in.run(s.from(i))
	}
}

// vmExec walks lxc exec name -- command and vagrant ssh -c text.
func (w walker) vmExec(c *Command, s simple) {
	for i, f := range s.words {
		if f.text == "--" {
			w.elsewhere().within(c.Program + " exec").run(s.from(i + 1))
			return
		}
	}
	w.elsewhere().optionText(s, c.Program+" -c", "-c", "--command")
}

// tarActions walks the options of tar that run a program.
func (w walker) tarActions(c *Command, s simple) {
	for i, f := range s.words {
		text, ok := strings.CutPrefix(f.text, "--checkpoint-action=")
		if !ok && f.text == "--checkpoint-action" && i+1 < len(s.words) {
			text, ok = s.words[i+1].text, true
		}
		if action, isExec := strings.CutPrefix(text, "exec="); ok && isExec {
			w.subshell().nested(nested{text: strings.Trim(action, `"'`), inner: -1, span: f.span, wrapper: "tar --checkpoint-action"})
		}
	}
	w.optionText(s, "tar", "--to-command", "--use-compress-program", "-I", "--rsh-command", "--info-script", "--new-volume-script")
}

// sedRuns walks the e command and the e flag of sed, which run shell.
func (w walker) sedRuns(c *Command, s simple) {
	for _, f := range sedScripts(s) {
		text := strings.TrimLeft(f.text, "0123456789,$ ")
		if cmd, ok := strings.CutPrefix(text, "e "); ok {
			w.subshell().nested(nested{text: cmd, inner: -1, span: f.span, wrapper: "sed e"})
			continue
		}
		if parts, ok := sedSubstitution(text); ok && strings.Contains(parts[2], "e") {
			w.subshell().nested(nested{text: parts[1], inner: -1, span: f.span, wrapper: "sed e", guess: true})
		}
	}
}

// multiplexer walks what tmux and screen start or type.
func (w walker) multiplexer(c *Command, s simple) {
	o := optionsOf(c.Program, "")
	i := skipOptions(s.words, 1, o.valued)
	in := w.subshell()
	in.env.piped = false
	if c.Program == "screen" {
		if i < len(s.words) {
			in.within("screen").run(s.from(i))
		}
		return
	}
	if i >= len(s.words) {
		return
	}
	switch s.words[i].text {
	case "new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "run-shell", "run", "send-keys", "send", "popup", "display-popup":
		if j := skipOptions(s.words, i+1, o.valued); j < len(s.words) {
			words := s.words[j:]
			for len(words) > 1 && (words[len(words)-1].text == "Enter" || words[len(words)-1].text == "C-m") {
				words = words[:len(words)-1]
			}
			in.nested(joined(words, "tmux "+s.words[i].text))
		}
	}
}

// netcat walks nc -e program and socat EXEC:program.
func (w walker) netcat(c *Command, s simple) {
	if c.Program != "socat" {
		w.optionText(s, c.Program+" -e", "-e", "--exec", "-c", "--sh-exec")
		return
	}
	for _, f := range s.words[1:] {
		kind, text, ok := strings.Cut(f.text, ":")
		switch strings.ToLower(kind) {
		case "exec", "system", "shell":
			if ok {
				text, _, _ = strings.Cut(text, ",")
				text = strings.ReplaceAll(text, `\"`, `"`)
				w.subshell().nested(nested{text: strings.Trim(text, `'`), inner: -1, span: f.span, wrapper: "socat " + kind})
			}
		}
	}
}

// sqlShell walks the escapes to a shell that database clients have: \! command.
func (w walker) sqlShell(c *Command, s simple) {
	texts := []string{c.Stdin}
	for _, f := range s.words[1:] {
		texts = append(texts, f.text)
	}
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(line)
			for _, escape := range []string{`\!`, ".shell ", ".system ", "system ", "!"} {
				if cmd, ok := strings.CutPrefix(line, escape); ok {
					w.subshell().nested(nested{text: cmd, inner: -1, span: s.span, wrapper: c.Program + ` \!`})
					break
				}
			}
		}
	}
}

// vim walks -c '!cmd' and :w file; what else an editor does is not known.
func (w walker) vim(index int, s simple) {
	for i, f := range s.words {
		text := ""
		switch {
		case (f.text == "-c" || f.text == "--cmd") && i+1 < len(s.words):
			f = s.words[i+1]
			text = f.text
		case strings.HasPrefix(f.text, "+"):
			text = f.text[1:]
		default:
			continue
		}
		for part := range strings.SplitSeq(text, "|") {
			part = strings.TrimLeft(part, ": %")
			part = strings.TrimPrefix(part, "silent ")
			part = strings.TrimPrefix(part, "execute ")
			switch {
			case strings.HasPrefix(part, "!"):
				w.subshell().nested(nested{text: text[strings.Index(text, "!")+1:], inner: -1, span: f.span, wrapper: "vim -c"})
			case strings.Contains(part, "system("):
				_, arg, _ := strings.Cut(part, "system(")
				w.subshell().nested(nested{text: strings.Trim(arg, `)"' `), inner: -1, span: f.span, wrapper: "vim -c"})
			case strings.HasPrefix(part, "w "), strings.HasPrefix(part, "w! "), strings.HasPrefix(part, "saveas "):
				_, name, _ := strings.Cut(part, " ")
				f.text = strings.TrimSpace(name)
				w.effect(Effect{Kind: EffectCreate, Command: index}, f)
			}
		}
	}
}

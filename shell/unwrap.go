package shell

import (
	"path"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// unwrap takes one wrapper off a command: sudo, env, timeout, xargs. ok is false
// for other programs.
func (w walker) unwrap(s simple) (in walker, next simple, ok bool) {
	name := s.name
	if len(s.words) < 2 {
		return w, s, false
	}
	if !s.facts.Has("wrapper") {
		return w.unwrapRunner(name, s)
	}
	if s.isInert(w) {
		return w, s, false
	}
	switch name {
	case "env":
		return w.unwrapEnv(s)
	case "xargs", "gxargs":
		return w.unwrapXargs(s)
	case "parallel", "sem":
		return w.unwrapParallel(s)
	case "command":
		if strings.ContainsAny(s.words[1].text, "vV") && strings.HasPrefix(s.words[1].text, "-") {
			return w, s, false // command -v rm asks where rm is
		}
	case "busybox", "toybox":
		if strings.HasPrefix(s.words[1].text, "-") {
			return w, s, false
		}
	case "watch":
		return w.unwrapWatch(s)
	case "rtk":
		return w.unwrapRTK(s)
	case "sudo", "doas":
		if name == "sudo" && editsFile(s) {
			return w, s, false
		}
	}
	wrapper, _ := table.FindWrapper(name)
	i := skipOptions(s.words, 1, wrapper.Options)
	w = w.entered(s, s.words[1:min(i, len(s.words))])
	for i < len(s.words) && wrapper.Assigns && isAssign(s.words[i].text) {
		s.assigns = append(s.assigns, s.words[i].text)
		i++
	}
	i = min(i+wrapper.Operands, len(s.words))
	if i < len(s.words) && s.words[i].text == "--" {
		i++
	}
	if i >= len(s.words) {
		return w, s, false
	}
	in, next = w.within(name), s.from(i)
	if name == "chroot" {
		in = in.elsewhere()
		in.env.dir, in.env.lost = "/", false
		root := s.words[skipOptions(s.words, 1, wrapper.Options)]
		in.mount(w.mountOf(root, root.text, "/", false))
	}
	if wrapper.Joined {
		next.words = splitJoined(next.words)
	}
	return in, next, true
}

// unwrapRTK takes off rtk, which shortens what the command behind it prints: rtk git push. Some
// of its sub-commands give their words to sh, and others are its own.
func (w walker) unwrapRTK(s simple) (walker, simple, bool) {
	i := skipOptions(s.words, 1, table.Options{})
	if i >= len(s.words) || strings.Contains(rtkOwn, " "+s.words[i].text+" ") {
		return w, s, false
	}
	of := s.words[i].text
	byShell := strings.Contains(rtkRuns, " "+of+" ")
	if byShell || of == "proxy" {
		i++
	}
	if of == "run" && i < len(s.words) && (s.words[i].text == "-c" || s.words[i].text == "--command") {
		i++
	}
	if i >= len(s.words) {
		return w, s, false
	}
	next := s.from(i)
	if byShell {
		next.words = splitJoined(next.words)
	}
	return w.within("rtk"), next, true
}

const (
	rtkRuns = " err test summary run "
	rtkOwn  = " read smart json deps log env pipe lint format gain cc-economics config init discover session telemetry learn trust untrust verify rewrite hook hook-audit "
)

// elsewhere returns a walker for what runs on another machine, or with another
// root: the folder is not known, and its files are not ours.
func (w walker) elsewhere() walker {
	w = w.subshell()
	f := *w.frame
	f.remote, f.mounts = true, nil
	w.frame = &f
	w.env.lost = true
	return w
}

// editsFile reports sudo -e file, which is an editor and no wrapper.
func editsFile(s simple) bool {
	for _, f := range s.words[1:] {
		if !strings.HasPrefix(f.text, "-") {
			return false
		}
		if f.text == "-e" || f.text == "--edit" {
			return true
		}
	}
	return false
}

// unwrapRunner takes off tools with a sub-command that runs the rest: uv run,
// poetry run, bundle exec, git bisect run.
func (w walker) unwrapRunner(name string, s simple) (in walker, next simple, ok bool) {
	sub := s.words[1].text
	if name == "python" && sub == "-m" {
		if len(s.words) < 3 || !strings.Contains(pythonTools, " "+s.words[2].text+" ") && !isFormatter(s.words[2].text) {
			return w, s, false
		}
		return w.within("python -m"), s.from(2), true
	}
	if !s.facts.Has("runner") {
		return w, s, false
	}
	if (name == "yarn" || name == "pnpm") && isFormatter(sub) { // they run what a package has installed
		return w.within(name), s.from(1), true
	}
	runner, at, found := runnerOf(name, s.words)
	if !found {
		return w, s, false
	}
	i := skipOptions(s.words, at-1+runner.Operands, runner.Options)
	if i >= len(s.words) {
		return w, s, false
	}
	w, next = w.entered(s, s.words[1:i]), s.from(i)
	if script := next.words[0].text; runner.Python && (script == "-" || path.Ext(script) == ".py") { // no program on PATH
		next.words = append([]field{{text: "python", span: next.span, inner: -1, known: true}}, next.words...)
	}
	if runner.Joined {
		next.words = splitJoined(next.words)
	}
	if in = w.within(name + " " + s.words[at].text); runner.Remote {
		in = in.elsewhere()
	}
	return in, next, true
}

// pythonTools are modules of Python that are programs by themselves.
const pythonTools = " pip pipx twine uv poetry pdm hatch pytest build ensurepip "

// isFormatter reports whether a program writes the files that it is given.
func isFormatter(name string) bool { return table.Find(name).Value("files") == "format" }

// Formats reports whether command i is of a program that writes only those of its files that it
// would change, as gofmt and prettier do.
func (l *Line) Formats(i int) bool { return isFormatter(l.Commands[i].Program) }

// wrapperOptions returns the options of a wrapper.
func wrapperOptions(name string) table.Options {
	wrapper, _ := table.FindWrapper(name)
	return wrapper.Options
}

// skipOptions returns the index of the first word from i on that is neither an
// option nor the value of one; "--" ends options and is skipped.
func skipOptions(words []field, i int, o table.Options) int {
	for i < len(words) {
		text := words[i].text
		switch {
		case text == "--":
			return i + 1
		case len(text) < 2 || text[0] != '-':
			return i
		case o.TakesNext(text):
			i += 2
		default:
			i++
		}
	}
	return len(words)
}

// isAssign reports whether a word is NAME=value.
func isAssign(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c != '_' && !isLetter(c) && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// unwrapEnv takes off env with its options, assignments and -S.
func (w walker) unwrapEnv(s simple) (walker, simple, bool) {
	in := w.within("env").subshell()
	options := wrapperOptions("env")
	i := 1
	for i < len(s.words) {
		f := s.words[i]
		text := f.text
		switch {
		case text == "--":
			i++
			continue
		case isAssign(text):
			name, value, _ := strings.Cut(text, "=")
			s.assigns = append(s.assigns, text)
			in.env.set(name, variable{values: []string{value}, guess: !f.known})
			in.runsVariable(name, nested{text: value, inner: -1, span: f.span, guess: !f.known})
			i++
			continue
		case len(text) < 2 || text[0] != '-':
			return in, s.from(i), true
		case text == "-i" || text == "--ignore-environment":
			in.env.vars = map[string]variable{} // what env itself sets comes behind it
			i++
			continue
		case text == "-C" || text == "--chdir":
			if i+1 < len(s.words) {
				in.env.chdir(s.words[i+1])
			}
			i += 2
			continue
		case strings.HasPrefix(text, "--chdir="):
			f.text = text[len("--chdir="):]
			in.env.chdir(f)
			i++
			continue
		}
		split, rest, ok := envSplit(s.words, i)
		if ok {
			words := in.splitString(split)
			s.words = append(append([]field{s.words[0]}, words...), s.words[rest:]...)
			if len(s.words) > maxWords || !w.step() {
				w.bounded(tooBig)
				return w, s, false
			}
			i = 1
			continue
		}
		if options.TakesNext(text) {
			i++
		}
		i++
	}
	return w, s, false // env alone prints the environment
}

// envSplit returns the text of env's -S or --split-string at word i and the
// index of the word after it. -S may end a bundle: -iS.
func envSplit(words []field, i int) (text field, next int, ok bool) {
	f := words[i]
	if v, ok := strings.CutPrefix(f.text, "--split-string="); ok {
		f.text, f.inner = v, -1
		return f, i + 1, true
	}
	at := strings.IndexByte(f.text, 'S')
	if f.text != "--split-string" && (strings.HasPrefix(f.text, "--") || at < 0 || strings.Trim(f.text[1:at], "iv0") != "") {
		return f, 0, false
	}
	if f.text != "--split-string" && at+1 < len(f.text) {
		f.text, f.inner = f.text[at+1:], -1
		return f, i + 1, true
	}
	if i+1 >= len(words) {
		return f, 0, false
	}
	return words[i+1], i + 2, true
}

// splitString splits the text of env -S into words, as env does: by blanks,
// with quotes and escapes, without expanding anything but ${NAME}.
func (w walker) splitString(f field) []field {
	var out []field
	in, ok := w.enter(nested{text: f.text, inner: f.inner, span: f.span})
	if !ok {
		return nil
	}
	stmts, err := parseShell(f.text)
	if err == nil && len(stmts) == 1 {
		if words, ok := callWords(stmts[0]); ok {
			return in.words(words)
		}
	}
	for _, s := range strings.Fields(f.text) {
		out = append(out, field{text: strings.Trim(s, `'"`), span: f.span, inner: -1, known: f.known})
	}
	return out
}

// unwrapWatch takes off watch, which joins its operands and gives them to sh.
func (w walker) unwrapWatch(s simple) (walker, simple, bool) {
	i := skipOptions(s.words, 1, wrapperOptions("watch"))
	if i >= len(s.words) {
		return w, s, false
	}
	for _, f := range s.words[1:i] {
		if f.text == "-x" || f.text == "--exec" {
			return w.within("watch"), s.from(i), true
		}
	}
	next := s.from(i)
	next.words = splitJoined(next.words)
	return w.within("watch"), next, true
}

// splitJoined returns the words of a command whose operands a program joins and
// gives to sh -c.
func splitJoined(words []field) []field {
	if len(words) > 1 && !strings.ContainsAny(joinFields(words), ";|&$`<>\"'\\") {
		return words
	}
	n := joined(words, "")
	text := field{text: n.text, span: n.span, inner: n.inner, known: !n.guess}
	return shellText(text)
}

// shellText returns the words of sh -c text.
func shellText(text field) []field {
	return []field{{text: "sh", span: text.span, inner: -1, known: true}, {text: "-c", span: text.span, inner: -1, known: true}, text}
}

func joinFields(words []field) string {
	if len(words) == 1 {
		return words[0].text
	}
	texts := make([]string, len(words))
	for i, f := range words {
		texts[i] = f.text
	}
	return strings.Join(texts, " ")
}

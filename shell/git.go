package shell

import (
	"path"
	"slices"
	"strings"
)

// git walks what git runs in turn: aliases, hooks and programs set by -c, and
// the commands of rebase --exec, bisect, filter-branch, submodule foreach.
func (w walker) git(index int, s simple) {
	c := w.line.Commands[index]
	for _, a := range c.Assigns {
		name, value, _ := strings.Cut(a, "=")
		if key, ok := strings.CutPrefix(name, "GIT_CONFIG_KEY_"); ok {
			for _, b := range c.Assigns {
				if v, ok := strings.CutPrefix(b, "GIT_CONFIG_VALUE_"+key+"="); ok {
					w.gitConfig(&c, value+"="+v, s)
				}
			}
		}
	}
	for i, o := range c.Context {
		if o == "-c" && i+1 < len(c.Context) {
			w.gitConfig(&c, c.Context[i+1], s)
		}
	}
	w.gitRuns(&c, s)
}

// gitConfig follows one setting of git -c key=value.
func (w walker) gitConfig(c *Command, setting string, s simple) {
	key, value, _ := strings.Cut(setting, "=")
	lower := strings.ToLower(key)
	n := nested{text: value, inner: -1, span: s.span, wrapper: "git -c " + key}
	if name, ok := strings.CutPrefix(lower, "alias."); ok {
		if !strings.EqualFold(name, c.Subcommand) {
			return
		}
		rest := c.Args[slices.Index(c.Args, c.Subcommand)+1:]
		if text, isShell := strings.CutPrefix(value, "!"); isShell {
			n.text = text
		} else {
			n.text = "git " + value
		}
		for _, a := range rest {
			n.text += " " + quote(a)
		}
		w.subshell().nested(n)
		return
	}
	switch lower {
	case "core.sshcommand", "core.pager", "core.editor", "sequence.editor", "core.fsmonitor", "diff.external", "core.askpass", "credential.helper", "gpg.program", "core.gitproxy":
	default:
		if !strings.HasPrefix(lower, "pager.") && !strings.HasSuffix(lower, ".textconv") && !strings.HasSuffix(lower, ".command") && !strings.HasSuffix(lower, ".cmd") && !strings.HasSuffix(lower, ".clean") && !strings.HasSuffix(lower, ".smudge") && !strings.HasSuffix(lower, ".process") {
			return
		}
	}
	n.text = strings.TrimPrefix(n.text, "!")
	switch n.text {
	case "", "true", "false", "cat", "less", ":", "store", "cache", "manager", "osxkeychain":
		return
	}
	w.subshell().nested(n)
}

// gitRuns walks the commands that are words of a git command.
func (w walker) gitRuns(c *Command, s simple) {
	switch c.Subcommand {
	case "rebase":
		w.optionText(s, "git rebase -x", "-x", "--exec")
	case "submodule":
		if len(c.Operands) > 2 && c.Operands[1] == "foreach" {
			i := slices.IndexFunc(s.words, func(f field) bool { return f.text == "foreach" })
			if i = skipOptions(s.words, i+1, " "); i < len(s.words) {
				w.subshell().nested(joined(s.words[i:], "git submodule foreach"))
			}
		}
	case "filter-branch":
		for _, name := range []string{"--env-filter", "--tree-filter", "--index-filter", "--parent-filter", "--msg-filter", "--commit-filter", "--tag-name-filter", "--setup"} {
			w.optionText(s, "git filter-branch "+name, name)
		}
	case "difftool", "mergetool":
		w.optionText(s, "git "+c.Subcommand+" -x", "-x", "--extcmd")
	case "clone", "fetch", "pull", "ls-remote":
		w.optionText(s, "git --upload-pack", "-u", "--upload-pack")
		w.gitExt(c, s)
	case "push":
		w.optionText(s, "git --receive-pack", "--receive-pack", "--exec")
		w.gitExt(c, s)
	case "config":
		w.gitAliasDefined(c, s)
	}
}

// gitExt walks the ext:: transport, whose address is a command.
func (w walker) gitExt(c *Command, s simple) {
	for _, f := range s.words[1:] {
		if text, ok := strings.CutPrefix(f.text, "ext::"); ok {
			w.subshell().nested(nested{text: strings.ReplaceAll(text, "%S", "git"), inner: -1, span: f.span, wrapper: "git ext::"})
		}
	}
}

// gitAliasDefined notes an alias that the line defines for its own later use,
// as if it were a shell function "git name".
func (w walker) gitAliasDefined(c *Command, s simple) {
	for i, f := range s.words {
		name, ok := strings.CutPrefix(f.text, "alias.")
		if ok && i+1 < len(s.words) {
			w.env.set("git alias "+name, variable{values: []string{s.words[i+1].text}, guess: !s.words[i+1].known})
		}
	}
}

// gitAlias runs an alias that git config defined earlier in the line.
func (w walker) gitAlias(index int, s simple) {
	c := w.line.Commands[index]
	v, ok := w.get("git alias " + c.Subcommand)
	if !ok || c.Program != "git" || len(v.values) != 1 {
		return
	}
	w.gitConfig(&c, "alias."+c.Subcommand+"="+v.values[0], s)
}

// gitEffects records what git does to files of the work tree.
func (w walker) gitEffects(c *Command, index int, s simple) {
	rest := operandFields(c, s)
	if len(rest) == 0 {
		return
	}
	sub := rest[0].text
	rest = rest[1:]
	switch sub {
	case "rm":
		if c.HasFlag("--cached", "-n") {
			return
		}
		w.each(Effect{Kind: EffectDelete, Command: index}, rest)
	case "mv":
		w.moves(index, rest)
	case "checkout":
		w.gitCheckout(c, index, s)
	case "restore":
		if !c.HasFlag("--staged") || c.HasFlag("--worktree") {
			w.each(Effect{Kind: EffectEdit, Command: index}, rest)
		}
	case "clean":
		if c.HasFlag("-n") {
			return
		}
		if len(rest) == 0 {
			rest = []field{{text: ".", inner: -1}}
		}
		for _, f := range rest {
			w.guessed(Effect{Kind: EffectDelete, Command: index}, f)
		}
	case "apply", "am":
		if !c.HasFlag("--check", "--stat", "--numstat", "--summary", "--cached") {
			dir, _ := c.Value("--directory")
			strip := patchStrip(c, 1)
			w.patches(index, rest, patchOptions{strip: strip, dir: dir, reverse: c.HasFlag("-R")})
		}
	case "worktree":
		if len(rest) > 1 && rest[0].text == "remove" {
			w.each(Effect{Kind: EffectDelete, Command: index}, rest[1:2])
		}
	case "archive", "bundle", "format-patch", "diff", "log", "show":
		if out, ok := c.Value("-o", "--output"); ok && sub != "format-patch" {
			w.effect(Effect{Kind: EffectCreate, Command: index}, named(s, out))
		}
	case "config":
		w.gitConfigFile(c, index, s, rest)
	case "clone":
		if len(rest) > 1 {
			w.guessed(Effect{Kind: EffectCreate, Command: index}, rest[1])
		}
	case "update-ref", "symbolic-ref":
		if c.HasFlag("-d") && len(rest) > 0 {
			rest[0].text = ".git/" + rest[0].text
			w.guessed(Effect{Kind: EffectDelete, Command: index}, rest[0])
		}
	}
}

// gitConfigFile is the file that git config changes; reading it changes nothing.
func (w walker) gitConfigFile(c *Command, index int, s simple, rest []field) {
	if c.HasFlag("-l", "--get", "--get-all", "--get-regexp", "--show-origin") {
		return
	}
	if len(rest) < 2 && !c.HasFlag("--unset", "--unset-all", "-e", "--remove-section") {
		return
	}
	file := field{text: ".git/config", known: true}
	if name, ok := c.Value("-f", "--file"); ok {
		file = named(s, name)
	} else if c.HasFlag("--global") {
		file.text = "~/.gitconfig"
	} else if c.HasFlag("--system") {
		file.text = "/etc/gitconfig"
	}
	w.effect(Effect{Kind: EffectEdit, Command: index}, file)
}

// gitCheckout records the files that checkout overwrites: those after "--", or
// operands that look like paths. A branch is not a path.
func (w walker) gitCheckout(c *Command, index int, s simple) {
	if c.HasFlag("-b", "-B", "--orphan") {
		return
	}
	e := Effect{Kind: EffectEdit, Command: index}
	for i, f := range s.words {
		if f.text == "--" {
			w.each(e, s.words[i+1:])
			return
		}
	}
	operands := operandFields(c, s)[1:]
	for i, f := range operands {
		switch {
		case f.text == "." || strings.HasPrefix(f.text, "./") || strings.HasPrefix(f.text, ":/"):
			w.effect(e, f)
		case i > 0: // git checkout tree-ish path
			w.effect(e, f)
		case strings.Contains(path.Base(f.text), ".") && !strings.Contains(f.text, ".."):
			w.guessed(e, f)
		}
	}
	if c.HasFlag("-f") && len(operands) <= 1 {
		w.guessed(e, field{text: ".", inner: -1})
	}
}

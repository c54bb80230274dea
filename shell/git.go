package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// git walks what git runs in turn: aliases, hooks and programs set by -c, and
// the commands of rebase --exec, bisect, filter-branch, submodule foreach.
func (w walker) git(c *recorded) {
	given := w.gitGiven(c)
	for _, setting := range given {
		w.gitConfig(c, setting)
	}
	w.given(given).gitAlias(c)
	w.gitCommands(c)
}

// hubOwn are the sub-commands of hub that git does not have. It gives all others to git.
const hubOwn = " alias api browse ci-status compare create delete fork gist issue pr pull-request release sync "

// hub walks the command of git that hub runs.
func (w walker) hub(c *recorded) {
	if c.Subcommand == "" || strings.Contains(hubOwn, " "+c.Subcommand+" ") {
		return
	}
	s := c.simple
	s.words = slices.Clone(s.words)
	s.words[0].text, s.words[0].inner, s.name = "git", -1, ""
	w.within("hub").analyze(s)
}

// gitConfig walks the command that a setting of the line names.
func (w walker) gitConfig(c *recorded, setting string) {
	key, value, _ := strings.Cut(setting, "=")
	lower := strings.ToLower(key)
	n := nested{text: value, inner: -1, span: c.span, wrapper: "git -c " + key}
	if !gitRunsSetting(lower) {
		return
	}
	n.text = strings.TrimPrefix(n.text, "!")
	switch n.text {
	case "", "true", "false", "cat", "less", ":", "store", "cache", "manager", "osxkeychain":
		return
	}
	w.subshell().nested(n)
}

// gitSettings are settings of git whose value is a command.
const gitSettings = " core.sshcommand core.pager core.editor sequence.editor core.fsmonitor diff.external core.askpass credential.helper gpg.program core.gitproxy "

// gitRunsSetting reports whether the value of a setting is a command.
func gitRunsSetting(key string) bool {
	if strings.Contains(gitSettings, " "+key+" ") || strings.HasPrefix(key, "pager.") {
		return true
	}
	return slices.Contains([]string{".textconv", ".command", ".cmd", ".clean", ".smudge", ".process"}, path.Ext(key))
}

// needsForce reports whether git clean does nothing without -f, whatever the settings of
// the machine: its own words say so, and the last of them counts.
func (c *recorded) needsForce() (needs bool) {
	for _, o := range c.Context {
		key, value, _ := strings.Cut(strings.TrimPrefix(o, "-c"), "=")
		if strings.EqualFold(key, "clean.requireForce") {
			needs = slices.Contains([]string{"true", "yes", "on", "1", ""}, strings.ToLower(value))
		}
	}
	return needs
}

// gitCommands walks the commands that are words of a git command.
func (w walker) gitCommands(c *recorded) {
	switch c.Subcommand {
	case "rebase":
		w.optionText(c, "git rebase -x", "-x", "--exec")
	case "submodule":
		if len(c.Operands) > 2 && c.Operands[1] == "foreach" {
			i := slices.IndexFunc(c.words, func(f field) bool { return f.text == "foreach" })
			if i = skipOptions(c.words, i+1, table.Options{}); i < len(c.words) {
				w.subshell().nested(joined(c.words[i:], "git submodule foreach"))
			}
		}
	case "filter-branch":
		for _, name := range []string{"--env-filter", "--tree-filter", "--index-filter", "--parent-filter", "--msg-filter", "--commit-filter", "--tag-name-filter", "--setup"} {
			w.optionText(c, "git filter-branch "+name, name)
		}
	case "difftool", "mergetool":
		w.optionText(c, "git "+c.Subcommand+" -x", "-x", "--extcmd")
	case "clone", "fetch", "pull", "ls-remote":
		w.optionText(c, "git --upload-pack", "-u", "--upload-pack")
		w.gitExt(c)
	case "push":
		w.optionText(c, "git --receive-pack", "--receive-pack", "--exec")
		w.gitExt(c)
	case "archive":
		w.optionText(c, "git archive --exec", "--exec")
	case "send-email":
		w.optionText(c, "git send-email", "--to-cmd", "--cc-cmd", "--header-cmd", "--sendmail-cmd")
	case "grep":
		for _, f := range c.words[1:] {
			text, short := strings.CutPrefix(f.text, "-O")
			if _, long, ok := strings.Cut(f.text, "="); ok && strings.HasPrefix(f.text, "--op") {
				text, short = long, true
			}
			if short && text != "" {
				w.nestedText(text, f.span, "git grep -O")
			}
		}
	case "config":
		w.gitConfigured(c)
	}
}

// gitExt walks the ext:: transport, whose address is a command.
func (w walker) gitExt(c *recorded) {
	for _, f := range c.words[1:] {
		if text, ok := strings.CutPrefix(f.text, "ext::"); ok {
			w.nestedText(extCommand(text), f.span, "git ext::")
		}
	}
}

// gitEffects records what git does to files of the work tree.
func (w walker) gitEffects(c *recorded) {
	if len(c.operands) == 0 {
		return
	}
	sub, rest := c.operands[0].text, c.rest(1)
	before := len(w.line.Effects)
	switch sub {
	case "rebase":
		w.gitDropped(c)
	case "push", "send-pack":
		w.gitPush(c)
	case "fetch", "pull":
		w.gitFetch(c)
	case "rm":
		if c.HasFlag("--cached", "-n") {
			return
		}
		w.note(EffectDelete, c.index, rest...)
	case "mv":
		w.moveTo(c, rest)
	case "checkout":
		w.sure().gitCheckout(c)
		w.gitOverwritten(c, before)
	case "restore":
		if !c.HasFlag("--staged") || c.HasFlag("--worktree") {
			w.sure().note(EffectEdit, c.index, rest...)
			w.gitOverwritten(c, before)
		}
	case "clean":
		if c.HasFlag("-n") || !c.HasFlag("-f", "-i") && c.needsForce() {
			return
		}
		if len(rest) == 0 {
			rest = []field{{text: ".", inner: -1}}
		}
		for _, f := range rest {
			if f.text != ".git" && !strings.HasPrefix(f.text, ".git/") { // which it never enters
				w.noteGuess(EffectDelete, c.index, f)
			}
		}
	case "apply", "am":
		if !c.HasFlag("--check", "--stat", "--numstat", "--summary", "--cached") {
			dir, _ := c.Value("--directory")
			strip := patchStrip(c.Command, 1)
			w.patches(c.index, rest, patchOptions{strip: strip, dir: dir, reverse: c.HasFlag("-R")})
		}
	case "worktree":
		if len(rest) > 1 && rest[0].text == "remove" {
			w.note(EffectDelete, c.index, rest[1:2]...)
		}
	case "archive", "bundle", "format-patch", "diff", "log", "show", "blame", "annotate", "cat-file", "grep":
		w.note(EffectRead, c.index, c.gitPrinted(sub, rest)...)
		if out, ok := c.Value("-o", "--output"); ok && sub != "format-patch" {
			w.note(EffectCreate, c.index, c.named(out))
		}
	case "config":
		w.gitConfigFile(c, rest)
	case "clone":
		if len(rest) > 1 {
			w.noteGuess(EffectCreate, c.index, rest[1])
		}
	case "update-ref", "symbolic-ref":
		if c.HasFlag("-d") && len(rest) > 0 {
			ref := rest[0]
			ref.text = ".git/" + ref.text
			w.noteGuess(EffectDelete, c.index, ref)
		}
	}
}

// gitConfigFile is the file that git config changes; reading it changes nothing.
func (w walker) gitConfigFile(c *recorded, rest []field) {
	if c.HasFlag("-l", "--get", "--get-all", "--get-regexp", "--show-origin") {
		return
	}
	if len(rest) < 2 && !c.HasFlag("--unset", "--unset-all", "-e", "--remove-section") {
		return
	}
	file := field{text: ".git/config", known: true}
	if name, ok := c.Value("-f", "--file"); ok {
		file = c.named(name)
	} else if c.HasFlag("--global") {
		file.text = "~/.gitconfig"
	} else if c.HasFlag("--system") {
		file.text = "/etc/gitconfig"
	}
	e := Effect{Kind: EffectEdit, Command: c.index}
	if len(rest) == 2 && rest[0].known && rest[1].known && !slices.Contains(c.Args, "--file") && !c.HasFlag("-e", "--unset") {
		e.Content = rest[0].text + " = " + rest[1].text
	}
	w.effect(e, file)
}

// gitCheckout records the files that checkout overwrites: those after "--", or
// operands that look like paths. A branch is not a path.
func (w walker) gitCheckout(c *recorded) {
	if c.HasFlag("-b", "-B", "--orphan") {
		return
	}
	for i, f := range c.words {
		if f.text == "--" {
			w.note(EffectEdit, c.index, c.words[i+1:]...)
			return
		}
	}
	operands := c.operands[1:]
	for i, f := range operands {
		switch {
		case f.text == "." || strings.HasPrefix(f.text, "./") || strings.HasPrefix(f.text, ":/"):
			w.note(EffectEdit, c.index, f)
		case i > 0: // git checkout tree-ish path
			w.note(EffectEdit, c.index, f)
		case strings.Contains(path.Base(f.text), ".") && !strings.Contains(f.text, ".."):
			w.noteGuess(EffectEdit, c.index, f)
		}
	}
	if c.HasFlag("-f") && len(operands) <= 1 {
		w.noteGuess(EffectEdit, c.index, field{text: ".", inner: -1})
	}
}

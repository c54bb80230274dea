package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/gitconfig"
)

// gitOwn are sub-commands that are a part of git itself. It runs them whatever an alias of their
// name says. Those that a version of the last years may lack are left out.
const gitOwn = " add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap" +
	" check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config" +
	" count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack" +
	" filter-branch fmt-merge-msg for-each-ref format-patch fsck gc grep hash-object help index-pack init init-db" +
	" interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit merge merge-base merge-file merge-index merge-tree" +
	" mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff" +
	" read-tree rebase receive-pack reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm" +
	" send-pack shortlog show show-branch show-index show-ref stage stash status stripspace submodule switch symbolic-ref tag" +
	" unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged" +
	" worktree write-tree "

func isGits(sub string) bool { return strings.Contains(gitOwn, " "+sub+" ") }

// asSettings is for files of settings of git, which reads them whole, whatever is in them.
var asSettings = purpose{"file of settings", maxPatch, true}

// Bounds of where settings are looked for.
const (
	maxIncludes = 10 // files that include each other, as in git
	maxAbove    = 20 // folders above the current one
)

// A gitAlias is what files of settings say that a sub-command means.
type gitAlias struct {
	value string
	guess bool // it may not hold
}

// gitAlias walks what an alias of the files of settings does, or one that the line itself has
// defined before.
func (w walker) gitAlias(c *recorded) {
	if c.Program != "git" || c.Subcommand == "" || isGits(c.Subcommand) {
		return
	}
	n := nested{wrapper: "git " + c.Subcommand}
	if v, ok := w.get("git alias " + strings.ToLower(c.Subcommand)); ok && len(v.values) == 1 {
		n.guess, n.wrapper = v.guess, "git -c alias."+c.Subcommand
		w.gitAliased(c, v.values[0], n)
		return
	}
	w = w.subshell()
	w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	for _, a := range w.gitAliases(c)[strings.ToLower(c.Subcommand)] {
		n.guess = a.guess
		w.gitAliased(c, a.value, n)
	}
}

// gitAliased walks the value of an alias that a command runs.
func (w walker) gitAliased(c *recorded, value string, n nested) {
	name := "git alias " + strings.ToLower(c.Subcommand)
	if slices.Contains(w.calls, name) {
		return // git ends at a circle
	}
	in := w.newProcess()
	in.env.start()
	in.env.dir, in.env.lost = c.Dir, c.DirUnknown
	rest := c.Args[slices.Index(c.Args, c.Subcommand)+1:]
	if text, isShell := strings.CutPrefix(value, "!"); isShell {
		n.text = text
		in.env.params, in.env.knows = nil, true
		for _, arg := range rest {
			in.env.params = append(in.env.params, field{text: arg, span: c.span, inner: -1, known: true})
		}
		_, top := in.gitRepository(c)
		if in.env.dir = joinPath(in.dir, top); in.env.dir == "." {
			in.env.dir = ""
		}
	} else {
		words, ok := gitconfig.Words(value)
		if !ok {
			words = []string{value}
		}
		n.text = "git " + strings.Join(quoted(slices.Concat(c.gitContext(), words)), " ")
	}
	if len(rest) > 0 {
		n.text += " " + strings.Join(quoted(rest), " ")
	}
	n.inner, n.span = -1, c.span
	n.guess = n.guess || slices.ContainsFunc(c.words, func(f field) bool { return !f.known })
	in, ok := in.enter(n)
	if !ok || !w.grow(len(n.text)/16) {
		return
	}
	in.frame.calls = append(slices.Clip(w.calls), name)
	in.text(n.text)
}

func quoted(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = quote(word)
	}
	return all
}

// gitContext are the options in front of an alias that hold for what it means, too: all but those
// with a folder, which is entered already, and settings that are walked with the alias.
func (c *recorded) gitContext() (words []string) {
	for i := 0; i < len(c.Context); i++ {
		switch word := c.Context[i]; {
		case word == "-C" || word == "-c" && i+1 < len(c.Context) && walked(c.Context[i+1]):
			i++
		case strings.HasPrefix(word, "-C"), strings.HasPrefix(word, "-c") && walked(word[2:]):
		default:
			words = append(words, word)
		}
	}
	return words
}

// walked reports whether a setting on the command line is one that gitConfig follows.
func walked(setting string) bool {
	key, _, _ := strings.Cut(strings.ToLower(setting), "=")
	return strings.HasPrefix(key, "alias.") || gitRunsSetting(key)
}

// gitAliases are the aliases of the files of settings that hold for a command, by name. A file is
// read when a line has a sub-command that git does not know.
func (w walker) gitAliases(c *recorded) map[string][]gitAlias {
	repository, _ := w.gitRepository(c)
	files := append(w.gitOwnFiles(), repository...)
	at := strings.Join(files, "\n")
	if w.lost {
		at = "?" + at
	}
	found, ok := w.gitNames[at]
	if !ok {
		found = map[string][]gitAlias{}
		for _, name := range files {
			w.readAliases(found, name, false, 0)
		}
		if w.gitNames == nil {
			w.analyzer.gitNames = map[string]map[string][]gitAlias{}
		}
		w.gitNames[at] = found
	}
	return found
}

// gitOwnFiles are the files of settings of the machine and of the user, in the order of git.
func (w walker) gitOwnFiles() []string {
	files := []string{"/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"}
	named := func(variable, behind string, otherwise ...string) {
		if v, ok := w.get(variable); ok && len(v.values) == 1 {
			files = append(files, v.values[0]+behind)
			return
		}
		files = append(files, otherwise...)
	}
	named("GIT_CONFIG_SYSTEM", "")
	named("XDG_CONFIG_HOME", "/git/config", "~/.config/git/config")
	named("HOME", "/.gitconfig", "~/.gitconfig")
	named("GIT_CONFIG_GLOBAL", "")
	for i, name := range files {
		files[i] = joinPath(w.dir, name)
	}
	return files
}

// gitRepository are the files of settings of the repository that a command of git is about, and
// the top of its work tree from the current folder.
func (w walker) gitRepository(c *recorded) (files []string, top string) {
	if dirs := contextValues(c.Context, []string{"--git-dir"}); len(dirs) > 0 {
		return w.gitSettingsIn(joinPath(w.dir, dirs[len(dirs)-1])), ""
	}
	for range maxAbove {
		dir := joinPath(w.dir, top)
		if w.settings(joinPath(dir, ".git/config")).known {
			return w.gitSettingsIn(joinPath(dir, ".git")), top
		}
		if text := w.settings(joinPath(dir, ".git")); text.known {
			link, _ := strings.CutPrefix(strings.TrimSpace(text.text), "gitdir: ")
			return w.gitSettingsIn(joinPath(dir, link)), top
		}
		if w.settings(joinPath(dir, "HEAD")).known && w.settings(joinPath(dir, "config")).known { // without a work tree
			return w.gitSettingsIn(dir), top
		}
		top += "../"
	}
	return nil, ""
}

// gitSettingsIn are the files of settings of a folder of git's own.
func (w walker) gitSettingsIn(dir string) []string {
	common := dir
	if text := w.settings(joinPath(dir, "commondir")); text.known { // of a further work tree
		common = joinPath(dir, strings.TrimSpace(text.text))
	}
	return []string{joinPath(common, "config"), joinPath(dir, "config.worktree")}
}

// settings is the content of a file, with what the line has written to it. Its name is one from
// the folder that the line starts in.
func (w walker) settings(name string) output {
	if w.remote || w.lost && !isFixed(name) {
		return output{}
	}
	content := w.readFile(name, asSettings)
	if own, ok := w.fileAt(name); ok {
		content.text, content.known = content.text+"\n"+own.text, true
	}
	return content
}

// readAliases adds the aliases of a file, and of those that it includes. The last one of a name
// counts; whether a condition of an include is true is not known.
func (w walker) readAliases(found map[string][]gitAlias, name string, guess bool, depth int) {
	content := w.settings(name)
	if !content.known || depth > maxIncludes || !w.grow(len(content.text)/4) {
		return
	}
	for _, s := range gitconfig.Read(content.text, "alias", "include", "includeif") {
		switch {
		case s.Section != "alias":
			if s.Key == "path" {
				w.readAliases(found, joinPath(path.Dir(name), s.Value), guess || s.Section == "includeif", depth+1)
			}
		default:
			alias := s.Key
			if s.Subsection != "" {
				if alias = strings.ToLower(s.Subsection); s.Key != "command" {
					alias += "." + s.Key
				}
			}
			if !guess {
				found[alias] = nil
			}
			found[alias] = append(found[alias], gitAlias{s.Value, guess})
		}
	}
}

package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/gitconfig"
)

// gitOwn are sub-commands that are a part of git itself. It runs them whatever an alias of their
// name says. Those that a version may lack are left out, and whatchanged: an alias may replace it.
const gitOwn = " add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap" +
	" check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config" +
	" count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack" +
	" filter-branch fmt-merge-msg for-each-ref format-patch fsck gc grep hash-object help index-pack init init-db" +
	" interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit merge merge-base merge-file merge-index merge-tree" +
	" mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff" +
	" read-tree rebase receive-pack reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm" +
	" send-pack shortlog show show-branch show-index show-ref stage stash status stripspace submodule switch symbolic-ref tag" +
	" unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version worktree write-tree "

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

// gitAlias walks what an alias does, of the files of settings or one that the line itself has
// defined. Both are walked: the line may have failed to define it, or for another repository.
func (w walker) gitAlias(c *recorded) {
	if c.Program != "git" || c.Subcommand == "" || isGits(c.Subcommand) {
		return
	}
	name := strings.ToLower(c.Subcommand)
	values, guess := w.gitDefined(aliasDefined + name)
	for _, value := range values {
		w.gitAliased(c, value, nested{wrapper: "git -c alias." + c.Subcommand, guess: guess})
	}
	for _, a := range w.gitAliases(c)[name] {
		w.gitAliased(c, a.value, nested{wrapper: "git " + c.Subcommand, guess: a.guess})
	}
	w.gitUnseen(c)
	w.gitCorrected(c)
}

// gitAliased walks the value of an alias that a command runs.
func (w walker) gitAliased(c *recorded, value string, n nested) {
	name := "git alias " + strings.ToLower(c.Subcommand) + "=" + value
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
		if in.env.dir = joinPath(in.dir, in.gitRepository(c).top); in.env.dir == "." {
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

// gitContext returns the options in front of an alias that git passes on to the command. Folders are
// left out, because they are entered already, and so are settings that are walked with the alias.
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
	w = w.subshell()
	w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	files := append(w.gitOwnFiles(), w.gitRepository(c).files...)
	at := fmt.Sprint(w.remote, len(w.written), len(w.line.Effects), files)
	w.env.lost = false // their names are known
	found, ok := w.gitNames[at]
	if !ok {
		found = map[string][]gitAlias{}
		for _, f := range files {
			w.readAliases(found, f.name, f.guess, 0)
		}
		if w.gitNames == nil {
			w.analyzer.gitNames = map[string]map[string][]gitAlias{}
		}
		w.gitNames[at] = found
	}
	return found
}

// A gitFile is a file of settings.
type gitFile struct {
	name  string
	guess bool // git may not read it
}

// gitOwnFiles are the files of settings of the machine, of the user and of the line, in the order of
// git.
func (w walker) gitOwnFiles() (files []gitFile) {
	add := func(name string) {
		if name = homePath(name); !w.lost || isFixed(name) {
			files = append(files, gitFile{joinPath(w.dir, name), false})
		}
	}
	for _, name := range [...]string{"/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"} {
		add(name)
	}
	for _, of := range [...]struct{ variable, behind, usual string }{
		{"GIT_CONFIG_SYSTEM", "", ""},
		{"HOME", "/.config/git/config", "~"},
		{"XDG_CONFIG_HOME", "/git/config", ""},
		{"HOME", "/.gitconfig", "~"},
		{"GIT_CONFIG_GLOBAL", "", ""},
		{filesDefined, "", ""},
	} {
		folders, guess := w.gitDefined(of.variable)
		if guess || slices.ContainsFunc(folders, isOpen) {
			w.unsure()
		}
		if len(folders) == 0 && of.usual != "" {
			folders = []string{of.usual}
		}
		for _, dir := range folders {
			add(dir + of.behind)
		}
	}
	return files
}

// A gitPlace is where a repository is.
type gitPlace struct {
	files []gitFile // of its settings
	top   string    // of the work tree, from the current folder
}

// gitRepository is the repository that a command of git is about. Git skips a folder that only looks
// like one, which its files do not tell for certain: then those above count too. If none is found, as
// behind a link or in an unknown folder, the command may be about that of the line's first folder.
func (w walker) gitRepository(c *recorded) (p gitPlace) {
	found := false
	if dirs := contextValues(c.Context, []string{"--git-dir"}); len(dirs) > 0 {
		if dir := homePath(dirs[len(dirs)-1]); !w.lost || isFixed(dir) {
			p.files = w.gitSettingsIn(joinPath(w.dir, dir), false)
			return p
		}
	}
	if !w.lost {
		p, found = w.gitAbove()
	}
	if !found && (w.lost || w.dir != "") {
		w = w.subshell()
		w.env.dir, w.env.lost = "", false
		above, _ := w.gitAbove()
		for _, f := range above.files {
			p.files = append(p.files, gitFile{f.name, true})
		}
	}
	if dirs, ok := w.get("GIT_COMMON_DIR"); ok && !w.lost {
		for _, dir := range eachOf(dirs) {
			p.files = append(p.files, gitFile{joinPath(w.dir, homePath(dir)+"/config"), false})
		}
	}
	return p
}

// gitAbove is the repository of the current folder. Whether a folder is one says
// [Options.GitFolder]; the settings of one that is not may come to count, as those above do where
// that is not known, or the line may have changed it.
func (w walker) gitAbove() (p gitPlace, found bool) {
	top, firm := "", !w.gitChanges().disturbed
	for range maxAbove {
		dir := joinPath(w.dir, top)
		own := joinPath(dir, ".git")
		link := w.settings(own)
		switch {
		case link.known:
			to, _ := strings.CutPrefix(strings.TrimSpace(link.text), "gitdir: ")
			p.at(top, firm)
			p.files, found = append(p.files, w.gitSettingsIn(joinPath(dir, to), false)...), firm
		case w.isGitFolder(own) || w.settings(joinPath(own, "config")).known:
			found = firm && w.isGitFolder(own)
			p.at(top, found)
			p.files = append(p.files, w.gitSettingsIn(own, !found)...)
		case w.isGitFolder(dir) || w.settings(joinPath(dir, "HEAD")).known && w.settings(joinPath(dir, "config")).known: // without a work tree
			found = firm && w.isGitFolder(dir)
			p.files = append(p.files, w.gitSettingsIn(dir, true)...)
		}
		if found {
			return p, true
		}
		top += "../"
	}
	return p, false
}

// at notes the top of a work tree: of the first repository, or of the one that is found.
func (p *gitPlace) at(top string, found bool) {
	if found || len(p.files) == 0 {
		p.top = top
	}
}

// isGitFolder reports whether a folder is known to be one of git's own.
func (w walker) isGitFolder(dir string) bool {
	return w.opts.GitFolder != nil && !w.remote && w.opts.GitFolder(dir)
}

// gitSettingsIn are the files of settings of a folder of git's own.
func (w walker) gitSettingsIn(dir string, guess bool) []gitFile {
	common := dir
	if text := w.settings(joinPath(dir, "commondir")); text.known { // of a further work tree
		common = joinPath(dir, strings.TrimSpace(text.text))
	}
	return []gitFile{{joinPath(common, "config"), guess}, {joinPath(dir, "config.worktree"), guess}}
}

// settings is the content of a file, with what the line has written to it. Its name is one from
// the folder that the line starts in.
func (w walker) settings(name string) output {
	if w.remote || w.lost && !isFixed(name) {
		return output{}
	}
	w.unseenIn(name)
	content := w.readFile(name, asSettings)
	if own, ok := w.fileAt(name); ok {
		text, _ := w.filesText(own.files, asSettings)
		content.text, content.known = content.text+"\n"+text+"\n"+own.text, true
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
			alias, guess := s.Key, guess
			if s.Subsection != "" { // older versions of git do not know it, and capitals count in it
				guess = true
				if alias = strings.ToLower(s.Subsection); s.Key != "command" {
					alias += "." + s.Key
				}
			}
			if !guess {
				found[alias] = nil
			}
			switch one := (gitAlias{s.Value, guess}); {
			case slices.Contains(found[alias], one):
			case len(found[alias]) == maxGiven:
				w.bounded("an alias of git has more values than are read: " + alias)
			default:
				found[alias] = append(found[alias], one)
			}
		}
	}
}

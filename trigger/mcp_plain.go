package trigger

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
)

// The effects of MCP tools that their own server defines are read from plain words: of the
// tool's name, and of the keys of its arguments.
var (
	codeKeys   = []string{"code", "source", "script", "snippet", "program", "cell", "source_code", "sourceCode", "cell_source", "cellSource"}
	typedKeys  = []string{"input", "keys", "text", "data", "chars", "keystrokes", "line", "message", "stdin"}
	folderKeys = []string{"dir", "directory", "folder", "path", "location", "parent", "parent_path", "base", "base_path", "root", "cwd", "workspace", "to_dir", "output_dir", "outputDir"}
	nameKeys   = []string{"name", "filename", "file_name", "fileName", "file", "basename", "title"}
	repoKeys   = []string{"repo_path", "repoPath", "repo", "repository", "path", "cwd", "directory", "working_dir", "workingDirectory"}
)

// bounds of the values that are looked at for paths
const (
	plainValues = 64
	plainDepth  = 4
	plainPath   = 1024 // bytes
)

// plainCommands are the commands that a tool runs which takes code, keys or the
// arguments of git.
func (c *call) plainCommands(id mcpID) []string {
	words := nameWords(id.tool)
	all := nameWords(id.server + "_" + id.tool)
	var found []string
	if (anyWord(words, "execute", "exec", "run", "eval", "evaluate", "cell", "python", "code") || anyWord(all, "repl", "interpreter", "ipython", "jupyter")) &&
		!anyWord(all, "browser", "page", "playwright", "puppeteer", "chrome", "devtools", "selenium", "database", "sql") {
		for _, text := range c.textsUnder(codeKeys) {
			if interpreter := c.interpreted(all); interpreter != "" {
				text = interpreter + quoteWord(text)
			}
			found = appendNew(found, text)
		}
	}
	if anyWord(all, "process", "terminal", "shell", "tmux", "screen", "pane", "session", "console", "pty", "repl", "bash") &&
		anyWord(words, "send", "type", "write", "input", "interact", "keys", "press", "paste", "enter", "execute", "run") {
		for _, text := range c.textsUnder(typedKeys) {
			found = appendNew(found, strings.TrimSuffix(text, " Enter"))
			if strings.ContainsAny(text, "(=") { // what is typed into may be an interpreter
				found = appendNew(found, "python3 -c "+quoteWord(text))
			}
		}
	}
	if text := c.gitCommand(id, all); text != "" {
		found = appendNew(found, text)
	}
	return found
}

// textsUnder are the texts under keys; one of them may hold a list of lines.
func (c *call) textsUnder(keys []string) []string {
	var found []string
	for _, k := range keys {
		for _, raw := range c.args.values(k) {
			if raw[0] == '"' || raw[0] == '[' {
				if text := asText(raw); text != "" && text[0] != '{' {
					found = appendNew(found, text)
				}
			}
		}
	}
	return found
}

// interpreted is the beginning of a command that runs code of the language that the
// arguments or the name say; Python without any, "" for a shell.
func (c *call) interpreted(words map[string]bool) string {
	language, _ := c.args.firstText([]string{"language", "lang", "kernel", "runtime", "interpreter"})
	for word := range nameWords(strings.ToLower(language)) {
		words[word] = true
	}
	switch {
	case anyWord(words, "javascript", "js", "node", "typescript", "ts", "deno", "bun"):
		return "node -e "
	case anyWord(words, "bash", "sh", "shell", "zsh"):
		return ""
	case anyWord(words, "ruby"):
		return "ruby -e "
	case anyWord(words, "perl"):
		return "perl -e "
	case anyWord(words, "php"):
		return "php -r "
	}
	return "python3 -c "
}

// gitCommand is the command of a tool such as git_checkout or git:reset.
func (c *call) gitCommand(id mcpID, all map[string]bool) string {
	sub, ok := strings.CutPrefix(strings.ToLower(id.tool), "git_")
	if !ok && all["git"] && strings.EqualFold(id.server, "git") {
		sub, ok = strings.ToLower(id.tool), true
	}
	sub = strings.ReplaceAll(sub, "_", "-")
	if !ok || sub == "" || strings.ContainsFunc(sub, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') }) {
		return ""
	}
	words := []string{"git"}
	if repo, ok := c.args.firstText(repoKeys); ok && repo != "" {
		words = append(words, "-C", repo)
	}
	words = append(words, sub)
	for _, k := range sortedKeys(c.args.obj) {
		if !slices.Contains(repoKeys, k) {
			words = append(words, gitArgument(k, c.args.obj[k])...)
		}
	}
	return joinWords(words)
}

// gitArgument writes one argument as git's command line has it.
func gitArgument(key string, raw json.RawMessage) []string {
	if s, ok := asString(raw); ok {
		switch {
		case s == "":
			return nil
		case key == "mode" || key == "action" && (s == "hard" || s == "soft" || s == "keep"):
			return []string{"--" + s}
		case key == "message" || key == "body":
			return []string{"-m", s}
		case strings.HasPrefix(s, "--"):
			return strings.Fields(s)
		}
		return []string{s}
	}
	if string(raw) == "true" {
		return []string{"--" + strings.ReplaceAll(key, "_", "-")}
	}
	return wordsOf(asList(raw))
}

func sortedKeys(obj map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(obj))
	for k := range obj {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// A plainValue is an argument that is the path of a file.
type plainValue struct{ key, path string }

// plainPaths are the arguments that simply are paths, and those of a folder with a
// name.
func (c *call) plainPaths() []plainValue {
	var found []plainValue
	c.addPlain(&found, "", c.args.raw, plainDepth)
	for _, d := range folderKeys {
		dir, _ := asString(c.args.obj[d])
		for _, n := range nameKeys {
			name, _ := asString(c.args.obj[n])
			if dir != "" && name != "" && d != n && isPathText(name) && isPathText(dir) && len(found) < plainValues {
				found = append(found, plainValue{n, strings.TrimSuffix(dir, "/") + "/" + name})
			}
		}
	}
	return found
}

func (c *call) addPlain(found *[]plainValue, key string, raw json.RawMessage, depth int) {
	if len(*found) >= plainValues || depth == 0 || len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '"':
		if s, ok := asString(raw); ok && c.isPlainPath(key, s) {
			*found = append(*found, plainValue{key, s})
		}
	case '{':
		var obj map[string]json.RawMessage
		if json.Unmarshal(raw, &obj) == nil {
			for _, k := range sortedKeys(obj) {
				c.addPlain(found, k, obj[k], depth-1)
			}
		}
	case '[':
		for _, item := range asList(raw) {
			c.addPlain(found, key, item, depth-1)
		}
	}
}

// isPathText reports whether a text has the form of a path and of nothing else.
func isPathText(s string) bool {
	return s != "" && len(s) <= plainPath && !strings.ContainsAny(s, "\n\r\t\x00<>|\"'`$;(){}") &&
		(!strings.Contains(s, "://") || strings.HasPrefix(s, "file://")) && !strings.HasPrefix(s, "-")
}

// pathWords are the words in a key that holds a path.
var pathWords = []string{"path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder", "destination", "dest", "dst", "target", "output", "out",
	"save", "to", "uri", "location", "source", "src", "from"}

// isPlainPath reports whether an argument is a path: by its form, and by its key or
// by what lies in the project.
func (c *call) isPlainPath(key, s string) bool {
	if !isPathText(s) {
		return false
	}
	if anyWord(nameWords(key), pathWords...) {
		return strings.ContainsAny(s, "/.~\\")
	}
	if strings.ContainsAny(s, " *?") {
		return false
	}
	for _, start := range []string{"/", "~/", "./", "../", "file://"} {
		if strings.HasPrefix(s, start) {
			return len(s) > len(start)
		}
	}
	first, _, inside := strings.Cut(s, "/")
	return inside && first != "" && c.fs.exists(c.fs.abs(c.dir, first))
}

// plainActions are the actions on the paths among the arguments that no other reading
// has found. Which they are is a guess.
func (c *call) plainActions(words map[string]bool, known []sentinel.Action) []sentinel.Action {
	var all gatherer
	if mentions(words) {
		return nil
	}
	for _, v := range c.plainPaths() {
		if seen(known, c.fs.abs(c.dir, v.path), c) {
			continue
		}
		reads, writes := !changesAnything(words), !onlyReads(words)
		keyWords := nameWords(v.key)
		switch {
		case anyWord(keyWords, "source", "src", "from"):
			reads, writes = true, anyWord(words, "move", "rename", "delete", "remove")
		case anyWord(keyWords, "destination", "dest", "dst", "to", "save", "output", "out"):
			reads, writes = false, true
		}
		deletes := anyWord(words, "delete", "remove", "trash", "unlink", "move", "rename")
		if writes && !deletes && c.fs.isDir(c.fs.abs(c.dir, v.path)) {
			continue // a folder is where a tool works; nothing says what it writes there
		}
		if writes {
			op := sentinel.OpEdit
			if deletes {
				op = sentinel.OpDelete
			}
			a := c.fileAction(sentinel.FileWrite, op, c.dir, v.path)
			if op == sentinel.OpDelete {
				c.fs.addBelow(&a)
			}
			a.Certain = false
			all.add(a)
		}
		if reads {
			a := c.fileAction(sentinel.FileRead, sentinel.OpNone, c.dir, v.path)
			a.Certain = false
			all.add(a)
		}
	}
	return all.done()
}

// seen reports whether one of the actions is on a path.
func seen(known []sentinel.Action, abs string, c *call) bool {
	return slices.ContainsFunc(known, func(a sentinel.Action) bool {
		return a.Path != "" && c.fs.abs(c.fs.root, a.Path) == path.Clean(abs)
	})
}

// mentions reports whether a tool's name is about a text for people, in which a path
// is only mentioned.
func mentions(words map[string]bool) bool {
	return anyWord(words, "issue", "issues", "ticket", "comment", "message", "review", "email", "mail", "task", "event", "label", "thread", "reminder", "observations",
		"entities", "relations", "thinking", "sequentialthinking", "notification")
}

// changesAnything reports whether a tool's name says that it changes something.
func changesAnything(words map[string]bool) bool {
	return changes(words) || anyWord(words, "set", "add", "move", "rename", "copy", "export", "download", "generate", "store", "apply", "refactor", "format",
		"fix", "convert", "render", "screenshot", "dump", "install", "extract", "compress", "trash", "unlink", "make", "mkdir", "touch", "chmod")
}

// onlyReads reports whether a tool's name says that it only looks at something.
func onlyReads(words map[string]bool) bool {
	return !changesAnything(words) && anyWord(words, "read", "get", "view", "cat", "list", "ls", "search", "find", "grep", "glob", "fetch", "show", "stat", "info",
		"open", "describe", "head", "tail", "tree", "exists", "diff", "compare", "analyze", "analyse", "lint", "check", "query", "lookup", "inspect", "explain",
		"count", "summarize", "symbols", "references", "definition", "hover", "diagnostics", "problems", "index", "load", "status", "log", "blame", "test")
}

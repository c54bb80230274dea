package rule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// ScopeHints warns of patterns that match nothing, or not what was meant, with what to
// write instead, and of expressions that look for a control character. Paths are looked up
// in the tree; nil looks nothing up. It is for people who write rules; judging does not
// depend on it.
func (r *Rule) ScopeHints(in *Tree) []Problem {
	var found []Problem
	root := ""
	if in != nil {
		root = in.root
	}
	warn := func(format string, args ...any) {
		found = append(found, Problem{File: r.path, Line: r.line, Warning: true, Message: fmt.Sprintf(format, args...)})
	}
	since, _ := r.def.Requires.window()
	for _, list := range []struct {
		key      string
		patterns []string
		trigger  sentinel.Trigger
	}{
		{"scope", r.def.Scope, r.spec.Trigger}, {"exclude", r.def.Exclude, r.spec.Trigger},
		{"requires.ran", r.def.Requires.Ran, sentinel.Bash}, {"requires.since", since, sentinel.FileWrite},
		{"also.with", r.def.Also.With, sentinel.FileWrite}, {"before_first.read", r.def.BeforeFirst.Read, sentinel.FileRead},
	} {
		missing := func(p string) bool { return !slices.Contains(list.patterns, p) }
		for i, pattern := range list.patterns {
			what, instead := r.doubtOf(pattern, list.trigger, root)
			if what != "" && (len(instead) == 0 || slices.ContainsFunc(instead, missing)) { // not for .git beside .git/**
				warn("`%s[%d]` `%s` %s%s", list.key, i, visible(pattern), what, text.Unless(len(instead) == 0, ": write "+quoteList(instead)))
			}
		}
	}
	for key, patterns := range map[string][]string{"also.changed": r.def.Also.Changed, "also.with": r.def.Also.With} {
		if len(patterns) > 0 && root != "" && !slices.ContainsFunc(patterns, func(p string) bool { return !absent(p, root) }) {
			warn("`%s` matches no file here, as %s is not there: the rule asks for what nothing there can meet. Write the paths as they are", key, either(patterns))
		}
	}
	r.notThere(in, warn)
	if r.spec.Err == nil && len(r.def.Exclude) > 0 && r.emptied() {
		warn("`exclude` exempts all that `scope` matches: the rule is about nothing. Take the pattern out of `exclude`, or write a narrower one")
	}
	r.whenHints(warn)
	return found
}

// absent reports whether nothing is there that a pattern can match: its path, or the folder
// in front of its first wildcard.
func absent(pattern, root string) bool {
	fixed := strings.TrimPrefix(pattern, "/")
	if at := strings.IndexAny(fixed, `*?[{\`); at >= 0 {
		fixed = fixed[:strings.LastIndexByte(fixed[:at], '/')+1]
	}
	if !strings.Contains(fixed, "/") || filepath.IsAbs(pattern) { // a name alone is one in any folder
		return false
	}
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(fixed)))
	return errors.Is(err, fs.ErrNotExist)
}

// visible is a pattern with its control characters written out.
func visible(pattern string) string {
	if strings.IndexFunc(pattern, unicode.IsControl) < 0 {
		return pattern
	}
	return strings.Trim(strconv.Quote(pattern), `"`)
}

// A doubt is a way in which a pattern is not what was meant: what says so, and instead
// what to write; "" for a pattern without it.
type doubt struct {
	of   func(t sentinel.Trigger, pattern string) bool // nil is every pattern
	look func(pattern, root string) (what string, instead []string)
}

// doubts are tried in turn; the first that applies is told.
func (r *Rule) doubts() []doubt {
	return []doubt{
		{nil, control},
		{nil, r.toolCall},
		{aboutMCP, serverTool},
		{aboutFiles, insideProject},
		{aboutFiles, fromSlash},
		{aboutFiles, pathRegexp},
		{aboutFiles, bareFolder},
		{aboutFiles, choice},
		{aboutFiles, otherCase},
		{aboutFiles, nearFolder},
		{aboutFiles, fileCommand},
		{onlyCommands, commandPath},
		{aboutCommands, permission},
		{aboutCommands, commandRegexp},
	}
}

func (r *Rule) doubtOf(pattern string, t sentinel.Trigger, root string) (what string, instead []string) {
	for _, d := range r.doubts() {
		if d.of != nil && !d.of(t, pattern) {
			continue
		}
		if what, instead := d.look(pattern, root); what != "" {
			return what, instead
		}
	}
	return "", nil
}

func aboutFiles(t sentinel.Trigger, pattern string) bool {
	return t == sentinel.FileWrite || t == sentinel.FileRead ||
		t == sentinel.Any && strings.Contains(pattern, "/") && !strings.Contains(pattern, " ")
}

func aboutCommands(t sentinel.Trigger, pattern string) bool {
	return t == sentinel.Bash || t == sentinel.Any && strings.Contains(pattern, " ")
}

func onlyCommands(t sentinel.Trigger, _ string) bool { return t == sentinel.Bash }

func aboutMCP(t sentinel.Trigger, pattern string) bool {
	return t == sentinel.MCP || t == sentinel.Any && strings.HasPrefix(pattern, "mcp__")
}

func control(pattern, _ string) (string, []string) {
	if strings.IndexFunc(pattern, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' && c != '\r' }) < 0 {
		return "", nil
	}
	return "holds a control character, which is what YAML makes of a \\b in double quotes; patterns are no regular expressions", []string{strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, pattern)}
}

// callForm is the way in which agents write permissions: Bash(git push:*).
var callForm = lazy.Regexp{Source: `^(\w+)\((.*)\)$`}

func (r *Rule) toolCall(pattern, _ string) (string, []string) {
	if m := callForm.Get().FindStringSubmatch(pattern); m != nil && (unicode.IsUpper(rune(m[1][0])) || r.namesTool(m[1])) {
		inner := strings.Replace(m[2], ":*", "*", 1)
		return "names a tool, as one agent's permissions do; the `trigger` says what kind of tool, for every agent", []string{strings.TrimPrefix(inner, "/")}
	}
	if r.namesTool(pattern) {
		return "is the name of one agent's tool; the `trigger` says what kind of tool, and the scope which of its targets", []string{"src/**"}
	}
	return "", nil
}

// namesTool reports whether a pattern can mean nothing but a tool. One of small letters
// alone, such as grep, may be a command or a folder.
func (r *Rule) namesTool(pattern string) bool {
	plain := strings.IndexFunc(pattern, func(c rune) bool { return c == '_' || unicode.IsUpper(c) }) < 0
	return !plain && r.isTool != nil && r.isTool(pattern)
}

func serverTool(pattern, _ string) (string, []string) {
	if rest, ok := strings.CutPrefix(pattern, "mcp__"); ok {
		return "is one agent's spelling of a tool", []string{strings.Replace(rest, "__", ":", 1)}
	}
	if i := strings.IndexAny(pattern, "./"); i > 0 && i+1 < len(pattern) && !strings.ContainsAny(pattern, ":*?") && strings.Count(pattern, pattern[i:i+1]) == 1 {
		return "is a server or a tool of that very name; between server and tool stands a colon", []string{pattern[:i] + ":" + pattern[i+1:]}
	}
	switch server, tool, ok := strings.Cut(pattern, ":"); {
	case strings.Contains(pattern, "|"):
		return "is one pattern; each pattern is an element of the list", strings.Split(pattern, "|")
	case ok && tool == "" && server != "":
		return "names no tool", []string{server + ":*"}
	case ok && server == "" && tool != "":
		return "names no server", []string{"*:" + tool}
	}
	return "", nil
}

// insideProject finds absolute paths within the project.
func insideProject(pattern, root string) (string, []string) {
	if root == "" || !filepath.IsAbs(filepath.FromSlash(pattern)) {
		return "", nil
	}
	for _, base := range []string{root, safefile.Resolve(root)} {
		base = strings.TrimSuffix(filepath.ToSlash(base), "/")
		if rest, ok := strings.CutPrefix(pattern, base+"/"); ok && rest != "" {
			return "is an absolute path; inside the project paths begin at its folder", []string{rest}
		}
	}
	return "", nil
}

// fromSlash finds paths from the root of the machine where those from the project's
// folder are meant.
func fromSlash(pattern, root string) (string, []string) {
	rest, ok := strings.CutPrefix(pattern, "/")
	if !ok || rest == "" || strings.HasSuffix(rest, "/") && strings.Count(rest, "/") == 1 && rest[0] == '^' {
		return "", nil
	}
	first, _, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(first, "*?[{") {
		return "", nil
	}
	here := root != "" && safefile.Exists(filepath.Join(root, first))
	if !here && (slices.Contains(machineFolders(), first) || safefile.Exists(string(filepath.Separator)+first) || root == "" || strings.ContainsAny(first, `^$\`)) {
		return "", nil
	}
	return "begins at the root of the machine; paths in the project begin at its folder, without /", []string{rest}
}

// machineFolders are at the root of one system or another.
func machineFolders() []string {
	return []string{"Applications", "Library", "System", "Users", "Volumes", "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "private",
		"proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var"}
}

// bareFolder finds names of folders, which are not what is in them.
func bareFolder(pattern, root string) (string, []string) {
	name := strings.TrimPrefix(pattern, "**/")
	if root == "" || name == "" || strings.ContainsAny(name, `*?[{\`) || filepath.IsAbs(name) || strings.HasSuffix(name, "/") { // with / it is all that is in it
		return "", nil
	}
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil || !info.IsDir() {
		return "", nil
	}
	return "is a folder here, and matches nothing that is in it", []string{pattern + "/**"}
}

// parentheses hold a choice as some shells write it, with a mark before them or none.
var parentheses = lazy.Regexp{Source: `[@?+]?\(([^()]*\|[^()]*)\)`}

// choice finds choices that are not patterns: *.(ts|js), and several patterns in one.
func choice(pattern, _ string) (string, []string) {
	braced := parentheses.Get().ReplaceAllStringFunc(pattern, func(s string) string {
		inner := parentheses.Get().FindStringSubmatch(s)[1]
		return "{" + strings.ReplaceAll(inner, "|", ",") + "}"
	})
	if braced != pattern {
		return "has a choice in parentheses, which are part of the name here", []string{braced}
	}
	list := strings.FieldsFunc(pattern, func(c rune) bool { return c == ',' || c == '|' })
	if len(list) < 2 || strings.ContainsAny(pattern, `{}[]\`) || !strings.Contains(pattern, "/") && !strings.Contains(pattern, "*") {
		return "", nil
	}
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return "is one pattern, with the comma or bar as part of the name; each pattern is an element of the list", list
}

// otherCase finds folders that are here in capital or small letters only.
func otherCase(pattern, root string) (string, []string) {
	elements := strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	for i, element := range elements {
		dir := filepath.Join(append([]string{root}, elements[:i]...)...)
		if root == "" || element == "" || strings.ContainsAny(element, `*?[{\`) {
			break
		}
		if safefile.Exists(filepath.Join(dir, element)) {
			continue
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.EqualFold(e.Name(), element) {
				elements[i] = e.Name()
				return "is written in other letters here, and capital and small ones differ", []string{strings.Join(elements, "/")}
			}
		}
		break
	}
	return "", nil
}

// nearFolder finds a folder that is not here, and is a slip for one that is.
func nearFolder(pattern, root string) (string, []string) {
	elements := strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	for i, element := range elements[:len(elements)-1] {
		dir := filepath.Join(append([]string{root}, elements[:i]...)...)
		if root == "" || element == "" || strings.ContainsAny(element, `*?[{\`) {
			break
		}
		if safefile.Exists(filepath.Join(dir, element)) {
			continue
		}
		entries, _ := os.ReadDir(dir)
		var folders []string
		for _, e := range entries {
			if e.IsDir() {
				folders = append(folders, e.Name())
			}
		}
		near := nearest.Slip(element, folders)
		if i := slices.IndexFunc(folders, func(name string) bool { return sameLetters(name, element) }); i >= 0 {
			near = folders[i]
		}
		if near == "" || strings.TrimSuffix(near, "s") == strings.TrimSuffix(element, "s") { // both lib and libs are usual names
			break
		}
		elements[i] = near
		return "begins with a folder that is not here", []string{strings.Join(elements, "/")}
	}
	return "", nil
}

func sameLetters(a, b string) bool {
	return len(a) > 2 && slices.Equal(slices.Sorted(slices.Values([]byte(a))), slices.Sorted(slices.Values([]byte(b))))
}

// commandWords are programs, not folders.
var commandWords = strings.Fields("git npm npx pnpm yarn rm curl wget docker kubectl terraform make pip psql aws gh sudo ssh cargo")

// fileCommand finds a command in a rule about files.
func fileCommand(pattern, _ string) (string, []string) {
	if first, _, more := strings.Cut(pattern, " "); !more || !slices.Contains(commandWords, first) {
		return "", nil
	}
	return "is a command, and the rule is about files: write `trigger: bash`", nil
}

// commandPath finds paths of files in a rule about commands.
func commandPath(pattern, _ string) (string, []string) {
	if !strings.HasSuffix(pattern, "/**") || strings.Contains(pattern, " ") {
		return "", nil
	}
	return "is a path, and the rule is about commands: to guard what lies there write `trigger: file_write`, which is also about commands that change it", nil
}

// permission finds a command as agents' permissions have it, without the tool: git push:*
func permission(pattern, _ string) (string, []string) {
	if command, ok := strings.CutSuffix(pattern, ":*"); ok && !strings.ContainsAny(command, `*?/\`) {
		return "is what agents' permissions have; here a colon is part of the command", []string{command + "*"}
	}
	return "", nil
}

// regexpMarks is what only a regular expression has: anchors, classes, any text.
var (
	regexpMarks = lazy.Regexp{Source: `^\^|[^\\]\$$|\\[.dwsbDWS]|\(\?|\)[*+?]|^/.+/[gi]*$`}
	anyText     = lazy.Regexp{Source: `\.[*+](\w|$)| \.[*+]`}
	oneOf       = lazy.Regexp{Source: `[\w)]\|[\w(]`}
)

func pathRegexp(pattern, _ string) (string, []string) {
	if !regexpMarks.Get().MatchString(pattern) && !strings.Contains(pattern, "/.*/") && !strings.HasSuffix(pattern, "/.*$") {
		return "", nil
	}
	glob := strings.NewReplacer("/.*/", "/**/", "/.*", "/**", ".*", "*", `\.`, ".", `\w+`, "*", `\d+`, "*", `[^/]+`, "*", `[^/]*`, "*").Replace(strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$"))
	return "is a regular expression; patterns are globs, in which ** is anything", []string{strings.TrimPrefix(strings.Trim(glob, `\`), "/")}
}

func commandRegexp(pattern, _ string) (string, []string) {
	slashed := len(pattern) > 2 && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/")
	if strings.HasPrefix(pattern, "*") || !slashed && !regexpMarks.Get().MatchString(pattern) && !anyText.Get().MatchString(pattern) && !oneOf.Get().MatchString(pattern) {
		return "", nil
	}
	var instead []string
	for _, one := range strings.Split(strings.Trim(pattern, "/"), "|") {
		if one = asCommand(one); one != "" && !slices.Contains(instead, one) {
			instead = append(instead, one)
		}
	}
	if len(instead) == 0 {
		return "", nil
	}
	return "is a regular expression; patterns are commands, in which a * at the end is anything more", instead
}

var (
	blanks = lazy.Regexp{Source: `\\s[*+]?|\.[*+]|\s+`}
	marks  = lazy.Regexp{Source: `\\b|\(\?:|[()^$]|\\`}
)

// asCommand is the pattern for the commands that a regular expression was to find.
func asCommand(regex string) string {
	whole := strings.HasSuffix(regex, "$") && !strings.HasSuffix(regex, ".*$")
	words := strings.Join(strings.Fields(marks.Get().ReplaceAllString(blanks.Get().ReplaceAllString(regex, " "), "")), " ")
	if words == "" || whole || strings.HasSuffix(words, "*") {
		return words
	}
	return words + "*"
}

// emptied reports whether exclude exempts an example of every pattern of scope.
func (r *Rule) emptied() bool {
	scope := r.def.Scope
	if len(scope) == 0 {
		scope = []string{"**"}
	}
	bare := &Rule{def: &Definition{Scope: r.def.Scope}, fold: r.fold}
	bare.spec.Trigger = r.spec.Trigger
	tried := false
	for _, pattern := range scope {
		for _, a := range examples(pattern, r.spec.Trigger) {
			if !bare.Match(&a).OK {
				continue
			}
			if tried = true; r.Match(&a).OK {
				return false
			}
		}
	}
	return tried
}

// examples are actions that a pattern is about, with names that are unlikely in real use.
func examples(pattern string, t sentinel.Trigger) []sentinel.Action {
	const name = "zq7"
	var all []sentinel.Action
	if t.Covers(sentinel.FileWrite) || t == sentinel.FileRead {
		trigger := sentinel.FileWrite
		if t == sentinel.FileRead {
			trigger = t
		}
		path := strings.NewReplacer("**", name+"/"+name, "*", name, "?", "z").Replace(firstChoice(pattern))
		all = append(all, sentinel.Action{Trigger: trigger, Op: sentinel.OpEdit, Target: path, Path: path, Forms: []string{path}, Certain: true})
	}
	if t.Covers(sentinel.Bash) {
		line := strings.TrimSpace(strings.NewReplacer("**", name, " *", " "+name, "*", " "+name, "?", "z").Replace(firstChoice(pattern)))
		all = append(all, sentinel.Action{Trigger: sentinel.Bash, Target: line, Command: shell.Parse(line, nil), Certain: true})
	}
	if t.Covers(sentinel.MCP) {
		server, tool, both := strings.Cut(strings.ReplaceAll(firstChoice(pattern), "*", name), ":")
		if !both {
			tool = name
		}
		all = append(all, sentinel.Action{Trigger: sentinel.MCP, Target: server + ":" + tool, Forms: []string{server + ":" + tool, tool, server}, Server: server, MCPTool: tool, Certain: true})
	}
	return all
}

// firstChoice is a pattern with the first of each {a,b}.
func firstChoice(pattern string) string {
	for {
		head, rest, found := strings.Cut(pattern, "{")
		inner, tail, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return pattern
		}
		first, _, _ := strings.Cut(inner, ",")
		pattern = head + first + tail
	}
}

package trigger

import (
	"cmp"
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
)

// fileWrite maps a tool that writes files. The names of its arguments decide what
// it does, so that tools that only a tool_map names work as well.
func (c *call) fileWrite() ([]sentinel.Action, error) {
	if text, ok := c.patchText(); ok {
		actions := c.patchActions(text)
		if len(actions) == 0 {
			return nil, argError("its patch names no file")
		}
		return actions, nil
	}
	if c.like.Patch && !c.args.has(pathKeys) {
		return nil, argError(`no patch: none of input, patch, patchText and command holds "` + patchBegin + `"`)
	}
	verb := c.verb()
	switch {
	case verb == "view" || verb == "read":
		return c.fileRead()
	case verb == "rename" || verb == "move" || c.keys.To != "":
		return c.moves()
	}
	paths, err := c.paths(c.args)
	if err != nil {
		return nil, err
	}
	edits, err := c.edits(paths)
	if err != nil {
		return nil, err
	}
	if len(edits) == 0 {
		return nil, argError("no " + c.pathKey() + ": the path of the file is missing")
	}
	actions := make([]sentinel.Action, 0, len(edits))
	for _, e := range edits {
		op := c.opOf(verb, e)
		if op == sentinel.OpCreate && c.appends() {
			op = sentinel.OpAppend
		}
		a := c.fileAction(sentinel.FileWrite, op, c.dir, e.path)
		if op != sentinel.OpDelete {
			a.Content, a.Old = e.content, e.old
		}
		if op == sentinel.OpDelete {
			c.fs.addBelow(&a)
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// paths are those that the arguments name, of the call or of one of its edits.
func (c *call) paths(args arguments) ([]string, error) {
	if c.keys.Path != "" {
		return args.textsOf(c.keys.Path)
	}
	return args.texts(pathKeys)
}

// verb is what the call asks of a tool that takes that as "command". With every
// other tool the key is foreign and must not turn a write into a view.
func (c *call) verb() string {
	if !c.like.Verbs {
		return ""
	}
	verb, _ := asString(c.args.obj["command"])
	return verb
}

// pathKey is the key that a message names when no path is given.
func (c *call) pathKey() string {
	switch {
	case c.keys.Path != "":
		return c.keys.Path
	case strings.Contains(strings.ToLower(c.tool), "notebook"):
		return "notebook_path"
	}
	return "file_path"
}

// patchText returns the text of a patch, wherever the agent puts it. Next to a path
// argument it is a file's content, not a patch.
func (c *call) patchText() (string, bool) {
	if c.keys.Path != "" && !c.like.Patch {
		return "", false // the tool is known to name its file by that argument
	}
	if strings.Contains(c.args.text, patchBegin) {
		return c.args.text, true
	}
	if c.args.has(pathKeys) && !c.like.Patch {
		return "", false
	}
	for _, k := range patchKeys {
		if s, ok := asString(c.args.obj[k]); ok && strings.Contains(s, patchBegin) {
			return s, true
		}
	}
	return "", false
}

// An edit is what a call does to one file.
type edit struct {
	path         string
	content, old string
	hasOld       bool // the tool replaces something, even if that is ""
	part         bool // content is not the whole file: it is in a list of edits, or has a place in the file
}

// edits reads the content for each path: the call's own, and that of every
// element of a list of edits, which may name a path of its own.
func (c *call) edits(paths []string) ([]edit, error) {
	var all []edit
	for _, p := range paths {
		all = append(all, edit{path: p})
	}
	own := edit{}
	own.content, _ = c.args.content(slices.DeleteFunc(slices.Clone(or(c.keys.Content, contentKeys)), isDiff))
	if !c.takesWhole() {
		own.old, own.hasOld = c.args.content(or(c.keys.Old, oldKeys))
	}
	own.part = c.partial()
	for _, key := range or(c.keys.Content, contentKeys) {
		if isDiff(key) {
			diff := splitDiff(asText(c.args.obj[key]))
			if own.content != "" || c.takesWhole() { // the tool may leave the diff out
				diff.part, diff.old, diff.hasOld = false, "", false
			}
			own.add(diff)
		}
	}
	for i := range all {
		all[i].add(own)
	}
	for _, raw := range c.args.list(or(c.keys.Edits, editListKeys)) {
		item, err := parseArguments(raw)
		if err != nil || item.obj == nil {
			continue
		}
		itemPaths, err := c.paths(item)
		if err != nil {
			return nil, err
		}
		if len(itemPaths) == 0 {
			itemPaths = paths
		}
		e := edit{part: true}
		e.content, _ = item.content(or(c.keys.Content, contentKeys))
		e.old, e.hasOld = item.content(or(c.keys.Old, oldKeys))
		for _, p := range itemPaths {
			all = addEdit(all, p, e)
		}
	}
	return all, nil
}

// addEdit adds e to the edit of path p.
func addEdit(all []edit, p string, e edit) []edit {
	for i := range all {
		if all[i].path == p {
			all[i].add(e)
			return all
		}
	}
	e.path = p
	return append(all, e)
}

// add joins another edit of the same file.
func (e *edit) add(o edit) {
	e.content = joinLines(e.content, o.content)
	e.old = joinLines(e.old, o.old)
	e.hasOld = e.hasOld || o.hasOld
	e.part = e.part || o.part
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// isDiff reports whether a text under the key is a diff: SEARCH/REPLACE blocks (Cline's
// replace_in_file), or a unified one. Under any other key it is plain text.
func isDiff(key string) bool { return key == "diff" || key == "patch" }

// splitDiff reads the SEARCH/REPLACE blocks of a diff: the text between
// SEARCH and ======= is replaced by the text after it. The text outside of them
// counts as content too, since a tool may take it for that.
func splitDiff(diff string) edit {
	if !strings.Contains(diff, "SEARCH") || !strings.Contains(diff, "REPLACE") {
		return unifiedDiff(diff)
	}
	var searched, replaced strings.Builder
	const outside, search, replace = 0, 1, 2
	state, blocks := outside, 0
	for line := range strings.SplitAfterSeq(diff, "\n") {
		mark := strings.TrimRight(line, "\r\n")
		switch {
		case state == outside && (strings.HasSuffix(mark, "--- SEARCH") || strings.HasSuffix(mark, "<<< SEARCH")):
			state = search
		case state == search && strings.Trim(mark, "=") == "" && len(mark) >= 5:
			state = replace
		case state == replace && (strings.HasSuffix(mark, "+++ REPLACE") || strings.HasSuffix(mark, ">>> REPLACE")):
			state = outside
			blocks++
		case state == search:
			searched.WriteString(line)
		default:
			replaced.WriteString(line)
		}
	}
	if blocks == 0 || state != outside {
		return edit{content: diff, part: diff != ""}
	}
	return edit{content: replaced.String(), old: searched.String(), hasOld: true, part: true}
}

// opOf returns what a tool does to a file: by the verb that some tools take as
// "command", by the tool's name, and by whether it replaces something.
func (c *call) opOf(verb string, e edit) sentinel.Op {
	switch verb {
	case "create":
		return sentinel.OpCreate
	case "str_replace", "insert", "undo_edit":
		return sentinel.OpEdit
	case "append":
		return sentinel.OpAppend
	case "delete":
		return sentinel.OpDelete
	}
	name, words := strings.ToLower(c.tool), nameWords(c.tool)
	switch {
	case c.like.Edits:
		return sentinel.OpEdit
	case strings.HasPrefix(name, "delete") || strings.HasPrefix(name, "remove"):
		return sentinel.OpDelete
	case words["append"]:
		return sentinel.OpAppend
	case e.hasOld && e.old != "":
		return sentinel.OpEdit
	case e.hasOld: // replacing nothing is how these tools make a file
		return sentinel.OpCreate
	case e.part || strings.HasPrefix(name, "replace") || anyWord(words, "insert", "prepend", "patch"):
		return sentinel.OpEdit
	}
	return sentinel.OpCreate
}

// moves maps a call that gives a file another name.
func (c *call) moves() ([]sentinel.Action, error) {
	from, err := c.args.texts(or(c.keys.Path, append(slices.Clone(sourceKeys), pathKeys...)))
	if err != nil {
		return nil, err
	}
	to, err := c.args.texts(or(c.keys.To, destKeys))
	if err != nil {
		return nil, err
	}
	if len(from) == 0 || len(to) == 0 {
		return nil, argError("no " + cmp.Or(c.keys.Path, "old_path") + " or no " + cmp.Or(c.keys.To, "new_path") + ": a move needs both")
	}
	var actions []sentinel.Action
	for _, f := range from {
		for _, t := range to {
			actions = append(actions, c.moveActions(c.dir, f, t)...)
		}
	}
	return actions, nil
}

// moveActions are the two sides of a move: the old path goes, the new one is
// written. Both match rules on what lies below a folder.
func (c *call) moveActions(dir, from, to string) []sentinel.Action {
	src := c.fileAction(sentinel.FileWrite, sentinel.OpMove, dir, from)
	c.fs.addBelow(&src)
	if c.fs.isDir(c.fs.abs(dir, to)) {
		to = strings.TrimRight(to, "/") + "/" + baseName(from)
	}
	dst := c.fileAction(sentinel.FileWrite, sentinel.OpCreate, dir, to)
	c.fs.addContent(&dst, dst.Forms, c.fs.abs(dir, from))
	return []sentinel.Action{src, dst}
}

// fileRead maps a tool that reads files.
func (c *call) fileRead() ([]sentinel.Action, error) {
	paths, err := c.paths(c.args)
	if err != nil {
		return nil, err
	}
	searched := map[string]bool{} // what no operation of the call reads as a whole
	searches := func(args arguments, in []string) {
		mode, _ := asString(args.obj["mode"])
		for _, p := range in {
			before, named := searched[p]
			searched[p] = mode == "Search" && (before || !named) // of fs_read
		}
	}
	searches(c.args, paths)
	for _, raw := range c.args.list(pathListKeys) {
		if s, ok := asString(raw); ok && s != "" {
			paths = appendNew(paths, s)
			continue
		}
		item, err := parseArguments(raw)
		if err != nil {
			continue
		}
		more, err := item.texts(pathKeys)
		if err != nil {
			return nil, err
		}
		searches(item, more)
		for _, p := range more {
			paths = appendNew(paths, p)
		}
		for _, raw := range item.list([]string{"image_paths", "paths"}) {
			if s, ok := asString(raw); ok && s != "" {
				paths = appendNew(paths, s)
			}
		}
	}
	if len(paths) == 0 {
		return nil, argError("no " + c.pathKey() + ": the path of the file is missing")
	}
	actions := make([]sentinel.Action, 0, len(paths))
	for _, p := range paths {
		a := c.fileAction(sentinel.FileRead, sentinel.OpNone, c.dir, p)
		a.Certain = a.Certain && !searched[p]
		actions = append(actions, a)
	}
	return actions, nil
}

// fileAction is an action on the file that path means in folder dir.
func (c *call) fileAction(trig sentinel.Trigger, op sentinel.Op, dir, path string) sentinel.Action {
	a := c.action(trig)
	a.Op = op
	a.Forms, a.Certain = c.fs.forms(dir, path)
	a.Path, a.Target = a.Forms[0], a.Forms[0]
	return a
}

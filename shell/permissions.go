package shell

import (
	"slices"
	"strings"
)

// permissions records programs that change the mode, owner or access list of files.
// Where the owner can then not read a file, or another one owns it, the file itself
// counts as changed too: nothing can use it as before.
func (w walker) permissions(c *recorded) {
	mode, files := c.mode()
	e := Effect{Kind: EffectPermission, Command: c.index, Object: mode}
	e.Recursive = c.HasFlag("-R", "--recursive") || slices.ContainsFunc(c.Args, func(arg string) bool { return arg == "/t" || arg == "/T" || arg == "/r" || arg == "/R" })
	for _, f := range files {
		w.onPath(e, f)
		if !keepsOwner(c.Program, mode) {
			w.note(EffectEdit, c.index, f)
		}
	}
}

// mode is what a command sets, and the files that it sets it for.
func (c *recorded) mode() (mode string, files []field) {
	switch c.Program {
	case "setfacl":
		mode, _ = c.Value("-m", "-x", "--modify", "--remove")
		return mode, c.operands
	case "icacls":
		return strings.Join(c.Args[min(1, len(c.Args)):], " "), c.first()
	case "takeown":
		if file, ok := strings.CutPrefix(strings.ToLower(joinFields(c.words)), "takeown /f "); ok && file != "" {
			return "takeown", c.words[2:3]
		}
		return "takeown", nil
	}
	if c.HasFlag("--reference") {
		return "--reference", c.operands
	}
	if i := slices.IndexFunc(c.Flags, func(flag string) bool { return len(flag) > 1 && strings.Trim(flag[1:], "rwxXst") == "" }); i >= 0 {
		return c.Flags[i], c.operands // chmod -x file
	}
	if len(c.operands) < 2 {
		return "", c.operands // a mode that is not known, or forgotten
	}
	return c.operands[0].text, c.rest(1)
}

// keepsOwner reports whether the owner of a file can read it after a change of its mode.
func keepsOwner(program, mode string) bool {
	if program != "chmod" || mode == "" {
		return false
	}
	if strings.Trim(mode, "01234567") == "" {
		if len(mode) < 3 {
			return false
		}
		return mode[len(mode)-3] >= '4'
	}
	for part := range strings.SplitSeq(mode, ",") {
		at := strings.IndexAny(part, "+-=")
		if at < 0 {
			return false
		}
		who, sets := part[:at], part[at+1:]
		owner := who == "" || strings.ContainsAny(who, "ua")
		if owner && (part[at] == '-' && strings.Contains(sets, "r") || part[at] == '=' && !strings.Contains(sets, "r")) {
			return false
		}
	}
	return true
}

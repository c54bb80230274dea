package powershell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// An Effect is a guess of what a command does to a path.
type Effect struct {
	Kind    effect.Kind
	Path    string
	To      string // of effect.Move
	Content string
	Target  string // of a link that is made: what it leads to

	Recursive bool // of effect.Delete: with everything below a folder
}

// cmdlets are the cmdlets and commands that touch files.
var cmdlets = [...]struct {
	names string
	kind  effect.Kind
}{
	{"Remove-Item ri rm rmdir rd del erase Clear-RecycleBin", effect.Delete},
	{"Set-Content sc Out-File New-Item ni Tee-Object", effect.Create},
	{"Add-Content ac", effect.Append},
	{"Clear-Content clc", effect.Edit},
	{"Get-Content gc type cat Select-String sls", effect.Read},
	{"Copy-Item copy cp cpi xcopy robocopy", copied},
	{"Move-Item move mi mv Rename-Item ren rni", effect.Move},
	{"mklink", linked},
}

const (
	copied = effect.Database + 1 + iota // reads all its paths but the last, which it writes
	linked                              // makes its first path a link to the second
)

// kindOf is what a command of PowerShell or cmd.exe does to files.
func kindOf(name string) effect.Kind {
	for _, c := range cmdlets {
		if Is(name, c.names) {
			return c.kind
		}
	}
	return effect.None
}

// IsOwn reports whether PowerShell or cmd.exe means a command of its own by a name.
func IsOwn(name string) bool {
	return kindOf(name) != effect.None || IsCmdlet(name) || strings.HasPrefix(name, ".") || Is(name, "iex iwr irm")
}

// Effects returns what a command with these words does to files.
func Effects(name string, args []Word) (all []Effect) {
	kind := kindOf(name)
	if kind == effect.None {
		return nil
	}
	paths, content := operands(args)
	e := Effect{Kind: kind, Recursive: kind == effect.Delete && slices.ContainsFunc(args, isRecursive)}
	switch kind {
	case effect.Create:
		e.Content = content
		if Is(name, "New-Item ni") && slices.ContainsFunc(args, func(w Word) bool { return Is(w.Text, "SymbolicLink HardLink Junction") }) {
			e.Content, e.Target = "", slashes(content)
		}
		if Is(name, "Set-Content sc") && len(paths) > 1 && content == "" {
			e.Content, paths = paths[1], paths[:1]
		}
		if Is(name, "Out-File Tee-Object") && slices.ContainsFunc(args, func(w Word) bool { return Is(w.Text, "-Append -a") }) {
			e.Kind = effect.Append
		}
	case effect.Append:
		e.Content = content
		paths = paths[:min(1, len(paths))]
	case linked:
		if len(paths) < 2 {
			return all
		}
		e.Kind, e.Target, paths = effect.Create, slashes(paths[1]), paths[:1]
	case copied, effect.Move:
		if len(paths) < 2 {
			return all
		}
		last := len(paths) - 1
		all = append(all, into(slashes(paths[last]), paths[:last])...)
		if kind == copied {
			e.Kind = effect.Read
		} else {
			e.To = slashes(paths[last])
		}
		paths = paths[:last]
	}
	for _, p := range paths {
		e.Path = slashes(p)
		all = append(all, e)
	}
	return all
}

// into are the files that a copy or a move makes. Behind a slash they have the names of
// the sources.
func into(to string, sources []string) (all []Effect) {
	if !strings.HasSuffix(to, "/") {
		return []Effect{{Kind: effect.Create, Path: to}}
	}
	for _, p := range sources {
		all = append(all, Effect{Kind: effect.Create, Path: to + path.Base(slashes(p))})
	}
	return all
}

// isRecursive reports whether a word says that all that is below a folder is meant.
func isRecursive(w Word) bool { return Is(w.Text, "-r -rec -recurse -rf -fr /s") }

// Redirections takes the files that output goes to out of the words.
func Redirections(args []Word) (rest []Word, to []Effect) {
	for i := 0; i < len(args); i++ {
		text := strings.TrimLeft(args[i].Text, "0123456789*")
		path, ok := strings.CutPrefix(text, ">")
		if !ok || args[i].Quoted {
			rest = append(rest, args[i])
			continue
		}
		e := Effect{Kind: effect.Create}
		if path, ok = strings.CutPrefix(path, ">"); ok {
			e.Kind = effect.Append
		}
		if i+1 < len(args) && path == "" {
			i++
			path = args[i].Text
		}
		if e.Path = slashes(path); !Is(path, "nul $null") && path != "" {
			to = append(to, e)
		}
	}
	return rest, to
}

// slashes writes a path with slashes.
func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// operands returns the words that are paths, and the value of -Value. Switches
// and the values of other parameters are not paths.
func operands(args []Word) (paths []string, content string) {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case Is(text, "-Path -LiteralPath -FilePath -Destination -NewName"):
		case Is(text, "-Value -InputObject -Target"):
			if i++; i < len(args) {
				content = args[i].Text
			}
		case Is(text, "-Encoding -ItemType -Include -Exclude -Filter -ErrorAction -Pattern -Depth -Type -Name"):
			i++
		case strings.HasPrefix(text, "-") && !args[i].Quoted, len(text) > 1 && len(text) <= 3 && text[0] == '/', text == ",":
		default:
			paths = append(paths, text)
		}
	}
	return paths, content
}

package powershell

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// A static method of .NET is called as [System.IO.File]::Delete('a'), where System may be left
// out and case does not matter. Its name here is "io.file::delete".

// methods are the methods that touch files.
var methods = [...]struct {
	names string
	kind  effect.Kind
}{
	{"io.file::writealltext io.file::writealllines io.file::writeallbytes io.file::create io.file::createtext io.file::openwrite io.streamwriter::new io.directory::createdirectory", effect.Create},
	{"io.file::appendalltext io.file::appendalllines io.file::appendtext io.file::appendallbytes", effect.Append},
	{"io.file::open io.filestream::new", opened},
	{"io.file::delete io.directory::delete", effect.Delete},
	{"io.file::readalltext io.file::readalllines io.file::readallbytes io.file::readlines io.file::openread io.file::opentext io.streamreader::new", effect.Read},
	{"io.file::copy io.compression.zipfile::extracttodirectory io.compression.zipfile::createfromdirectory", copied},
	{"io.file::move io.file::replace io.directory::move", effect.Move},
}

// processStart is the method that runs a program.
const processStart = "diagnostics.process::start"

// method is the name of the static method that a word calls: "" for none.
func method(word string) string {
	class, name, ok := strings.Cut(strings.ToLower(word), "]::")
	if class, ok = strings.CutPrefix(class, "["); !ok || name == "" {
		return ""
	}
	return strings.TrimPrefix(class, "system.") + "::" + name
}

// made is the name of the constructor that New-Object calls, with its arguments.
func made(args []Word) (name string, rest []Word) {
	for i, a := range args {
		switch {
		case Is(a.Text, "-TypeName -ArgumentList -Args"):
		case name == "":
			name = method("[" + a.Text + "]::new")
		default:
			return name, args[i:]
		}
	}
	return name, nil
}

// operandsOf are the paths that a method is called with, and the content.
func operandsOf(kind effect.Kind, args []Word) (paths []string, content string) {
	for _, a := range args {
		if a.Quoted || !strings.HasPrefix(a.Text, "$") || len(a.Text) > 1 && !Is(a.Text, "$true $false $null") {
			paths = append(paths, a.Text)
		}
	}
	n := 1
	if kind == copied || kind == effect.Move {
		n = 2
	}
	if (kind == effect.Create || kind == effect.Append) && len(paths) > 1 {
		content = paths[1]
	}
	return paths[:min(n, len(paths))], content
}

// mode is what a file is opened for, by the arguments behind its path.
func mode(args []Word) effect.Kind {
	kind := effect.Edit
	for _, a := range args[min(1, len(args)):] {
		word := a.Text[strings.LastIndexByte(a.Text, ':')+1:] // [IO.FileMode]::Append
		switch {
		case Is(word, "Append"):
			return effect.Append
		case Is(word, "Create CreateNew Truncate"):
			return effect.Create
		case Is(word, "Read"):
			kind = effect.Read
		}
	}
	return kind
}

// Started are the words of the command that another one starts in a process of its own: none
// for any other command.
func Started(name string, args []Word) (words []Word) {
	switch {
	case method(name) == processStart:
	case Is(name, "Start-Process saps start"):
	default:
		return nil
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case Is(a.Text, "-FilePath -ArgumentList -Args") && !a.Quoted:
		case Is(a.Text, "-WorkingDirectory -Verb -WindowStyle -Credential -Environment -RedirectStandardInput -RedirectStandardOutput -RedirectStandardError /d /affinity /node") && !a.Quoted:
			i++
		case len(words) == 0 && !a.Quoted && (strings.HasPrefix(a.Text, "-") || strings.HasPrefix(a.Text, "/") && len(a.Text) < 14):
		case len(words) == 0 && Is(name, "start") && a.Quoted && i+1 < len(args): // the title of a window
		case len(words) > 0 && Is(a.Text, "-Wait -NoNewWindow -PassThru -UseNewEnvironment -LoadUserProfile") && !a.Quoted:
		case len(words) > 0 && a.Quoted: // the arguments are put together with spaces
			for text := range strings.FieldsSeq(a.Text) {
				words = append(words, Word{Text: text, Start: a.Start, End: a.End})
			}
		default:
			words = append(words, Word{Text: a.Text, Start: a.Start, End: a.End})
		}
	}
	return words
}

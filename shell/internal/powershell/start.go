package powershell

import (
	"path"
	"strings"
)

// starters are the commands that start another command in a process of its own. start is also one
// of cmd.exe, with other options.
const starters = "Start-Process saps start"

// IsStarter reports whether a command starts another one.
func IsStarter(name string) bool { return Is(name, starters) }

// maxStarted bounds the words of a command that is started.
const maxStarted = 1000

// Started returns the words of the command that a starter in src starts, and the folder in which it
// runs, "" for the same folder. words are those behind the starter. There are none for a page or a
// document, which another program opens. A quoted text of arguments is split as the program splits it.
func Started(src string, words []Word, cmd bool) (started []Word, dir string) {
	for len(words) > 0 && IsStarter(words[0].Text) {
		words = words[1:]
	}
	if cmd {
		started, dir = startedByCmd(words)
	} else {
		started, dir = startedByPowerShell(src, words)
	}
	if len(started) == 0 || isPage(started[0]) || len(started) == 1 && Is(path.Ext(slashes(started[0].Text)), documents) {
		return nil, ""
	}
	return started, slashes(dir)
}

// isPage reports whether the program that is started is the address of a page.
func isPage(program Word) bool { return strings.Contains(program.Text, "://") }

// documents are the endings of files that are opened and not run.
const documents = ".html .htm .md .txt .pdf .png .jpg .jpeg .gif .svg .json .log .csv .docx .xlsx .pptx .url"

// startedByCmd reads `start "title" /d folder /wait program arguments`.
func startedByCmd(words []Word) (started []Word, dir string) {
	if len(words) > 1 && words[0].Quoted {
		words = words[1:]
	}
	for len(words) > 0 && !words[0].Quoted {
		last, ok := cmdOption(words[0].Text)
		if !ok {
			break
		}
		words = words[1:]
		if Is(last, "d affinity node") && len(words) > 0 {
			if Is(last, "d") {
				dir = words[0].Text
			}
			words = words[1:]
		}
	}
	return words[:min(len(words), maxStarted)], dir
}

// cmdOption is the last of the options in a word, such as /b/wait.
func cmdOption(word string) (last string, ok bool) {
	options, ok := strings.CutPrefix(word, "/")
	if !ok {
		return "", false
	}
	for last = range strings.SplitSeq(options, "/") {
		if !Is(last, "b min max i w wait low normal high realtime abovenormal belownormal shared separate d affinity node") {
			return "", false
		}
	}
	return last, true
}

// parameters of Start-Process, and whether one value follows them. One may be written by its
// beginning.
var parameters = []struct {
	name  string
	value bool
}{
	{"filepath", true}, {"argumentlist", true}, {"args", true}, {"workingdirectory", true}, {"windowstyle", true}, {"wait", false}, {"verb", true}, {"credential", true}, {"environment", true},
	{"redirectstandardinput", true}, {"redirectstandardoutput", true}, {"redirectstandarderror", true}, {"nonewwindow", false}, {"passthru", false}, {"usenewenvironment", false}, {"loaduserprofile", false},
}

// startedByPowerShell reads the arguments of Start-Process, by name or by place.
func startedByPowerShell(src string, words []Word) (started []Word, dir string) {
	var program, rest []Word
	argument := func(w Word) {
		switch {
		case w.Quoted: // Start-Process joins the arguments with spaces
			rest = append(rest, arguments(w)...)
		case w.Text != "@":
			rest = append(rest, w)
		}
	}
	add := func(w Word) {
		if program == nil {
			program = []Word{{Text: w.Text, Start: w.Start, End: w.End}}
		} else {
			argument(w)
		}
	}
	for i := 0; i < len(words) && len(rest) < maxStarted; i++ {
		w := words[i]
		name, value, given := strings.Cut(w.Text, ":")
		parameter, takes := parameterOf(name)
		switch {
		case parameter == "" || w.Quoted && !given:
			add(w)
			continue
		case given:
			w.Text = value
		case takes && i+1 < len(words):
			i++
			w = words[i]
		default: // it has no value, or one behind a bracket
			continue
		}
		switch parameter {
		case "filepath":
			rest, program = append(program, rest...), []Word{{Text: w.Text, Start: w.Start, End: w.End}}
		case "workingdirectory":
			dir = w.Text
		case "argumentlist", "args":
			argument(w)
			for ; i+1 < len(words) && inList(src, words[i], words[i+1]); i++ {
				argument(words[i+1])
			}
		}
	}
	if n := len(words); n > 0 { // a list in brackets, which is no word of the command
		at := min(len(src), words[n-1].End)
		if at += blanks(src[at:]); at < len(src) && src[at] == '(' {
			for _, item := range list(src, at+1) {
				add(item)
			}
		}
	}
	return append(program, rest[:min(len(rest), maxStarted)]...), dir
}

// inList reports whether a comma joins two words to a list.
func inList(src string, one, next Word) bool {
	return one.End <= next.Start && next.Start <= len(src) && strings.Contains(src[one.End:next.Start], ",")
}

// parameterOf is the parameter that a word names, "" for none, and whether a value follows it.
func parameterOf(word string) (name string, value bool) {
	begin, ok := strings.CutPrefix(strings.ToLower(word), "-")
	if !ok || begin == "" {
		return "", false
	}
	for _, p := range parameters {
		if strings.HasPrefix(p.name, begin) {
			return p.name, p.value
		}
	}
	return "", false
}

// arguments splits a text as a program splits its command line: double quotes hold an argument
// together.
func arguments(w Word) (list []Word) {
	var one strings.Builder
	quoted, begun := false, false
	end := func() {
		if begun {
			list = append(list, Word{Text: one.String(), Start: w.Start, End: w.End})
		}
		one.Reset()
		begun = false
	}
	for _, b := range []byte(w.Text) {
		switch {
		case b == '"':
			quoted, begun = !quoted, true
		case (b == ' ' || b == '\t') && !quoted:
			if end(); len(list) == maxStarted {
				return list
			}
		default:
			one.WriteByte(b)
			begun = true
		}
	}
	end()
	return list
}

// Started returns the words of the program that the call runs.
func (c *Call) Started() (words []Word) {
	if !Is(c.Name, starts) {
		return nil
	}
	for i, a := range c.Args {
		switch items, ok := strings.CutPrefix(a.Text, "@("); {
		case i == 0:
			words = append(words, Word{Text: a.Text, Start: a.Start, End: a.End})
		case ok && !a.Quoted:
			for _, item := range list(items, 0) {
				words = append(words, Word{Text: item.Text, Start: a.Start, End: a.End})
			}
		default:
			words = append(words, arguments(a)...)
		}
	}
	if len(words) > 0 && isPage(words[0]) {
		return nil
	}
	return words
}

// StartedByInfo returns the words of the programs that variables of ProcessStartInfo name in two
// fields, FileName and Arguments.
func StartedByInfo(commands [][]Word) (started [][]Word) {
	type info struct{ program, arguments []Word }
	infos := map[string]*info{}
	var names []string
	for _, c := range commands {
		if len(c) != 3 || c[1].Text != "=" {
			continue
		}
		field := path.Ext(c[0].Text)
		if !Is(field, ".FileName .Arguments") {
			continue
		}
		name := strings.ToLower(strings.TrimSuffix(c[0].Text, field))
		if infos[name] == nil {
			infos[name] = &info{}
			names = append(names, name)
		}
		if Is(field, ".FileName") {
			infos[name].program = []Word{{Text: c[2].Text, Start: c[2].Start, End: c[2].End}}
		} else {
			infos[name].arguments = arguments(c[2])
		}
	}
	for _, name := range names {
		if i := infos[name]; i.program != nil {
			started = append(started, append(i.program, i.arguments...))
		}
	}
	return started
}

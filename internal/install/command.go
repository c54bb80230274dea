package install

import "strings"

// IsOurs reports whether a handler's command is `sentinel hook`: by name or by a
// path, quoted or not, with .exe, with variables set before it and flags after
// it, in a shell line or as program and arguments. A line that runs something
// else as well was composed by a person, and is theirs; but the endings that we
// write ourselves belong to it.
//
// own is what this program is called; "" is sentinel.
func IsOurs(own, command string, args []string) bool {
	if args != nil {
		return startsHook(own, append([]string{command}, args...))
	}
	list, single := words(withoutEnding(command))
	return single && startsHook(own, list)
}

// startsHook reports whether words are `sentinel hook …`.
func startsHook(own string, words []string) bool {
	words = withoutAssignments(words)
	return len(words) >= 2 && IsSentinel(own, words[0]) && words[1] == "hook"
}

func withoutAssignments(words []string) []string {
	for len(words) > 0 && isAssignment(words[0]) {
		words = words[1:]
	}
	return words
}

// IsSentinel reports whether a program is called sentinel, or own, wherever it is.
func IsSentinel(own, program string) bool {
	base := strings.ToLower(program[strings.LastIndexAny(program, `/\`)+1:])
	base = strings.TrimSuffix(base, ".exe")
	return base == sentinelName || base == strings.ToLower(ProgramName(own))
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, `/\ `)
}

// words splits a shell line as far as recognising a command needs it, for POSIX
// shells, cmd.exe and PowerShell alike: quotes group, a backslash hides only a
// blank or a quote, and PowerShell's leading & is skipped. single is false when
// the line holds more than one command.
func words(line string) (list []string, single bool) {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "& ")
	var word strings.Builder
	var quote rune
	inWord := false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == '\\' && i+1 < len(runes) && strings.ContainsRune(" '", runes[i+1]):
			i++
			word.WriteRune(runes[i])
			inWord = true
		case strings.ContainsRune(";|&`\n", r), r == '$' && i+1 < len(runes) && runes[i+1] == '(':
			return nil, false
		case r == ' ' || r == '\t':
			if inWord {
				list = append(list, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		list = append(list, word.String())
	}
	return list, quote == 0
}

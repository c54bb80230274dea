package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A command or a path in a line may have an invented name where a real one is to be put. A rule
// must not look for that name. It is about the command in front, or the line makes no rule.

var (
	// standsIn is an argument of a command with an invented name.
	standsIn = lazy.Regexp{Source: `(?i:^path/to/|/path/to/|(?:^|[/:.=_])(?:foo|bar|baz|qux|xxx+|module|my|your|some|something|anything|whatever)(?:$|[/:.])|(?:^|[/:=_])(?:your|some|my|example)[_-]\w)|(?:^|[/:=])(?:test_)?(?:file|filename|module|module_name|crate_name|package_name|foo|x|something|name)(?:[._](?:test|spec))?(?:\.\w+)*$|(?:^|[/:.=_-])(?:your|my|some)(?:pkg|package|module|app|crate|service|lib|library|project|component|file|feature|dir|folder|test)s?\b|_(?:you|i)_|(?:^|[/:])(?:module|package|crate|project|app|library|component|service)-name(?:$|[/:])|\b(?:Foo|Bar|My|Your|Some)[A-Z]\w*|\b(?:Foo|Bar)?Test(?:Name|Foo|X+|Something)?$|(?:^|/)[A-Z](?:/|$)|\b(?:Class|Method|Component|Module|Package|Test)Name\b|(?:^|=)(?:[A-Z]{1,10}-(?:\d+|[NX]+)|#(?:\d+|[NX]+))$`}
	// realName are such words that are usual names of programs' arguments.
	realName = lazy.Regexp{Source: `^(?:test|tests|module|name|x|file|-.*|example|examples|(?:UTF|SHA|MD|ISO|AES|RSA)-\d+)$`}
	// anyValue is a value in a name of code for which any other may be there.
	anyValue = lazy.Regexp{Source: `^(.*[=:]) ?(?:anything|something|whatever|foo|bar|baz|xxx+|value|some[-_]?\w*|your[-_]?\w*|my[-_]\w+|N|\d*[xX]{2,})$`}
	// ofChanged is a sentence about a job for what the work is about: its path is an example.
	ofChanged = lazy.Regexp{Source: `\b(?:relevant|applicable|targeted|focused|corresponding|appropriate|affected|related|specific|narrow\w*|single) (?:[\w-]+ ){0,2}?(?:tests?|suites?|specs?|files?|packages?|modules?|checks)\b`}
	// somePath is an argument of a command that is a path or a filter.
	somePath = lazy.Regexp{Source: `^[\w.@-]+/[\w./@*-]*$|^[\w-]+\.\w+$|^--$`}
)

// withoutInvented is a command up to the first of its arguments with an invented name, and the
// options in front of that; the command itself where it has none. "" is a program alone, which
// does more than one thing.
func withoutInvented(cmd string, changed bool) string {
	fields := strings.Fields(cmd)
	for i := 1; i < len(fields); i++ {
		of := strings.Trim(fields[i], `"'`)
		if !standsIn.Get().MatchString(of) || realName.Get().MatchString(of) && !strings.HasPrefix(fields[i-1], "-") {
			if !changed || i < 2 && !sentence.Words().IsBare[fields[0]] || !somePath.Get().MatchString(of) || strings.HasPrefix(of, "./...") {
				continue
			}
		}
		for i > 1 && strings.HasPrefix(fields[i-1], "-") {
			i--
		}
		if i == 1 && !sentence.Words().IsBare[fields[0]] {
			return "" // all that the program does
		}
		return strings.Join(fields[:i], " ")
	}
	return cmd
}

// anyOfKind is a command that is forbidden, with a mark for any in the place of its last
// argument where that has an invented name: "" where something else is behind it.
func anyOfKind(cmd string) string {
	short := withoutInvented(cmd, false)
	switch rest := strings.Fields(strings.TrimPrefix(cmd, short)); {
	case short == cmd:
		return cmd
	case short == "":
		return ""
	case len(rest) > 1 || !strings.Contains(short, " ") || strings.HasPrefix(short, "git push"):
		return ""
	}
	return short + " <name>"
}

// anyValued is a name of code without the value that represents any other.
func anyValued(t string) string {
	if m := anyValue.Get().FindStringSubmatch(t); m != nil && len(m[1]) > 2 {
		return m[1]
	}
	return t
}

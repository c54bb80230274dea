package sentence

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// slashed splits words such as npm/yarn/pnpm.
func slashed(fields []string) (list []string) {
	for _, w := range fields {
		parts := strings.Split(w, "/")
		if len(parts) > 1 && Words().IsBare[strings.ToLower(strings.Trim(parts[0], "("))] && Words().IsBare[strings.ToLower(strings.TrimRight(parts[1], `,;:!?).`))] {
			w = strings.Join(parts, " / ")
		}
		list = append(list, strings.Fields(w)...)
	}
	return list
}

// bare finds the terms that are in plain text: commands, paths and options.
func (p *Phrase) bare(fields []string) string {
	v := Words()
	for i := 0; i < len(fields); i++ {
		w := fields[i]
		core := strings.TrimRight(strings.TrimLeft(w, `,;:!?()"'`), `.,;:!?()"'`)
		if core == "" || strings.Contains(w, "‹") {
			continue
		}
		if i+1 < len(fields) && hooked.Get().MatchString(core+" "+fields[i+1]) || i > 0 && asNoun.Get().MatchString(fields[i-1]+" "+w) {
			continue
		}
		kind, code, arguments := byte(0), strings.TrimRight(strings.TrimLeft(w, `("'`), `.,;:!?"'`), 0
		if v.IsProgram[core] && i > 0 && strings.HasSuffix(w, core) {
			arguments = run(fields[i-1], fields[i+1:])
		}
		switch {
		case plainCode(code):
			fields[i] = strings.Replace(w, code, p.Add(Name, code, true), 1)
			continue
		case core == "pre-commit" && i > 0 && said.Get().MatchString(fields[i-1]) && strings.HasSuffix(w, core): // its hooks, and no other command of it
			fields[i] = p.Add(Command, "pre-commit run", false)
			continue
		case arguments > 0:
			line := strings.Join(fields[i:i+1+arguments], " ")
			whole := strings.TrimRight(line[len(w)-len(core):], behindCommand)
			fields[i] = strings.Replace(line, whole, p.Add(Command, whole, true), 1)
			clear(fields[i+1 : i+1+arguments])
			i += arguments
			continue
		case v.IsBare[strings.ToLower(core)]:
			kind, core = Command, strings.ToLower(core)
			// `npm install` and `git push --force` go on as long as the words are those of commands
			for i+1 < len(fields) && strings.HasSuffix(w, core[strings.LastIndexByte(core, ' ')+1:]) && subcommand(strings.TrimRight(fields[i+1], ".,;:)")) {
				i++
				w = fields[i]
				core += " " + strings.TrimRight(w, ".,;:)")
				fields[i-1] = ""
			}
		case v.IsProgram[core] && i+1 < len(fields) && !strings.ContainsAny(w[len(w)-1:], ".,;:)") && subcommand(strings.TrimRight(fields[i+1], ".,;:)")) && core != "find" && core != "go":
			kind = Command
			next := strings.TrimRight(fields[i+1], ".,;:)")
			if fields[i+1] == next && i+3 < len(fields) && fields[i+2] == "." { // git checkout .
				next, fields[i+1], fields[i+2] = next+" .", next+" .", ""
			}
			fields[i+1] = strings.Replace(fields[i+1], next, "", 1)
			fields[i] = strings.Replace(w, core, p.Add(kind, core+" "+next, false), 1) + fields[i+1]
			fields[i+1] = ""
			i++
			continue
		case strings.HasPrefix(core, "--") && len(core) > 3:
			kind = Flag
		case barePath(core):
			kind = File
		case agentFolder.Get().MatchString(core):
			kind = File
			fields[i] = strings.Replace(w, core, p.Add(kind, core+"/", false), 1)
			continue
		case i+1 < len(fields) && folderWord.Get().MatchString(fields[i]+" "+fields[i+1]):
			kind, core = File, core+"/"
			fields[i], w = core, core
		default:
			continue
		}
		fields[i] = strings.Replace(w, core[strings.LastIndexByte(core, ' ')+1:], p.Add(kind, core, false), 1)
		if fields[i] == w { // it had other letters
			at := max(0, strings.Index(strings.ToLower(w), core[strings.LastIndexByte(core, ' ')+1:]))
			fields[i] = w[:at] + p.mark() + w[min(len(w), at+len(core)-strings.LastIndexByte(core, ' ')-1):]
		}
	}
	return strings.Join(strings.Fields(strings.Join(fields, " ")), " ")
}

var (
	// asNoun is a word behind an article that is the name of a program, too: "before a task run ‹c›".
	asNoun   = lazy.Regexp{Source: `(?i)^(?:an?|the|each|every|any|your|this|that|per|new) (?:task|kind|mix|bundle|vault|act)$`}
	said     = lazy.Regexp{Source: `(?i)^(?:re-?)?(?:run|running|runs|use|using|execute|call|invoke)$`}
	using    = lazy.Regexp{Source: `(?i)^us(?:e|es|ing)$`}
	argument = lazy.Regexp{Source: `^(?:-{1,2}[\w-]+(?:=[\w./-]+)?|[a-z][a-z\d]*(?:[:-][a-z\d]+)*|[\w.-]*[./][\w./*-]*)$`}
)

// behindCommand are the marks that may follow a command in a sentence.
const behindCommand = ".,;:)!"

// run counts the words after a program that belong to its command: behind "run" any may,
// and behind "use" a sub-command or an option has to be the first. "Use go generics" is not
// about a command.
func run(verb string, rest []string) (n int) {
	if !said.Get().MatchString(verb) {
		return 0
	}
	if len(rest) > 1 && rest[0] == "/" && Words().IsBare[strings.ToLower(strings.TrimRight(rest[1], behindCommand))] {
		return 0 // "npm / yarn" names two programs
	}
	for _, w := range rest {
		bare := strings.TrimRight(w, behindCommand)
		if !argument.Get().MatchString(bare) || strings.Contains(notArguments, " "+bare+" ") ||
			n == 0 && using.Get().MatchString(verb) && !subcommand(bare) && !strings.HasPrefix(bare, "-") {
			break
		}
		if n++; bare != w {
			break
		}
	}
	return n
}

// notArguments are words that go on with the sentence, each between blanks.
const notArguments = " " + "a after again and any as at automatically because before by command commands directly during every first for from here if in instead is it " +
	"locally manually not of on once only or rather script scripts so than that the this to unless until via when where while with without " +
	"yourself files file code modules conventions projects project packages package tools tool types features routines channels version versions "

func (p *Phrase) mark() string {
	n := len(p.Terms) - 1
	return fmt.Sprintf("‹%c%d›", p.Terms[n].Kind, n)
}

// subcommand reports whether a word of plain text is more of a command than a word.
func subcommand(w string) bool {
	switch w {
	case "install", "ci", "push", "commit", "publish", "rebase", "stash", "amend", "uninstall", "add", "reset", "clean", "checkout", "merge", "cherry-pick", "run", "build":
		return true
	}
	return strings.HasPrefix(w, "--") && len(w) > 2
}

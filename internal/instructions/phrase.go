package instructions

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/internal/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A term is a name in a sentence: in `code`, or one that is known without.
type term struct {
	kind byte // command, path, flag or name
	text string
	code bool // it was in `code`
}

// The kinds of terms, as they are written in a phrase.
const (
	command = 'c'
	file    = 'p'
	flag    = 'f'
	name    = 't'
)

// A phrase is a sentence as forms see it: in lower case, without marks of style, with
// ‹c0› in the place of a term.
type phrase struct {
	words  string
	quote  string // the sentence as it is
	terms  []term
	step   bool   // it is one of a list of steps, in front of what records the work
	folder string // that the sentence limits itself to: "" for none
}

// phrases makes the phrases of a text in one line.
func phrases(s string) []phrase {
	var list []phrase
	for _, sentence := range sentences(s) {
		list = append(list, newPhrase(sentence))
	}
	return list
}

// sentences cuts a text behind full stops, exclamation and question marks that are in no
// code, and before a word that begins a sentence.
func sentences(s string) []string {
	var list []string
	from, code := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '`':
			code = !code
		case "。"[0]:
			if code || !strings.HasPrefix(s[i:], "。") {
				continue
			}
			list = append(list, strings.TrimSpace(s[from:i+len("。")]))
			from, i = i+len("。"), i+len("。")-1
		case '.', '!', '?':
			next := i + 1
			for next < len(s) && strings.IndexByte(`*_")'`, s[next]) >= 0 {
				next++
			}
			if code || next < len(s) && s[next] != ' ' || abbreviated(s[from:i]) {
				continue
			}
			if rest := strings.TrimLeft(s[next:], " "); rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
				continue
			}
			list = append(list, strings.TrimSpace(s[from:next]))
			from, i = next, next-1
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

func abbreviated(before string) bool {
	last := before[strings.LastIndexAny(before, " (")+1:]
	switch strings.ToLower(last) {
	case "e.g", "i.e", "etc", "vs", "cf", "no", "approx":
		return true
	}
	return last == "" || len(last) < 3 && last[0] >= '0' && last[0] <= '9'
}

var (
	linked   = lazy.Regexp{Source: `!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)`}
	emphasis = lazy.Regexp{Source: `\*\*|__|~~|(^|[\s(])[*_]([^\s*_])|([^\s*_])[*_]($|[\s).,:;!?])`}
	icons    = lazy.Regexp{Source: `[^\p{L}\p{N}\p{P}\p{Z}\s$+<=>^|~→` + "`" + `]+`}
)

// withoutLinks is a sentence with the file that a link leads to in its place, else its text. What
// looks like one in `code` is code.
func withoutLinks(sentence string) string {
	out, at := "", 0
	for _, m := range linked.Get().FindAllStringSubmatchIndex(sentence, -1) {
		if strings.Count(sentence[:m[0]], "`")%2 == 1 {
			continue
		}
		said, to := sentence[m[2]:m[3]], strings.TrimPrefix(sentence[m[4]:m[5]], "./")
		if !strings.Contains(said, "`") && !strings.Contains(to, ":") && path.Ext(to) != "" && !strings.Contains(to, "#") {
			said = "`" + to + "`"
		}
		out, at = out+sentence[at:m[0]]+said, m[1]
	}
	return out + sentence[at:]
}

var knownPhrases = lazy.Memo[phrase]{Texts: maxKept, Bytes: maxKeptText}

// newPhrase reads a sentence.
func newPhrase(sentence string) phrase {
	p, _ := knownPhrases.Get(sentence, func(s string) (phrase, error) { return readPhrase(s), nil })
	p.terms = slices.Clone(p.terms) // a phrase changes its terms
	return p
}

func readPhrase(sentence string) phrase {
	p := phrase{quote: sentence}
	s := withMarks(withExceptions(withoutLinks(sentence)))
	s = strings.NewReplacer("‹", "<", "›", ">", "’", "'", "‘", "'", "“", `"`, "”", `"`).Replace(s)
	s = markdown.CodeSpan.Get().ReplaceAllStringFunc(s, func(c string) string {
		c = withSlashes(strings.Trim(c, "` "))
		if c == "" {
			return ""
		}
		if m := arity.Get().FindStringSubmatch(c); m != nil {
			c = m[1] + "()"
		}
		if m := mcpName.Get().FindStringSubmatch(c); m != nil {
			return p.add(command, "*:"+m[1], true)
		}
		return p.add(kindOf(c), c, true)
	})
	s = emphasis.Get().ReplaceAllString(oneSign(s), "$1$2$3$4")
	s = icons.Get().ReplaceAllString(s, " ")
	s = english(s)
	p.words = withObjects(forgetting.Get().ReplaceAllString(strings.ToLower(p.bare(slashed(strings.Fields(s)))), "always"))
	p.words = folder.Get().ReplaceAllStringFunc(p.words, func(s string) string {
		if t := p.termIn(s); pathForm.Get().MatchString(t.text) {
			t.kind, t.text = file, strings.TrimSuffix(t.text, "/")+"/"
			if s = strings.Replace(s, "‹t", "‹p", 1); strings.Contains(s, " sub") {
				s, t.text = mark.Get().FindString(s), "**/"+t.text
			}
		}
		return s
	})
	p.words = folderOutput.Get().ReplaceAllString(p.words, "$1 files")
	p.wrapped()
	p.nameApply()
	p.endingsNamed()
	p.words = mcpTool.Get().ReplaceAllStringFunc(p.words, func(s string) string {
		if t := p.termIn(s); called.Get().MatchString(t.text) || strings.Contains(s, "mcp") && plainName.Get().MatchString(t.text) {
			t.kind, t.text = command, "*:"+t.text
			s = strings.Replace(s, "‹t", "‹c", 1)
		}
		return s
	})
	p.alongList(&toolList, func(s string) string {
		next := p.termIn(s[len(mark.Get().FindString(s)):])
		if t := p.termIn(s); strings.HasPrefix(next.text, "*:") && called.Get().MatchString(t.text) {
			t.kind, t.text = command, "*:"+t.text
			s = strings.Replace(s, "‹t", "‹c", 1)
		}
		return s
	})
	p.artifacts()
	p.namedFiles()
	p.words = fileWord.Get().ReplaceAllStringFunc(p.words, p.named)
	p.words = running.Get().ReplaceAllStringFunc(p.words, p.program)
	p.words = givenAt.Get().ReplaceAllStringFunc(p.words, p.given)
	p.alongList(&furtherRun, p.alsoRun)
	p.words = scriptRun.Get().ReplaceAllStringFunc(p.words, p.script)
	p.scriptsRun()
	return p
}

// alongList replaces names of a list by what another one of it tells, as long as there is more to
// tell: "the ‹t› or ‹c› tools", "run ‹c› or ‹t›".
func (p *phrase) alongList(re *lazy.Regexp, with func(string) string) {
	for before := ""; p.words != before; {
		before, p.words = p.words, re.Get().ReplaceAllStringFunc(p.words, with)
	}
}

var (
	// forgetting is a prohibition to leave something out, which asks for it.
	forgetting = lazy.Regexp{Source: `\b(?:do not|don't|never) (?:ever )?(?:forget|neglect|omit) to\b`}
	// running is a name in `code` that is said to be run.
	running = lazy.Regexp{Source: `\b(?:re-?)?(?:run|running|execute|executing|call|calling|only after)(?: (?:the|bare|a|plain|your))* ‹t\d+›(?: (?:skill|agent|sub-?agent|workflow|job|action|task|playbook)\b)?`}
	// scriptRun is a script of the project that is not to be run.
	scriptRun = lazy.Regexp{Source: `\b(?:never|not|don't) (?:(?:run|execute|call|invoke) ‹p\d+›|use ‹p\d+›(?:$|[.,;:)!]| (?:or|and|directly|[—–(-])))`}
	folder    = lazy.Regexp{Source: `‹t\d+› (?:sub)?(?:folders?|director(?:y|ies)|dirs?)\b|\b(?:anything|everything|files?|code) (?:in|under|inside|within|below) (?:the )?‹t\d+›`}
	// mcpTool is one of an MCP server.
	mcpTool  = lazy.Regexp{Source: `‹t\d+› (?:mcp )?(?:tool|function)s?\b|\bmcp tools? ‹t\d+›|\b(?:use|using|call|calling) ‹t\d+› (?:to [^.,;‹]{2,50} )?(?:before|prior to)\b`}
	toolList = lazy.Regexp{Source: `‹t\d+›(?:, |,? (?:or|and) )‹c\d+›`}
	called   = lazy.Regexp{Source: `^[a-z]\w*[_-][\w-]+$`}
	mcpName  = lazy.Regexp{Source: `^mcp__\w+?__(\w+)(?:\(|$)`}
	camel    = lazy.Regexp{Source: `^[a-z]+[A-Z]\w*(?:\(|$)`} // a function
	programs = lazy.Regexp{Source: `^[a-z][\w.-]*(?: [\w./:=*<>@-]+)*$`}
)

// program makes a command of a name that is run, whatever its program is.
func (p *phrase) program(s string) string {
	t := p.termIn(s)
	if !strings.HasSuffix(s, "›") {
		return s // a skill, a workflow …
	}
	if m := toolCall.Get().FindString(t.text); m != "" {
		t.text = "*:" + m[:strings.IndexByte(m, '(')]
	} else if !programs.Get().MatchString(t.text) || camel.Get().MatchString(t.text) || strings.HasPrefix(s, "call") && !strings.Contains(t.text, " ") && !endings.Get().MatchString(t.text) { // a function is called, too
		return s
	}
	t.kind = command
	return strings.Replace(s, "‹t", "‹c", 1)
}

// script makes a command of a path that is run, where it is that of a script.
func (p *phrase) script(s string) string {
	t := p.termIn(s)
	if cleaned(*t) == "" {
		return s
	}
	t.kind = command
	return strings.Replace(s, "‹p", "‹c", 1)
}

// termIn is the term of the first mark in words.
func (p *phrase) termIn(words string) *term {
	n, _ := strconv.Atoi(mark.Get().FindStringSubmatch(words)[2])
	return &p.terms[n]
}

// english puts English words in the place of others that forms know.
func english(s string) string {
	if !han.Get().MatchString(s) {
		return s
	}
	for _, f := range foreign() {
		s = f.re.ReplaceAllString(s, f.with)
	}
	return spacedEnd.Get().ReplaceAllString(s, "$1$2")
}

var (
	han = lazy.Regexp{Source: `\p{Han}`}
	// spacedEnd is a sign behind the space that an English word ends with.
	spacedEnd = lazy.Regexp{Source: ` +([.,;:])( |$)`}
	foreign   = sync.OnceValue(func() (list []translation) {
		for _, f := range words().Foreign {
			list = append(list, translation{regexp.MustCompile(f[0]), f[1]})
		}
		return list
	})
)

type translation struct {
	re   *regexp.Regexp
	with string
}

// slashed splits words such as npm/yarn/pnpm.
func slashed(fields []string) (list []string) {
	for _, w := range fields {
		parts := strings.Split(w, "/")
		if len(parts) > 1 && words().bare[strings.ToLower(strings.Trim(parts[0], "("))] && words().bare[strings.ToLower(strings.TrimRight(parts[1], `,;:!?).`))] {
			w = strings.Join(parts, " / ")
		}
		list = append(list, strings.Fields(w)...)
	}
	return list
}

// add notes a term, and returns its mark.
func (p *phrase) add(kind byte, s string, code bool) string {
	p.terms = append(p.terms, term{kind, withSlashes(s), code})
	return fmt.Sprintf("‹%c%d›", kind, len(p.terms)-1)
}

// bare finds the terms that are in plain text: commands, paths and options.
func (p *phrase) bare(fields []string) string {
	v := words()
	for i := 0; i < len(fields); i++ {
		w := fields[i]
		core := strings.TrimRight(strings.TrimLeft(w, `,;:!?()"'`), `.,;:!?()"'`)
		if core == "" || strings.Contains(w, "‹") {
			continue
		}
		if i+1 < len(fields) && hooked.Get().MatchString(core+" "+fields[i+1]) {
			continue
		}
		kind, code, arguments := byte(0), strings.TrimRight(strings.TrimLeft(w, `("'`), `.,;:!?"'`), 0
		if v.programs[core] && i > 0 && strings.HasSuffix(w, core) {
			arguments = run(fields[i-1], fields[i+1:])
		}
		switch {
		case plainCode(code):
			fields[i] = strings.Replace(w, code, p.add(name, code, true), 1)
			continue
		case core == "pre-commit" && i > 0 && said.Get().MatchString(fields[i-1]) && strings.HasSuffix(w, core): // its hooks, and no other command of it
			fields[i] = p.add(command, "pre-commit run", false)
			continue
		case arguments > 0:
			line := strings.Join(fields[i:i+1+arguments], " ")
			whole := strings.TrimRight(line[len(w)-len(core):], behindCommand)
			fields[i] = strings.Replace(line, whole, p.add(command, whole, true), 1)
			clear(fields[i+1 : i+1+arguments])
			i += arguments
			continue
		case v.bare[strings.ToLower(core)]:
			kind, core = command, strings.ToLower(core)
			// `npm install` and `git push --force` go on as long as the words are those of commands
			for i+1 < len(fields) && strings.HasSuffix(w, core[strings.LastIndexByte(core, ' ')+1:]) && subcommand(strings.TrimRight(fields[i+1], ".,;:)")) {
				i++
				w = fields[i]
				core += " " + strings.TrimRight(w, ".,;:)")
				fields[i-1] = ""
			}
		case v.programs[core] && i+1 < len(fields) && !strings.ContainsAny(w[len(w)-1:], ".,;:)") && subcommand(strings.TrimRight(fields[i+1], ".,;:)")) && core != "find" && core != "go":
			kind = command
			next := strings.TrimRight(fields[i+1], ".,;:)")
			if fields[i+1] == next && i+3 < len(fields) && fields[i+2] == "." { // git checkout .
				next, fields[i+1], fields[i+2] = next+" .", next+" .", ""
			}
			fields[i+1] = strings.Replace(fields[i+1], next, "", 1)
			fields[i] = strings.Replace(w, core, p.add(kind, core+" "+next, false), 1) + fields[i+1]
			fields[i+1] = ""
			i++
			continue
		case strings.HasPrefix(core, "--") && len(core) > 3:
			kind = flag
		case barePath(core):
			kind = file
		case agentFolder.Get().MatchString(core):
			kind = file
			fields[i] = strings.Replace(w, core, p.add(kind, core+"/", false), 1)
			continue
		case i+1 < len(fields) && folderWord.Get().MatchString(fields[i]+" "+fields[i+1]):
			kind, core = file, core+"/"
			fields[i], w = core, core
		default:
			continue
		}
		fields[i] = strings.Replace(w, core[strings.LastIndexByte(core, ' ')+1:], p.add(kind, core, false), 1)
		if fields[i] == w { // it had other letters
			at := max(0, strings.Index(strings.ToLower(w), core[strings.LastIndexByte(core, ' ')+1:]))
			fields[i] = w[:at] + p.mark() + w[min(len(w), at+len(core)-strings.LastIndexByte(core, ' ')-1):]
		}
	}
	return strings.Join(strings.Fields(strings.Join(fields, " ")), " ")
}

var (
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

func (p *phrase) mark() string {
	n := len(p.terms) - 1
	return fmt.Sprintf("‹%c%d›", p.terms[n].kind, n)
}

// subcommand reports whether a word of plain text is more of a command than a word.
func subcommand(w string) bool {
	switch w {
	case "install", "ci", "push", "commit", "publish", "rebase", "stash", "amend", "uninstall", "add", "reset", "clean", "checkout", "merge", "cherry-pick", "run", "build":
		return true
	}
	return strings.HasPrefix(w, "--") && len(w) > 2
}

var (
	endings  = lazy.Regexp{Source: `(?i)\.(go|ts|tsx|js|jsx|mjs|cjs|mts|py|pyi|rs|rb|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|ps1|sql|cql|md|mdx|mdc|txt|json|jsonc|json5|jsonl|yaml|yml|toml|lock|lockb|ini|cfg|conf|env|xml|html|css|scss|svg|proto|graphql|prisma|tf|tfvars|ipynb|vue|svelte|gradle|properties|csproj|fsproj|vbproj|props|targets|sln|snap|golden|pem|key|po|mod|sum|ex|exs|lua|zig|r|jl|elm|fs|fsx|clj|cljs|hs|ml|mli|sol|glsl|nix|dart|tmpl|rst|adoc|csv|db|sqlite|plist|strings|stringsdict|xcstrings|resx|graphqls|storyboard|xib|xcodeproj|pbxproj|bazel|gen)$`}
	pathForm = lazy.Regexp{Source: `^[\w.*?@~<>{}\[\],/+$-]+$`}
	known    = lazy.Regexp{Source: `^(?:[Nn]u[Gg]et\.[Cc]onfig|[Ww]eb\.config|App\.config|packages\.config|Package\.resolved|Makefile|Dockerfile|LICENSE|NOTICE|COPYING|AUTHORS|MAINTAINERS|\.DS_Store|CHANGELOG|Justfile|justfile|Taskfile|Gemfile|Rakefile|Procfile|CODEOWNERS|Cargo\.lock|go\.sum|node_modules|__pycache__|\.[a-z][\w.-]+[\w*])/?$`}
	anyOf    = lazy.Regexp{Source: `^(?:\*\*/)?[\w.-]*\*[\w-]*(?:\.[\w*-]+)+$`} // *.xlf, eslint.config.*
	// script is a program that a project has itself.
	script  = lazy.Regexp{Source: `^(?:\./|(?:scripts?|bin|hack|tools|ci|vendor/bin|\.venv/bin|node_modules/\.bin)/)[\w.$/-]+$`}
	dotCall = lazy.Regexp{Source: `^\.\w+(?:\(|$)`}
	// modulePath is that of a module of Go.
	modulePath = lazy.Regexp{Source: `^(?:github\.com/[\w.-]+|gitlab\.com/[\w.-]+|golang\.org/x|google\.golang\.org|gopkg\.in|go\.uber\.org|k8s\.io)/[\w.-]+(?:/v\d+)?$`}
)

// kindOf says what a text in `code` is.
func kindOf(s string) byte {
	first, rest, more := strings.Cut(strings.TrimPrefix(s, "$ "), " ")
	if withVariables.Get().MatchString(s) {
		return command
	}
	for strings.Contains(first, "=") && more && !strings.HasPrefix(first, "-") {
		first, rest, more = strings.Cut(rest, " ")
	}
	switch {
	case strings.HasPrefix(s, "process.env"):
		return name
	case strings.HasPrefix(s, "-") && len(s) > 1:
		return flag
	case words().programs[first] || more && (first == "cd" || words().withArguments[first]):
		return command
	case more && (script.Get().MatchString(first) || path.Ext(first) == ".sh" || path.Ext(first) == ".py" || path.Ext(first) == ".ps1") && !strings.Contains(s, "→") && !strings.Contains(s, "->"):
		return command
	case more, modulePath.Get().MatchString(s):
		return name
	case anyOf.Get().MatchString(s), strings.HasSuffix(s, ".config.*"):
		return file
	case !pathForm.Get().MatchString(s) || strings.Contains(s, "://") || strings.HasPrefix(s, "@") || s == "/" || strings.HasSuffix(s, "()"):
		return name
	case endings.Get().MatchString(s) && !strings.HasPrefix(s, "<"), known.Get().MatchString(s) && (!dotCall.Get().MatchString(s) || dotFile(s)):
		return file
	case strings.Contains(s, "/") && !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/"):
		return file
	}
	return name
}

// withVariables is a program by its path, with variables for it in front.
var withVariables = lazy.Regexp{Source: `^(?:[A-Z_][A-Z\d_]*=\S* )+/[\w./-]+(?: |$)`}

// dotFile reports whether a name that begins with a dot is a file's and no method's.
func dotFile(s string) bool {
	base := strings.TrimRight(s, "/*")
	return strings.HasSuffix(s, "/") || strings.HasPrefix(base, ".env") || strings.HasPrefix(base, ".git") || strings.HasPrefix(base, ".claude") || strings.HasSuffix(base, "rc") || strings.HasSuffix(base, "ignore") || strings.HasSuffix(base, "-version") || strings.HasSuffix(base, "-versions") || base == ".editorconfig" || base == ".DS_Store"
}

// barePath reports whether a word of plain text is a path.
func barePath(s string) bool {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "@") || !pathForm.Get().MatchString(s) || strings.HasPrefix(s, "*") && !strings.Contains(s, ".") {
		return false
	}
	if strings.HasPrefix(s, ".env") || ending.Get().MatchString(s) && endings.Get().MatchString(s) {
		return true
	}
	stem := strings.TrimSuffix(s, path.Ext(s))
	if framework.Get().MatchString(s) || stem == "" {
		return false
	}
	return endings.Get().MatchString(s) && len(stem) > 1 || strings.HasSuffix(s, "/") && len(s) > 3 || below.Get().MatchString(s)
}

var (
	// below is a path without an ending in a folder that sources are in. Words such as
	// client/server and docs/tests are alternatives.
	below = lazy.Regexp{Source: `^(?:\./)?(?:src|libs?|pkg|packages|cmd|internal|crates|apps?|modules|vendor|third_party|db|database|infra|config|scripts|public|static|assets|\.[a-z][\w-]*)/[\w.*@+-]{2,}(?:/[\w.*@+-]+)*$`}
	// folderWord is a folder that is named without a slash: the vendor directory.
	folderWord = lazy.Regexp{Source: `^(?:vendor|dist|node_modules|third_party|generated|migrations|fixtures|legacy|public|assets|snapshots|testdata|infra|terraform|archive) (?:folder|directory|dir)\b`}
	// agentFolder is a folder that is named by its dot alone.
	agentFolder = lazy.Regexp{Source: `^\.(?:github|claude|cursor|vscode|husky|devcontainer|circleci)$`}
	// hooked are the hooks that a program runs, and no command.
	hooked = lazy.Regexp{Source: `^(?:pre-commit|husky|lefthook) (?:hooks?|framework|config\w*|checks?|stage|phase)\b`}
	// member and call are code in plain text: console.log, unwrap(), os.system().
	member = lazy.Regexp{Source: `^[a-z_]\w+\.[a-z_]\w+$|^[A-Z][a-z]\w+\.[A-Z][a-z]\w+$|^[A-Z]\w+\.[a-z]\w+\.[a-z]\w+$`}
	call   = lazy.Regexp{Source: `^(?:\w+\.)*[A-Za-z_]\w+!?\(\)$`}
	domain = lazy.Regexp{Source: `(?i)\.(?:com|org|net|io|dev|ai|app|co|sh|so|me|gg|de|eu|edu|gov)$`}
)

// plainCode reports whether a word of plain text can only be code.
func plainCode(s string) bool {
	return call.Get().MatchString(s) || member.Get().MatchString(s) && !endings.Get().MatchString(s) && !domain.Get().MatchString(s)
}

var framework = lazy.Regexp{Source: `^[A-Z][a-z]+\.(?:js|go|md|py|c|h|key|env)$|^(?i)(?:node|next|vue|nuxt|express|three|d3|react|chart|alpine|discord|ember|moment|e\.g|i\.e)\.js$`}

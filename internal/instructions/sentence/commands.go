package sentence

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Settings are variables that a command sets.
var Settings = lazy.Regexp{Source: `^(?:\w+=\S* )+`}

// Program is the program of a command.
func Program(cmd string) string {
	name, _, _ := strings.Cut(Settings.Get().ReplaceAllString(cmd, ""), " ")
	return name
}

// Cleaned is a command of a text as one: "" for more than one and for none.
func Cleaned(t Term) string {
	s := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(t.Text), "$ "), ":")
	if i := strings.Index(s, " #"); i > 0 {
		s = strings.TrimSpace(s[:i])
	}
	if m := npmScript.Get().FindStringSubmatch(s); m != nil && !strings.Contains(npmOwn, " "+m[1]+" ") {
		return "npm run " + strings.TrimPrefix(s, "npm ")
	}
	if t.Kind == File {
		if strings.HasSuffix(s, ".sh") ||
			strings.HasSuffix(s, ".py") ||
			strings.HasSuffix(s, ".ps1") ||
			script.Get().MatchString(s) && !strings.HasSuffix(s, "/") && !report.Get().MatchString(s) && (strings.HasPrefix(s, "./") || path.Ext(s) == "") {
			return s
		}
		return ""
	}
	return s
}

var (
	// givenAt is a name of several words behind the time that it belongs to, as "after code changes: ‹t›", or
	// behind what is made with it.
	givenAt = lazy.Regexp{Source: `(?:^|[.:] )(?:(?:re-?(?:build|generate|compile)|always) )?after [^:;.‹]*(?:‹[pa]\d+›[^:;.‹]*)?: ‹t\d+›|\b(?:rebuild|regenerate|recompile|validate|lint)\b[^‹.;:]*(?:‹[pa]\d+›[^‹.;:]*)?(?: (?:using|via|with|by running)|:) ‹t\d+›`}
	// commandLine is a program with its arguments.
	commandLine = lazy.Regexp{Source: `^[a-z][a-z\d]*(?:[-_.][a-z\d]+)*(?: [\w./:=*<>@-]+)+$`}
)

// given marks the last name as a command if it reads as a command line, whatever its program.
func (p *Phrase) given(s string) string {
	marks := Mark.Get().FindAllString(s, -1)
	last := marks[len(marks)-1]
	t := p.TermIn(last)
	first, _, _ := strings.Cut(t.Text, " ")
	if !commandLine.Get().MatchString(t.Text) || Words().IsVerb[first] {
		return s
	}
	t.Kind = Command
	return strings.TrimSuffix(s, last) + strings.Replace(last, "‹t", "‹c", 1)
}

// npmScript is a command of npm by its name, npmOwn those that npm has itself. It runs other
// scripts by "run" only.
var npmScript = lazy.Regexp{Source: `^npm ([a-z][\w:-]*)(?:$| )`}

const npmOwn = " access add adduser audit bugs c cache ci clean-install completion config create ddp dedupe deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund get help help-search hook i info init install install-ci-test install-test issues it link list ll ln login logout ls org outdated owner pack ping pkg prefix profile prune publish query r rb rebuild remove repo restart rm root run run-script s sbom se search set shrinkwrap star stars start stop t team test token tst un uninstall unlink unpublish unstar up update upgrade v version view whoami why x "

// wrapped makes commands of the project's own script and of the program of that name, where a line
// names both: "use ./mill, not mill".
func (p *Phrase) wrapped() {
	for i := range p.Terms {
		t := &p.Terms[i]
		own, ok := strings.CutPrefix(t.Text, "./")
		of := slices.IndexFunc(p.Terms, func(o Term) bool { return o.Code && o.Text == own })
		if !ok || t.Kind != File || of < 0 || !t.Code {
			continue
		}
		for _, n := range []int{i, of} {
			p.Words = strings.Replace(p.Words, fmt.Sprintf("‹%c%d›", p.Terms[n].Kind, n), fmt.Sprintf("‹%c%d›", Command, n), 1)
			p.Terms[n].Kind = Command
		}
	}
}

var (
	// pathRun are files that are said to be run.
	pathRun = lazy.Regexp{Source: `\b(?:re-?)?(?:run|execute) (?:the )?‹p\d+›(?:(?:, |,? (?:and|then) (?:run )?)‹p\d+›)*`}
	// scriptFile is one in a folder of scripts, and testOf one of tests.
	scriptFile = lazy.Regexp{Source: `^(?:\./)?(?:scripts?|bin|hack|tools|ci)/[\w./-]*\w\.(?:[cm]?js|ts|rb|pl|php)$`}
	testOf     = lazy.Regexp{Source: `[._-](?:test|spec)s?\.\w+$`}
)

// scriptsRun makes commands of the scripts of the project that are run, whatever runs them.
func (p *Phrase) scriptsRun() {
	p.Words = pathRun.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		return Mark.Get().ReplaceAllStringFunc(s, func(m string) string {
			t := p.TermIn(m)
			if !scriptFile.Get().MatchString(t.Text) || testOf.Get().MatchString(t.Text) {
				return m
			}
			t.Kind = Command
			return strings.Replace(m, "‹p", "‹c", 1)
		})
	})
}

// ofWindows is a program by its path as Windows has it.
var ofWindows = lazy.Regexp{Source: `^(?:& ?)?(\.(?:\\[\w.-]+)+)( |$)`}

// withSlashes is a command whose program is named by its path, with slashes in that.
func withSlashes(cmd string) string {
	m := ofWindows.Get().FindStringSubmatchIndex(cmd)
	if m == nil {
		return cmd
	}
	return strings.ReplaceAll(cmd[m[2]:m[3]], `\`, "/") + cmd[m[3]:]
}

// arity is a function as Elixir and Erlang name it, with the number of its arguments.
var arity = lazy.Regexp{Source: `^((?:[A-Z:][\w.]*\.)?[a-z_]\w*[?!]?)/\d$`}

var toolCall = lazy.Regexp{Source: `^[a-z][a-z0-9]*(?:_[a-z0-9]+)+\(`}

// report is a file that cannot be run.
var report = lazy.Regexp{Source: `(?i)\.(?:xml|json|jsonl|md|mdx|txt|html?|ya?ml|toml|log|csv|lock|sarif|out|tap|lcov|info|svg|png|pdf|properties|ini|cfg|conf|sql|db)$`}

var (
	// folderOutput are the files of a folder that tools make.
	folderOutput = lazy.Regexp{Source: `(‹p\d+›) (?:build |compiled |generated )?(?:outputs?|artifacts?)\b`}
	// beforeApply is the moment before a tool changes what is in use, and planner such a tool.
	beforeApply = lazy.Regexp{Source: `(\bbefore (?:you |ever )?)(?:apply|applying)( (?:any |the |your )?(?:changes?|it|plan))?($|[.,;:)])`}
	planner     = lazy.Regexp{Source: `^(terraform|tofu|terragrunt|pulumi) (?:plan|preview|validate|fmt)\b`}
)

// nameApply puts the command that a sentence means by "applying" in its place.
func (p *Phrase) nameApply() {
	for _, t := range p.Terms {
		if m := planner.Get().FindStringSubmatch(t.Text); m != nil && beforeApply.Get().MatchString(p.Words) {
			act := map[string]string{"pulumi": "pulumi up"}[m[1]]
			p.Words = beforeApply.Get().ReplaceAllString(p.Words, "${1}"+p.Add(Command, cmp.Or(act, m[1]+" apply"), true)+"$3")
			return
		}
	}
}

// ReplaceAllSubmatch puts what a function makes of the groups of each match in its place.
func ReplaceAllSubmatch(re *regexp.Regexp, s string, with func([]string) string) string {
	var b strings.Builder
	at := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		groups := make([]string, len(m)/2)
		for i := range groups {
			if m[2*i] >= 0 {
				groups[i] = s[m[2*i]:m[2*i+1]]
			}
		}
		b.WriteString(s[at:m[0]] + with(groups))
		at = m[1]
	}
	return b.String() + s[at:]
}

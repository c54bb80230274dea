package instructions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// pullTemplate is the path of a template of pull requests.
var pullTemplate = lazy.Regexp{Source: `(?i)(?:pull|merge)_request_template`}

// actMark is an act of a sentence.
var actMark = lazy.Regexp{Source: `‹a\d+›`}

// template wants the template of pull requests to be read before one is opened, unless the
// call names it.
func (b *builder) template() (list []ruletext.Rule) {
	if m := actMark.Get().FindString(b.hit.Phrase.Words); m != "" && b.termOf(m).Text == "commit" {
		return nil // it is about the message of a commit
	}
	for _, read := range b.choices("read") {
		spell(b.p, &read)
		for i, glob := range read.globs { // GitHub knows several places for it
			read.globs[i] = inAnyFolder(glob)
		}
		if !pullTemplate.Get().MatchString(read.String()) {
			continue
		}
		b.hit.Slots["gate"] = b.hit.Phrase.Add('a', "pull-request", false)
		for _, r := range b.readBeforeCall(&read) {
			r.When += ` and not hasFlag(cmd, "--template", "-T", "--web", "-w")`
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "gh pr create --template " + pathglob.Sample(read.globs[0])}))
			list = append(list, r)
		}
	}
	return list
}

// logsSecret is a call that logs a value by a name of secrets, outside of plain text.
const logsSecret = `(?i)\b(?:console|(?:\w*_)?log(?:ger|ging)?|\w*(?-i:Log(?:ger|ging)?)|slog|tracing|Timber)(?:\.|::)\w+!?(?:\(|\s*\{)(?:"[^"\n]*"|'[^'\n]*'|[^"'\x60\n]|[^\n]*(?:\{|\\\(|\$))*?(?:\b\w*(?:password|passwd|secret|(?:api|private|access|encryption|signing|master)_?key|credentials)(?:_?hash)?|\b(?:\w*(?:` + ofSecretToken + `)_?)?token)\b`

// ofSecretToken are words in front of the token that somebody is known by; the token of a page, of a
// parser or of a cancellation is not secret.
const ofSecretToken = `access|auth|oauth|refresh|bearer|session|id|api|jwt|bot|user|client|device|push|service|admin|deploy|login|sso|app|webhook|csrf|reset|invite|magic|secret|private|security|github|gh|gitlab|slack|telegram|discord|npm|vault|stripe|firebase|fcm`

// logged warns of calls that log secrets.
func (b *builder) logged() []ruletext.Rule {
	globs, p := b.codeFiles()
	r := ruletext.Rule{ID: "secrets", Trigger: "file_write", Scope: globs, Message: "Log it without the secret."}
	r.When, r.Why = "content matches `"+logsSecret+"`", "It stops calls that log a value named as a password, a token or the like."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: `logger.info("signed in", user.password)`}), ruletext.AsStop(ruletext.Case{Write: p, Content: "console.log(`got ${accessToken}`)"}),
		ruletext.AsStop(ruletext.Case{Write: p, Content: `logger.info("%s", config.telegram_bot_token[:5])`}), ruletext.AsPass(ruletext.Case{Write: p, Content: "logger.info('next', nextPageToken, parser.token_count)"}),
		ruletext.AsPass(ruletext.Case{Write: p, Content: `logger.info("the password was reset", user.id)`}), ruletext.AsPass(ruletext.Case{Write: p, Content: "check(password)"})}
	return []ruletext.Rule{r}
}

// someTests is the heading of what is about tests of one kind.
var someTests = lazy.Regexp{Source: `(?i)\b(?:browser|e2e|end-to-end|integration|ui|component|api|performance|load|smoke|visual|snapshot|acceptance|feature|functional|system|contract) (?:tests?|testing|specs?)\b`}

// beside warns of new tests in folders of their own, for a line that wants them next to the code.
func (b *builder) beside() []ruletext.Rule {
	for _, l := range b.languagesOf() {
		if l.Example == "src/lib.rs" {
			return nil // its tests of the whole are in such a folder
		}
	}
	r := ruletext.Rule{ID: "tests", Trigger: "file_write", Scope: survey.Apart, Exclude: []string{"**/{e2e,integration,playwright,cypress,acceptance}/**", "**/*{e2e,integration}*"}, Message: "Put the test beside what it tests."}
	r.Exclude = append(r.Exclude, b.p.FoldersOfTests()...)
	if b.said("kind") != "" {
		r.Message = "If this is a " + strings.TrimSpace(b.said("kind")) + " test, put it beside what it tests."
	}
	r.When, r.Why = makesFile, "It stops new tests in folders of tests."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "tests/zz-new.test.ts", Content: "x"}), ruletext.AsStop(ruletext.Case{Write: "src/__tests__/zz-new.spec.ts", Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "src/a.test.ts", Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "tests/e2e/a.test.ts", Content: "x"})}
	return []ruletext.Rule{r}
}

// routed are files that a framework or a tool wants a default export of.
var routed = []string{"**/*.{config,stories,d}.*", "**/.storybook/**", "**/pages/**", "**/app/**/{page,layout,loading,error,template,default,not-found,route}.*", "**/routes/**"}

// defaultExport is how one is written.
const defaultExport = `(?m)^\s*export default\b`

// exports warns of default exports.
func (b *builder) exports() []ruletext.Rule {
	said, _, _ := strings.Cut(b.s.Text, b.quote)
	if reExports.Get().MatchString(said + b.quote) {
		return nil
	}
	r := ruletext.Rule{ID: "default", Trigger: "file_write", Scope: []string{"**/*.{ts,tsx,js,jsx,mts,mjs}"}, Exclude: routed, Message: "Use a named export."}
	if strings.Contains(b.hit.Phrase.Words, "component") {
		r.Scope = []string{"**/*.{tsx,jsx}"}
	}
	p := "src/a.tsx"
	if len(b.s.Globs) > 0 {
		if ofOtherEndings(r.Scope, b.s.Globs) {
			return nil
		}
		r.Scope, p = b.s.Globs, pathglob.Sample(b.s.Globs[0])
	}
	r.When, r.Why = putsIn(defaultExport), "It stops writes that add a default export to a file."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "export default A"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "export const A = 1"}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: "export default A"})}
	return []ruletext.Rule{r}
}

// reExports is a statement about modules that export what others do.
var reExports = lazy.Regexp{Source: `(?i)export \*|\bbarrels?\b|\bre-?exports?\b`}

// byHook is a statement about something that a hook does, too.
var byHook = lazy.Regexp{Source: `(?i)\b(?:auto(?:matically)?|pre-commit|hooks?)\b`}

// licence wants a head with the licence in new files of code.
func (b *builder) licence() []ruletext.Rule {
	if slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool { return headBy.Get().MatchString(p.Words) }) || b.headAdded() {
		return nil // it is there when the command, or a hook, has run
	}
	globs, p := b.filesWithHead(nil)
	if len(globs) == 0 {
		return nil
	}
	if byHook.Get().MatchString(b.s.Text) {
		b.hit.Severity = "warn"
	}
	r := ruletext.Rule{ID: "new files", Trigger: "file_write", Scope: globs, Message: "Begin the file with the licence header of the project."}
	r.When = "operation in [\"create\", \"overwrite\"] and content matches `\\S` and not (content matches `(?i)copyright|spdx-license-identifier|licen[sc]ed? (?:under|to)|©`)"
	r.Why = "It stops new files without a licence header."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "x = 1"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "// Copyright 2020 A\nx = 1"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "# SPDX-License-Identifier: MIT\nx = 1"}), ruletext.AsPass(ruletext.Case{Write: p, Old: "a", Content: "b"})}
	return []ruletext.Rule{r}
}

// length warns of new files with more lines than a line allows.
func (b *builder) length() []ruletext.Rule {
	n, err := strconv.Atoi(strings.ReplaceAll(b.said("number"), ",", ""))
	if err != nil || n < 40 || n > 1500 {
		return nil
	}
	globs, p := b.codeFiles()
	if strings.HasPrefix(b.said("what"), "component") {
		globs, p = []string{"**/*.{tsx,jsx,vue,svelte}"}, "src/a.tsx"
	}
	if paths, _ := b.paths("what"); len(paths) > 0 {
		globs, p = paths, pathglob.Sample(paths[0])
	}
	r := ruletext.Rule{ID: fmt.Sprint(n), Trigger: "file_write", Scope: globs, Message: fmt.Sprintf("Write at most %d lines: split the file.", n)}
	r.When = fmt.Sprintf("operation in [\"create\", \"overwrite\"] and len(split(content, \"\\n\")) > %d", n+1)
	r.Why = fmt.Sprintf("It stops files that are written with more than %d lines.", n)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: strings.Repeat("x\n", n+1)}), ruletext.AsPass(ruletext.Case{Write: p, Content: "x\n"}), ruletext.AsPass(ruletext.Case{Write: p, Old: "a", Content: "b"})}
	return []ruletext.Rule{r}
}

// columns warns of lines that are longer than a line allows.
func (b *builder) columns() []ruletext.Rule {
	n, err := strconv.Atoi(b.said("number"))
	if err != nil || n < 60 || n > 250 {
		return nil
	}
	globs, p := b.codeFiles()
	if own, one := survey.FilesOf(b.p.SoleLanguage()); len(own) > 0 && len(globs) == 1 && globs[0] == b.usual() {
		globs, p = own, one // its formatter has the number
	}
	r := ruletext.Rule{ID: fmt.Sprint(n), Trigger: "file_write", Scope: globs, Message: fmt.Sprintf("Keep the lines at most %d characters long.", n)}
	r.When = putsIn(fmt.Sprintf(`(?m)^[^\n]{%d,}$`, n+1))
	r.Why = fmt.Sprintf("It stops writes that add lines of more than %d characters.", n)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: strings.Repeat("x", n+1)}), ruletext.AsPass(ruletext.Case{Write: p, Content: strings.Repeat("x", n)}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: strings.Repeat("x", n+1)})}
	b.exceptTests(&r)
	return []ruletext.Rule{r}
}

// kept forbids changes of the files that are in a folder already.
func (b *builder) kept() []ruletext.Rule {
	list := b.onPaths(`operation in ["edit", "append", "overwrite"] or (tracked and operation != "create")`, "changes of what is in", func(p string) ruletext.Case {
		return ruletext.Case{Write: p, Old: "a", Content: "b"}
	})
	for i := range list {
		list[i].Message = "Add a new file, and leave those that are there."
		list[i].Tests = append(list[i].Tests, ruletext.AsPass(ruletext.Case{Write: list[i].Tests[0].Write, Content: "x"}))
	}
	return list
}

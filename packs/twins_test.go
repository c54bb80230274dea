package packs_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// TestTwins writes each command of the rules' cases in the forms of testdata/twins.txt
// and demands the verdict of the case for each. testdata/twins-differ.txt lists the
// forms that are another matter for a rule.
func TestTwins(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it tries thousands of calls one after the other: not with -short, as under the race detector")
	}
	forms, differ := twinForms(t), twinsThatDiffer(t)
	t.Run("rules", func(t *testing.T) {
		for _, f := range everything(t) {
			t.Run(f.Definition.ID, func(t *testing.T) {
				t.Parallel()
				failed := failedTwins(t, f, forms, differ)
				if len(failed) > 0 {
					t.Errorf("%d twins of %s:\n%s", len(failed), f.Path, strings.Join(failed, "\n"))
				}
			})
		}
	})
	for _, d := range differ {
		if !d.used.Load() {
			t.Errorf("%s, %v, %s: no twin differs any more, take it out of the list", d.rule, d.forms, d.expect)
		}
	}
}

// failedTwins are the forms of a rule's cases that have another verdict.
func failedTwins(t *testing.T, f rule.File, forms []twinForm, differ []*difference) (failed []string) {
	t.Helper()
	e := engine(t, f)
	for _, c := range f.Definition.Tests {
		if c.Bash == "" || len(c.Turn) > 0 || windowsOnly.MatchString(c.Bash) {
			continue
		}
		parts := partsOf(t, c.Bash)
		for _, form := range forms {
			text, ok := form.write(parts)
			if !ok || stops(t, e, text) == (c.Expect == "violation") {
				continue
			}
			if !slices.ContainsFunc(differ, func(d *difference) bool { return d.is(f.Definition.ID, form.name, c) }) {
				failed = append(failed, fmt.Sprintf("%s: want %s as for %q: %s", form.name, c.Expect, c.Bash, text))
			}
		}
	}
	return failed
}

// windowsOnly finds the cases that no POSIX shell runs.
var windowsOnly = regexp.MustCompile(`(?i)\\[a-z.]|%\w+%|\b(pwsh|powershell|cmd)\b|^[a-z]+-[a-z]+ -[A-Z][a-z]|\biex\b|%0`)

// stops reports whether a rule finds that a command is a violation.
func stops(t *testing.T, e sentinel.Engine, command string) bool {
	t.Helper()
	d := evaluate(t, e, rule.Case{Bash: command})
	return slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool { return f.Outcome == sentinel.OutcomeViolation })
}

// A twinForm is one way to write a command.
type twinForm struct{ name, template string }

func twinForms(t *testing.T) (forms []twinForm) {
	t.Helper()
	for _, line := range dataLines(t, "testdata/twins.txt") {
		name, template, ok := strings.Cut(line, ": ")
		require.True(t, ok, line)
		forms = append(forms, twinForm{name, strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(template)})
	}
	return forms
}

func dataLines(t *testing.T, file string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// A difference is a form in which a command is another matter for a rule.
type difference struct {
	rule   string
	forms  []string // * stands for all
	expect string   // of the case
	used   atomic.Bool
}

// twinsThatDiffer reads lines of rule, form, verdict of the case, and reason.
func twinsThatDiffer(t *testing.T) (differ []*difference) {
	t.Helper()
	for _, line := range dataLines(t, "testdata/twins-differ.txt") {
		part := strings.Split(line, "; ")
		require.Len(t, part, 4, line)
		differ = append(differ, &difference{rule: part[0], forms: strings.Split(part[1], ", "), expect: part[2]})
	}
	return differ
}

func (d *difference) is(id, form string, c rule.Case) bool {
	if d.rule != id || d.expect != c.Expect || d.forms[0] != "*" && !slices.Contains(d.forms, form) {
		return false
	}
	d.used.Store(true)
	return true
}

var (
	placeholder = regexp.MustCompile(`\{[a-z0-9]+\}`)
	inQuotes    = regexp.MustCompile(`(?s)«.*?»`)
	plainWord   = regexp.MustCompile(`^[\w./:=@%+-]+$`)
	plainPath   = regexp.MustCompile(`^[\w./-]+$`)
)

// write returns the form of a command, and false when the command lacks a part that the
// form has.
func (f twinForm) write(parts map[string]string) (text string, ok bool) {
	ok = true
	text = placeholder.ReplaceAllStringFunc(f.template, func(name string) string {
		part, has := parts[name]
		if !has && slices.Contains(twinParts, name) {
			ok = false
		} else if !has {
			return name
		}
		return part
	})
	return inQuotes.ReplaceAllStringFunc(text, func(s string) string {
		return singleQuoted(strings.TrimSuffix(strings.TrimPrefix(s, "«"), "»"))
	}), ok
}

// twinParts are the placeholders that some commands have nothing for.
var twinParts = []string{
	"{string}", "{program}", "{builtin}", "{rest}", "{first}", "{other}", "{hex}", "{upper}", "{length}",
	"{words}", "{braces}", "{name}", "{double}", "{list}", "{strings}", "{arguments}", "{init}", "{last}", "{reversed}",
}

// partsOf takes a command apart for the forms.
func partsOf(t *testing.T, line string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "twin.sh")
	require.NoError(t, os.WriteFile(file, []byte(line+"\n"), 0o600))
	parts := map[string]string{
		"{line}": line, "{quoted}": singleQuoted(line), "{file}": filepath.ToSlash(file),
		"{base64}": base64.StdEncoding.EncodeToString([]byte(line)),
	}
	if !strings.Contains(line, "\n") {
		reversed := []rune(line)
		slices.Reverse(reversed)
		parts["{string}"], parts["{double}"], parts["{reversed}"] = literal(line), strconv.Quote(line), singleQuoted(string(reversed))
	}
	simpleParts(parts, line)
	return parts
}

// simpleParts adds the parts of a line that is one simple command.
func simpleParts(parts map[string]string, line string) {
	parsed, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(parsed.Stmts) != 1 {
		return
	}
	s := parsed.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(s.Redirs) > 0 || s.Background || s.Negated || !plainWord.MatchString(call.Args[0].Lit()) {
		return
	}
	program := call.Args[0].Lit()
	parts["{builtin}"], parts["{rest}"] = program, line[call.Args[0].End().Offset():call.End().Offset()]
	if slices.Contains(shellBuiltins, program) || strings.Contains(program, "/") {
		return
	}
	parts["{program}"], parts["{name}"], parts["{upper}"] = program, literal(program), strings.ToUpper(program)
	parts["{first}"], parts["{other}"], parts["{hex}"] = program[:1], program[1:], fmt.Sprintf("%02x", program[0])
	parts["{length}"] = strconv.Itoa(len(program))
	words := constants(call.Args)
	if words == nil {
		return
	}
	var list, strs []string
	plain := true
	for _, w := range words {
		list, strs, plain = append(list, singleQuoted(w)), append(strs, literal(w)), plain && plainWord.MatchString(w)
	}
	parts["{list}"] = strings.Join(list, " ")
	if !strings.Contains(line, "\n") {
		parts["{strings}"], parts["{arguments}"] = strings.Join(strs, ", "), strings.Join(strs[1:], ", ")
	}
	if plain && len(words) > 1 {
		parts["{words}"], parts["{braces}"] = strings.Join(words, " "), "{"+strings.Join(words, ",")+"}"
	}
	last := words[len(words)-1]
	for _, e := range shell.Parse(line, nil).Effects {
		if e.Path == last && len(words) > 1 && plainPath.MatchString(last) {
			parts["{last}"], parts["{init}"] = last, strings.TrimSpace(line[:call.Args[len(words)-1].Pos().Offset()])
		}
	}
}

// shellBuiltins change or are the shell itself.
var shellBuiltins = []string{
	"cd", "eval", "exec", "export", "source", ".", "alias", "set", "read", "trap", "declare", "unset", "pushd", "umask", "ulimit",
	"command", "builtin", "hash", "history", "type", "wait", "sudo", "env", "fg", "bg", "kill", "echo", "printf", "printenv",
}

// constants are the texts of words that nothing is expanded in, or nil.
func constants(list []*syntax.Word) (words []string) {
	for _, w := range list {
		text := ""
		for _, part := range w.Parts {
			switch p := part.(type) {
			case *syntax.Lit:
				if strings.ContainsAny(p.Value, `\*?[{~`) {
					return nil
				}
				text += p.Value
			case *syntax.SglQuoted:
				if p.Dollar {
					return nil
				}
				text += p.Value
			case *syntax.DblQuoted:
				for _, inner := range p.Parts {
					lit, ok := inner.(*syntax.Lit)
					if !ok || strings.Contains(lit.Value, `\`) {
						return nil
					}
					text += lit.Value
				}
			default:
				return nil
			}
		}
		words = append(words, text)
	}
	return words
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// literal is a text between single quotes as most languages have it.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

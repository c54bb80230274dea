package instructions

import (
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// ofShellCalls are the kinds of rules about how the agent writes its commands.
var ofShellCalls = []string{"heredocs", "joined", "shell-edits", "single-quotes", "substitution"}

// heredocs forbids texts behind << in commands.
func (b *builder) heredocs() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "bash", When: "any(commands, any(.redirects, # matches `^\\d*<<-?\\s*[^<\\s]`))", Message: "Write the text to a file with the tool for that, and name the file."}
	r.Why = "It stops lines with a heredoc."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "cat > a.txt <<'EOF'\nx\nEOF"}), ruletext.AsPass(ruletext.Case{Bash: "cat a.txt"}), ruletext.AsPass(ruletext.Case{Bash: "cat <<< x"}), ruletext.AsPass(ruletext.Case{Bash: "git commit -m 'a << b'"})}
	return []ruletext.Rule{r}
}

// joinedBy are the signs between commands, as patterns outside of quotation marks.
var joinedBy = map[string]string{"&&": `&&`, ";": `;`, "||": `\|\|`}

// joined forbids lines of several commands with signs between them.
func (b *builder) joined() []ruletext.Rule {
	var signs []string
	for _, t := range b.hit.Terms("signs") {
		sign := joinedBy[strings.TrimSpace(t.Text)]
		if sign == "" {
			return nil
		}
		signs = append(signs, sign)
	}
	if len(signs) == 0 {
		return nil
	}
	first := strings.ReplaceAll(signs[0], `\`, "")
	r := ruletext.Rule{Trigger: "bash", Message: "Give each command in a call of its own."}
	r.When = "len(commands) > 1 and command matches `^([^\"'<]|\"[^\"]*\"|'[^']*')*?\\s*(" + strings.Join(signs, "|") + ")\\s`"
	r.Why = "It stops lines with " + first + " between commands."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "make lint " + first + " make test"}), ruletext.AsPass(ruletext.Case{Bash: "make lint"}), ruletext.AsPass(ruletext.Case{Bash: "echo 'a " + first + " b'"})}
	return []ruletext.Rule{r}
}

// shellEdits forbids to change files by programs that write what a line gives them. What other
// programs write, such as formatters and generators, and output in files for it pass.
func (b *builder) shellEdits() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"sed *", "awk *", "perl *", "cat *", "echo *", "printf *", "tee *", "ed *", "ex *"}, Message: "Use the tool that edits files."}
	r.When = "any(effects, .kind in [\"edit\", \"create\", \"append\"] and .program == cmd.program\n" +
		"  and not (.path matches `^(/tmp/|/dev/|/var/)|\\.(log|out|tmp|pid)$`))"
	r.Why = "It stops lines that write to files with sed, cat, echo and the like."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "sed -i s/a/b/ src/a.go"}), ruletext.AsStop(ruletext.Case{Bash: "echo x >> src/a.go"}), ruletext.AsPass(ruletext.Case{Bash: "gofmt -w ."}), ruletext.AsPass(ruletext.Case{Bash: "cat a.txt > /tmp/out.txt"})}
	return []ruletext.Rule{r}
}

// quotedWith is an option of a command with a text in single quotes.
var quotedWith = lazy.Regexp{Source: `^([\w./-]+(?: [\w:./-]+)*?) (--?[\w-]+)[ =]'[^']*'`}

// singleQuotes forbids double quotes around a text in which a shell would put something.
func (b *builder) singleQuotes() []ruletext.Rule {
	m := quotedWith.Get().FindStringSubmatch(b.termOf(b.hit.Slots["with"]).Text)
	if m == nil {
		return nil
	}
	cmd := m[1] + " " + m[2]
	r := ruletext.Rule{ID: cmd, Trigger: "bash", Scope: []string{m[1], m[1] + " *"}, Message: "Put the text in single quotes: " + cmd + " '…'."}
	r.When = "command matches `" + regexp.QuoteMeta(m[2]) + "[ =]\"[^\"]*[$\\x60]`"
	r.Why = "It stops " + cmd + " with a text in double quotes that a shell changes."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: cmd + " \"echo $a;\""}), ruletext.AsPass(ruletext.Case{Bash: cmd + " 'echo $a;'"}), ruletext.AsPass(ruletext.Case{Bash: cmd + " \"echo 1;\""})}
	return []ruletext.Rule{r}
}

// shellScripts are files of code.
var shellScripts = lazy.Regexp{Source: `(?i)\b(?:shell|bash) scripts?\b`}

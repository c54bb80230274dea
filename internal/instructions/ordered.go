package instructions

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// The command that a line orders may run the forbidden one, as in a container. A rule must not stop it.

// contained is what a client of containers runs.
var contained = lazy.Regexp{Source: `^(docker|docker-compose|podman|nerdctl|kubectl|oc) (?:exec|run)$`}

// ordered are the commands that the line wants in the place of others, as one may run them.
func (b *builder) ordered() (list []string) {
	use := b.hit.Terms("use")
	if b.has("deny") {
		use = b.wantedOwn()
	}
	for _, t := range use {
		cmd := sentence.Cleaned(t)
		if t.Kind != sentence.Command && t.Kind != sentence.File || cmd == "" || survey.Operator.Get().MatchString(slot.Get().ReplaceAllString(cmd, "")) || b.denies(cmd) {
			continue
		}
		if _, example := patterns(cmd); example != "" && !slices.Contains(list, example+" x") {
			list = append(list, example+" x")
		}
	}
	return list
}

// denies reports whether a command is one of those that the sentence forbids, which may be named
// from the folder of the line.
func (b *builder) denies(cmd string) bool {
	return slices.ContainsFunc(b.denied(), func(d sentence.Term) bool {
		return strings.HasSuffix("/"+sentence.Cleaned(d), "/"+strings.TrimPrefix(cmd, "./"))
	})
}

// spares exempts the commands that the line orders, and adds a case for each. If no condition can
// distinguish them from the forbidden ones, the case fails and no draft is made.
func (b *builder) spares(r *ruletext.Rule) {
	if r.Trigger != "bash" || r.Phase != "" || r.Requires != nil || len(r.Scope) == 0 {
		return
	}
	for _, cmd := range b.ordered() {
		line, tried := shell.Parse(cmd, nil), false
		for _, read := range append([]*shell.Line{line}, line.Carried...) {
			m, ok := scope.NewCommands(r.Scope).Match(read, nil)
			if tried = tried || ok; !ok || m.Command < 0 || b.lets(r, cmd) {
				continue
			}
			switch c := &read.Commands[m.Command]; {
			case c.Inert:
				r.Except("cmd.inert")
			case len(c.Wrappers) > 0:
				r.Except(fmt.Sprintf("any(cmd.wrappers, %s)", runBy(c.Wrappers[len(c.Wrappers)-1])))
			case c.Path != c.Program && !strings.Contains(c.Path, "/"): // another name of the program
				r.Except("(cmd.path == " + strconv.Quote(c.Path) + ")")
			}
		}
		if tried {
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: cmd}))
		}
	}
}

// inertRuns are the ends with which many programs only print help or what they would do.
var inertRuns = []string{" --dry-run", " --help", " -help"}

// optionsNamed are the options that a line names, and a dry run.
var optionsNamed = lazy.Regexp{Source: `(?i)(?:^|[\s` + "`" + `'"(])(--?[a-z][\w-]*)|\bdry[- ]runs?\b`}

// sparesInert lets the runs pass that only print help or what they would do, unless the line names
// how to run one.
func (b *builder) sparesInert(r *ruletext.Rule) {
	if b.hit.Form.Rule != "commands" || r.Trigger != "bash" || r.Phase != "" || r.Requires != nil || len(r.Tests) == 0 || r.Tests[0].Expect != ruletext.Violation {
		return
	}
	cmd := r.Tests[0].Bash
	for _, m := range optionsNamed.Get().FindAllStringSubmatch(b.quote, -1) {
		if m[1] == "" || inert(cmd+" "+m[1]) {
			return
		}
	}
	i := slices.IndexFunc(inertRuns, func(end string) bool { return inert(cmd + end) })
	if i < 0 || b.lets(r, cmd+inertRuns[i]) {
		return
	}
	one := *r
	if one.Except("cmd.inert"); b.lets(&one, cmd+inertRuns[i]) {
		r.When, r.Tests = one.When, append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: cmd + inertRuns[i]}))
	}
}

// onlyToRead is the purpose of a ban of what shows a file.
var onlyToRead = lazy.Regexp{Source: `(?i)\b(?:to|for) (?:read|reading|view|viewing|inspect|inspecting)\b`}

// sparesWrites lets a program pass that writes a file, where a line does not want it to show one.
func (b *builder) sparesWrites(r *ruletext.Rule) {
	if b.hit.Form.Rule == "commands" && r.Trigger == "bash" && slices.Contains(r.Scope, "cat *") && onlyToRead.Get().MatchString(b.quote) {
		r.Except("any(cmd.redirects, # matches `^>+ `)")
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "cat > a.txt <<'E'\nx\nE"}))
	}
}

// inert reports whether a line does nothing but print.
func inert(line string) bool {
	all := shell.Parse(line, nil).Commands
	return len(all) == 1 && all[0].Inert
}

// runBy is the condition of a wrapper that runs a command as another one does.
func runBy(wrapper string) string {
	if m := contained.Get().FindStringSubmatch(wrapper); m != nil {
		return "# startsWith " + strconv.Quote(m[1]+" ")
	}
	return "# == " + strconv.Quote(wrapper)
}

// lets reports whether a rule holds and lets a command pass.
func (b *builder) lets(r *ruletext.Rule, cmd string) bool {
	one := *r
	one.Tests = append(slices.Clip(r.Tests), ruletext.AsPass(ruletext.Case{Bash: cmd}))
	data, err := one.Render()
	if err != nil {
		return false
	}
	made := ruletext.Read(one.ID, data)
	if made.Trial()(rule.Case{Bash: cmd}) || !made.Holds(ruletext.Imagined) {
		return false
	}
	b.held = made
	return true
}

// readHeld is the text of a rule, if it holds where nothing is: nil where it does not.
func (b *builder) readHeld(id string, data []byte) *ruletext.Parsed {
	if b.held != nil && bytes.Equal(b.held.Text, data) {
		return b.held
	}
	if made := ruletext.Read(id, data); made.Holds(ruletext.Imagined) {
		return made
	}
	return nil
}

package instructions

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// commitMessage is the beginning of an expression about the message of a commit, as far as
// the command tells it.
const commitMessage = "let at = findIndex(cmd.args, # matches `^(-[a-zA-Z]*m|--message)$`);\n" +
	"let inline = find(cmd.args, # startsWith \"--message=\") ?? \"\";\n" +
	"let message = inline != \"\" ? trimPrefix(inline, \"--message=\") : (at != nil ? (get(cmd.args, at + 1) ?? \"\") : \"\");\n"

// onCommits makes a rule about messages of commits.
func (b *builder) onCommits(id, when, why, message, good, bad string) []ruleFile {
	r := ruleFile{ID: id, Trigger: "bash", Scope: []string{"git commit*"}, When: when, Message: message, why: why}
	r.Tests = []ruleCase{stops(ruleCase{Bash: "git commit -m '" + bad + "'"}), stops(ruleCase{Bash: "git commit -am '" + bad + "'"}),
		passes(ruleCase{Bash: "git commit -m '" + good + "'"}), passes(ruleCase{Bash: "git commit"}), passes(ruleCase{Bash: "git commit --amend --no-edit"})}
	return []ruleFile{r}
}

const types = "feat|fix|docs|style|refactor|perf|test|tests|build|ci|chore|revert|merge|release|security|deps|wip"

// conventional wants messages of the form type(scope): subject.
func (b *builder) conventional() []ruleFile {
	return b.onCommits("", commitMessage+"message != \"\" and not (message startsWith \"$\") and not (message matches `^(?i)("+types+")(\\([^)]*\\))?!?: \\S|^(Merge|Revert|fixup!|squash!) `)",
		"It stops commits whose message does not begin with a type, as in `fix: …`.", "Begin the message with a type, as in `fix(scope): what changed`.", "fix(api): the thing", "Fix the thing")
}

// attribution forbids lines about who or what wrote a commit.
func (b *builder) attribution() []ruleFile {
	pattern := `(?i)co-authored-by:|generated (with|by) \[?(claude|codex|copilot|cursor|gemini)|noreply@anthropic`
	if b.hit.slots["mention"] != "" {
		pattern += `|\b(claude|anthropic|copilot|codex)\b`
	}
	return b.onCommits("", "cmd.text matches `"+pattern+"`",
		"It stops commits with lines about a co-author or a program that wrote them.", "Leave these lines out of the message.", "fix: x", "fix: x\n\nCo-Authored-By: A <a@example.com>")
}

// subject bounds the first line of messages.
func (b *builder) subject() []ruleFile {
	n := 0
	for _, c := range b.hit.slots["number"] {
		n = n*10 + int(c-'0')
	}
	if n < 30 || n > 200 {
		return nil
	}
	long := "fix: " + strings.Repeat("x", n)
	return b.onCommits(fmt.Sprint(n), commitMessage+fmt.Sprintf("len(first(split(message, \"\\n\")) ?? \"\") > %d and not (message startsWith \"$\")", n),
		fmt.Sprintf("It stops commits whose subject has more than %d characters.", n), fmt.Sprintf("Write a subject of at most %d characters.", n), "fix: x", long)
}

// gateOf is the act that a sentence names as the one before which something has to
// happen; nil for the end of the turn.
func (b *builder) gateOf() *act {
	t := b.termOf(b.hit.slots["gate"])
	name := t.text
	if t.kind == command { // `git push`
		name = strings.TrimPrefix(name, "git ")
	}
	if i := slices.IndexFunc(forms().Acts, func(a act) bool { return a.Name != "" && a.Name == name }); i >= 0 {
		return &forms().Acts[i]
	}
	return nil
}

// obligations are the commands of a slot, by groups: each group is a list of which one
// has to have run.
func (b *builder) obligations() (groups [][]string) {
	if job := b.hit.slots["job"]; job != "" {
		if list := b.p.commandsOf(job); len(list) > 0 {
			return [][]string{list}
		}
		return nil
	}
	said := mark().ReplaceAllString(b.hit.slots["run"], "")
	either := strings.Contains(said, "or") || strings.Contains(said, "/")
	var all []string
	for _, t := range b.hit.terms("run") {
		for part := range strings.SplitSeq(t.text, "&&") {
			cmd := cleaned(term{t.kind, strings.TrimSpace(part), t.code})
			if cmd == "" || strings.HasPrefix(cmd, "cd ") || operator().MatchString(cmd) || tooWide(cmd, false) || words().bare[cmd] && len(cmd) < 5 {
				continue
			}
			all = append(all, cmd)
		}
	}
	if either && len(all) > 0 {
		return [][]string{all}
	}
	for _, cmd := range all[:min(len(all), 3)] {
		groups = append(groups, []string{cmd})
	}
	return groups
}

// manifests are files that name dependencies.
var manifests = []string{"package.json", "Cargo.toml", "Cargo.lock", "go.mod", "pyproject.toml", "requirements*.txt", "Gemfile", "pom.xml", "build.gradle*"}

// requires wants commands to have run.
func (b *builder) requires() (list []ruleFile) {
	gate := b.gateOf()
	if strings.HasPrefix(b.hit.slots["gate"], "‹") && gate == nil {
		return nil
	}
	for _, group := range b.obligations() {
		r := ruleFile{ID: group[0], Message: "Run " + strings.Join(group, " or ") + " first. {{missing}}"}
		r.Requires = &requires{}
		for _, cmd := range group {
			p, _ := patterns(cmd)
			if len(p) == 0 || gate != nil && slices.ContainsFunc(gate.Commands, func(c string) bool { return strings.HasPrefix(cmd, strings.TrimRight(c, "*")) }) {
				continue
			}
			r.Requires.Ran = append(r.Requires.Ran, p...)
		}
		if len(r.Requires.Ran) == 0 {
			continue
		}
		_, ran := patterns(group[0])
		globs, example := b.codeFiles(group...)
		if changed, _ := b.paths("changed"); len(changed) > 0 {
			globs, example = changed, sample(changed[0])
		}
		if strings.Contains(b.hit.slots["generic"], "dep") {
			globs, example = manifests, "package.json"
		}
		r.Requires.Since = globs
		wrote := step{Write: example}
		if gate != nil {
			r.Trigger, r.Scope = "bash", gate.Commands
			r.why = fmt.Sprintf("It stops `%s` until %s ran since the last change.", gate.Example, strings.Join(group, " or "))
			r.Tests = []ruleCase{stops(ruleCase{Bash: gate.Example, Before: []step{wrote}}), passes(ruleCase{Bash: gate.Example, Before: []step{wrote, {Bash: ran}}}),
				stops(ruleCase{Bash: gate.Example, Before: []step{{Bash: ran}, wrote}})}
		} else {
			r.why = fmt.Sprintf("It sends the agent back at the end of a turn that changed files, until %s ran.", strings.Join(group, " or "))
			r.Tests = []ruleCase{stops(ruleCase{Write: example, Content: "x"}), passes(ruleCase{Write: example, Content: "x", Turn: []string{ran}})}
		}
		list = append(list, r)
	}
	return list
}

// also wants files to change together.
func (b *builder) also() (list []ruleFile) {
	changed, _ := b.paths("changed")
	if len(changed) == 0 {
		return nil
	}
	for _, t := range b.hit.terms("with") {
		with := globsOf(t.text)
		if len(with) == 0 || slices.ContainsFunc(with, func(w string) bool { return slices.Contains(changed, w) }) {
			continue
		}
		list = append(list, together(changed, with, t.text))
	}
	return list
}

// together is a rule that wants one of some files to change with others.
func together(changed, with []string, name string) ruleFile {
	r := ruleFile{ID: name, Also: &also{changed, with}, Message: "Change " + name + " too. {{missing}}"}
	r.why = fmt.Sprintf("It wants %s to change with %s.", name, strings.Join(changed, ", "))
	from, to := sample(changed[0]), sample(with[0])
	r.Tests = []ruleCase{stops(ruleCase{Write: from, Content: "x"}), passes(ruleCase{Write: from, Content: "x", Before: []step{{Write: to}}}), passes(ruleCase{Write: other(append(changed, with...)), Content: "x"})}
	return r
}

// newAlso wants files to change when others are new.
func (b *builder) newAlso() (list []ruleFile) {
	changed, _ := b.paths("changed")
	if len(changed) != 1 || !strings.Contains(changed[0], "*") {
		return nil // one file is never new
	}
	for _, t := range b.hit.terms("with") {
		with := globsOf(t.text)
		if len(with) == 0 || slices.Contains(with, changed[0]) {
			continue
		}
		list = append(list, newNeeds(changed[0], with[0], t.text))
	}
	return list
}

// newNeeds is a rule that wants a file to change when another is new.
func newNeeds(changed, with, name string) ruleFile {
	r := ruleFile{ID: name, Trigger: "file_write", Phase: "stop", Scope: []string{changed}, Exclude: []string{with}, Message: "Something new needs its place in " + name + " too."}
	r.When = fmt.Sprintf("not tracked and operation in [\"create\", \"overwrite\"] and not changed(%q)", with)
	r.why = fmt.Sprintf("It sends the agent back at the end of a turn with a new file at %s, until %s changed.", changed, name)
	from := sample(changed)
	r.Tests = []ruleCase{stops(ruleCase{Write: from, Content: "x"}), passes(ruleCase{Write: from, Content: "x", Turn: []string{"touch " + sample(with)}}), passes(ruleCase{Write: from, Old: "a", Content: "b"})}
	return r
}

// beforeFirst wants files to be read before others are written.
func (b *builder) beforeFirst() (list []ruleFile) {
	write, _ := b.paths("write")
	read, names := b.paths("read")
	if near, called := b.paths("near"); len(near) > 0 {
		read, names = near, called
		write = []string{"**"}
		if dir, base := path.Split(near[0]); dir != "" && (slices.Contains(everywhere, base) || base == "README.md") {
			write = []string{dir + "**"} // it is about the folder that it is in
		}
	}
	if b.hit.slots["everything"] != "" {
		write = []string{"**"}
		if len(b.s.Globs) > 0 {
			write = b.s.Globs
		}
	}
	if len(write) == 0 || len(read) == 0 {
		return nil
	}
	r := ruleFile{ID: strings.Join(names, " "), BeforeFirst: &beforeFirst{write, read}, Message: "Read " + strings.Join(names, ", ") + " first."}
	r.why = fmt.Sprintf("It stops the first write to %s until %s was read.", strings.Join(write, ", "), strings.Join(names, ", "))
	to := sample(write[0])
	if write[0] == "**" {
		to = "src/a.ts"
	}
	r.Tests = []ruleCase{stops(ruleCase{Write: to, Content: "x"}), passes(ruleCase{Write: to, Content: "x", Before: []step{{Read: sample(read[0])}}})}
	return []ruleFile{r}
}

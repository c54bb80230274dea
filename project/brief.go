package project

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

// Brief tells an agent, once in a session and when a subagent begins, the rules that people
// wrote for this project and the user's own: the strictest first, within brief_words of
// the nearest configuration. Rules that Sentinel ships are left out, because an agent
// knows what they are against. part is what tells the beginning of one subagent from that
// of another; the hooks of one are given the same. It is "" when there is nothing to tell,
// and while rules are paused.
func (n *Notices) Brief(ev sentinel.Event, part string) string {
	p := n.project
	if len(p.Folders) == 0 || p.Gate().Paused() {
		return ""
	}
	c := &cmp.Or(p.nearest(), p.Folders[0]).Config
	if c.BriefWords == 0 && !c.BriefLines {
		return ""
	}
	shipped := shippedFiles()
	var rules []*rule.Rule
	enforced := lineNumbers{}
	for _, f := range p.Folders {
		if p.silent(f) {
			continue
		}
		from := f.origins()
		for _, r := range f.Rules() {
			if shipped[filepath.Base(r.Path())] || !briefed(r) {
				continue
			}
			rules = append(rules, r)
			if c.BriefLines {
				enforced.add(r, from)
			}
		}
	}
	said := briefRules(rules, c.BriefWords)
	if c.BriefLines {
		said = strings.Trim(said+"\n"+enforced.brief(), "\n")
	}
	if said == "" {
		return ""
	}
	if given := p.opts.given(ev.Session); given != nil && given(&sentinel.RuleSpec{ID: "(brief)"}, part+said) {
		return ""
	}
	return said
}

// briefRules are the rules in at most so many words.
func briefRules(rules []*rule.Rule, most int) string {
	slices.SortStableFunc(rules, func(a, b *rule.Rule) int { return int(b.Spec().Severity) - int(a.Spec().Severity) })
	lines, words := []string{"Each call is checked against rules. Among them are:"}, 0
	for _, r := range rules {
		line := briefLine(r)
		if words += len(strings.Fields(line)); words > most {
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// maxBriefLines bounds the text about instruction files, in characters.
const maxBriefLines = 400

// lineNumbers are the lines of instruction files that rules enforce, by file.
type lineNumbers map[string][]int

// add notes the line that a rule comes from, by its present number. A rule that only warns enforces
// none, and neither does one whose words are not in the file any more.
func (places lineNumbers) add(r *rule.Rule, from *origins) {
	file, _ := r.Definition().Place()
	if line := from.line(r.Definition()); line > 0 && r.Spec().Severity >= sentinel.SeverityAsk {
		places[file] = append(places[file], line)
	}
}

// brief says which lines these are: as many as there is room for.
func (places lineNumbers) brief() string {
	said := ""
	for _, file := range slices.Sorted(maps.Keys(places)) {
		slices.Sort(places[file])
		sep := text.When(said != "", "; ") + text.OneLine(file) + ":"
		for _, line := range slices.Compact(places[file]) {
			next := said + sep + strconv.Itoa(line)
			if utf8.RuneCountInString(briefLead+next) > maxBriefLines-len("; …") {
				return briefLead + said + "; …"
			}
			said, sep = next, ", "
		}
	}
	if said == "" {
		return ""
	}
	return briefLead + said + "."
}

const briefLead = "Rules enforce these lines of your instructions, so a call against one is stopped or asked about: "

// briefed reports whether an agent can follow a rule once it knows its message.
func briefed(r *rule.Rule) bool {
	s := r.Spec()
	return !r.Off() && !s.Shadow && s.Err == nil && s.Severity > sentinel.SeverityInfo && s.Message != ""
}

// Bounds of the patterns that a line of the brief names: how many, and the characters of one.
const (
	maxBriefScope   = 3
	maxBriefPattern = 80
)

func briefLine(r *rule.Rule) string {
	d := r.Definition()
	shown := make([]string, min(len(d.Scope), maxBriefScope))
	for i := range shown {
		shown[i] = text.Cut(text.Pattern(d.Scope[i]), maxBriefPattern)
	}
	about := strings.Join(shown, ", ")
	if len(d.Scope) > maxBriefScope {
		about += ", …"
	}
	if about != "" {
		about += ": "
	}
	message := prompt.Text(r.Spec().Message, general, prompt.Options{})
	return fmt.Sprintf("- %s%s [%s]", about, text.Cut(text.OneLine(message), 2*maxShown), r.Spec().ID)
}

// general gives variables of a message a general word: no call is known yet. What only a
// judgement tells is left out.
func general(variable string) (word string, ok bool) {
	such := sentinel.Action{Trigger: sentinel.Bash, Path: "such a file", Target: "such a command", MCPTool: "such a tool", Server: "such a server"}
	if word, ok = such.Var(variable); ok {
		return cmp.Or(word, "…"), true
	}
	return "", slices.ContainsFunc(rule.Variables(), func(v rule.Variable) bool { return v.Name == variable })
}

// shippedFiles are the names of the rule files that Sentinel ships.
func shippedFiles() map[string]bool {
	names := map[string]bool{}
	files, _ := packs.Files(packs.All) // which there is
	for _, f := range files {
		names[f.Name] = true
	}
	return names
}

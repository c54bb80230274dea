package explain

import (
	"cmp"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// casesShown is how many cases of each kind a page lists; the rule's file has all.
const casesShown = 12

// Page explains a rule from its file alone, in Markdown: the catalogue of the packs has
// one for each rule, and `rules explain` prints it.
func Page(f *rule.File, data []byte) string {
	d := &f.Definition
	var b strings.Builder
	section := func(title, body string) {
		if body != "" {
			b.WriteString("\n## " + title + "\n\n" + body + "\n")
		}
	}
	b.WriteString("# " + d.ID + "\n")
	if why := comment(data); why != "" {
		b.WriteString("\n" + why + "\n")
	}
	stops, passes := Meaning(d)
	if passes == "" {
		section("Prompt", indented(d.Prompt))
	} else {
		section("Stops", "A call is stopped if "+stops)
		section("Lets pass", "A call passes "+passes)
	}
	section("Severity", "`"+d.Severity+"`: "+severityMeans(d, severityOf(d.Severity))+".")
	section("The agent reads", text.After("> ", strings.ReplaceAll(strings.TrimSpace(d.Message), "\n", "\n> ")))
	section("Cases that it stops", cases(d.Tests, "violation"))
	section("Cases that it lets pass", cases(d.Tests, "pass"))
	section("Change it", "Its file is `"+f.Path+"`. `exclude` in it exempts what its scope matches.\n\n"+indented(
		"sentinel rules severity "+d.ID+" --to warn   # or block, ask, shadow\n"+
			"sentinel rules disable "+d.ID+"              # `sentinel rules enable` takes it back\n"+
			"sentinel rules edit "+d.ID))
	section("Scope", indented(strings.Join(d.Scope, "\n")))
	section("When", indented(d.When))
	return text.Clean(b.String())
}

// PageOf is the page of a rule of a folder, from its file as it is now.
func PageOf(f *project.Folder, r *rule.Rule) (string, error) {
	docs, err := f.Documents()
	if f.Dir == "" { // the rules that are built in
		docs, err = nil, nil
		files, _ := packs.Files(packs.Recommended)
		for _, built := range files {
			docs = append(docs, project.Document{Path: built.Name, Data: built.Data})
		}
	}
	for _, doc := range docs {
		file := rule.Parse(doc.Path, doc.Data)
		if !doc.Beside && (strings.HasPrefix(r.Spec().Source, doc.Path+":") || file.Definition.ID == r.Spec().ID) {
			file.Path, file.Definition.ID = place.Of(f, doc.Path), r.Spec().ID
			return Page(&file, doc.Data), nil
		}
	}
	return "", err
}

// Meaning is the second half of two sentences of a rule's prompt, "It is a violation if
// …" and "It is no violation …"; both are empty where the prompt lacks one of them.
func Meaning(d *rule.Definition) (stops, passes string) {
	_, rest, _ := strings.Cut(text.Fold(d.Prompt), "It is a violation if ")
	if stops, passes, found := strings.Cut(rest, " It is no violation "); found {
		return stops, passes
	}
	return "", ""
}

// comment is the text of the comment with which a rule's file begins.
func comment(data []byte) string {
	var lines []string
	for line := range strings.Lines(string(data)) {
		said, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "#")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimPrefix(said, " "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// cases lists those with an expected result, as code.
func cases(all []rule.Case, expect string) string {
	var lines []string
	left := 0
	for i := range all {
		switch {
		case all[i].Expect != expect:
		case len(lines) == casesShown:
			left++
		default:
			lines = append(lines, caseLine(&all[i]))
		}
	}
	return text.Join(indented(strings.Join(lines, "\n")) + text.When(left > 0, "\n\nand "+text.Count(left, "more case")+" in its file."))
}

// caseLine is a case on one line.
func caseLine(c *rule.Case) string {
	line := c.Bash
	switch {
	case c.Write != "":
		line = "write " + c.Write + text.After(": ", cmp.Or(c.Content, c.Old))
	case c.Read != "":
		line = "read " + c.Read
	case c.MCP != "":
		line = c.MCP + text.After(" ", string(c.Args))
	}
	return text.Cut(text.ShowBreaks(line), 200)
}

// indented is a block of code whose text cannot end it.
func indented(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(s, "\n", "\n    ")
}

func severityOf(name string) sentinel.Severity {
	s, _ := rule.ParseSeverity(name) // a rule with another word is broken, and blocks
	return s
}

package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Terminal says how reports are written for a terminal. The zero value writes
// plain text of 80 columns.
type Terminal struct {
	Width  int  // columns; below 40 means 80
	Colour bool // colour verdicts by escape sequences
}

func (t Terminal) columns() int {
	if t.Width < 40 {
		return 80
	}
	return t.Width
}

// paint colours text where the terminal has colours.
func (t Terminal) paint(tone, text string) string {
	code := map[string]string{"pass": "32", "partial": "33", "fail": "31", "soft": "2", "head": "1"}[tone]
	if !t.Colour || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Text writes the outcome in short: the headline, a table of verdicts, the gate, and what
// else to know. No line is wider than the terminal. The error is w's.
func Text(w io.Writer, r *audit.Record, t Terminal) error {
	p := &printer{Terminal: t}
	v := newView(r)
	title := "Audit of " + cmp.Or(text.OneLine(r.Subject.Name), "nothing")
	if r.Subject.Commit != "" {
		title += " at " + short(r.Subject.Commit)
	}
	p.heading(title)
	p.wrapped("", headline(r))
	if counts := countsText(r); counts != "" {
		p.wrapped("", counts+".")
	}
	if r.Overall.Counted > 0 {
		p.verdicts(v.Criteria)
	} else {
		p.facts(v.Criteria)
	}
	if hasGate(r) {
		p.wrapped(gateTone(r), "Gate: "+gateText(r.Gate))
	}
	for _, notice := range notices(v) {
		p.wrapped("", notice)
	}
	for _, s := range v.Silent {
		p.wrapped("", fmt.Sprintf("No opinion of the %s (%s), %s: %s", s.Judge.Title(), s.Backend, text.Plural(s.Count, "time", "times"), s.Reason))
	}
	if len(r.Results) > 0 { // facts alone are listed whole
		p.fails(v)
	}
	p.first(v.First)
	_, err := w.Write(p.out.Bytes())
	return err
}

// first is what to do first.
func (p *printer) first(items []planItem) {
	if len(items) == 0 {
		return
	}
	p.out.WriteString("\n")
	p.heading("What to do first:")
	for _, item := range items {
		text := "- "
		if where := placeOnce(item.Advice); where != "" {
			text += where + ": "
		}
		p.wrapped("", text+adviceText(item.Advice))
	}
}

// gateTone is the colour of the gate.
func gateTone(r *audit.Record) string {
	switch {
	case !hasGate(r):
		return ""
	case r.Gate.State() == "failed":
		return "fail"
	case r.Gate.State() == "passed":
		return "pass"
	}
	return "partial"
}

// printer lays hostile text out within the columns of a terminal.
type printer struct {
	Terminal
	out bytes.Buffer
}

// heading writes one line, cut to the width.
func (p *printer) heading(s string) {
	p.out.WriteString(p.paint("head", ansi.Truncate(text.OneLine(s), p.columns(), "…")) + "\n")
}

// wrapped writes s on as many lines as it takes; those after the first are
// indented.
func (p *printer) wrapped(tone, s string) {
	const indent = "  "
	for i, line := range wrap(text.OneLine(s), p.columns()-len(indent)) {
		if i > 0 {
			line = indent + line
		}
		p.out.WriteString(p.paint(tone, line) + "\n")
	}
}

// wrap breaks text between its words, and within one that is wider than a line.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && ansi.StringWidth(line)+1+ansi.StringWidth(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for line = word; ansi.StringWidth(line) > width; {
			head := ansi.Truncate(line, width, "")
			lines, line = append(lines, head), line[len(head):]
		}
	}
	return append(lines, line)
}

// verdicts writes a table: verdict, score, criterion, and how many of its facts hold.
func (p *printer) verdicts(criteria []criterion) {
	verdict, scoreWidth, name := 0, 0, 0
	for i := range criteria {
		verdict = max(verdict, ansi.StringWidth(verdictName(criteria[i].Verdict)))
		scoreWidth = max(scoreWidth, ansi.StringWidth(criteria[i].Mark()))
		name = max(name, ansi.StringWidth(text.OneLine(criteria[i].Name)))
	}
	const factsWidth = 18
	verdict = min(verdict, len(audit.NotConsidered))
	name = min(name, max(20, p.columns()-verdict-scoreWidth-factsWidth-6), p.columns()-verdict-scoreWidth-4)
	p.out.WriteString("\n")
	for i := range criteria {
		c := &criteria[i]
		line := p.paint(tone(c.Verdict), fill(verdictName(c.Verdict), verdict)) + "  " + fill(c.Mark(), scoreWidth) + "  " + fill(text.OneLine(c.Name), name)
		if t := c.Facts(); t.Hold+t.Fail > 0 && p.columns() >= verdict+scoreWidth+name+factsWidth+6 {
			line += "  " + p.paint("soft", fmt.Sprintf("%d of %d facts hold", t.Hold, t.Hold+t.Fail))
		}
		p.out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	p.out.WriteString("\n")
}

// maxFails bounds how many failed facts a terminal lists.
const maxFails = 12

// fails lists what does not hold: what was looked for, expected and found, and where.
func (p *printer) fails(v *view) {
	all := v.Fails()
	if len(all) == 0 {
		return
	}
	p.out.WriteString("\n")
	p.heading("What does not hold:")
	for _, e := range all[:min(maxFails, len(all))] {
		said := "- " + soughtText(v.Sought(e), e)
		if where := place(v.firstPlace(e)); where != "" {
			said += " (" + where + ")"
		}
		p.wrapped("", said)
	}
	if n := len(all) - maxFails; n > 0 {
		p.wrapped("", fmt.Sprintf("- and %d more, which the report lists", n))
	}
}

// facts writes the state of the facts by criterion, where there are no scores: how many
// hold, how many do not, and how many could not be established.
func (p *printer) facts(criteria []criterion) {
	if len(criteria) == 0 {
		return
	}
	p.out.WriteString("\n")
	const used = 8 + 2 + 10 + 2 + 11 + 2
	for _, c := range criteria {
		counts, name := fill(verdictName(c.Verdict), used), text.OneLine(c.Name)
		if c.Verdict != audit.NotConsidered {
			counts = p.counts(c.Facts())
		}
		apart := c.Facts().apart()
		if apart != "" {
			apart = " (" + apart + ")"
		}
		room := p.columns() - used
		p.out.WriteString(counts + ansi.Truncate(ansi.Truncate(name, max(8, room-len(apart)), "…")+apart, room, "…") + "\n")
	}
	p.out.WriteString("\n")
}

// counts is how many facts hold, how many do not, and how many are unknown, in columns.
func (p *printer) counts(t tally) string {
	tone, unknown := "", strings.Repeat(" ", len("  0 unknown"))
	if t.Fail > 0 {
		tone = "fail"
	}
	if t.Unknown > 0 {
		unknown = p.paint("partial", fmt.Sprintf("%3d unknown", t.Unknown))
	}
	return p.paint("pass", fmt.Sprintf("%3d hold", t.Hold)) + "  " + p.paint(tone, fmt.Sprintf("%3d do not", t.Fail)) + "  " + unknown + "  "
}

// fill cuts or fills text to a width.
func fill(text string, width int) string {
	text = ansi.Truncate(text, width, "…")
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

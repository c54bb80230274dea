package adopt

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/cli/drafts"
	"github.com/agentsentinel/sentinel/internal/coverage"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/scribe"
)

// How much of each list is shown.
const (
	shownCalls = 3
	shownFiles = 3
	shownWidth = 300
)

// A liner prints lines.
type liner interface {
	Line(format string, args ...any)
}

// term prints at a terminal.
type term struct{ *person.Terminal }

// Line prints a line.
func (t term) Line(format string, args ...any) { fmt.Fprintf(t.Out, format+"\n", args...) }

// show prints a draft. All of its texts may come from anywhere.
func (a *adoption) show(to liner, i int) {
	c := &a.from.Candidates[i]
	d := &c.File.Definition
	to.Line("%d/%d  %s  (%s)", i+1, len(a.from.Candidates), c.ID, text.OneLine(c.Provenance.Document))
	field := func(name, said string) {
		if said != "" {
			to.Line("     %-7s %s", name, text.Cut(text.OneLine(said), shownWidth))
		}
	}
	field("says", `"`+c.Provenance.Evidence+`"`)
	field("rule", c.Why)
	field("doubt", c.Doubt)
	field("about", d.Severity+": "+d.Trigger+" "+shownPatterns(d.Scope))
	field("cases", drafts.CaseCount(c.Cases))
	field("scope", c.Reach)
	if n := len(c.Against); n > 0 {
		field("files", fmt.Sprintf("it would %s %s as they are: %s%s", effects[d.Severity][0], text.Count(n, "file"), strings.Join(c.Against[:min(n, shownFiles)], ", "), text.When(n > shownFiles, ", …")))
	}
	a.past(c, field)
	field("fault", c.Fault)
}

// shownPatterns lists patterns, each with the first of its alternatives.
func shownPatterns(patterns []string) string {
	shown := make([]string, len(patterns))
	for i, p := range patterns {
		shown[i] = text.Pattern(p)
	}
	return strings.Join(shown, ", ")
}

// effects are what a rule does, and did, by its severity.
var effects = map[string][2]string{
	"": {"stop", "stopped"}, "block": {"stop", "stopped"}, "ask": {"ask about", "asked about"}, "warn": {"warn of", "warned of"}, "info": {"remark on", "remarked on"},
}

// past says which past calls the draft would have stopped.
func (a *adoption) past(c *coverage.Candidate, field func(name, said string)) {
	if a.from.Calls == 0 || c.Fault != "" {
		return
	}
	n := len(c.Past)
	field("past", fmt.Sprintf("would have %s %d of your last %s%s", effects[c.File.Definition.Severity][1], n, text.Count(a.from.Calls, "call"), text.When(n > 0, ":")))
	for i := range c.Past[:min(n, shownCalls)] {
		field("", call(&c.Past[i]))
	}
	if n > shownCalls {
		field("", fmt.Sprintf("and %d more", n-shownCalls))
	}
}

func call(c *replay.Call) string {
	when := ""
	if !c.Time.IsZero() {
		when = c.Time.Format("2006-01-02 15:04") + "  "
	}
	return when + c.Agent + "  " + c.Target
}

// dismiss drops a draft for good.
func dismiss(ctx context.Context, to *person.Terminal, c *coverage.Candidate, opts *scribe.Options) error {
	if _, err := scribe.Dismiss(ctx, c.ID, opts); err != nil {
		return err
	}
	term{to}.Line("dropped: %s; it is not proposed again", c.ID)
	return nil
}

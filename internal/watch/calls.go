// Package watch shows the decisions of a log as they are made: a list in the
// terminal with the details of one of them, or a line for each.
package watch

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/telemetry"
)

// maxCalls is how many calls are kept to look at.
const maxCalls = 2000

// A call has the lines of the log about one tool call. A line about something else
// is a call of its own.
type call struct {
	id      string
	records []telemetry.Record // evaluations, then the decision, then what shadow rules said
}

// calls gathers lines by their call, the oldest first.
type calls struct{ list []*call }

// add adds a line to its call. The lines of one call are close together, except those
// of shadow rules, which come up to minutes later.
func (c *calls) add(r telemetry.Record) {
	id := telemetry.CallOf(r.ID)
	if id != "" {
		for i := len(c.list) - 1; i >= max(len(c.list)-200, 0); i-- {
			if c.list[i].id == id {
				c.list[i].records = append(c.list[i].records, r)
				return
			}
		}
	}
	c.list = append(c.list, &call{id: id, records: []telemetry.Record{r}})
	if len(c.list) > maxCalls {
		c.list = c.list[len(c.list)-maxCalls:]
	}
}

// main is the most informative line of the call: its decision, else the first.
func (c *call) main() *telemetry.Record {
	for i := range c.records {
		if c.records[i].Level == telemetry.LevelDecision {
			return &c.records[i]
		}
	}
	return &c.records[0]
}

// decisive is the line of the rule that caused the decision: the strictest one that
// was violated or could not be judged.
func (c *call) decisive() *telemetry.Record {
	best, weight := c.main(), -1
	for i := range c.records {
		r := &c.records[i]
		if r.RuleID == "" {
			continue
		}
		w := severity(r.Severity)
		switch {
		case r.Mode != "":
			w = 0
		case r.Outcome == "violation":
			w += 20
		case r.Outcome == "unavailable":
			w += 10
		}
		if w > weight {
			best, weight = r, w
		}
	}
	return best
}

func severity(name string) int {
	switch name {
	case "block":
		return 4
	case "ask":
		return 3
	case "warn":
		return 2
	}
	return 1
}

// verdict is the first word in the row of a call.
func (c *call) verdict() string {
	r := c.main()
	word := r.Verdict
	if word == "" {
		word = r.Level
		if r.Level == telemetry.LevelEval {
			word = r.Outcome
		}
	}
	if c.would() != "" && (word == "allow" || word == "violation") {
		word = "shadow"
	}
	return text.Line(word)
}

// would is the effect that a shadow rule would have had, "" for none.
func (c *call) would() string {
	for _, r := range c.records {
		if r.Would != "" {
			return text.Line(r.Would)
		}
	}
	return ""
}

func (c *call) time() time.Time { return c.main().Time }

// row are the columns of a call: verdict, rule, target, agent. A rule that had nothing to
// say is in parentheses.
func (c *call) row() (verdict, rule, target, agent string) {
	r := c.decisive()
	rule = text.Line(cmp.Or(r.RuleID, "-"))
	if r.RuleID != "" && r.Outcome == "pass" && !r.NearMiss {
		rule = "(" + rule + ")"
	}
	return c.verdict(), rule, text.Line(cmp.Or(c.main().Target, r.Target, r.Reason)), text.Line(c.main().Agent)
}

// matches reports whether a column contains a text, in upper or lower case.
func (c *call) matches(text string) bool {
	verdict, rule, target, agent := c.row()
	return strings.Contains(strings.ToLower(strings.Join([]string{verdict, rule, target, agent}, " ")), strings.ToLower(text))
}

// line is a call on one line, for output without a terminal.
func (c *call) line() string {
	verdict, rule, target, agent := c.row()
	return fmt.Sprintf("%s %-7s %s %s %s", c.time().Format("2006-01-02T15:04:05Z"), strings.ToUpper(verdict), rule, agent, target)
}

// details are the lines that show everything about a call.
func (c *call) details(zone *time.Location) []string {
	m := c.main()
	lines := []string{
		strings.ToUpper(c.verdict()) + "  " + m.Time.In(zone).Format("2006-01-02 15:04:05 MST"),
		text.Line(fmt.Sprintf("%s %s", m.Trigger, m.Target)),
	}
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+text.Line(value))
		}
	}
	add("agent", strings.TrimSpace(m.Agent+" "+m.Tool))
	add("session", m.Session)
	add("because", m.Reason)
	add("error", m.Error)
	if m.Level == telemetry.LevelDecision {
		add("took", fmt.Sprintf("%.1f ms; %d matched, %d judged, %d failed", m.ElapsedMS, m.Matched, m.Judged, m.Unavailable))
	}
	for i := range c.records {
		r := &c.records[i]
		if r == m && r.RuleID == "" {
			continue
		}
		lines = append(lines, "")
		lines = append(lines, text.Line(fmt.Sprintf("%s (%s): %s %s", r.RuleID, r.Severity, r.Outcome, r.Mode)))
		add("  would", r.Would)
		add("  because", r.Reason)
		add("  error", r.Error)
		add("  by", judge(r))
	}
	if m.ID != "" {
		lines = append(lines, "", text.Line("sentinel stats --explain "+telemetry.CallOf(m.ID)))
	}
	return lines
}

// judge names the judge, and how it judged.
func judge(r *telemetry.Record) string {
	who := r.Backend
	if r.Model != r.Backend {
		who = strings.TrimSpace(who + " " + r.Model)
	}
	if who == "" {
		return ""
	}
	return fmt.Sprintf("%s, confidence %.2f, %.1f ms", who, r.Confidence, r.ElapsedMS)
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// fact is one line about the audit as a whole.
type fact struct {
	Name   string
	Values []phrase
}

// phrase is text that may hold a hostile name.
type phrase struct {
	Text string
	Code bool // a name that people copy
}

func (p phrase) markdown() string {
	if p.Code {
		return code(p.Text)
	}
	return inline(p.Text)
}

// Shown is the phrase without dangerous characters, for a template that escapes
// it.
func (p phrase) Shown() string {
	if p.Code {
		return text.Name(p.Text)
	}
	return text.OneLine(p.Text)
}

func words(s string) phrase { return phrase{Text: s} }

// terms are the names that are there.
func terms(names ...string) (all []phrase) {
	for _, name := range names {
		if name != "" {
			all = append(all, phrase{Text: name, Code: true})
		}
	}
	return all
}

// said is what is there in words.
func said(texts ...string) (all []phrase) {
	for _, s := range texts {
		if s != "" {
			all = append(all, words(s))
		}
	}
	return all
}

// byline says in one line what was audited, with which rubric, and when.
func byline(r *audit.Record) string {
	parts := []string{cmp.Or(r.Subject.URL, r.Subject.Local)}
	if r.Subject.Commit != "" {
		parts[0] = strings.TrimSpace(parts[0] + " at " + short(r.Subject.Commit))
	}
	parts = append(parts, strings.Join(r.Subject.Documents, ", "), "by the rubric "+strings.TrimSpace(r.Rubric.Name+" "+r.Rubric.Version), utc(r.Started))
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// aboutAudit is the facts for repeating the audit: its subject, its rubric, its
// judges, its cost.
func aboutAudit(r *audit.Record) []fact {
	of, rubric := &r.Subject, &r.Rubric
	var uncommitted, seed, samples string
	if of.Dirty > 0 {
		uncommitted = text.Plural(of.Dirty, "file", "files") + " with changes that are not committed"
	}
	if len(r.Seats) > 0 {
		seed, samples = strconv.FormatInt(r.Seed, 10), fmt.Sprintf("%d of each judge on each criterion", r.Samples)
	}
	all := []fact{
		{"Repository", terms(cmp.Or(of.URL, of.Local))}, {"Commit", terms(of.Commit)}, {"Branch", terms(of.Branch)},
		{"Not audited", said(uncommitted)}, {"Documents", terms(of.Documents...)}, {"Languages", said(strings.Join(of.Languages, ", "))},
		{"Rubric", append([]phrase{words(strings.TrimSpace(rubric.Name + " " + rubric.Version))}, terms(rubric.Source, text.After("sha256:", rubric.Digest))...)},
		{"Judges", seats(r)}, {"Seed", said(seed)}, {"Samples", said(samples)}, {"Models asked", said(usageText(r.Usage))},
		{"Made", said(fmt.Sprintf("%s, in %s, by sentinel-audit %s", utc(r.Started), took(r.Took), cmp.Or(r.Program, "of unknown version")))},
	}
	return slices.DeleteFunc(all, func(f fact) bool { return len(f.Values) == 0 })
}

func seats(r *audit.Record) []phrase {
	if len(r.Seats) == 0 {
		return said("none: facts alone")
	}
	var all []string
	for _, s := range r.Seats {
		all = append(all, fmt.Sprintf("%s: %s, %s", s.Judge.Title(), s.Backend, cmp.Or(s.Model, "which gave no answer")))
	}
	return said(all...)
}

func usageText(u audit.Usage) string {
	if u.Calls == 0 {
		return "never"
	}
	text := fmt.Sprintf("%s (%d answered from a cache), %d tokens read, %d written", text.Plural(u.Calls, "time", "times"), u.Cached, u.PromptTokens, u.OutputTokens)
	if u.CostUSD > 0 {
		return text + fmt.Sprintf(", $%.4f", u.CostUSD)
	}
	return text + ", no prices are known"
}

// notices is what a reader of the summary has to know in addition to the verdict.
func notices(v *view) []string {
	var all []string
	for _, f := range v.Failures {
		all = append(all, fmt.Sprintf("The stage %s failed: %s", f.Stage, f.Err))
	}
	if open := v.Open(); len(open) > 0 {
		all = append(all, text.Plural(len(open), "security finding", "security findings")+": "+counted(open, func(e *audit.Evidence) string { return string(e.Severity) })+".")
	}
	if len(v.Others) > 0 {
		all = append(all, "Findings that are not about security: "+counted(v.Others, func(e *audit.Evidence) string { return string(e.Finding()) })+".")
	}
	if n := len(v.Security) - len(v.Open()); n > 0 {
		all = append(all, text.Plural(n, "security finding is", "security findings are")+" waived.")
	}
	if n := v.Influence(); n > 0 {
		all = append(all, text.Plural(n, "place", "places")+" that may be meant to influence the court: no judge saw their text.")
	}
	if n := len(v.Unexamined); n > 0 {
		all = append(all, text.Plural(n, "thing", "things")+" could not be examined, which counts against nobody.")
	}
	if languages := v.Subject.Unsearched; len(languages) > 0 {
		all = append(all, "The rubric does not look into code in "+strings.Join(languages, ", ")+".")
	}
	if n := v.Subject.Dirty; n > 0 {
		all = append(all, text.Plural(n, "file has", "files have")+" changes that are not committed, and were not audited.")
	}
	return all
}

// counted counts findings, which are in the order of what they are counted by.
func counted(found []*audit.Evidence, by func(*audit.Evidence) string) string {
	var parts []string
	for i := 0; i < len(found); {
		name, n := by(found[i]), 0
		for ; i < len(found) && by(found[i]) == name; i++ {
			n++
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, name))
	}
	return strings.Join(parts, ", ")
}

// Mark is the score out of the highest of its scale; a dash without one.
func (c criterion) Mark() string { return cmp.Or(scored(c.Verdict, c.Score, c.Scale), "–") }

// Of writes a score of the criterion.
func (c criterion) Of(n int) string { return score(n, c.Scale) }

// SpreadText is the distance of the judges' scores; a dash without scores.
func (c criterion) SpreadText() string {
	if !c.heard() {
		return "–"
	}
	return strconv.Itoa(c.Spread)
}

// AgreementText is how near the judges' scores are; a dash without scores.
func (c criterion) AgreementText() string {
	if !c.heard() {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*c.Agreement)
}

func (c criterion) heard() bool { return slices.ContainsFunc(c.Opinions, c.Valid) }

// Valid reports whether there is a score.
func (c criterion) Valid(o audit.Opinion) bool { return o.Valid(c.Scale) }

// OpinionScore is the score of an opinion; a dash without one.
func (c criterion) OpinionScore(o audit.Opinion) string {
	if !o.Valid(c.Scale) {
		return "–"
	}
	return score(o.Score, c.Scale)
}

// opinionBy says who spoke for the judge, with names as show writes them.
func opinionBy(r *audit.Record, o *audit.Opinion, show func(string) string) string {
	by := show(cmp.Or(o.Backend, "no backend"))
	if o.Model != "" {
		by += " " + show(o.Model)
	}
	if r.Samples > 1 {
		by += fmt.Sprintf(", sample %d", o.Sample+1)
	}
	if o.Tries > 1 {
		by += fmt.Sprintf(", %d tries", o.Tries)
	}
	return by
}

// Silence is why an opinion has no score.
func (c criterion) Silence(o audit.Opinion) string {
	return cmp.Or(o.Err, fmt.Sprintf("the score %d is none from %s", o.Score, c.Scale))
}

func kindName(k audit.Kind) string {
	switch k {
	case audit.KindFact:
		return "fact"
	case audit.KindObserved:
		return "observed"
	case audit.KindClaim:
		return "claim"
	case audit.KindModel:
		return "seen by a model"
	}
	return text.OneLine(string(k))
}

// soughtText is what was looked for, expected and found, in one line.
func soughtText(p audit.Probe, e *audit.Evidence) string {
	said := cmp.Or(text.OneLine(p.Looked), text.OneLine(e.Probe))
	if p.Expected != "" {
		said += "; expected " + text.OneLine(p.Expected)
	}
	if p.Kind == audit.KindObserved {
		said += "; observed"
	}
	return said + "; found: " + text.OneLine(summaryOf(e))
}

// evidenceText is what was found, and what is to be known about that.
func evidenceText(e *audit.Evidence) string {
	text := summaryOf(e)
	if finding := findingTag(e); finding != "" {
		text += " [" + finding + "]"
	} else if e.Waived != "" {
		text += " [waived: " + e.Waived + "]"
	}
	if e.Truncated {
		text += " [more was found than is kept]"
	}
	if e.Withheld {
		text += " [withheld from the judges]"
	}
	if e.Confidence > 0 && e.Confidence < 1 {
		text += fmt.Sprintf(" [confidence %s]", audit.Decimals(e.Confidence))
	}
	return text
}

// findingTag is how bad a finding is and, unless it is about security, what it is about.
func findingTag(e *audit.Evidence) string {
	if e.Outcome != audit.False || e.Finding() == "" {
		return ""
	}
	var parts []string
	if category := e.Finding(); category != audit.CategorySecurity {
		parts = append(parts, string(category))
	}
	if e.Severity != "" {
		parts = append(parts, string(e.Severity), findingState(e))
	} else if e.Waived != "" {
		parts = append(parts, findingState(e))
	}
	return text.OneLine(strings.Join(parts, ", "))
}

// summaryOf is what was found, in one line: for a place also the first line of its text,
// since many places of a probe have the same words.
func summaryOf(e *audit.Evidence) string {
	const most = 100
	if e.Withheld || e.Summary != "" && !e.Part {
		return e.Summary
	}
	line, _, _ := strings.Cut(strings.TrimSpace(e.Snippet), "\n")
	line = ansi.Truncate(text.OneLine(line), most, "…")
	switch {
	case e.Summary == "", line == "":
		return cmp.Or(e.Summary, line)
	case strings.Contains(e.Summary, line):
		return e.Summary
	}
	return e.Summary + ": " + line
}

func findingState(e *audit.Evidence) string {
	switch {
	case e.Waived != "":
		return "waived: " + e.Waived
	case e.Confirmed:
		return "confirmed"
	}
	return "possible"
}

// quoteOf says whose words a snippet is.
func quoteOf(e *audit.Evidence) string {
	switch {
	case e.Kind == audit.KindModel:
		return "in a model's words"
	case e.Withheld:
		return "withheld from the judges"
	}
	return "as it stands there"
}

// linesOf begins an item of the plan with its line or page.
func linesOf(l audit.Location) string {
	switch {
	case l.First > 0 && l.Last > l.First:
		return fmt.Sprintf("Lines %d-%d: ", l.First, l.Last)
	case l.First > 0:
		return fmt.Sprintf("Line %d: ", l.First)
	case l.Page > 0:
		return fmt.Sprintf("Page %d: ", l.Page)
	}
	return ""
}

// itemText is the note to something to do: who says so, how bad, how much work, for which
// criteria.
func itemText(item planItem) string {
	var parts []string
	if !fromJudge(item.Advice) && item.From != "" {
		parts = append(parts, item.From)
	}
	if item.Severity != "" {
		parts = append(parts, "severity "+string(item.Severity))
	}
	if item.Effort != "" {
		parts = append(parts, item.Effort+" effort")
	}
	if item.alike > 0 {
		parts = append(parts, fmt.Sprintf("and in %s", text.Plural(item.alike, "other place", "other places")))
	}
	if len(item.Criteria) > 0 {
		parts = append(parts, "for "+strings.Join(item.Criteria, ", "))
	}
	return strings.Join(parts, "; ")
}

// waived is what a waiver covers.
func waived(w audit.Waiver) string {
	return strings.TrimSpace(strings.Join([]string{w.Dimension, w.Probe, w.Path}, " "))
}

func waiverState(w audit.Waiver) string {
	until := ""
	if w.Until != "" {
		until = ", until " + w.Until
	}
	switch {
	case w.Expired:
		return "ran out on " + w.Until + ": not applied"
	case w.Covers == 0:
		return "covers nothing" + until
	}
	return "covers " + text.Plural(w.Covers, "thing", "things") + until
}

package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// planFile is what to do in one file, by line. Path "" is what belongs to no
// file.
type planFile struct {
	Path  string     `json:"path"`
	Items []planItem `json:"items"`
}

// planItem is one thing to do.
type planItem struct {
	audit.Advice
	Severity audit.Severity `json:"severity,omitempty"` // of the security finding that it mends
	Criteria []string       `json:"criteria"`           // whose score it would raise

	alike int // other things to do that are the same in other places, of what to do first
}

// spot is one thing to do in one place, from any source.
type spot struct {
	Text string
	At   audit.Location
}

// plan collects what judges and probes advise, by file and line: first what
// belongs to a file, then what belongs to none. The same advice for several
// criteria is one thing to do, and what a result does not pass on of its probes'
// advice is added, unless it serves only criteria that do not apply.
func plan(r *audit.Record) []planFile {
	found := violations(r)
	worst := worstAt(found)
	var items []planItem
	known, index := map[spot]bool{}, map[audit.Advice]int{}
	add := func(advice audit.Advice, criteria []string) {
		at := spot{advice.Text, advice.Location}
		i, again := index[advice]
		if !again {
			i = len(items)
			index[advice], known[at] = i, true
			items = append(items, planItem{Advice: advice, Severity: worst[at], Criteria: []string{}})
		}
		for _, id := range criteria {
			if !slices.Contains(items[i].Criteria, id) {
				items[i].Criteria = append(items[i].Criteria, id)
			}
		}
	}
	for i := range r.Results {
		for _, advice := range r.Results[i].Remediation {
			add(advice, []string{r.Results[i].Criterion})
		}
	}
	beside := criteriaWhere(r, func(result *audit.Result) bool { return result.Verdict == audit.NotConsidered })
	for i := range r.Criteria {
		if r.Criteria[i].NotApplicable != "" {
			beside[r.Criteria[i].ID] = true
		}
	}
	for _, e := range found {
		if e.Finding() != audit.CategorySecurity && among(e.Criteria, beside) {
			continue
		}
		advice := audit.Advice{Text: e.Remediation.Text, From: "probe " + e.Probe, Location: e.Location, Effort: e.Remediation.Effort}
		if advice.Text != "" && e.Waived == "" && !known[spot{advice.Text, advice.Location}] {
			add(advice, e.Criteria)
		}
	}
	return byFile(items)
}

// worstAt is how bad it is what an advice would mend.
func worstAt(found []*audit.Evidence) map[spot]audit.Severity {
	worst := map[spot]audit.Severity{}
	for _, e := range found {
		at := spot{e.Remediation.Text, e.Location}
		if e.Finding() == audit.CategorySecurity && e.Severity.Rank() > worst[at].Rank() {
			worst[at] = e.Severity
		}
	}
	return worst
}

func byFile(items []planItem) []planFile {
	slices.SortStableFunc(items, func(a, b planItem) int {
		x, y := a.Location, b.Location
		return cmp.Or(
			compareBool(x.Path == "", y.Path == ""), strings.Compare(x.Path, y.Path),
			cmp.Compare(x.Page, y.Page), cmp.Compare(x.First, y.First), cmp.Compare(x.Last, y.Last),
		)
	})
	files := []planFile{}
	for _, item := range items {
		if n := len(files); n == 0 || files[n-1].Path != item.Location.Path {
			files = append(files, planFile{Path: item.Location.Path})
		}
		last := &files[len(files)-1]
		last.Items = append(last.Items, item)
	}
	return files
}

// maxFirst is how many things a reader is told to do first.
const maxFirst = 5

// urgent is what to begin with: findings, the worst first, then what serves most
// criteria; what one probe advises for many places is one thing. A general wish of the
// rubric is not a first thing to do, nor is advice that serves only waived criteria.
func urgent(r *audit.Record, plan []planFile) []planItem {
	waived := criteriaWhere(r, func(result *audit.Result) bool { return result.Waived != "" })
	var items []planItem
	for _, file := range plan {
		for _, item := range file.Items {
			if item.From != "rubric" && (item.Severity != "" || !among(item.Criteria, waived)) {
				items = append(items, item)
			}
		}
	}
	slices.SortStableFunc(items, func(a, b planItem) int {
		return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), cmp.Compare(len(b.Criteria), len(a.Criteria)))
	})
	items = distinctItems(items)
	return items[:min(maxFirst, len(items))]
}

// distinctItems keeps the first of the things to do that one probe advises, or that
// have the same words, and counts the others.
func distinctItems(items []planItem) []planItem {
	var all []planItem
	at := map[string]int{}
	for _, item := range items {
		keys := []string{item.Text}
		if !fromJudge(item.Advice) && item.From != "" {
			keys = append(keys, item.From+"\x00"+string(item.Severity))
		}
		i, again := len(all), false
		for _, key := range keys {
			if known, ok := at[key]; ok {
				i, again = known, true
			}
		}
		for _, key := range keys {
			at[key] = i
		}
		if again {
			all[i].alike++
			continue
		}
		all = append(all, item)
	}
	return all
}

// criteriaWhere holds the criteria whose result is of a kind.
func criteriaWhere(r *audit.Record, is func(*audit.Result) bool) map[string]bool {
	ids := map[string]bool{}
	for i := range r.Results {
		if is(&r.Results[i]) {
			ids[r.Results[i].Criterion] = true
		}
	}
	return ids
}

// among reports whether there are criteria, and all of them among others.
func among(criteria []string, others map[string]bool) bool {
	return len(criteria) > 0 && !slices.ContainsFunc(criteria, func(id string) bool { return !others[id] })
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// adviceText is what is advised, with the judge who did: "Prosecutor
// recommended: …".
func adviceText(a audit.Advice) string {
	text := text.OneLine(a.Text)
	for _, judge := range audit.Judges() {
		if by := judge.Title(); a.From == by && !strings.HasPrefix(text, by+" recommended:") {
			return by + " recommended: " + text
		}
	}
	return text
}

// placeOnce is the place of advice; "" where its text names the file.
func placeOnce(a audit.Advice) string {
	if a.Location.Path != "" && strings.Contains(a.Text, a.Location.Path) {
		return ""
	}
	return place(a.Location)
}

// fromJudge reports whether a judge gave the advice: then its text names them.
func fromJudge(a audit.Advice) bool {
	return slices.ContainsFunc(audit.Judges(), func(j audit.Judge) bool { return j.Title() == a.From })
}

package judges

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Limits of one piece of evidence in a prompt, in bytes. A note marks each cut.
const (
	maxPath    = 300
	maxSummary = 500
	maxSnippet = 600
	maxFigure  = 160
	maxFigures = 600
	noteSize   = 96 // reserved for the note about places that are not shown
)

// exhibit is a piece of evidence as judges see it. Every line begins with its id,
// so that no line can pass for evidence of another id, or for no evidence.
type exhibit struct {
	id   string
	text string // ends with a line break
}

// group is the evidence of one probe, that of the whole before its places.
type group struct {
	probe    string
	exhibits []exhibit // that are shown
	places   []exhibit // not yet shown
	fails    bool      // the whole is false
	hidden   int       // places that the budget left out
	more     bool      // the probe found more places than it kept
}

// display is the evidence of a criterion, the same for every judge.
type display struct {
	groups []group
	probes int // left out by the budget, with all evidence
}

// exhibitsOf chooses which evidence of a criterion is shown: first that of whole
// probes, then places, one of each probe in turn, so that a probe with many places
// does not push the others out. What is false comes before all else, each with its first
// place: a judge has to see what is held against somebody. budget is in bytes.
// probes say what was looked for.
func exhibitsOf(criterion string, evidence []audit.Evidence, probes map[string]audit.Probe, budget int) display {
	var all []group
	for _, found := range byProbe(criterion, evidence) {
		g := group{probe: found[0].Probe}
		var others []exhibit
		for i := range found {
			e := &found[i]
			g.more = g.more || e.Truncated
			against := e.Outcome == audit.False && e.Waived == ""
			switch x := exhibitOf(e, probes[e.Probe]); {
			case !e.Part:
				g.exhibits, g.fails = append(g.exhibits, x), g.fails || against
			case against:
				g.places = append(g.places, x)
			default:
				others = append(others, x)
			}
		}
		g.places = append(g.places, others...)
		all = append(all, g)
	}
	shown := make([]bool, len(all))
	for _, fails := range []bool{true, false} {
		for i := range all {
			if g := &all[i]; g.fails == fails {
				shown[i] = g.take(&budget)
			}
		}
	}
	var d display
	for i := range all {
		if shown[i] {
			d.groups = append(d.groups, all[i])
		} else {
			d.probes++
		}
	}
	d.fill(budget)
	return d
}

// take reports whether the budget has room for the evidence of the whole, and takes that from
// it; with room, also for the first place of what is false.
func (g *group) take(budget *int) bool {
	size := noteSize
	for _, x := range g.exhibits {
		size += len(x.text)
	}
	if size > *budget {
		return false
	}
	*budget -= size
	if g.fails && len(g.places) > 0 && len(g.places[0].text) <= *budget {
		*budget -= len(g.places[0].text)
		g.exhibits, g.places = append(g.exhibits, g.places[0]), g.places[1:]
	}
	return true
}

// fill adds places in turn until the budget ends.
func (d *display) fill(budget int) {
	for added := true; added; {
		added = false
		for i := range d.groups {
			g := &d.groups[i]
			switch {
			case len(g.places) == 0:
			case len(g.places[0].text) > budget: // later, shorter places are not preferred
				g.hidden, g.places = len(g.places), nil
			default:
				g.exhibits = append(g.exhibits, g.places[0])
				budget -= len(g.places[0].text)
				g.places, added = g.places[1:], true
			}
		}
	}
}

// byProbe returns the evidence of a criterion, by probe in the order of the
// evidence. No judge sees evidence of the probes integrity.…: it quotes prompt
// injection.
func byProbe(criterion string, evidence []audit.Evidence) [][]audit.Evidence {
	var found [][]audit.Evidence
	at := map[string]int{}
	for i := range evidence {
		e := &evidence[i]
		if !slices.Contains(e.Criteria, criterion) || strings.HasPrefix(e.Probe, "integrity.") {
			continue
		}
		n, known := at[e.Probe]
		if !known {
			n = len(found)
			at[e.Probe], found = n, append(found, nil)
		}
		found[n] = append(found[n], *e)
	}
	return found
}

// ids returns the ids that a judge sees, and may cite.
func (d *display) ids() []string {
	var ids []string
	for _, g := range d.groups {
		for _, x := range g.exhibits {
			ids = append(ids, x.id)
		}
	}
	return ids
}

// String returns the evidence in the order of its groups. It ends with a line
// break.
func (d *display) String() string {
	var b strings.Builder
	for _, g := range d.groups {
		for _, x := range g.exhibits {
			b.WriteString(x.text)
		}
		b.WriteString(g.note())
	}
	switch {
	case d.probes > 0:
		fmt.Fprintf(&b, "(what %d more probes found is not shown: there is no room)\n", d.probes)
	case len(d.groups) == 0:
		b.WriteString("(there is no evidence on this criterion)\n")
	}
	return b.String()
}

// note says how many places of a probe are not shown.
func (g *group) note() string {
	probe := clip(oneLine(g.probe), 40)
	switch {
	case g.hidden > 0 && g.more:
		return fmt.Sprintf("(%s: %d more places not shown, and others not kept)\n", probe, g.hidden)
	case g.hidden > 0:
		return fmt.Sprintf("(%s: %d more places not shown)\n", probe, g.hidden)
	case g.more:
		return fmt.Sprintf("(%s: more places were found than are kept)\n", probe)
	}
	return ""
}

// exhibitOf renders one piece of evidence; of a whole probe with what was looked for.
func exhibitOf(e *audit.Evidence, p audit.Probe) exhibit {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }

	scope := "the whole probe"
	if e.Part {
		scope = "one place"
	}
	add("%s; %s; probe %s, %s", label(e.Kind), outcome(e), clip(oneLine(e.Probe), maxFigure), scope)
	if p.Looked != "" && !e.Part {
		add("looked for: %s", clip(oneLine(p.Looked), maxSummary))
		add("expected: %s", clip(oneLine(cmp.Or(p.Expected, "nothing; what was found decides nothing by itself")), maxSummary))
	}
	switch finding := e.Finding(); {
	case finding == "" || e.Outcome != audit.False:
	case e.Severity == "":
		add("%s finding", finding)
	case e.Confirmed:
		add("%s finding: %s, confirmed", finding, e.Severity)
	default:
		add("%s finding: %s, possible", finding, e.Severity)
	}
	if e.Waived != "" {
		add("waived, and no fault, by the rubric: %s", clip(oneLine(e.Waived), maxSummary))
	}
	if e.Confidence > 0 && e.Confidence < 1 {
		add("confidence: %.2f", e.Confidence)
	}
	if e.Withheld {
		add("withheld: its text speaks to the reader")
	} else {
		if place := e.Location.String(); place != "" {
			add("at %s", clip(oneLine(place), maxPath))
		}
		if e.Summary != "" {
			add("summary: %s", clip(oneLine(e.Summary), maxSummary))
		}
	}
	if f := figures(e.Values, e.Withheld); f != "" {
		add("figures: %s", f)
	}
	if !e.Withheld && e.Snippet != "" {
		for line := range strings.SplitSeq(strings.TrimRight(clip(legible(e.Snippet), maxSnippet), "\n"), "\n") {
			add("text: %s", line)
		}
	}

	id := oneLine(e.ID)
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(id + "| " + line + "\n")
	}
	return exhibit{id: e.ID, text: b.String()}
}

// label says in words how reliable evidence is.
func label(k audit.Kind) string {
	switch k {
	case audit.KindFact:
		return "fact"
	case audit.KindObserved:
		return "observation by names or words, which can be wrong"
	case audit.KindModel:
		return "seen by a model"
	}
	return "untrusted claim" // of an unknown kind too
}

// outcome says in words what a probe found.
func outcome(e *audit.Evidence) string {
	switch e.Outcome {
	case audit.True:
		if label(e.Kind) == label(audit.KindClaim) {
			return "stated, which does not make it so"
		}
		return "true"
	case audit.False:
		return "false: what was expected does not hold"
	case audit.NotApplicable:
		return "not applicable here, neither for nor against"
	case audit.NotSupported, audit.NotAvailable, audit.Error:
		return "could not be examined, neither for nor against"
	}
	return "nobody looked, neither for nor against"
}

// figures lists values by name. Of withheld evidence it lists numbers alone; of other one the
// summary says how many files were searched, and how many were not.
func figures(values audit.Values, withheld bool) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		if !withheld && slices.Contains([]string{"files", "left_out", "not_examined", "broken_files"}, name) {
			continue
		}
		switch value.(type) {
		case bool, int, float64:
		default:
			if withheld {
				continue
			}
		}
		text, err := json.Marshal(value)
		if err != nil {
			continue // infinite, or of an unknown type
		}
		list = append(list, clip(oneLine(name+"="+string(text)), maxFigure))
	}
	return clip(strings.Join(list, ", "), maxFigures)
}

// clip cuts s to at most limit bytes, and adds how many are missing.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := text.CutBytes(s, limit)
	return fmt.Sprintf("%s [%d more bytes]", head, len(s)-len(head))
}

package justice

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// maxSentence bounds what is quoted of an argument, in characters.
const maxSentence = 300

// remediation says what to do: first what the probes advise on evidence that is
// False, place by place; then, for FAIL and PARTIAL, what the Prosecutor and the
// Tech Lead say first, with the place that they cite, and what the rubric asks for.
func (cr *criterion) remediation() []audit.Advice {
	advice := cr.probesAdvise()
	if cr.result.Verdict != audit.Fail && cr.result.Verdict != audit.Partial {
		return advice
	}
	for _, v := range cr.voices {
		if v.judge == audit.Defense {
			continue
		}
		if first := firstSentence(v.speaks.Argument); first != "" {
			advice = append(advice, audit.Advice{From: v.judge.Title(), Text: v.judge.Title() + " recommended: " + first, Location: cr.facts.placeOf(v.speaks.Cited)})
		}
	}
	if cr.d.Success != "" {
		advice = append(advice, audit.Advice{From: "rubric", Text: "What is asked for: " + strings.TrimSpace(cr.d.Success)})
	}
	return advice
}

// placeOf is the first place that is cited, of what is False if there is one.
func (f *facts) placeOf(cited []string) (at audit.Location) {
	for _, id := range cited {
		e := f.evidence[id]
		switch {
		case e == nil || e.Location.Path == "":
		case e.Outcome == audit.False:
			return e.Location
		case at.Path == "":
			at = e.Location
		}
	}
	return at
}

// probesAdvise goes through the evidence that is False. A probe that names places
// is not repeated as a whole; where it advises nothing, what it found as a whole
// says what is wrong with its places.
func (cr *criterion) probesAdvise() []audit.Advice {
	advice := []audit.Advice{}
	var wrong []*audit.Evidence
	places, found := map[string]bool{}, map[string]string{}
	for _, id := range cr.facts.ids {
		if e := cr.facts.evidence[id]; e.Outcome == audit.False && e.Waived == "" {
			wrong = append(wrong, e)
			places[e.Probe] = places[e.Probe] || e.Part
			if !e.Part {
				found[e.Probe] = e.Summary
			}
		}
	}
	for _, e := range wrong {
		if places[e.Probe] && !e.Part {
			continue
		}
		text := cmp.Or(e.Remediation.Text, found[e.Probe], e.Summary, "what "+e.Probe+" expects does not hold")
		advice = append(advice, audit.Advice{Text: text, From: "probe " + e.Probe, Location: e.Location, Effort: e.Remediation.Effort})
	}
	return advice
}

// firstSentence is the first sentence of an argument in one line, without the mark
// of a list. A point ends it only before white space or at the end, so that
// main.go is one word; and not behind a single letter, as in "e.g. ".
func firstSentence(argument string) string {
	words := strings.Fields(argument)
	if len(words) > 1 && strings.Trim(words[0], "0123456789.)*-#") == "" {
		words = words[1:]
	}
	line := strings.Join(words, " ")
	for i, r := range line {
		if (r == '.' || r == '!' || r == '?') && (i+1 == len(line) || line[i+1] == ' ') && !(r == '.' && abbreviated(line[:i])) {
			line = line[:i+1]
			break
		}
	}
	return text.Cut(line, maxSentence)
}

// abbreviated reports whether text ends with a single letter, as "e.g" and "i.e".
func abbreviated(text string) bool {
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return unicode.IsLetter(last) && (before == '.' || before == ' ')
}

package justice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// maxNamed bounds how many ids a sentence lists.
const maxNamed = 6

// dissent says which judge gave which score, what each relied on, and the result of looking
// again; "" when the judges are near enough to each other.
func (cr *criterion) dissent() string {
	if !cr.dissents {
		return ""
	}
	sentences := []string{fmt.Sprintf("%s: a spread of %d, over %s.",
		each(cr.voices, func(v *voice) string { return fmt.Sprintf("%s %d", v.judge.Title(), v.given) }),
		cr.result.Spread, audit.Decimals(cr.variance))}
	for _, v := range cr.voices {
		sentences = append(sentences, cr.reliedOn(v))
	}
	sentences = append(sentences, cr.differences()...)
	for _, v := range cr.voices {
		if v.counts != float64(v.given) {
			sentences = append(sentences, upper(v.moved())+".")
		}
	}
	if cr.reviewed != "" {
		sentences = append(sentences, "Looking again: "+cr.reviewed+".")
	}
	return strings.Join(sentences, " ")
}

// reliedOn says what a judge cited, with outcome and place.
func (cr *criterion) reliedOn(v *voice) string {
	text := v.judge.Title() + " cited nothing that exists."
	if len(v.cited) > 0 {
		text = v.judge.Title() + " cited " + named(v.cited, cr.facts.where) + "."
	}
	switch {
	case v.invented == 1:
		text += " One of its citations was invented."
	case v.invented > 1:
		text += fmt.Sprintf(" %d of its citations were invented.", v.invented)
	}
	return text
}

// differences says who alone cited what, and what all did.
func (cr *criterion) differences() []string {
	by := map[string][]*voice{}
	for _, v := range cr.voices {
		for _, id := range v.cited {
			by[id] = append(by[id], v)
		}
	}
	alone := func(v *voice) []string {
		return slices.DeleteFunc(slices.Clone(v.cited), func(id string) bool { return len(by[id]) > 1 })
	}
	plain := func(id string) string { return id }
	var sentences []string
	for _, v := range cr.voices {
		if ids := alone(v); len(ids) > 0 && len(cr.voices) > 1 {
			sentences = append(sentences, fmt.Sprintf("Only the %s cited %s.", v.judge.Title(), named(ids, plain)))
		}
	}
	var all []string
	for id, voices := range by {
		if len(voices) == len(cr.voices) {
			all = append(all, id)
		}
	}
	if all = natural(all); len(all) > 0 && len(cr.voices) > 1 {
		sentences = append(sentences, "All cited "+named(all, plain)+".")
	}
	return sentences
}

// named lists the first ids, in words.
func named(ids []string, text func(string) string) string {
	var texts []string
	for _, id := range ids[:min(len(ids), maxNamed)] {
		texts = append(texts, text(id))
	}
	if more := len(ids) - maxNamed; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return list(texts)
}

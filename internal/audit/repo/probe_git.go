package repo

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
)

// history is what was read of the commits.
type history struct {
	commits    int
	merges     int
	more       bool // there are more than MaxCommits
	earliest   time.Time
	latest     time.Time
	authors    map[string]struct{} // by address, in small letters
	days       map[string]int      // commits on a day
	telling    int                 // commits, merges left out, whose message says something
	subjects   map[uint64]struct{} // digests of the subject lines that were used, in small letters
	sample     []commit            // for places: the latest, the first, and some between
	injections []place             // messages and names with prompt injection
	attempts   int
	err        error

	largest      additions
	added        int
	additionsErr error
	counted      bool // additions were asked for
}

// sampleSize is how many commits are shown of a history.
const sampleSize = 12

// wantsAdditions reports whether a probe asks for the one figure that costs
// reading every change of the history.
func (in *investigation) wantsAdditions() bool {
	return slices.ContainsFunc(in.rubric.Probes, func(p rubric.Probe) bool {
		return p.Type == rubric.TypeGit && (len(p.Metrics) == 0 || slices.Contains(p.Metrics, "largest_add_share"))
	})
}

// readHistory reads all commits once.
func (r *Repository) readHistory(ctx context.Context, withAdditions bool) *history {
	h := &history{authors: map[string]struct{}{}, days: map[string]int{}, subjects: map[uint64]struct{}{}, counted: withAdditions}
	if r.subject.Commit == "" {
		return h
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !withAdditions {
			return
		}
		all, err := r.additions(ctx)
		h.additionsErr = err
		for _, a := range all {
			h.added += a.lines
			if a.lines >= h.largest.lines {
				h.largest = a // of equal ones the earliest
			}
		}
	}()
	h.more, h.err = r.eachCommit(ctx, h.add)
	<-done
	if last := len(h.sample) - 1; last > sampleSize {
		h.sample = thin(h.sample)
	}
	return h
}

// add counts a commit. They come newest first.
func (h *history) add(c commit) {
	h.commits++
	if h.earliest.IsZero() || c.time.Before(h.earliest) {
		h.earliest = c.time
	}
	if c.time.After(h.latest) {
		h.latest = c.time
	}
	h.authors[strings.ToLower(strings.TrimSpace(c.email))] = struct{}{}
	h.days[c.time.Format(time.DateOnly)]++
	if c.parents > 1 {
		h.merges++
	} else if subject := strings.ToLower(c.subject()); telling(subject) && h.isNew(subject) {
		h.telling++
	}
	h.findInjection(&c)
	c.message = kept(c.subject(), 4*maxSnippet)
	h.sample = append(h.sample, c)
	if len(h.sample) > 64*sampleSize {
		h.sample = thin(h.sample)
	}
}

// isNew reports whether no commit had that subject line, and remembers it.
func (h *history) isNew(subject string) bool {
	digest := maphash.String(digestSeed, subject)
	_, known := h.subjects[digest]
	h.subjects[digest] = struct{}{}
	return !known
}

// thin keeps the first and the last, and each second of those between.
func thin(sample []commit) []commit {
	for len(sample) > sampleSize {
		var kept []commit
		for i, c := range sample {
			if i%2 == 0 || i == len(sample)-1 {
				kept = append(kept, c)
			}
		}
		if len(kept) == len(sample) {
			break
		}
		sample = kept
	}
	return sample
}

// findInjection looks for prompt injection in the words of the commit's author.
func (h *history) findInjection(c *commit) {
	for _, said := range []struct{ what, text string }{{"commit message", c.message}, {"author's name", c.name}, {"author's address", c.email}} {
		for _, a := range injection.Attempts(said.text) {
			h.attempts++
			if len(h.injections) <= MaxPlaces {
				h.injections = append(h.injections, place{
					commit: c.hash, summary: said.what + ": " + a.Kind, snippet: secret.Mask(said.text[a.Start:a.End]), withheld: true, outcome: audit.False,
				})
			}
		}
	}
}

// telling reports whether a subject line says what a commit does: at least three
// words and twelve characters, and none of the phrases that fit any commit.
func telling(subject string) bool {
	words := strings.FieldsFunc(subject, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) < 3 || len(subject) < 12 {
		return false
	}
	switch strings.Join(words, " ") {
	case "add files via upload", "work in progress", "minor bug fixes", "fix some bugs", "bug fixes and improvements", "fixes and improvements", "update the code", "some minor changes",
		"this is a commit", "final final final", "more changes made", "made some changes":
		return false
	}
	return !allSame(words)
}

func allSame(words []string) bool {
	for _, w := range words {
		if w != words[0] {
			return false
		}
	}
	return true
}

// gitTask makes the figures of the history. docs/audit/repository.md says what they count.
func (in *investigation) gitTask(p *rubric.Probe) (*task, error) {
	return &task{conclude: func(context.Context, []found) result { return in.gitResult(p) }}, nil
}

func (in *investigation) gitResult(p *rubric.Probe) result {
	h := in.history
	r := result{values: map[string]any{}}
	switch {
	case h.err != nil:
		r.outcome, r.summary = audit.Error, "the history was not read: "+text.Name(text.CutBytes(h.err.Error(), 200))
		if errors.Is(h.err, errTimeout) {
			r.outcome = audit.NotAvailable
		}
		return r
	case h.commits == 0:
		r.values["commit_count"] = 0
		r.none, r.zero = "there is no commit", true
		return r
	}
	figures := h.figures()
	if slices.Contains(p.Metrics, "idle_days") {
		figures["idle_days"] = max(0, int(time.Since(h.latest).Hours()/24))
	}
	asked := func(name string) bool { return len(p.Metrics) == 0 || slices.Contains(p.Metrics, name) }
	for name, value := range figures {
		if asked(name) {
			r.values[name] = value
		}
	}
	if h.more || in.repo.shallow {
		why := fmt.Sprintf("the history has more than %d commits", MaxCommits)
		if in.repo.shallow {
			why = "only the latest of them are there"
		}
		r.gaps = append(r.gaps, gap{"older commits", audit.NotAvailable, why})
		r.lower = []string{"commit_count", "span_days", "authors"}
	}
	if days, ok := r.values["idle_days"]; ok {
		r.summary = fmt.Sprintf("the last commit is of %s, %d days ago", h.latest.Format(time.DateOnly), days)
		return r
	}
	r.summary = fmt.Sprintf("%s by %s from %s to %s", text.Plural(h.commits, "commit", "commits"), text.Plural(len(h.authors), "author", "authors"),
		h.earliest.Format(time.DateOnly), h.latest.Format(time.DateOnly))
	if asked("largest_add_share") {
		switch {
		case h.additionsErr != nil:
			r.summary = joined(r.summary, "added lines were not counted: "+text.Name(text.CutBytes(h.additionsErr.Error(), 200)))
		case h.added > 0:
			r.summary = joined(r.summary, fmt.Sprintf("the largest adds %d of %d lines", h.largest.lines, h.added))
			r.places = append(r.places, place{commit: h.largest.hash, summary: fmt.Sprintf("this commit adds %d of %d lines", h.largest.lines, h.added)})
		}
	}
	if !asked("message_quality") {
		return r
	}
	for _, c := range h.sample {
		r.places = append(r.places, place{
			commit: c.hash, kind: audit.KindClaim, outcome: audit.True,
			summary: "commit of " + c.time.Format(time.DateOnly) + ", its message", snippet: c.message, withheld: injection.Has(c.message),
		})
	}
	return r
}

// figures are rounded to three decimals, so that they read well and compare equal.
func (h *history) figures() map[string]any {
	busiest := 0
	for _, n := range h.days {
		busiest = max(busiest, n)
	}
	all := float64(h.commits)
	figures := map[string]any{
		"commit_count": h.commits,
		"span_days":    rounded(h.latest.Sub(h.earliest).Hours() / 24),
		"authors":      len(h.authors),
		"merge_ratio":  rounded(float64(h.merges) / all),
		"cadence":      rounded(1 - float64(busiest)/all),
	}
	if own := h.commits - h.merges; own > 0 {
		figures["message_quality"] = rounded(float64(h.telling) / float64(own))
	}
	if h.counted && h.additionsErr == nil && h.added > 0 {
		figures["largest_add_share"] = rounded(float64(h.largest.lines) / float64(h.added))
	}
	return figures
}

func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }

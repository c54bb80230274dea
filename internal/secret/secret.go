// Package secret finds secrets in text and masks them: cloud keys, tokens of
// forges, registries, chat, payment and model services, private keys, passwords
// in URLs, headers, flags and assignments.
//
// [Find] reads the text once, looking for the literals that secrets begin with
// or are named by. The format of the secret is checked only at such a literal,
// so ordinary content costs about a nanosecond per byte, and hostile
// content stays linear. Values that are plainly not secrets (placeholders,
// references to the environment, documentation examples, values of little
// entropy) are left alone.
//
// The package holds no regular expression and builds its tables at first use:
// linking it costs a process nothing. All functions may be called concurrently.
package secret

import (
	"cmp"
	"slices"
)

// Found is one secret in a text.
type Found struct {
	Kind       string // one of [Kinds], such as "aws-access-key"
	Start, End int    // bytes of the text: Start is the first, End the one after the last
}

// Certain reports whether the value has a format of its own, which identifies its issuer
// too. What is known by its name or place alone may as well be a sample, a password of a
// test or a word; and a signed token runs out by itself.
func (f Found) Certain() bool {
	switch f.Kind {
	case kindPassword, kindSecret, kindAWSSecret, kindNPMAuth, kindDatabaseURL, kindURLPassword, kindAuthorization, kindBasicAuth, kindDockerAuth, kindJWT:
		return false
	}
	return true
}

// Find returns the secrets of text in their order. They do not overlap and none is empty. A
// span covers the secret alone: of password="…" what is between the quotes, of a URL the
// password.
//
// It takes time linear in len(text) whatever the text is; text need not be
// valid UTF-8. Where a value is known by a format of its own and by its name as
// well, it is reported once, with the more telling kind.
func Find(text string) []Found {
	var hits []hit
	keywords().scan(text, func(d *detector, at, length int) {
		if h, ok := d.find(text, at, length); ok {
			hits = append(hits, h)
		}
	})
	return merge(hits)
}

// Kinds returns the names of all kinds that [Find] reports, sorted. The slice
// is the caller's.
func Kinds() []string {
	var names []string
	for _, d := range detectors() {
		names = append(names, d.kinds...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A hit is a secret as one detector sees it.
type hit struct {
	Found
	rank rank
}

// rank says how much a kind tells. Of two hits that overlap the smaller names
// the result.
type rank uint8

const (
	byFormat rank = iota // the value has a format of its own
	byPlace              // it is where only a credential can be: a header, a URL
	byName               // it is assigned to a name such as "password"
)

// merge orders hits and joins those that overlap, so that no byte of a secret
// is left out because two detectors saw different ends of it.
func merge(hits []hit) []Found {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.rank, b.rank), cmp.Compare(b.End, a.End))
	})
	var merged []hit
	for _, h := range hits {
		if n := len(merged); n > 0 && h.Start < merged[n-1].End {
			last := &merged[n-1]
			last.End = max(last.End, h.End)
			if h.rank < last.rank {
				last.rank, last.Kind = h.rank, h.Kind
			}
			continue
		}
		merged = append(merged, h)
	}
	found := make([]Found, len(merged))
	for i, h := range merged {
		found[i] = h.Found
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

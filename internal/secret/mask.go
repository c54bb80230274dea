package secret

import (
	"cmp"
	"slices"
	"strings"
)

// Mask returns text with every secret that [Find] finds replaced, and with every
// other occurrence of such a secret replaced too. The replacement of a secret names its
// kind, and shows its first four characters if it is long enough to keep the rest
// unguessable: "AKIA…[masked aws-access-key]". Without a secret in it text itself is
// returned, and masking twice changes nothing more.
func Mask(text string) string { return NewMasker().Mask(text) }

// A Masker masks secrets that it was shown, wherever they occur. It is for texts
// that quote others: a reason that cites the file it is about has no name before the secret
// that would show what it is.
//
// A Masker is immutable and may be used concurrently.
type Masker struct {
	known map[string]string // secret → kind
}

// maxKnown bounds the secrets that a Masker looks for by their text, and so the
// time that hostile sources can cost.
const maxKnown = 512

// minKnown is the length from which a secret is looked for by its text. Shorter
// ones occur by chance.
const minKnown = 8

// NewMasker returns a Masker that knows the secrets which [Find] finds in the
// sources, at most 512 of them.
func NewMasker(sources ...string) *Masker {
	m := &Masker{}
	for _, s := range sources {
		m.known = learn(m.known, s, Find(s))
	}
	return m
}

func learn(known map[string]string, text string, found []Found) map[string]string {
	for _, f := range found {
		if f.End-f.Start < minKnown || len(known) >= maxKnown {
			continue
		}
		if known == nil {
			known = make(map[string]string)
		}
		known[text[f.Start:f.End]] = f.Kind
	}
	return known
}

// Mask is as the function [Mask], and also replaces the secrets the Masker knows.
func (m *Masker) Mask(text string) string {
	found := Find(text)
	if len(found) == 0 && len(m.known) == 0 {
		return text
	}
	known := m.known
	if len(found) > 0 {
		known = make(map[string]string, len(m.known)+len(found))
		for s, kind := range m.known {
			known[s] = kind
		}
		known = learn(known, text, found)
	}
	return replaceKnown(replaceFound(text, found), known)
}

func replaceFound(text string, found []Found) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	end := 0
	for _, f := range found {
		b.WriteString(text[end:f.Start])
		b.WriteString(mark(text[f.Start:f.End], f.Kind))
		end = f.End
	}
	b.WriteString(text[end:])
	return b.String()
}

// replaceKnown replaces the longest secret first where one begins another.
func replaceKnown(text string, known map[string]string) string {
	secrets := make([]string, 0, len(known))
	for s := range known {
		if strings.Contains(text, s) {
			secrets = append(secrets, s)
		}
	}
	if len(secrets) == 0 {
		return text
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, s := range secrets {
		pairs = append(pairs, s, mark(s, known[s]))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

const (
	markOpen = "…[masked "
	// shown characters of a secret that has at least showFrom. Four characters
	// tell a person which key is meant; of sixteen they leave twelve to guess.
	shown    = 4
	showFrom = 16
)

// mark returns the replacement of a secret.
func mark(secret, kind string) string {
	prefix := ""
	if len(secret) >= showFrom {
		prefix = secret[:shown]
		for i := range shown {
			if b := prefix[i]; b <= ' ' || b >= 0x7f { // never half a character, never a line end
				prefix = ""
				break
			}
		}
	}
	return prefix + markOpen + kind + "]"
}

// masked reports whether v is or holds what mark wrote.
func masked(v string) bool {
	return strings.Contains(v, strings.TrimSuffix(markOpen, " ")) || strings.HasPrefix(v, "[masked")
}

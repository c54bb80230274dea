package report

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// prints tells equal findings apart by their order: the second "eval(x)" of a file
// is another finding than the first.
type prints struct{ seen map[string]int }

func newPrints() *prints { return &prints{seen: map[string]int{}} }

// of is what makes a finding the same in another audit: its probe, path and
// text, but neither its number nor its line, which move when others change.
func (p *prints) of(e *audit.Evidence) string {
	text := fingerprint(e.Probe, e.Location.Path, e.Snippet, 0)
	n := p.seen[text]
	p.seen[text] = n + 1
	if n > 0 {
		text = fingerprint(e.Probe, e.Location.Path, e.Snippet, n)
	}
	return text
}

func fingerprint(probe, path, snippet string, n int) string {
	h := sha256.New()
	var size [8]byte
	for _, s := range []string{probe, path, snippet} {
		binary.BigEndian.PutUint64(size[:], uint64(len(s))) // so that "a","bc" and "ab","c" differ
		h.Write(size[:])
		h.Write([]byte(s))
	}
	binary.BigEndian.PutUint64(size[:], uint64(n))
	h.Write(size[:])
	return hex.EncodeToString(h.Sum(nil)[:16])
}

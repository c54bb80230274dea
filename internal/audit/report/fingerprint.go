package report

import (
	"encoding/binary"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/digest"
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
	var b []byte
	for _, s := range []string{probe, path, snippet} {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...) // so that "a","bc" and "ab","c" differ
	}
	return digest.Hex(binary.BigEndian.AppendUint64(b, uint64(n)))[:32]
}

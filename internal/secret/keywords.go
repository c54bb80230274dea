package secret

import (
	"strings"
	"sync"
)

// A detector checks the places where one of its keywords occurs.
type detector struct {
	kinds    []string // the kinds it may report
	rank     rank
	keywords []string // at least three bytes each
	fold     bool     // keywords match in any case
	match    matcher
}

// A matcher decides whether the keyword at text[at:at+length] is or names a
// secret. It looks at a bounded part of text, or at one that no other call for
// the same detector looks at again: that is what keeps Find linear.
type matcher func(text string, at, length int) (Found, bool)

func (d *detector) find(text string, at, length int) (hit, bool) {
	f, ok := d.match(text, at, length)
	if !ok || f.Start >= f.End {
		return hit{}, false
	}
	return hit{Found: f, rank: d.rank}, true
}

// keywordIndex finds the keywords of all detectors in one pass. It hashes every
// three bytes of a text, case folded, and looks closer where the hash is that of
// a keyword's first three bytes.
type keywordIndex struct {
	heads   [1 << hashBits]uint16 // 1 + index of the first entry with this hash; 0 means none
	entries []keywordEntry
}

// hashBits makes the table 16 KB: it stays in the first-level cache, and with
// 200 keywords about 2 % of all hashes lead to a closer look.
const hashBits = 13

type keywordEntry struct {
	trigram  uint32
	keyword  string
	detector *detector
	next     uint16 // 1 + index of the next entry with the same hash
}

// index is built at the first Find of the process, because most processes never
// come to look for secrets.
var index struct {
	once sync.Once
	keywordIndex
}

func keywords() *keywordIndex {
	index.once.Do(func() {
		table := detectors()
		for i := range table {
			for _, k := range table[i].keywords {
				index.add(k, &table[i])
			}
		}
	})
	return &index.keywordIndex
}

func (x *keywordIndex) add(keyword string, d *detector) {
	t := trigram(keyword)
	h := hash(t)
	x.entries = append(x.entries, keywordEntry{trigram: t, keyword: keyword, detector: d, next: x.heads[h]})
	x.heads[h] = uint16(len(x.entries))
}

// fold maps an ASCII letter to lower case. It maps other bytes too, which only
// means a few closer looks that find nothing.
func fold(b byte) byte { return b | 0x20 }

func trigram(s string) uint32 {
	return uint32(fold(s[0]))<<16 | uint32(fold(s[1]))<<8 | uint32(fold(s[2]))
}

// hash is multiplicative (Knuth): the high bits depend on all bytes.
func hash(trigram uint32) uint32 { return trigram * 2654435761 >> (32 - hashBits) }

// scan calls visit for every place where a keyword occurs.
func (x *keywordIndex) scan(text string, visit func(d *detector, at, length int)) {
	var t uint32
	for i, b := range []byte(text) {
		t = (t<<8 | uint32(fold(b))) & 0xffffff
		if x.heads[hash(t)] != 0 && i >= 2 {
			x.look(text, i-2, t, visit)
		}
	}
}

func (x *keywordIndex) look(text string, at int, t uint32, visit func(d *detector, at, length int)) {
	for n := x.heads[hash(t)]; n != 0; n = x.entries[n-1].next {
		e := &x.entries[n-1]
		if e.trigram != t || len(text)-at < len(e.keyword) {
			continue
		}
		word := text[at : at+len(e.keyword)]
		if word == e.keyword || e.detector.fold && strings.EqualFold(word, e.keyword) {
			visit(e.detector, at, len(e.keyword))
		}
	}
}

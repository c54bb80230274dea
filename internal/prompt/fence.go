package prompt

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// fenceBytes is how much of the digest a fence shows: 64 bits cannot be found by
// trying while a hook runs, and cost a small model few tokens.
const fenceBytes = 8

// A Fence marks where data begins and ends in a prompt. It is a digest of that
// data under a secret key: a text cannot hold the digest of itself, so it cannot
// end its own block, and equal data gives an equal prompt.
type Fence struct{ mark string }

// NewFence makes the fence for a prompt with these texts. It occurs in none of
// them.
func NewFence(key []byte, texts ...string) Fence { return newFence(key, texts) }

// newFence makes the fence of texts, for a prompt that holds others too. It occurs in
// none of them.
func newFence(key []byte, texts []string, others ...string) Fence {
	return firstOutside(slices.Concat(texts, others), func(round uint64) string { return digest(key, round, texts) })
}

// firstOutside tries the marks in turn until none of the texts has one.
// One text in 2^64 has its first mark in it, but "never" is cheap here.
func firstOutside(texts []string, mark func(round uint64) string) Fence {
	for round := uint64(0); ; round++ {
		if f := (Fence{mark: mark(round)}); !f.in(texts) {
			return f
		}
	}
}

func digest(key []byte, round uint64, texts []string) string {
	h := hmac.New(sha256.New, key)
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], round)
	h.Write(size[:])
	for _, t := range texts {
		binary.BigEndian.PutUint64(size[:], uint64(len(t))) // so that "a","bc" and "ab","c" differ
		h.Write(size[:])
		h.Write([]byte(t))
	}
	return hex.EncodeToString(h.Sum(nil)[:fenceBytes])
}

func (f Fence) in(texts []string) bool {
	for _, t := range texts {
		if strings.Contains(t, f.mark) {
			return true
		}
	}
	return false
}

// String returns the mark itself, 16 hexadecimal digits.
func (f Fence) String() string { return f.mark }

// Block sets text between the two lines of the fence, without a line break at
// the end. name says what the text is; it comes from us, never from data.
func (f Fence) Block(name, text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2*(len(name)+len(f.mark)+len("BEGIN DATA  ")))
	b.WriteString("BEGIN DATA " + f.mark + " " + name + "\n")
	b.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString("END DATA " + f.mark)
	return b.String()
}

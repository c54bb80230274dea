// Package digest names bytes by their SHA-256.
//
// Lists are written in the forms that have been stored: under another form, what was kept
// is not found again.
package digest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
)

// Size is the length of a digest in bytes.
const Size = sha256.Size

// Sum is the SHA-256 of data.
func Sum[T ~string | ~[]byte](data T) [Size]byte { return sha256.Sum256([]byte(data)) }

// Hex is the SHA-256 of data in 64 hexadecimal digits. Where fewer are enough for a
// name, a caller takes the first ones. Lists of texts with the same bytes in all have the
// same digest: see [List].
func Hex[T ~string | ~[]byte](data T) string {
	sum := Sum(data)
	return hex.EncodeToString(sum[:])
}

// CSP names an inline element of a page in a content security policy, without quotes.
func CSP(element string) string {
	sum := Sum(element)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// List is the digest of a list of texts. The length before each tells "a","bc" from
// "ab","c".
func List(texts ...string) [Size]byte {
	var b []byte
	for _, t := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
	}
	return Sum(b)
}

// HexList is a digest of a list of texts in hexadecimal digits, each text with its length
// in decimal digits and a colon before it.
func HexList(texts ...string) string {
	var b []byte
	for _, t := range texts {
		b = strconv.AppendInt(b, int64(len(t)), 10)
		b = append(append(b, ':'), t...)
	}
	return Hex(b)
}

// Lists is the digest of lists that are added one by one, which it tells apart.
type Lists struct {
	hash hash.Hash
	part [4096]byte // a whole file is not copied at once
}

// NewLists is the digest of no list.
func NewLists() *Lists { return &Lists{hash: sha256.New()} }

// Add adds one list.
func (l *Lists) Add(texts ...string) {
	l.number(len(texts))
	for _, t := range texts {
		l.number(len(t))
		for len(t) > 0 {
			n := copy(l.part[:], t)
			l.hash.Write(l.part[:n]) // never fails
			t = t[n:]
		}
	}
}

func (l *Lists) number(n int) { l.hash.Write(l.part[:binary.PutUvarint(l.part[:], uint64(n))]) }

// Hex is the digest of what was added, in 64 hexadecimal digits.
func (l *Lists) Hex() string { return hex.EncodeToString(l.hash.Sum(nil)) }

package state

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// nameBytes is how much of a digest names a file.
const nameBytes = 16

// fileName turns any text into the name of a file: texts come from agents and
// repositories and never become part of a path.
func fileName(texts ...string) string {
	sum := digestOf(texts...)
	return hex.EncodeToString(sum[:nameBytes])
}

// isFileName reports whether fileName could have made name.
func isFileName(name string) bool { return isHex(name, 2*nameBytes) }

func isHex(s string, length int) bool {
	if len(s) != length {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// digestOf tells lists of texts apart: "a","bc" is not "ab","c".
func digestOf(texts ...string) [sha256.Size]byte {
	var b []byte
	for _, t := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
	}
	return sha256.Sum256(b)
}

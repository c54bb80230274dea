// Package digest names bytes by their SHA-256.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hex is the SHA-256 of data in 64 hexadecimal digits. Where fewer are enough for a
// name, a caller takes the first ones. Lists of texts with the same bytes in all have the
// same digest: a caller has to separate them.
func Hex[T ~string | ~[]byte](data T) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

package secret_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/secret"
)

// ordinary returns 1 MB of code and prose as people write it.
func ordinary(b *testing.B) string {
	b.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "ordinary.txt"))
	require.NoError(b, err)
	require.Empty(b, secret.Find(string(content)))
	return strings.Repeat(string(content), 1e6/len(content)+1)[:1e6]
}

// BenchmarkFind reads ordinary text; its companions do less with the same text:
// counting one byte, and looking for one format with one regular expression.
func BenchmarkFind(b *testing.B) {
	text := ordinary(b)
	b.Run("find", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			secret.Find(text)
		}
	})
	b.Run("companion-count", func(b *testing.B) {
		data := []byte(text)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			bytes.Count(data, []byte("k"))
		}
	})
	b.Run("companion-regexp", func(b *testing.B) {
		re := regexp.MustCompile(`(?i)(password|secret|token|api_?key)\s*[:=]\s*["']([^"'\s]{8,})`)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			re.FindAllStringIndex(text, -1)
		}
	})
}

// BenchmarkFindHostile reads text that is made to be slow.
func BenchmarkFindHostile(b *testing.B) {
	for name, unit := range map[string]string{
		"keywords": "password", "assignments": "token=", "urls": "://a:", "json web tokens": "eyJ.", "dashed": "eyJ-", "keys": "-----BEGIN PRIVATE KEY-----",
		"prefixes": "glpat-", "flags": " -u", "open quotes": `key="`, "fallbacks": "apikey=a ||", "headers": "authorization:", "pem": "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A1b2C3d4", 8) + "\n",
	} {
		text := strings.Repeat(unit, 1e6/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secret.Find(text)
			}
		})
	}
}

func BenchmarkMask(b *testing.B) {
	for name, text := range map[string]string{
		"clean": "cd /srv/app && git -C repo push origin main --force-with-lease && go test ./...",
		"found": "curl -H 'X-Api-Key: " + "9f8a7b6c5d4e3f2a" + "1b0c9d8e7f6a5b4c" + "' https://api.acme.dev/v1/items",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secret.Mask(text)
			}
		})
	}
}

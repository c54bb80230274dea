// Package decode decodes texts that command lines and programs hide in others.
package decode

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// Escapes resolves the escapes of $'…', as Bash does.
func Escapes(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		i += Escape(&b, s[i:]) - 1
	}
	return b.String()
}

// Escape writes the character of the escape at the start of s, after its
// backslash, and returns how many bytes of s the escape takes.
func Escape(b *strings.Builder, s string) int {
	switch c := s[0]; c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'a':
		b.WriteByte('\a')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'v':
		b.WriteByte('\v')
	case 'e', 'E':
		b.WriteByte(0x1b)
	case 'c':
		if len(s) > 1 {
			b.WriteByte(s[1] & 0x1f)
			return 2
		}
	case 'x', 'u', 'U':
		width := 2
		switch c {
		case 'u':
			width = 4
		case 'U':
			width = 8
		}
		n, used := number(s[1:], 16, width)
		if used == 0 {
			b.WriteString(`\` + s[:1])
			return 1
		}
		writeCode(b, n, c == 'x')
		return 1 + used
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n, used := number(s, 8, 3)
		writeCode(b, n, true)
		return used
	case '\\', '\'', '"', '?':
		b.WriteByte(c)
	default:
		b.WriteString(`\` + s[:1])
	}
	return 1
}

func writeCode(b *strings.Builder, n int, isByte bool) {
	switch {
	case n == 0: // ends the text in Bash
	case isByte:
		b.WriteByte(byte(n))
	default:
		b.WriteRune(rune(n))
	}
}

// number reads at most width digits of a base from the start of s.
func number(s string, base, width int) (n, used int) {
	for used < width && used < len(s) {
		d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
		if s[used] <= '9' {
			d = int(s[used]) - '0'
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}

// Base64 takes standard and URL alphabets, with line ends, with or
// without padding.
func Base64(s string) (string, bool) {
	s = strings.TrimRight(strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', ' ', '\t':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, s), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	return string(b), err == nil && len(b) > 0
}

// Hex decodes hexadecimal digits and ignores what is between them.
func Hex(s string) (string, bool) {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return r
		}
		return -1
	}, strings.ReplaceAll(s, "0x", ""))
	b, err := hex.DecodeString(s)
	return string(b), err == nil && len(b) > 0
}

// Reverse returns the characters of s in the opposite order.
func Reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

package secret

import (
	"encoding/base64"
	"strings"
)

const (
	kindPrivateKey = "private-key"
	kindJWT        = "jwt"
)

// privateKeyBlock matches a PEM or OpenPGP block of a private key, its text in
// clear or in a string literal with escaped line ends. A block that is cut off
// counts: its beginning may be enough to use it.
func privateKeyBlock(text string, at, length int) (Found, bool) {
	label := text[at+length:]
	label = label[:min(len(label), 64)]
	dashes := strings.Index(label, "-----")
	if dashes < 0 || !strings.Contains(label[:dashes], "PRIVATE KEY") {
		return Found{}, false
	}
	body := at + length + dashes + len("-----")
	n := keyMaterial(text[body:min(len(text), body+1024)])
	if n < 0 {
		return Found{}, false
	}
	end := body + n
	for end < len(text) && pemByte(text[end]) && !blockEnds(text[end:]) {
		end++
	}
	if rest := text[end:]; strings.HasPrefix(rest, "-----END ") {
		if n := strings.Index(rest[9:min(len(rest), 80)], "-----"); n >= 0 {
			end += 9 + n + len("-----")
		}
	}
	for strings.IndexByte(" \t\r\n\"'`,", text[end-1]) >= 0 { // what follows a block that is cut off
		end--
	}
	return Found{Kind: kindPrivateKey, Start: at, End: end}, true
}

// blockEnds reports whether a block's data is over: at the next marker, or at an
// empty line, which occurs only between headers and data.
func blockEnds(rest string) bool {
	return strings.HasPrefix(rest, "-----") || strings.HasPrefix(rest, "\n\n") || strings.HasPrefix(rest, "\r\n\r\n")
}

// pemByte reports whether b occurs between the lines that begin and end a block:
// base64, headers such as "DEK-Info: AES-128-CBC,…", and what joins the lines of
// a literal.
func pemByte(b byte) bool {
	return base64Chars.has(b) || strings.IndexByte("= \t\r\n\\\"'`,:;-()_.@<>", b) >= 0
}

// keyMaterial returns where in a block's text the first line of key data begins,
// or -1: code that only names the marker goes on with something else.
func keyMaterial(body string) int {
	for p := 0; p < len(body); {
		n := base64Chars.span(body, p, len(body))
		if n >= 32 && (p == 0 || body[p-1] != ',') { // the digits of DEK-Info are after a comma
			if entropy(body[p:p+n]) < minEntropy {
				return -1
			}
			return p
		}
		p += max(n, 1)
		if p < len(body) && (!pemByte(body[p]) || strings.HasPrefix(body[p:], "-----")) {
			return -1
		}
	}
	return -1
}

// encodedPrivateKey matches a PEM private key that is base64 as a whole, as
// Kubernetes and CI variables hold it. The keyword is what "-----BEGIN" becomes.
func encodedPrivateKey(text string, at, _ int) (Found, bool) {
	if !startsToken(text, at, base64Chars) {
		return Found{}, false
	}
	n := base64Chars.span(text, at, len(text))
	head, _ := base64.StdEncoding.DecodeString(text[at : at+min(n, 64)/4*4])
	if n < 100 || !strings.Contains(string(head), "PRIVATE KEY") {
		return Found{}, false
	}
	end := at + n
	end += equal.span(text, end, 2)
	return Found{Kind: kindPrivateKey, Start: at, End: end}, true
}

// jsonWebToken matches a signed token: header, claims and signature, the first
// two being JSON objects ("eyJ" is how {" begins in base64). An unsigned token (alg none)
// is not a credential.
func jsonWebToken(text string, at, _ int) (Found, bool) {
	if !startsToken(text, at, url64) {
		return Found{}, false
	}
	header := url64.span(text, at, 4096)
	claims := at + header + 1
	if header < 12 || claims >= len(text) || text[claims-1] != '.' || !strings.HasPrefix(text[claims:], "ey") {
		return Found{}, false
	}
	n := url64.span(text, claims, 64<<10)
	signature := claims + n + 1
	if n < 12 || signature >= len(text) || text[signature-1] != '.' {
		return Found{}, false
	}
	m := url64.span(text, signature, 4096)
	if m < 20 || entropy(text[signature:signature+m]) < minEntropy || filler(text[signature:signature+m]) {
		return Found{}, false
	}
	return Found{Kind: kindJWT, Start: at, End: signature + m}, true
}

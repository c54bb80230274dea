package secret

import (
	"encoding/base64"
	"strings"
)

const (
	kindDatabaseURL   = "database-url"
	kindURLPassword   = "url-password"
	kindAuthorization = "authorization-header"
	kindBasicAuth     = "basic-auth"
	kindDockerAuth    = "docker-auth"
)

// maxUserinfo bounds the user:password of a URL.
const maxUserinfo = 512

// urlPassword matches the password of scheme://user:password@host.
func urlPassword(text string, at, length int) (Found, bool) {
	start := at + length
	colon, sign := -1, -1
	for i := start; i < len(text) && i-start < maxUserinfo && sign < 0; i++ {
		switch b := text[i]; {
		case b == '@':
			sign = i
		case b == ':' && colon < 0:
			colon = i
		case b <= ' ' || b == '/' || b == '"' || b == '\'' || b == '`' || b == '<' || b == '>' || b == '\\':
			return Found{}, false
		}
	}
	if sign < 0 || colon < 0 || sign-colon < 2 {
		return Found{}, false
	}
	// A password may hold an @ itself; the last one before the host counts.
	for i := sign + 1; i < len(text) && i-start < maxUserinfo; i++ {
		if b := text[i]; b <= ' ' || strings.IndexByte("/\"'`<>\\?#,;)", b) >= 0 {
			break
		} else if b == '@' {
			sign = i
		}
	}
	user, password := text[start:colon], text[colon+1:sign]
	if !credibleURLPassword(user, password, text[sign+1:min(len(text), sign+64)]) {
		return Found{}, false
	}
	kind := kindURLPassword
	n := (alnum | dash | dot | slash).spanBack(text, at, 32)
	if databaseScheme(strings.ToLower(text[at-n : at])) {
		kind = kindDatabaseURL
	}
	return Found{Kind: kind, Start: colon + 1, End: sign}, true
}

func databaseScheme(s string) bool {
	s, _, _ = strings.Cut(s, "+") // postgresql+psycopg2, mongodb+srv
	switch strings.TrimPrefix(s, "jdbc:") {
	case "postgres", "postgresql", "mysql", "mariadb", "mongodb", "redis", "rediss", "amqp", "amqps", "mssql", "sqlserver", "oracle",
		"clickhouse", "cockroachdb", "cassandra", "neo4j", "bolt", "couchbase", "influxdb", "kafka", "nats", "libsql", "snowflake", "ldap", "ldaps":
		return true
	}
	return false
}

// credibleURLPassword leaves out what manuals and development set-ups use: the
// word "password", the user's own name, a host of an example domain.
func credibleURLPassword(user, password, host string) bool {
	switch host = strings.ToLower(host); {
	case strings.HasPrefix(host, "example."), strings.HasPrefix(host, "host:"), strings.HasPrefix(host, "host/"), strings.HasPrefix(host, "hostname"):
		return false
	}
	if i := strings.IndexAny(host, "/: \"'"); i > 0 && (strings.HasSuffix(host[:i], ".example") || strings.HasSuffix(host[:i], ".example.com")) {
		return false
	}
	if len(password) < 4 || !printable(password) || password == user || placeholder(password) || fixture(password) {
		return false
	}
	if strings.ContainsAny(password, "{}[]()<>$|*^") && !mixed(password) { // a pattern or a template
		return false
	}
	if len(password) >= 2 && password[0] == '%' && len(password) <= 4 { // %s, %v, %[1]s
		return false
	}
	return entropy(password) >= 1.5
}

// authorization matches the credential of an Authorization header, however it is
// written: in HTTP, as a JSON member, as a flag of curl, and the word Bearer
// before a token anywhere.
func authorization(text string, at, length int) (Found, bool) {
	p := at + length
	if fold(text[at]) == 'a' {
		var ok bool
		if p, ok = afterHeaderName(text, p); !ok {
			return Found{}, false
		}
		n := letter.span(text, p, 16)
		if n == 0 || p+n >= len(text) || text[p+n] != ' ' {
			return credential(text, p, "")
		}
		return credential(text, p+n+1, strings.ToLower(text[p:p+n]))
	}
	if p >= len(text) || text[p] != ' ' || at > 0 && word.has(text[at-1]) {
		return Found{}, false
	}
	return credential(text, p+1, "bearer")
}

// afterHeaderName skips the separator between a header's name and its value.
func afterHeaderName(text string, p int) (int, bool) {
	start, separated := p, false
	for p < len(text) && p-start < 12 {
		switch text[p] {
		case ':', '=', ',', '>':
			separated = true
		case '"', '\'', '`', ' ', '\\', ']', '(':
		default:
			return p, separated
		}
		p++
	}
	return p, false
}

func credential(text string, p int, scheme string) (Found, bool) {
	n := (base64Chars | url64 | dot | equal | tilde).span(text, p, 4096)
	value := text[p : p+n]
	f := Found{Kind: kindAuthorization, Start: p, End: p + n}
	if n == 0 {
		return Found{}, false
	}
	if scheme == "basic" {
		return f, credibleBasic(value)
	}
	return f, credibleKey(value, 16)
}

// credibleBasic reports whether v is base64 of user:password with a password
// that may be real.
func credibleBasic(v string) bool {
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || len(decoded) > maxUserinfo {
		return false
	}
	user, password, ok := strings.Cut(string(decoded), ":")
	switch {
	case !ok:
		return false
	case password == "": // the user's name is the key, as some services have it
		return len(user) >= 16 && credibleKey(user, 16)
	}
	return credibleURLPassword(user, password, "")
}

// basicAuthFlag matches the password of curl -u user:password and its like.
func basicAuthFlag(text string, at, length int) (Found, bool) {
	p := at + length
	if p < len(text) && (text[p] == ' ' || text[p] == '=') {
		p++
	} else if text[p-2] != '-' || text[p-1] != 'u' {
		return Found{}, false
	}
	stop := " \t\r\n;|&`"
	if p < len(text) && (text[p] == '"' || text[p] == '\'') {
		stop = "\r\n" + text[p:p+1]
		p++
	}
	value := text[p:min(len(text), p+maxUserinfo)]
	if i := strings.IndexAny(value, stop); i >= 0 {
		value = value[:i]
	}
	user, password, ok := strings.Cut(value, ":")
	if !ok {
		return Found{}, false
	}
	line := text[max(0, at-256):at]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if !strings.Contains(line, "curl") && !strings.Contains(line, "http") || !credibleURLPassword(user, password, "") {
		return Found{}, false
	}
	start, end := p+len(user)+1, p+len(value)
	for end-start > 1 && text[start] == text[end-1] && strings.IndexByte("\"'", text[start]) >= 0 { // user:'password'
		start, end = start+1, end-1
	}
	return Found{Kind: kindBasicAuth, Start: start, End: end}, true
}

// dockerAuth matches the member "auth" of a Docker or npm credentials file: base64
// of user:password.
func dockerAuth(text string, at, length int) (Found, bool) {
	p := at + length
	start := p
	for p < len(text) && p-start < 8 && (text[p] == ' ' || text[p] == ':' || text[p] == '\t') {
		p++
	}
	if p == start || p >= len(text) || text[p] != '"' {
		return Found{}, false
	}
	p++
	n := (base64Chars | equal).span(text, p, 2*maxUserinfo)
	if n < 8 || p+n >= len(text) || text[p+n] != '"' || !credibleBasic(text[p:p+n]) {
		return Found{}, false
	}
	return Found{Kind: kindDockerAuth, Start: p, End: p + n}, true
}

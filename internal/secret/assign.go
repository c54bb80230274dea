package secret

import "strings"

const (
	kindPassword  = "generic-password"
	kindSecret    = "generic-secret"
	kindAWSSecret = "aws-secret-key"
	kindNPMAuth   = "npm-auth"
)

// Limits of what is looked at around one keyword.
const (
	maxName  = 48  // characters of the name before and after the keyword
	maxValue = 512 // characters of the value
	maxSpace = 8   // blanks between the parts
)

// assignment matches a value that is given to a name such as password, api_key
// or CLIENT_SECRET: in source code, in configuration, in the environment, as a
// flag, as an argument that follows the name.
func assignment(text string, at, length int) (Found, bool) {
	n, ok := parseName(text, at, length)
	if !ok {
		return Found{}, false
	}
	v, ok := findValue(text, n)
	if !ok {
		return Found{}, false
	}
	value := text[v.start:v.end]
	kind := n.kind
	switch {
	case n.npm:
		kind, ok = kindNPMAuth, len(value) >= 16 && printable(value) && !placeholder(value)
	case n.aws && len(value) == 40 && base64Chars.span(value, 0, 40) == 40:
		kind, ok = kindAWSSecret, entropy(value) >= 3.5 && !filler(value)
	case kind == kindPassword:
		ok = crediblePassword(value) && (v.quoted || v.flag || changes(value) >= 1) && !codeLike(value, v)
	case n.short:
		ok = credibleKey(value, 10) && !codeLike(value, v)
	default:
		ok = credibleKey(value, 16) && !codeLike(value, v)
	}
	return Found{Kind: kind, Start: v.start, End: v.end}, ok
}

// A name is the identifier around a keyword.
type name struct {
	start, end int
	kind       string
	short      bool // a "secret" may be as short as a password
	aws, npm   bool
	flag       bool // --name
	lookup     bool // a function that gets a secret by its name
}

// parseName widens a keyword to its identifier and reports whether that names a
// secret itself: "apiKey" and "DB_PASSWORD_2" do, "keyboard", "token_url" and
// "publicKey" do not.
func parseName(text string, at, length int) (name, bool) {
	n := name{end: at + length + (word|dash).span(text, at+length, maxName), kind: kindSecret}
	for n.end > at && text[n.end-1] == '-' {
		n.end--
	}
	// Most names are given nothing. That is seen at once.
	if n.end < at+length || n.end == at+length+maxName || !mayBeGiven(text, n.end) {
		return n, false
	}
	n.start = at - (word|dash).spanBack(text, at, maxName)
	before := plain(text[n.start:at])
	after := plain(text[at+length : n.end])
	n.flag = text[n.start] == '-' || strings.Contains(text[n.start:at], "--") // --name, also behind the n of an escaped line end
	n.lookup = looksUp(before)
	n.aws = strings.Contains(before, "aws") || after == "accesskey"
	switch keyword := strings.ToLower(text[at : at+length]); keyword {
	case "passw":
		n.kind = kindPassword
		rest, ok := strings.CutPrefix(after, "ord")
		if !ok {
			rest, ok = strings.CutPrefix(after, "d")
		}
		if !ok {
			return n, false
		}
		after = rest
	case "passphrase", "pwd":
		n.kind = kindPassword
	case "sshpass":
		n.kind, n.flag = kindPassword, true
		return n, n.end == at+length && strings.HasPrefix(text[n.end:], " -p")
	case "key":
		if !secretKey(before) {
			return n, false
		}
	case "token":
		n.npm = strings.HasSuffix(text[n.start:at], "_auth") || strings.HasSuffix(text[n.start:at], "_auth_")
		if nonSecretToken(before) {
			return n, false
		}
	case "secret":
		n.short = true
	case "credential":
		after = strings.TrimPrefix(after, "s")
	}
	return n, nameEnds(after) && !strings.Contains(before, "public") && !strings.Contains(before, "publishable")
}

// mayBeGiven reports whether the text at p, after a name, can begin an assignment of a
// value.
func mayBeGiven(text string, p int) bool {
	return p < len(text) && strings.IndexByte("=:\"'`\\ \t])>(?!|+-", text[p]) >= 0
}

// plain returns a part of a name in lower case without the marks that join words.
func plain(s string) string {
	var b [maxName]byte
	n := 0
	for i := range len(s) {
		if c := classOf(s[i]); c&alnum != 0 {
			b[n] = s[i]
			if c&upper != 0 {
				b[n] = fold(s[i])
			}
			n++
		}
	}
	return string(b[:n])
}

func looksUp(before string) bool {
	for _, verb := range [...]string{"get", "load", "read", "fetch", "find", "lookup", "require", "resolve", "access", "describe", "delete", "create", "has"} {
		if strings.HasPrefix(before, verb) {
			return true
		}
	}
	return false
}

// secretKey reports whether a name that ends in "key" after the text before
// names a secret.
func secretKey(before string) bool {
	for _, w := range [...]string{
		"api", "app", "access", "auth", "private", "secret", "encrypt", "encryption", "cipher", "aes", "hmac", "signing", "sign", "signature", "master",
		"account", "storage", "service", "servicerole", "subscription", "client", "shared", "jwt", "session", "consumer", "admin", "webhook", "deploy",
		"integration", "license", "licence", "writer", "write", "ingest", "root",
	} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// nonSecretToken reports whether a name that ends in "token" after the text
// before names something else: where a listing goes on, what a parser reads.
func nonSecretToken(before string) bool {
	for _, w := range [...]string{"page", "next", "continuation", "cursor", "sync", "cancellation", "csrf", "xsrf", "publickey", "pad", "eos", "bos", "stop", "special", "max"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// nameEnds reports whether what a name has after its keyword leaves it the name
// of a secret: "", "2", "_base64", "Key", but not "_url", "ID" or "Field".
func nameEnds(after string) bool {
next:
	for after != "" {
		if digit.has(after[0]) {
			after = after[1:]
			continue
		}
		for _, w := range [...]string{
			"accesskey", "access", "apikey", "key", "base", "token", "value", "secret", "production", "prod", "develop", "dev", "live", "test", "staging",
			"primary", "secondary", "string", "str", "text", "plain", "default", "data", "old", "new", "current", "root", "admin", "db", "const", "env",
		} {
			if rest, ok := strings.CutPrefix(after, w); ok {
				after = rest
				continue next
			}
		}
		return false
	}
	return true
}

// A value is the place of the text assigned to a name.
type value struct {
	start, end int
	quoted     bool
	flag       bool
	spaced     bool // a bare word behind a separator with blanks around it: rather code than configuration
	colon      bool // behind a colon, as in YAML
}

// findValue finds what is given to the name that ends at n.end.
func findValue(text string, n name) (value, bool) {
	p := n.end
	closed := false
	for p < len(text) && p-n.end < 3 && strings.IndexByte("\"'`\\])", text[p]) >= 0 {
		closed = true
		p++
	}
	sep := skipBlanks(text, p)
	s := separator(text, sep, closed)
	if s == 0 {
		if sep == p || n.start == n.end || !(n.flag || netrc(text, n.start)) {
			return value{}, false
		}
		if strings.HasPrefix(text[sep:], "-p") { // sshpass -p
			sep = skipBlanks(text, sep+2)
		}
		v, ok := readValue(text, sep)
		v.flag = true
		return v, ok
	}
	operator := text[sep : sep+s]
	if operator == "," && !firstArgument(text, n.start) || operator == "(" && n.lookup {
		return value{}, false
	}
	start := skipBlanks(text, sep+s)
	if operator == ":" {
		start = skipType(text, start)
	}
	v, ok := readValue(text, start)
	if !v.quoted {
		if w, found := fallback(text, start); found {
			return w, true
		}
		if !ok || operator != "=" && operator != ":" && operator != ">" {
			return v, false
		}
	}
	v.spaced = sep > p || start > sep+s
	v.colon = operator == ":"
	v.flag = n.flag && operator == "="
	return v, true
}

// firstArgument reports whether the quoted name at start is the first argument
// of a call, so that the next is its value; in a list the next is another name.
func firstArgument(text string, start int) bool {
	return start >= 2 && strings.IndexByte("\"'`", text[start-1]) >= 0 && text[start-2] == '('
}

func skipBlanks(text string, p int) int {
	for end := p + maxSpace; p < len(text) && p < end && (text[p] == ' ' || text[p] == '\t'); p++ {
	}
	return p
}

// separator returns the length of the separator between a name and its value; 0 if there is
// none. closed: the name was quoted or in brackets.
func separator(text string, p int, closed bool) int {
	rest := text[p:min(len(text), p+3)]
	for _, s := range [...]string{"===", "!==", ":=", "==", "!=", "=>", "->", "?=", "+=", "||", "::", "=", ":", ">"} {
		if strings.HasPrefix(rest, s) {
			if s == "::" || s == ">" && closed {
				return 0
			}
			return len(s)
		}
	}
	if rest != "" && (rest[0] == ',' && closed || rest[0] == '(') {
		return 1
	}
	return 0
}

// skipType skips a declared type: password: string = "…".
func skipType(text string, p int) int {
	n := letter.span(text, p, 16)
	if n == 0 {
		return p
	}
	if q := skipBlanks(text, p+n); q < len(text) && text[q] == '=' && !strings.HasPrefix(text[q:], "=>") {
		return skipBlanks(text, q+1)
	}
	return p
}

// netrc reports whether the word at start belongs to a line of a .netrc file.
func netrc(text string, start int) bool {
	line := text[max(0, start-256):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.Contains(line, "login ") && strings.HasSuffix(line, " ")
}

// fallback finds the literal in expressions such as: lookup("NAME") || "…".
func fallback(text string, p int) (value, bool) {
	end := min(len(text), p+80)
	line := text[p:end]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	for _, op := range [...]string{"|| ", "?? ", " or ", ":-"} {
		if i := strings.Index(line, op); i >= 0 {
			v, ok := readValue(text, p+i+len(op))
			return v, ok && (v.quoted || op == ":-")
		}
	}
	return value{}, false
}

// readValue reads a string literal, with a prefix such as b or f and with quotes
// that are themselves escaped, or a bare word.
func readValue(text string, p int) (value, bool) {
	if p+1 < len(text) && strings.IndexByte("bBrRuUfFL@", text[p]) >= 0 && (text[p+1] == '"' || text[p+1] == '\'') {
		p++
	}
	if p >= len(text) {
		return value{}, false
	}
	if q := text[p]; q == '"' || q == '\'' || q == '`' {
		return readQuoted(text, p+1, text[p:p+1])
	}
	if q := text[p:min(len(text), p+2)]; q == `\"` || q == `\'` {
		return readQuoted(text, p+2, q)
	}
	end := p
	for end < len(text) && end-p < maxValue && bare(text, end) {
		end++
	}
	if end == p || end-p == maxValue || end < len(text) && (text[end] == '(' || text[end] == '[' || text[end] == '{') {
		return value{}, false
	}
	for end > p && strings.IndexByte(".,:;!?", text[end-1]) >= 0 {
		end--
	}
	return value{start: p, end: end}, end > p
}

func readQuoted(text string, p int, quote string) (value, bool) {
	for end := p; end < len(text) && end-p <= maxValue && text[end] > ' '; end++ {
		if strings.HasPrefix(text[end:], quote) {
			return value{start: p, end: end, quoted: true}, end > p
		}
		if text[end] == '\\' && quote[0] != '\\' {
			end++
		}
	}
	return value{}, false
}

// bare reports whether text[i] can belong to a value without quotes. An equals
// sign only pads its end, so that the next assignment is not part of it.
func bare(text string, i int) bool {
	b := text[i]
	switch {
	case b <= ' ', b >= 0x7f:
		return false
	case b == '=':
		return i+1 >= len(text) || text[i+1] <= ' ' || strings.IndexByte("=\"'`;,&<)", text[i+1]) >= 0
	}
	return strings.IndexByte("\"'`;,&|<>(){}[]\\", b) < 0
}

// codeLike reports whether a bare word is rather an expression of a programming
// language than a value: a name, a member, a path, a file.
func codeLike(v string, at value) bool {
	if at.quoted {
		return file(v)
	}
	if strings.Contains(v, "->") || strings.HasPrefix(v, "-") || file(v) {
		return true
	}
	if at.flag {
		return strings.HasPrefix(v, "@")
	}
	if at.spaced && !at.colon && identifier(v) && changes(v) < 3 {
		return true
	}
	head, _, dotted := strings.Cut(v, ".")
	return dotted && identifier(head) && changes(v) < 3
}

// file reports whether v is a path or ends as a file's name does.
func file(v string) bool {
	if strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "./") || strings.Count(v, "/") > 2 && words(v) {
		return true
	}
	i := strings.LastIndexByte(v, '.')
	if i < 0 {
		return false
	}
	switch strings.ToLower(v[i+1:]) {
	case "pem", "key", "crt", "cer", "p12", "pfx", "jks", "txt", "json", "yaml", "yml", "toml", "env", "go", "py", "js", "ts", "rb", "java", "html",
		"xml", "md", "sh", "conf", "cfg", "ini", "com", "org", "net", "io", "local", "gpg", "asc", "pub", "so", "dll", "exe", "png", "svg", "gz", "zip":
		return true
	}
	return false
}

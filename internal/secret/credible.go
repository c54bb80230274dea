package secret

import (
	"math"
	"strings"
)

// entropy returns the Shannon entropy of s in bits per byte, looking at the
// first 256 bytes.
func entropy(s string) float64 {
	s = s[:min(len(s), 256)]
	var counts [256]uint16
	for i := range len(s) {
		counts[s[i]]++
	}
	var sum float64
	for _, n := range counts {
		if n > 1 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	return math.Log2(float64(max(len(s), 1))) - sum/float64(max(len(s), 1))
}

// mixed reports whether s has both a letter and a digit.
func mixed(s string) bool {
	var seen class
	for i := range len(s) {
		seen |= classOf(s[i])
	}
	return seen&letter != 0 && seen&digit != 0
}

// changes counts the places in s where a letter follows a digit or a digit a
// letter: random text has many, words and version numbers few.
func changes(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		a, b := classOf(s[i-1]), classOf(s[i])
		if a&digit != 0 && b&letter != 0 || a&letter != 0 && b&digit != 0 {
			n++
		}
	}
	return n
}

// fillerLength is how much of a value is looked at for filler words: a longer
// random value would by chance hold one of them now and then.
const fillerLength = 80

// filler reports whether a value in the format of a token is there to show the
// format: the documentation's examples, runs of one character, the alphabet.
func filler(s string) bool {
	s = strings.ToLower(s[:min(len(s), fillerLength)])
	for _, w := range [...]string{
		"example", "xxxx", "0000000", "1111111", "12345678", "abcdefgh", "placeholder", "changeme", "yourtoken", "your-", "your_",
		"01020304", "00010203", "redacted", "dummy", "insert-", "insert_", "replace-", "replace_", "deadbeef",
	} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// placeholder reports whether a value is written in place of a secret: a filler, a
// reference to the environment or to a store, a template, a mask.
func placeholder(v string) bool {
	if filler(v) || reference(v) || masked(v) {
		return true
	}
	s := strings.ToLower(v[:min(len(v), fillerLength)])
	for _, w := range [...]string{
		"change-me", "change_me", "change.me", "replaceme", "fixme", "todo", "my-", "my_", "mysecret", "mypass", "mytoken", "sample", "fake",
		"test-", "test_", "testing", "-test", "_test", "none", "null", "undefined", "secret-", "secret_", "-secret", "_secret", "your",
		"-token", "_token", "password", "passwd", "invalid", "not-a", "not_a", "notreal", "foobar", "s3cr3t", "qwerty", "abc123", "abcdef",
		"123456", "hunter2", "letmein", "topsecret", "supersecret", "default",
	} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// reference reports whether a value is taken from somewhere else when the
// program runs.
func reference(v string) bool {
	for _, w := range [...]string{
		"${", "$(", "{{", "}}", "%(", "<%", "#{", "...", "…", "****", "••", "://",
		"process.env", "import.meta", "os.environ", "getenv", "env(", "env.", "env[", "secrets.", "vault:", "op:/", "ssm:", "arn:", "ref+",
		"keyvault", "secretsmanager", "()", "]}", "[\"", "['", "[:",
	} {
		if strings.Contains(v, w) {
			return true
		}
	}
	switch v[0] {
	case '<', '{', '[', '(', '#', '&', '/', '.', '\\':
		return true
	case '$':
		return identifier(v[1:])
	case '%', '@':
		return identifier(strings.Trim(v, "%@"))
	case '*':
		return strings.Trim(v, "*") == ""
	}
	for _, p := range [...]string{"$2a$", "$2b$", "$2y$", "$argon2", "$5$", "$6$", "$1$", "{SSHA", "pbkdf2", "scrypt:", "sha256:", "sha256$", "sha512:", "ENC["} {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	return false
}

// identifier reports whether s could be the name of a variable.
func identifier(s string) bool {
	return s != "" && word.span(s, 0, len(s)) == len(s) && !digit.has(s[0])
}

// fixture reports whether v is a word that examples and tests use, with at most
// four digits or a mark behind it: password1, admin123, Test1234!.
func fixture(v string) bool {
	v = strings.ToLower(strings.TrimRight(v, "!?.#@$*"))
	stem := strings.TrimRight(v, "0123456789")
	if len(v)-len(stem) > 4 {
		return false
	}
	switch strings.Trim(stem, "-_@") {
	case "", "a", "abc", "admin", "administrator", "api", "app", "apikey", "auth", "bar", "baz", "client", "correct", "db", "demo", "dev", "foo", "guest",
		"hello", "helloworld", "key", "local", "login", "master", "mysql", "new", "old", "pass", "passw0rd", "p@ssw0rd", "p@ssword", "passphrase",
		"postgres", "prod", "pw", "pwd", "redis", "root", "secret", "some", "somepassword", "string", "strong", "super", "temp", "test", "tester",
		"testpass", "testuser", "token", "user", "username", "value", "welcome", "wrong", "wrongpass", "x", "y", "z", "valid", "strongpass", "securepass",
		"newpass", "oldpass", "admin@", "rootpass", "userpass", "dbpass", "minio", "minioadmin", "rabbitmq", "mongo", "elastic":
		return true
	}
	return false
}

// crediblePassword reports whether v, given as a password, may be a real one:
// no placeholder, no word of the language or of the program.
func crediblePassword(v string) bool {
	if len(v) < 8 || !printable(v) || placeholder(v) || fixture(v) {
		return false
	}
	var seen class
	marks := 0
	for i := range len(v) {
		c := classOf(v[i])
		seen |= c
		if c == 0 && v[i] != ':' && v[i] != ',' && v[i] != ';' {
			marks++
		}
	}
	if seen&letter == 0 || seen&digit == 0 && marks == 0 {
		return false
	}
	return entropy(v) >= 2.5
}

// credibleKey reports whether v, given as a token or key, may be a real one: long
// and random enough.
func credibleKey(v string, minimum int) bool {
	if len(v) < minimum || !printable(v) || placeholder(v) || fixture(v) {
		return false
	}
	for i := range len(v) {
		if classOf(v[i]) == 0 && strings.IndexByte(":!@#$%^&*|", v[i]) < 0 {
			return false
		}
	}
	bits := entropy(v)
	return bits >= minEntropy && changes(v) >= 2 && !words(v) || len(v) >= 32 && bits >= 4.2 && caseChanges(v) >= 6 && !words(v)
}

// caseChanges counts the letters of another case than the letter before them.
func caseChanges(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		a, b := classOf(s[i-1]), classOf(s[i])
		if a&lower != 0 && b&upper != 0 || a&upper != 0 && b&lower != 0 {
			n++
		}
	}
	return n
}

// words reports whether v is made of words and small numbers that are joined by
// marks or by camel case: an identifier, a file name, a version, not a key.
func words(v string) bool {
	pieces, short := 0, 0
	for i := 0; i < len(v); {
		c := classOf(v[i])
		if c&alnum == 0 {
			i++
			continue
		}
		n := 1
		switch {
		case c&digit != 0:
			n = digit.span(v, i, len(v))
		case c&upper != 0:
			n = upper.span(v, i, len(v))
			if n == 1 {
				n += lower.span(v, i+1, len(v))
			}
		default:
			n = lower.span(v, i, len(v))
		}
		pieces++
		if n < 3 {
			short++
		}
		i += n
	}
	return pieces > 0 && len(v) >= 4*pieces && short*3 <= pieces
}

// printable reports whether v has neither spaces nor control characters.
func printable(v string) bool {
	for i := range len(v) {
		if v[i] <= ' ' || v[i] == 0x7f {
			return false
		}
	}
	return true
}

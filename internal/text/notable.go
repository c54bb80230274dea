package text

// A kind of place in a content that deserves a look, the most telling first.
type kind int

const (
	credential kind = iota
	dangerous       // calls that run, delete or send, and SQL that changes
	address         // URLs and mail addresses
	encoded         // long runs of base64 or hexadecimal
	shape           // declarations and imports: what the content is
	kinds
)

// perKind is how many places of one kind are kept from the front, and as many
// from the end: text that floods a kind with decoys hides nothing at its end.
const perKind = 4

// noted collects the places of each kind.
type noted struct {
	first, last [kinds][perKind]int
	count       [kinds]int
}

func (s *noted) add(k kind, at int) {
	if n := s.count[k]; n < perKind {
		s.first[k][n] = at
	} else {
		s.last[k][n%perKind] = at
	}
	s.count[k]++
}

// places lists what was kept, one of each kind in turn; of a kind the first,
// the last, the second, the last but one, and so on.
func (s *noted) places() []int {
	var places []int
	for turn := 0; turn < 2*perKind; turn++ {
		for k := range kinds {
			if at, ok := s.nth(k, turn); ok {
				places = append(places, at)
			}
		}
	}
	return places
}

func (s *noted) nth(k kind, turn int) (int, bool) {
	i, n := turn/2, s.count[k]
	if turn%2 == 0 {
		return s.first[k][i], i < min(n, perKind)
	}
	if i >= min(n-perKind, perKind) {
		return 0, false
	}
	return s.last[k][(n-1-i)%perKind], true
}

// notable scans s[from:to] once and returns the places to show, the most telling
// first.
func notable(s string, from, to int) []int {
	var found noted
	keyNext := false // the word before makes "key" a credential: "api key"
	run := runState{}
	newLine := from == 0 || s[from-1] == '\n'
	for i := from; i < to; {
		if at, ok := run.step(s[i], i); ok {
			found.add(encoded, at)
		}
		if !isLetter(s[i]) {
			switch {
			case s[i] == ':' && i+2 < to && s[i+1] == '/' && s[i+2] == '/':
				found.add(address, i)
			case s[i] == '@' && i > from && isWordByte(s[i-1]) && i+1 < to && isLetter(s[i+1]):
				found.add(address, i)
			}
			if s[i] == '\n' {
				newLine, keyNext = true, false
			} else if s[i] != ' ' && s[i] != '\t' {
				newLine = false
			}
			i++
			continue
		}
		end := wordEnd(s, i, to)
		var buf [wordMax]byte
		word := lower(&buf, s[i:end])
		if keyNext && string(word) == "key" {
			found.add(credential, i)
		} else if k, ok := judgeWord(s, word, i, end, to, newLine); ok {
			found.add(k, i)
		}
		for j := i + 1; j < end; j++ {
			run.step(s[j], j)
		}
		keyNext, newLine = makesKey(word), false
		i = end
	}
	if at, ok := run.end(); ok {
		found.add(encoded, at)
	}
	return found.places()
}

// makesKey reports whether "key" after this word is a credential.
func makesKey(word []byte) bool {
	switch string(word) {
	case "api", "private", "secret", "access", "ssh", "encryption", "signing", "master", "client":
		return true
	}
	return false
}

// judgeWord gives the kind of the word at s[i:end].
func judgeWord(s string, word []byte, i, end, to int, newLine bool) (kind, bool) {
	switch string(word) {
	case "password", "passwd", "secret", "credential", "credentials", "apikey", "bearer", "passphrase":
		return credential, true
	case "token", "pwd", "auth":
		return credential, assigned(s, end, to)
	case "akia", "ghp", "gho", "ghs", "glpat", "xoxb", "xoxp", "sk":
		return credential, end < to && (s[end] == '_' || s[end] == '-' || isDigit(s[end]))
	case "drop", "truncate", "grant", "revoke", "delete", "update", "insert":
		return dangerous, upperOrSQL(s, i, end, to)
	case "eval", "exec", "execute", "system", "popen", "subprocess", "spawn", "shell", "sudo", "chmod", "chown",
		"rmtree", "unlink", "rm", "mkfs", "curl", "wget", "pickle", "unserialize", "deserialize", "innerhtml",
		"dangerously", "unsafe", "verify", "insecure", "disable", "bypass", "remove", "destroy":
		return dangerous, end < to && !newLineComment(s, i)
	case "func", "function", "class", "def", "import", "export", "package", "interface", "struct", "const", "public", "license", "copyright":
		return shape, newLine
	}
	if len(word) > 4 && string(word[:4]) == "akia" {
		return credential, true
	}
	return 0, false
}

// assigned reports whether a value is given right after s[end:]: "token = x".
func assigned(s string, end, to int) bool {
	for i := end; i < min(end+12, to); i++ {
		switch s[i] {
		case '=', ':':
			return true
		case '\n', '(', ',', ';':
			return false
		}
	}
	return false
}

// upperOrSQL tells SQL from prose: its verbs are in capitals or before TABLE,
// FROM, INTO and their like.
func upperOrSQL(s string, i, end, to int) bool {
	if s[i] <= 'Z' && s[end-1] <= 'Z' {
		return true
	}
	next := end
	for next < to && s[next] == ' ' {
		next++
	}
	var buf [wordMax]byte
	switch string(lower(&buf, s[next:wordEnd(s, next, to)])) {
	case "table", "database", "schema", "from", "into", "all", "index", "column":
		return true
	}
	return false
}

// newLineComment reports whether the word at i begins a comment's prose, where
// "remove" and "disable" are only words.
func newLineComment(s string, i int) bool {
	return i >= 2 && s[i-1] == ' ' && (s[i-2] == '/' || s[i-2] == '#')
}

// runState finds long runs of base64 or hexadecimal.
type runState struct {
	start, length, digits int
}

const runMin = 40

// step takes the next byte. When a byte ends a run that counts, it says where
// that began.
func (r *runState) step(c byte, i int) (int, bool) {
	if isLetter(c) || isDigit(c) || c == '+' || c == '/' || c == '=' {
		if r.length == 0 {
			r.start = i
		}
		r.length++
		if isDigit(c) {
			r.digits++
		}
		return 0, false
	}
	return r.end()
}

// end closes the run.
func (r *runState) end() (int, bool) {
	start, ok := r.start, r.length >= runMin && r.digits >= 4
	*r = runState{}
	return start, ok
}

// wordEnd is where the word that begins at i ends: at the first byte that is not a letter,
// and where a capital follows a small letter, as in apiKey.
func wordEnd(s string, i, to int) int {
	if i >= to || !isLetter(s[i]) {
		return i
	}
	for i++; i < to && isLetter(s[i]); i++ {
		if s[i] <= 'Z' && s[i-1] >= 'a' {
			break
		}
	}
	return i
}

// wordMax is more than the longest word that is looked for.
const wordMax = 16

// lower writes a word into buf in small letters; a word that is too long to be
// looked for gives none.
func lower(buf *[wordMax]byte, word string) []byte {
	if len(word) > wordMax {
		return nil
	}
	for i := 0; i < len(word); i++ {
		buf[i] = word[i] | 0x20
	}
	return buf[:len(word)]
}

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' }

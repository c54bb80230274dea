package shell

import (
	"slices"
	"strings"
)

// databaseActs records what the statements do that a client of a database is given:
// what they drop, empty or overwrite as a whole.
func (w walker) databaseActs(c *recorded, e Effect) {
	if slices.Contains(c.Args, ":memory:") {
		return
	}
	e.To = w.databaseHost(c)
	text := c.Stdin
	for _, arg := range c.Args {
		if strings.ContainsAny(arg, " (") {
			text += ";" + arg
		}
	}
	found := func(object string) { w.acts(e, field{text: object, known: true, inner: -1}) }
	switch c.Program {
	case "mongosh", "mongo":
		mongoActs(text, found)
	case "redis-cli", "valkey-cli", "keydb-cli":
		redisActs(strings.Join(c.Operands, " ")+"\n"+c.Stdin, found)
	default:
		for n, statement := range sqlStatements(text) {
			if n == maxStatements {
				w.bounded("a long list of statements was read in part")
				break
			}
			if object := sqlObject(statement); object != "" {
				found(object)
			}
		}
	}
}

// maxStatements bounds the statements of one command that are looked at.
const maxStatements = 20_000

// databaseHost is the machine that a client talks to, "" for this one.
func (w walker) databaseHost(c *recorded) string {
	for _, wrapper := range w.wrappers {
		if wrapper == "ssh" || strings.HasPrefix(wrapper, "kubectl") {
			return wrapper
		}
	}
	host, _ := c.Value("-h", "--host", "--server")
	for _, o := range c.Args {
		if _, rest, ok := strings.Cut(o, "://"); ok && !strings.Contains(o, " ") {
			host = rest[strings.IndexByte(rest, '@')+1:]
		}
	}
	for _, a := range c.Assigns {
		if name, value, _ := strings.Cut(a, "="); strings.HasSuffix(name, "HOST") && host == "" {
			host = value
		}
	}
	if name, _, _ := strings.Cut(host, "/"); name == "" || strings.HasPrefix(name, "localhost") || strings.HasPrefix(name, "127.0.0.1") || name == "::1" {
		return ""
	}
	return host
}

// sqlStatements cuts SQL into statements, and these into words in lower case; texts in
// quotes are one word, "'", and comments are left out.
func sqlStatements(text string) [][]string {
	var all [][]string
	var words []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ';':
			if len(words) > 0 {
				all, words = append(all, words), nil
			}
			i++
		case c == '\'':
			end := strings.IndexByte(text[i+1:], '\'')
			words = append(words, "'")
			if end < 0 {
				end = len(text) - i - 2
			}
			i += end + 2
		case strings.HasPrefix(text[i:], "--"):
			i += lengthTo(text[i:], "\n")
		case strings.HasPrefix(text[i:], "/*") && !strings.HasPrefix(text[i:], "/*!"): // MySQL runs what is in /*! */
			i += lengthTo(text[i:], "*/")
		case isWordByte(c):
			start := i
			for i < len(text) && isWordByte(text[i]) {
				i++
			}
			words = append(words, strings.ToLower(unquoted(text[start:i])))
		case c == '=':
			words = append(words, "=")
			i++
		default:
			i++
		}
	}
	if len(words) > 0 {
		all = append(all, words)
	}
	return all
}

// unquoted is a name without the quotes that databases put around one.
func unquoted(name string) string {
	const quotes = "\"`[]"
	if !strings.ContainsAny(name, quotes) {
		return name
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(quotes, r) {
			return -1
		}
		return r
	}, name)
}

// lengthTo is the length of a text up to the end of a mark, or all of it.
func lengthTo(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

func isWordByte(c byte) bool {
	return c >= 0x80 || isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("_.-$:\"`[]", c) >= 0
}

// sqlObject is what a statement drops, empties or overwrites as a whole, "table users", or
// whom it gives all rights. "" is nothing.
func sqlObject(words []string) string {
	for len(words) > 0 && (words[0] == "begin" || strings.HasPrefix(words[0], "!") || strings.Trim(words[0], "0123456789") == "") {
		words = words[1:]
	}
	word := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	switch word(0) {
	case "drop":
		return dropped(words[1:])
	case "truncate":
		if word(1) == "table" {
			words = words[1:]
		}
		return "table " + word(1)
	case "grant":
		if word(1) == "all" {
			return "rights " + word(len(words)-1)
		}
	case "create":
		if slices.Contains(words, "superuser") {
			return "rights " + word(2)
		}
	case "alter":
		if slices.Contains(words, "superuser") {
			return "rights " + word(2)
		}
		if i := slices.Index(words, "drop"); i > 2 && word(1) == "table" {
			return "column of " + word(2)
		}
	case "detach":
		return "database " + word(len(words)-1)
	}
	for i, name := range words {
		rows := ""
		switch {
		case name == "delete" && word(i+1) == "from":
			rows = word(i + 2)
		case name == "update" && slices.Contains(words[i:], "set") && i+3 < len(words) && slices.Index(words[i:], "set") <= 3:
			rows = word(i + 1)
		case name == "detach" && word(i+1) == "delete":
			rows = "nodes"
		}
		if rows != "" && !picksRows(words[i:]) {
			return "rows of " + rows
		}
	}
	return ""
}

// dropped is what follows DROP, without IF EXISTS and the like.
func dropped(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.Contains([]string{"if", "exists", "concurrently", "materialized", "foreign", "temporary", "unique"}, w)
	})
	switch {
	case len(words) == 0:
		return ""
	case len(words) == 1 || words[0] == "owned":
		return words[0]
	}
	return words[0] + " " + words[1]
}

// picksRows reports whether a statement has a condition that is not always true.
func picksRows(words []string) bool {
	i := slices.Index(words, "where")
	if i < 0 {
		return false
	}
	switch condition := strings.Join(words[i+1:], ""); condition {
	case "", "1=1", "true", "1":
		return false
	}
	return true
}

// mongoActs finds the calls of MongoDB's shell that drop or empty something.
func mongoActs(text string, found func(object string)) {
	for _, call := range [...]struct{ name, object string }{
		{".dropDatabase(", "database"}, {".dropAllUsers(", "database users"}, {".dropAllRoles(", "database roles"},
		{".drop(", "collection"}, {".dropIndex(", "index"}, {".dropIndexes(", "index"},
		{".deleteMany({}", "rows"}, {".remove({}", "rows"}, {".updateMany({}", "rows"},
	} {
		if strings.Contains(strings.ReplaceAll(text, " ", ""), call.name) {
			found(call.object)
		}
	}
}

// redisActs finds the commands of Redis that empty something.
func redisActs(text string, found func(object string)) {
	for line := range strings.Lines(text) {
		words := strings.Fields(strings.ToLower(line))
		for i, word := range words {
			switch word {
			case "flushall", "flushdb":
				found("database " + word)
			case "del", "unlink":
				if rest := strings.Join(words[i+1:], " "); strings.ContainsAny(rest, "*") || strings.Contains(rest, xargsItem) {
					found("keys " + rest)
				}
			}
		}
	}
}

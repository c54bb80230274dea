package document

import (
	"context"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// mention is one place at which a document names a path.
type mention struct {
	path   string // as compared: with slashes, without ./, line and anchor
	dir    bool   // written with a slash at its end
	quoted bool   // between backticks
	broken string // the path with the hyphen at which a line of a PDF broke off; "" if none did

	doc    *Document
	block  *Block
	inRepo bool
}

// notPaths matches words with slashes that are not paths. It is compiled when the
// first document is compared.
var notPaths = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"'` + "`" + `]*`, // a URL
		`\bwww\.[^\s<>"'` + "`" + `]*`,
		`\bmailto:[^\s<>"'` + "`" + `]*`,
		`[\w.+-]+@[\w-]+\.[\w.-]+(:[^\s<>"'` + "`" + `]*)?`, // an address, or git's host:path form
	}, "|"))
})

// suffix matches the end of a path: a line, a column, an anchor, a test's name, a
// function.
var suffix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(#L?\d+(-L?\d+)?|:\d+(:\d+)?(-\d+)?|::[\w:.\[\]-]+|(\.\w+):[A-Za-z_]\w*|#[\w-]+)$`)
})

// mentions finds the paths that a block names. It asks names, because a word may be
// a folder of the tree. Code, quotations and placeholders show paths that need not
// be there: of those, only paths of the tree count. When ctx ends, some are missing.
func mentions(ctx context.Context, d *Document, b *Block, names *tree) []mention {
	text := b.Text
	if b.soft != "" {
		text = b.soft
	}
	if !strings.ContainsAny(text, "/\\`.") {
		return nil
	}
	var found []mention
	for _, w := range pathWords(text, names) {
		if ctx.Err() != nil {
			break
		}
		m, ok := w.mention(names)
		if !ok {
			continue
		}
		m.doc, m.block, m.inRepo = d, b, names.has(&m)
		if m.inRepo || b.Kind != Code && b.Kind != Quote && !placeholder(m.path) {
			found = append(found, m)
		}
	}
	return found
}

// softHyphen replaces the hyphen at the end of a line.
const softHyphen = "\u00ad"

// pathWord is one word of a block that may be a path.
type pathWord struct {
	text   string
	quoted bool
}

// Limits of a word and of a path, in bytes.
const (
	maxWord = 1000
	maxPath = 300
)

// pathWords returns the words of a text without URLs and addresses. A path with
// spaces is one word when it is between backticks and in the tree.
func pathWords(text string, names *tree) []pathWord {
	text = notPaths().ReplaceAllString(text, " ")
	var all []pathWord
	for i, part := range strings.Split(text, "`") {
		quoted := i%2 == 1
		if quoted && strings.Contains(part, " ") && names.hasPath(part, false) {
			all = append(all, pathWord{part, quoted})
			continue
		}
		for _, w := range strings.FieldsFunc(part, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			if len(w) > maxWord {
				continue
			}
			for _, piece := range pieces(w) {
				all = append(all, pathWord{piece, quoted})
			}
		}
	}
	return all
}

// around replaces signs around and between paths; ]( is Markdown in another
// format.
var around = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("](", " ", "“", " ", "”", " ", "‘", " ", "’", " ", `"`, " ", "'", " ", "=", " ", ";", " ", "|", " ")
})

// pieces removes signs around a path, and separates paths that a sign joins.
func pieces(w string) []string {
	var all []string
	w = around().Replace(w)
	for _, p := range strings.Fields(w) {
		if !strings.ContainsAny(p, "{[") {
			for _, part := range strings.Split(p, ",") {
				all = append(all, trimPath(part))
			}
			continue
		}
		all = append(all, trimPath(p))
	}
	return all
}

// trimPath takes off brackets, marks of emphasis, and the signs that end a
// sentence. A dot at the beginning stays: it is part of a name.
func trimPath(p string) string {
	for {
		before := p
		p = strings.TrimRight(p, ".,:;!?")
		for _, pair := range [][2]string{{"(", ")"}, {"[", "]"}, {"{", "}"}, {"<", ">"}, {"«", "»"}} {
			p = unwrap(p, pair[0], pair[1])
		}
		for _, mark := range []string{"**", "__", "*", "_"} {
			inner, end := strings.CutSuffix(strings.TrimPrefix(p, mark), mark)
			if end && strings.HasPrefix(p, mark) && strings.ContainsAny(inner, "./") && !strings.HasPrefix(inner, "/") && !strings.Contains(inner, "*") {
				p = inner
			}
		}
		if p == before {
			return p
		}
	}
}

// unwrap takes off a pair of brackets around p, or one whose other half is not
// in it.
func unwrap(p, open, end string) string {
	opens, ends := strings.Count(p, open), strings.Count(p, end)
	switch {
	case strings.HasPrefix(p, open) && strings.HasSuffix(p, end) && opens == 1 && ends == 1:
		return strings.TrimSuffix(strings.TrimPrefix(p, open), end)
	case strings.HasPrefix(p, open) && opens > ends:
		return strings.TrimPrefix(p, open)
	case strings.HasSuffix(p, end) && ends > opens:
		return strings.TrimSuffix(p, end)
	}
	return p
}

// mention makes a path of the word, if it is one.
func (w pathWord) mention(names *tree) (mention, bool) {
	p := w.text
	if i := strings.LastIndexByte(p, '.'); strings.Contains(p, `\`) && !strings.Contains(p, "/") {
		if i < 0 && !w.quoted || strings.HasPrefix(p, `\`) {
			return mention{}, false
		}
		p = strings.ReplaceAll(p, `\`, "/")
	}
	for strings.ContainsAny(p, ":#") {
		cut := suffix().ReplaceAllString(p, "$5")
		if cut == p {
			break
		}
		p = cut
	}
	p = strings.TrimSuffix(p, "/...")
	for strings.HasPrefix(p, "./") {
		p = p[2:]
	}
	m := mention{quoted: w.quoted, dir: strings.HasSuffix(p, "/")}
	m.path = strings.TrimRight(p, "/")
	if strings.Contains(m.path, softHyphen) {
		m.broken = strings.ReplaceAll(m.path, softHyphen, "-")
		m.path = strings.ReplaceAll(m.path, softHyphen, "")
	}
	return m, m.plausible(names)
}

// plausible reports whether a word means a path of the repository. A path of the
// tree does. Another word has to look like a path, so that client/server and
// Node.js do not count as missing files.
func (m *mention) plausible(names *tree) bool {
	p := m.path
	switch {
	case p == "" || p == "." || p == "..", len(p) > maxPath, strings.ContainsFunc(p, unicode.IsControl):
		return false
	case p[0] == '/' || p[0] == '~' || p[0] == '$' || p[0] == '@' || p[0] == '%' || p[0] == '-', len(p) > 1 && p[1] == ':':
		return false // of the system, of a person, of a package; an option
	case names.has(m): // a word alone names no folder: docs, audit
		return m.quoted || m.dir || strings.ContainsAny(p, "./")
	case strings.IndexFunc(p, unicode.IsLetter) < 0, strings.ContainsAny(p, "()\"!?^&+"):
		return false
	}
	first, _, nested := strings.Cut(p, "/")
	if !nested {
		return m.plausibleName(p)
	}
	if dot := strings.LastIndexByte(first, '.'); dot > 0 && first != ".." && !names.top(first) {
		return false // a host without its scheme: example.org/x
	}
	if kindsOfFiles(p) {
		return false
	}
	if knownExtension(p) || first == ".." || first[0] == '.' && len(first) > 1 {
		return true
	}
	deep := strings.Count(p, "/") > 1 || m.dir || m.quoted
	return deep && names.top(first) || m.quoted && path.Ext(p) != ""
}

// kindsOfFiles reports whether p lists endings of files, as .pdf/.md does.
func kindsOfFiles(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if path.Ext(part) != part || len(part) > 6 || part == "." {
			return false
		}
	}
	return true
}

// plausibleName reports whether a name without a slash is that of a file.
func (m *mention) plausibleName(name string) bool {
	if m.dir {
		return m.quoted && !strings.Contains(name, ".")
	}
	switch name {
	case "Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile", "Vagrantfile", "CODEOWNERS", "LICENSE", "go.mod", "go.sum", "go.work",
		".gitignore", ".gitattributes", ".gitmodules", ".dockerignore", ".editorconfig", ".npmrc", ".env.example": // .env is never committed
		return m.quoted || strings.Contains(name, ".")
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch {
	case stem == "" || !knownExtension(name) || len(path.Ext(name)) == 2:
		return false // .py alone is a kind of file, and x.c a field
	case path.Ext(name) == ".js" && !m.quoted:
		return false // Node.js, vue.js
	}
	return strings.IndexFunc(stem, unicode.IsLetter) >= 0
}

// knownExtension reports whether a path ends as files of repositories do.
func knownExtension(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".go", ".py", ".pyi", ".ipynb", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".rs", ".java", ".kt", ".kts", ".scala",
		".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rb", ".php", ".swift", ".dart", ".ex", ".exs", ".lua", ".zig", ".r", ".jl", ".pl", ".sh", ".bash", ".ps1", ".bat",
		".md", ".mdx", ".rst", ".txt", ".adoc", ".html", ".css", ".scss", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".lock", ".xml",
		".sql", ".proto", ".graphql", ".tf", ".gradle", ".cmake", ".csv", ".pdf", ".png", ".jpg", ".jpeg", ".svg", ".gif", ".tmpl", ".txtar", ".golden", ".wasm":
		return true
	}
	return false
}

// placeholder reports whether a path is a placeholder, as path/to/x.
func placeholder(p string) bool {
	lower := strings.ToLower(p)
	return strings.ContainsAny(p, "<>…") || strings.Contains(p, "...") || strings.HasPrefix(lower, "path/to") || strings.Contains(lower, "/path/to/") ||
		strings.HasPrefix(lower, "foo/") || strings.HasPrefix(lower, "your") || braces(p)
}

// braces reports whether a path has the placeholder {name}; {a,b} is a pattern.
func braces(p string) bool {
	_, rest, open := strings.Cut(p, "{")
	inner, _, closed := strings.Cut(rest, "}")
	return open && closed && !strings.Contains(inner, ",")
}

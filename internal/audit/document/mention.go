package document

import (
	"cmp"
	"context"
	"path"
	"strings"
	"unicode"
)

// mention is one place at which a document names a path.
type mention struct {
	path   string // as compared: with slashes, without ./, line and anchor
	doc    *Document
	block  *Block
	inRepo bool
}

// mentions finds the paths that a block names. Code, quotations and placeholders show
// paths that need not be there: of those, only paths of the tree count. When ctx ends,
// some are missing.
func mentions(ctx context.Context, d *Document, b *Block, t *tree) []mention {
	text := b.Text
	if b.soft != "" {
		text = b.soft
	}
	if !strings.ContainsAny(text, "/`.") {
		return nil
	}
	var found []mention
	for i, part := range strings.Split(text, "`") {
		quoted := i%2 == 1
		words := strings.FieldsFunc(part, separates)
		if quoted && t.has(part) { // with spaces
			words = []string{part}
		}
		for _, w := range words {
			if ctx.Err() != nil {
				return found
			}
			p, ok := t.pathOf(w, quoted)
			if !ok {
				continue
			}
			m := mention{p, d, b, t.has(p)}
			if m.inRepo || b.Kind != Code && b.Kind != Quote && !placeholder(p) {
				found = append(found, m)
			}
		}
	}
	return found
}

// separates reports whether a sign is between words, and is in no path.
func separates(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`"'“”‘’«»;,|=`, r)
}

// softHyphen replaces the hyphen at the end of a line.
const softHyphen = "\u00ad"

// maxPath is the longest path, in bytes.
const maxPath = 300

// pathOf returns the path of the repository that a word means. A path of the tree is
// one. Another word has to look like a path, so that client/server and Node.js do not
// count as missing files.
func (t *tree) pathOf(word string, quoted bool) (p string, ok bool) {
	if strings.Contains(word, "://") || strings.ContainsAny(word, `@\`) || strings.HasPrefix(word, "www.") {
		return "", false // an address
	}
	p = strings.TrimRight(strings.TrimLeft(word, "([{<*"), ".,:;!?)]}>*")
	p, _, _ = strings.Cut(p, ":") // a line, a test's name, a function
	p, _, _ = strings.Cut(p, "#")
	p = strings.TrimRight(strings.TrimSuffix(p, "/..."), "/")
	for strings.HasPrefix(p, "./") {
		p = p[2:]
	}
	if joined := strings.ReplaceAll(p, softHyphen, ""); joined != p {
		if p = strings.ReplaceAll(p, softHyphen, "-"); !t.has(p) {
			p = joined
		}
	}
	return p, t.plausible(p, quoted)
}

func (t *tree) plausible(p string, quoted bool) bool {
	switch {
	case p == "", len(p) > maxPath, strings.ContainsAny(p[:1], "/~$%-"), strings.ContainsAny(p, "()[]{}<>*?!^&+…"), strings.Contains(p, "..."):
		return false // of the system, of a person; an option; a pattern
	case t.has(p): // a word alone names no folder: docs, audit
		return quoted || strings.ContainsAny(p, "./")
	}
	first, _, nested := strings.Cut(p, "/")
	switch {
	case !nested:
		return quoted && knownExtension(p)
	case !t.has(first) && strings.LastIndexByte(first, '.') > 0 && first != "..":
		return false // a host without its scheme: example.org/x
	}
	return knownExtension(p) || t.has(first) && (quoted || strings.Count(p, "/") > 1)
}

// knownExtension reports whether a path ends as files of repositories do.
func knownExtension(p string) bool {
	ext := path.Ext(p)
	if path.Base(p) == ext {
		return false
	}
	switch strings.ToLower(ext) {
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
	return strings.HasPrefix(lower, "path/to") || strings.Contains(lower, "/path/to/") || strings.HasPrefix(lower, "foo/") || strings.HasPrefix(lower, "your")
}

// tree answers questions about the paths of a commit.
type tree struct {
	known map[string]bool   // files and folders
	names map[string]string // the first file by its base name, as it is and in lower case
}

func newTree(files []string) *tree {
	t := &tree{known: map[string]bool{}, names: map[string]string{}}
	for _, f := range files {
		t.known[f] = true
		base := path.Base(f)
		if path.Base(t.names[base]) != base {
			t.names[base] = f
		}
		if low := strings.ToLower(base); t.names[low] == "" {
			t.names[low] = f
		}
		for dir := path.Dir(f); dir != "." && dir != "/" && !t.known[dir]; dir = path.Dir(dir) {
			t.known[dir] = true
		}
	}
	return t
}

// has reports whether the path is that of a file or a folder, or a name without
// folders that a file has. Case counts.
func (t *tree) has(p string) bool {
	return t.known[p] || strings.Contains(p, ".") && t.names[p] != "" && path.Base(t.names[p]) == p
}

// like returns a path of the tree with the same name; "" if there is none.
func (t *tree) like(p string) string {
	base := path.Base(p)
	return cmp.Or(t.names[base], t.names[strings.ToLower(base)])
}

package repo

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// languages counts the bytes of each language and returns their names, most bytes
// first.
func (r *Repository) languages() []string {
	r.bytes = map[string]int64{}
	for i := range r.files {
		f := &r.files[i]
		_, built := r.find(f.Path + ".map") // a source map lies beside what a program made of other files
		if lang := language(f.Path); lang != "" && f.Regular() && f.Size > 0 && !built && !notOwn(f.Path) {
			r.bytes[lang] += f.Size
		}
	}
	names := slices.Sorted(maps.Keys(r.bytes))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(r.bytes[b], r.bytes[a]) })
	return names
}

// Parsed lists the languages of all files that a probe could parse, of vendored and built ones
// too: a name hides nothing of what a rubric does not look into.
func (r *Repository) Parsed() []string {
	found := map[string]bool{}
	for i := range r.files {
		if f := &r.files[i]; f.Regular() && syntax.Language(f.Path) != "" {
			found[language(f.Path)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// language names the language of a file by its name, as rubrics name languages; "" means no
// programming language. TypeScript with markup is TypeScript.
func language(file string) string {
	switch lang := syntax.Language(file); lang {
	case "":
	case syntax.TSX:
		return syntax.TypeScript
	default:
		return lang
	}
	switch base := path.Base(file); {
	case base == "Dockerfile" || strings.HasPrefix(base, "Dockerfile."):
		return "dockerfile"
	case base == "Makefile" || base == "GNUmakefile" || base == "makefile":
		return "makefile"
	}
	return otherLanguages()[strings.ToLower(path.Ext(file))]
}

// otherLanguages are the languages without a grammar, by the ending of a file's name.
var otherLanguages = sync.OnceValue(func() map[string]string {
	return map[string]string{
		".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hh": "c++", ".hpp": "c++", ".hxx": "c++", ".cs": "c#",
		".java": "java", ".kt": "kotlin", ".kts": "kotlin", ".scala": "scala", ".swift": "swift", ".m": "objective-c", ".mm": "objective-c",
		".rb": "ruby", ".php": "php", ".pl": "perl", ".pm": "perl", ".sh": "shell", ".bash": "shell", ".zsh": "shell",
		".ps1": "powershell", ".psm1": "powershell", ".lua": "lua", ".r": "r", ".jl": "julia", ".ex": "elixir", ".exs": "elixir",
		".erl": "erlang", ".hrl": "erlang", ".hs": "haskell", ".ml": "ocaml", ".mli": "ocaml", ".clj": "clojure", ".cljs": "clojure", ".cljc": "clojure",
		".dart": "dart", ".zig": "zig", ".sql": "sql", ".vue": "vue", ".svelte": "svelte", ".html": "html", ".htm": "html",
		".css": "css", ".scss": "css", ".sass": "css", ".less": "css", ".tf": "terraform", ".sol": "solidity",
	}
})

// notOwn reports whether a file is somebody else's or made by a program, by its
// path: vendored folders, lock files, generated and minified code.
func notOwn(file string) bool {
	for element := range strings.SplitSeq(path.Dir(file), "/") {
		switch element {
		case "vendor", "node_modules", "third_party", "thirdparty", "bower_components", "site-packages",
			".venv", "venv", "__pycache__", "dist", ".next", ".yarn", "Pods", "Godeps":
			return true
		}
	}
	base := path.Base(file)
	if isLockFile(base) {
		return true
	}
	for _, suffix := range []string{
		".min.js", ".min.css", ".bundle.js", ".pb.go", ".pb.gw.go", "_pb2.py", "_pb2_grpc.py", "_pb.js", "_pb.ts", ".pb.cc", ".pb.h",
		".designer.cs", ".g.dart", ".generated.go", "_generated.go", ".gen.go", ".generated.ts", ".snap",
	} {
		if strings.HasSuffix(strings.ToLower(base), suffix) {
			return true
		}
	}
	return strings.HasPrefix(base, "zz_generated")
}

// isText reports whether a file with that name is read as text, whatever its content: a
// zero byte would else hide code and prose from every probe.
func isText(file string) bool {
	if language(file) != "" {
		return true
	}
	switch base := strings.ToLower(path.Base(file)); strings.TrimPrefix(path.Ext(base), ".") {
	case "md", "markdown", "mdx", "rst", "txt", "adoc", "org", "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "xml", "csv", "properties", "sarif", "lock":
		return true
	default:
		return strings.HasPrefix(base, ".env") || strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "license")
	}
}

// isBinary reports whether a file with that name holds no text: its content is not
// even fetched from the object store, and that it is large hides nothing.
func isBinary(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tif", ".tiff", ".avif", ".heic", ".psd", ".ai", ".eps", ".xcf", ".sketch", ".fig", ".blend",
		".pdf", ".woff", ".woff2", ".ttf", ".otf", ".eot",
		".mp3", ".mp4", ".m4a", ".mov", ".avi", ".mkv", ".webm", ".wav", ".ogg", ".flac",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".war", ".whl", ".egg", ".nupkg", ".deb", ".rpm", ".dmg", ".iso",
		".exe", ".dll", ".so", ".dylib", ".a", ".o", ".obj", ".lib", ".class", ".pyc", ".pyo", ".wasm", ".bin",
		".pt", ".pth", ".onnx", ".safetensors", ".gguf", ".npy", ".npz", ".parquet", ".pkl", ".h5", ".sqlite", ".db",
		".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt":
		return true
	}
	return false
}

// Written returns the languages with their bytes, and also prose, as markdown:
// what a repository without code is made of.
func (r *Repository) Written() map[string]int64 {
	all := map[string]int64{}
	for lang, bytes := range r.Languages() {
		all[lang] = bytes
	}
	for i := range r.files {
		switch f := &r.files[i]; strings.ToLower(path.Ext(f.Path)) {
		case ".md", ".mdx", ".rst", ".adoc", ".txt":
			all["markdown"] += max(f.Size, 0)
		}
	}
	return all
}

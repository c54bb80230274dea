package instructions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// Limits of what [Find] reads.
const (
	maxFile      = 1 << 20 // bytes of one file
	maxFiles     = 200
	maxImports   = 5 // files that import one another
	maxWalked    = 50_000
	maxWalkDepth = 12
)

// Options bound what [Find] reads.
type Options struct {
	// Names are the files to read, from the project's folder or absolute; none reads
	// those that agents read.
	Names []string
}

// Find reads the instruction files below root, an absolute folder, and what they import
// with @path. The problems say what was not read and why, and where text is that a
// reader cannot see. A file that several names lead to is read once.
func Find(root string, opts Options) ([]statement.File, []rule.Problem) {
	f := finder{root: root, seen: map[string]bool{}}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		f.real = real
	} else {
		f.fault(root, 0, "the project's folder cannot be read: "+reason(err))
		return nil, f.problems
	}
	names := opts.Names
	if len(names) == 0 {
		names = f.walk()
	}
	for _, name := range names {
		rel := name
		if filepath.IsAbs(name) {
			if r, err := filepath.Rel(root, name); err == nil {
				rel = r
			}
		}
		f.add(path.Clean(filepath.ToSlash(rel)), nil, 0)
	}
	return f.files, f.problems
}

// finder holds what one call of [Find] has read.
type finder struct {
	root, real string
	files      []statement.File
	problems   []rule.Problem
	seen       map[string]bool // real paths
}

func (f *finder) fault(file string, line int, message string) {
	f.problems = append(f.problems, rule.Problem{File: text.OneLine(file), Line: line, Message: message})
}

// everywhere are names that agents read in every folder; atRoot are paths.
var (
	atRoot = []string{"CLAUDE.local.md", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md"}
	// folders are those whose files with an ending are read.
	folders = [][2]string{
		{".claude/rules/", ".md"}, {nestedRules, ".mdc"}, {nestedRules, ".md"}, {".github/instructions/", ".instructions.md"},
		{".clinerules/", ".md"}, {".windsurf/rules/", ".md"},
	}
)

// read reports whether agents read a file of this path.
func read(rel string) bool {
	if slices.Contains(statement.Everywhere, path.Base(rel)) || slices.Contains(atRoot, rel) {
		return true
	}
	return slices.ContainsFunc(folders, func(f [2]string) bool {
		return (strings.HasPrefix(rel, f[0]) || f[0] == nestedRules && strings.Contains(rel, "/"+f[0])) && strings.HasSuffix(rel, f[1])
	})
}

// nestedRules are Cursor's, which each folder may have for what is in it.
const nestedRules = ".cursor/rules/"

// skipped reports whether a folder has no instructions of this project.
func skipped(rel string) bool {
	base := path.Base(rel)
	if repo.Dependency(base) {
		return true
	}
	if !strings.HasPrefix(base, ".") {
		return false
	}
	return base != ".cursor" && !slices.ContainsFunc(folders, func(f [2]string) bool { return strings.HasPrefix(f[0], rel+"/") })
}

// handedOut are names of folders with what a project gives to others, or tests with.
var handedOut = []string{"templates", "template", "_static", "static", "public", "fixtures", "__fixtures__", "testdata", "boilerplate", "scaffold", "scaffolds", "skeleton", "examples", "example", "samples", "demos", "assets"}

// forOthers reports whether a file is in a folder of what the project gives to others.
func forOthers(rel string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), func(dir string) bool {
		return slices.Contains(handedOut, dir) || strings.HasSuffix(dir, "_templates") || strings.HasSuffix(dir, "-templates")
	})
}

// walk lists the files that agents read, in the order of their names.
func (f *finder) walk() (names []string) {
	walked := 0
	err := filepath.WalkDir(f.root, func(full string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(f.root, full)
		if relErr != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		if err != nil {
			f.fault(name, 0, "the folder cannot be read: "+reason(err))
			return nil
		}
		if walked++; walked > maxWalked || len(names) == maxFiles {
			f.fault(name, 0, fmt.Sprintf("the search for instruction files ended here, after %d files and folders with %d of them: name the files", walked-1, len(names)))
			return fs.SkipAll
		}
		switch {
		case e.IsDir() && (skipped(name) || strings.Count(name, "/") >= maxWalkDepth):
			return fs.SkipDir
		case !e.IsDir() && read(name) && forOthers(name):
			f.fault(name, 0, "it is left out, because its folder holds what the project gives to others: name the file to read it")
		case !e.IsDir() && read(name):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		f.fault(f.root, 0, "the project's folder cannot be read: "+reason(err))
	}
	return names
}

// add reads a file and what it imports. chain are the files that import it, from the
// first.
func (f *finder) add(rel string, chain []string, line int) {
	about, importedBy := rel, ""
	if len(chain) > 0 {
		importedBy = chain[len(chain)-1]
		about = importedBy
	}
	full := filepath.Join(f.root, filepath.FromSlash(rel))
	real, err := filepath.EvalSymlinks(full)
	switch {
	case !filepath.IsLocal(filepath.FromSlash(rel)):
		f.fault(about, line, fmt.Sprintf("%s is outside of the project and is not read: copy it into the project", text.OneLine(rel)))
		return
	case err != nil:
		f.fault(about, line, fmt.Sprintf("%s cannot be read: %s", text.OneLine(rel), reason(err)))
		return
	case !safefile.Within(real, f.real):
		f.fault(about, line, fmt.Sprintf("%s is a link out of the project and is not read: put the file itself there", text.OneLine(rel)))
		return
	case slices.Contains(chain, rel):
		f.fault(about, line, fmt.Sprintf("%s imports itself, by %s: take one import out", text.OneLine(rel), text.OneLine(strings.Join(chain, " → "))))
		return
	case len(chain) > maxImports:
		f.fault(about, line, fmt.Sprintf("%s is not read: at most %d files import one another", text.OneLine(rel), maxImports))
		return
	case f.seen[real]:
		return
	case len(f.files) == maxFiles:
		f.fault(about, line, fmt.Sprintf("%s is not read: at most %d instruction files are", text.OneLine(rel), maxFiles))
		return
	}
	f.seen[real] = true
	data, err := safefile.Read(real, maxFile)
	if err != nil {
		f.fault(rel, 0, notRead(real, err))
		return
	}
	file := statement.File{Path: rel, Text: strings.ToValidUTF8(string(data), "\uFFFD"), ImportedBy: importedBy}
	file.Globs, file.Excluded = globs(rel, file.Text)
	at := len(f.files)
	f.files = append(f.files, file)
	f.problems = append(f.problems, Hidden(&file)...)
	for _, im := range imports(&file) {
		if strings.HasPrefix(im.path, "~") || strings.HasPrefix(im.path, "/") {
			f.fault(rel, im.line, fmt.Sprintf("%s is outside of the project and is not read: copy it into the project", text.OneLine(im.path)))
			continue
		}
		to := path.Join(path.Dir(rel), im.path)
		if _, err := os.Lstat(filepath.Join(f.root, filepath.FromSlash(to))); err != nil && path.Ext(to) == "" {
			continue // a name such as @team
		}
		f.files[at].Imports = append(f.files[at].Imports, to)
		f.add(to, append(slices.Clone(chain), rel), im.line)
	}
}

// notRead says why a file is not read, and what to do about it.
func notRead(path string, err error) string {
	if info, failed := os.Stat(path); failed == nil && info.Size() > maxFile {
		return fmt.Sprintf("is not read: it has %.1f MB, and at most %d MB are. No agent follows so much: keep the instructions in a file of their own", float64(info.Size())/(1<<20), maxFile>>20)
	}
	return "cannot be read: " + reason(err)
}

// reason is the error of a file without its path.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// An imported is a path after @, and its line.
type imported struct {
	path string
	line int
}

var importPath = lazy.Regexp{Source: `(?:^|\s)@((?:~|\.{0,2})/?[\w.-]+(?:/[\w.-]+)*)`}

// imports lists what a file imports, outside of code.
func imports(f *statement.File) (list []imported) {
	for _, b := range markdown.Blocks(f.Text) {
		for i, l := range b.Lines {
			for _, m := range importPath.Get().FindAllStringSubmatch(markdown.CodeSpan.Get().ReplaceAllString(l, "` `"), -1) {
				to := strings.TrimRight(m[1], ".")
				if !strings.Contains(path.Base(to), ".") && strings.IndexAny(to, "./~") != 0 {
					continue // @scope/package, @person
				}
				list = append(list, imported{to, b.Line + i})
			}
		}
	}
	return list
}

// globs are the paths that a file is about, by its front matter or by its folder, and those that it
// excludes.
func globs(rel, content string) (in, excluded []string) {
	var list []string
	if dir := statement.DirOfFile(rel); dir != "" && dir != ".claude" {
		return []string{dir + "/**"}, nil
	}
	head, _ := markdown.Matter(content)
	var keys map[string]any
	failed := yaml.Unmarshal([]byte(head), &keys) != nil
	if failed || keys == nil {
		keys = map[string]any{}
	}
	// Cursor writes `globs: *.ts`, which is not YAML. In `globs: !a/**` YAML takes the pattern for a tag.
	for l := range strings.Lines(head) {
		k, v, ok := strings.Cut(l, ":")
		if v = strings.TrimSpace(v); ok && (failed || strings.HasPrefix(v, "!")) {
			keys[strings.TrimSpace(k)] = strings.TrimSuffix(strings.TrimPrefix(v, "["), "]")
		}
	}
	for _, key := range []string{"globs", "paths", "applyTo"} {
		switch v := keys[key].(type) {
		case string:
			for _, part := range atCommas(v) {
				list = append(list, strings.Trim(strings.TrimSpace(part), `"'`))
			}
		case []any:
			for _, part := range v {
				list = append(list, strings.TrimSpace(fmt.Sprint(part)))
			}
		}
	}
	list = pathglob.Each(list, func(g string) string { return strings.TrimPrefix(strings.TrimPrefix(g, "./"), "/") })
	for _, g := range list {
		if without, ok := strings.CutPrefix(g, "!"); ok && without != "" {
			excluded = append(excluded, without)
		} else if !ok && g != "" {
			in = append(in, understood(g))
		}
	}
	if slices.ContainsFunc(in, func(g string) bool { return g == "*" || g == "**" || g == "**/*" }) {
		in = nil // all of the project
	}
	if above, _, ok := strings.Cut(rel, "/"+nestedRules); ok && len(in) == 0 {
		in = []string{above + "/**"}
	}
	return in, excluded
}

// understood is a pattern that scopes know, or that of the folder that it begins with: others have
// (a|b) or a folder [id].
func understood(g string) string {
	if !strings.ContainsAny(g, "()|; \t") && pathglob.Match(g, pathglob.Sample(g)) {
		return g
	}
	if dir := plainFolder.Get().FindString(g); dir != "" {
		return dir + "**"
	}
	return "**"
}

// plainFolder is the folder without signs that a pattern begins with.
var plainFolder = lazy.Regexp{Source: `^(?:[\w.@-]+/)+`}

// atCommas splits a list at the commas that are not between braces, as in *.{ts,tsx}.
func atCommas(s string) (list []string) {
	depth, start := 0, 0
	for i, r := range s {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case r == ',' && depth <= 0:
			list, start = append(list, s[start:i]), i+1
		}
	}
	return append(list, s[start:])
}

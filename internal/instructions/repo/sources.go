package repo

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/scope"
)

// SourcesBelow reports whether a folder has sources: true where the tree does not tell.
func (t *Tree) SourcesBelow(dir string) bool {
	if dir == "" || !t.Whole() {
		return true
	}
	is := sourceEndings()
	return slices.ContainsFunc(t.Files(), func(f string) bool { return strings.HasPrefix(f, dir+"/") && is[path.Ext(f)] })
}

// sourceEndings are the endings of sources, with their dots.
func sourceEndings() map[string]bool {
	is := map[string]bool{}
	for ending := range strings.SplitSeq(LanguageEndings, ",") {
		is["."+ending] = true
	}
	return is
}

const (
	// maxUsesFile bounds a source that is read to see what it uses, maxUses all of them, in bytes.
	maxUsesFile = 256 << 10
	maxUses     = 32 << 20

	// Widely is in how many sources a name is used widely: who forbids it means some use of it.
	Widely = 15
)

// A library is the sources of a tree, one behind the other.
type library struct {
	text  []byte
	ends  []int    // of each source
	names []string // of these
}

// sourcesOf reads the sources of a tree, as far as the bound allows.
func (t *Tree) sourcesOf() (l library) {
	is := sourceEndings()
	for _, name := range t.Files() {
		if !is[path.Ext(name)] {
			continue
		}
		data, err := safefile.Read(filepath.Join(t.Root, filepath.FromSlash(name)), maxUsesFile)
		if err != nil {
			continue // it counts for nothing
		}
		if len(l.text)+len(data) > maxUses {
			break
		}
		l.text = append(l.text, data...)
		l.ends, l.names = append(l.ends, len(l.text)), append(l.names, name)
	}
	return l
}

// UsesWidely reports whether many sources that patterns match, and others do not, have a text in them.
func (t *Tree) UsesWidely(text string, globs, exclude []string) bool {
	return text != "" && t.InMany(globs, exclude, func(source []byte) bool { return bytes.Contains(source, []byte(text)) })
}

// InMany reports whether many sources that patterns match, and others do not, are so.
func (t *Tree) InMany(globs, exclude []string, are func(source []byte) bool) bool {
	if !t.Known() {
		return false
	}
	l := t.library()
	in, out := scope.NewPaths(globs, false), scope.NewPaths(exclude, false)
	about := func(name string) bool {
		_, yes := in.Match(name)
		_, no := out.Match(name)
		return (yes || len(globs) == 0) && (!no || len(exclude) == 0)
	}
	n, at := 0, 0
	for i, end := range l.ends {
		if are(l.text[at:end]) && about(l.names[i]) {
			if n++; n == Widely {
				return true
			}
		}
		at = end
	}
	return false
}

// Calls reports whether the project's sources call a function of that name. A name in quotes, or
// behind import, is that of a package.
func (t *Tree) Calls(name string) bool {
	if !t.Known() || !Identifier.Get().MatchString(name) {
		return false
	}
	text := t.library().text
	has := func(s string) bool { return bytes.Contains(text, []byte(s)) }
	return has(" "+name+"(") && !has(`"`+name+`"`) && !has("'"+name+"'") && !has("import "+name)
}

// CountSources is how many files of each language's ending the tree has below a folder.
func (t *Tree) CountSources(below string) map[string]int {
	counts := map[string]int{}
	known := strings.Split(LanguageEndings, ",")
	for _, f := range t.Files() {
		if !strings.HasPrefix(f, below) {
			continue
		}
		if ext := strings.TrimPrefix(path.Ext(f), "."); slices.Contains(known, ext) {
			counts[ext]++
		}
	}
	return counts
}

// HasWidely reports whether many sources of the project have something in them.
func (t *Tree) HasWidely(has func([]byte) bool) bool {
	if !t.Known() {
		return false
	}
	l := t.library()
	n, at := 0, 0
	for _, end := range l.ends {
		if has(l.text[at:end]) {
			n++
		}
		at = end
	}
	return n >= Widely
}

// PerEnding is how many sources the tree has of each ending of a language.
func (t *Tree) PerEnding() map[string]int { return t.perEnding() }

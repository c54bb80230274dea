package project

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/rule"
)

// PassedOver warns of files that are meant as rules and are not read: among the folder's
// rules those with another name, and rules at other places, where people put them by mistake.
// A text in Markdown and what packs update kept are meant to be none.
func (f *Folder) PassedOver() (problems []rule.Problem) {
	at := place{dir: f.Dir, root: f.Root, user: f.User}
	dir, err := at.rulesDir(f.Config)
	if err != nil {
		return nil
	}
	warn := func(path, message string) {
		problems = append(problems, rule.Problem{File: at.display(path), Warning: true, Message: message})
	}
	walkFiles(dir, maxDepth+1, nil, func(path, name string) {
		if why := otherName(path, name); why != "" {
			warn(path, "is not read as a rule: "+why)
		}
	})
	for _, other := range f.elsewhere(dir) {
		walkFiles(other.dir, other.depth, other.skip, func(path, name string) {
			if ruleLike(name) && isRuleText(path) {
				warn(path, "is a rule that is not read, and not in force: rules are in "+at.display(dir)+". Move it there")
			}
		})
	}
	return problems
}

// AtHome says of a folder in the user's home folder, for one who works in dir below it, that
// its patterns begin there: every project may have been meant. It is "" for any other folder.
func (i *Inspector) AtHome(f *Folder, dir string) string {
	o := &i.project.opts
	if f.User || o.Home == "" || o.UserDir == "" || safefile.Resolve(f.Root) != safefile.Resolve(o.Home) || safefile.Resolve(dir) == safefile.Resolve(o.Home) {
		return ""
	}
	return "patterns of paths in these rules begin at your home folder; rules for every project are in " + o.UserDir
}

// otherName says why a file among the rules is not read; "" for one that is, or is meant to
// be none.
func otherName(path, name string) string {
	stem, _, cases := strings.Cut(name, ".tests.")
	switch hidden := name[0] == '.'; {
	case cases && !hidden:
		beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		if slices.ContainsFunc(beside, func(p string) bool {
			base := strings.ToLower(filepath.Base(p))
			return rule.IsRuleFile(base) && strings.TrimSuffix(base, filepath.Ext(base)) == stem
		}) {
			return ""
		}
		return "it holds cases of " + stem + ", and no such rule is beside it. Rename one of them, so that both have the same beginning"
	case hidden && ruleLike(name) && !strings.HasPrefix(name, "._"):
		return "its name begins with a dot. Rename the file"
	case hidden || rule.IsRuleFile(name) || slices.Contains([]string{".md", ".bak"}, filepath.Ext(name)):
		return ""
	}
	return "the name of a rule file ends in .yaml, .yml or .json, without .draft before it. Rename the file, or move it out of the folder"
}

// ruleLike reports whether a name ends like that of a rule.
func ruleLike(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}

// A search is a folder in which rules may be by mistake.
type search struct {
	dir   string
	depth int
	skip  []string // folders that are not entered
}

// elsewhere are the places outside of dir, which is where the folder's rules are.
func (f *Folder) elsewhere(dir string) []search {
	own := []string{dir, filepath.Join(f.Dir, "drafts")}
	all := []search{{f.Dir, 3, own}}
	if f.User {
		return all
	}
	skip := append(own, f.Dir, filepath.Join(f.Root, ".claude", "worktrees"))
	for _, name := range []string{".claude", ".sentinel", "sentinel", "rules"} {
		depth := 3
		if name[0] != '.' {
			depth = 2
		}
		all = append(all, search{filepath.Join(f.Root, name), depth, skip})
	}
	return all
}

// walkFiles calls look for the files below dir, with their names in small letters. It does
// not follow links. What cannot be read is left out: listing the rules tells of it.
func walkFiles(dir string, depth int, skip []string, look func(path, name string)) {
	looked := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if looked++; looked > maxListed {
			return fs.SkipAll
		}
		if !e.IsDir() {
			look(path, strings.ToLower(e.Name()))
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || slices.Contains(skip, path) || rel != "." && strings.Count(filepath.ToSlash(rel), "/")+1 >= depth {
			return fs.SkipDir
		}
		return nil
	})
}

// triggerLine is a line that only a rule has.
var triggerLine = lazy.Regexp{Source: `(?m)^[\s{]*["']?trigger["']?\s*:\s*["']?(file_write|file_read|bash|mcp|any)\b`}

func isRuleText(path string) bool {
	data, err := safefile.Read(path, maxFileBytes)
	return err == nil && triggerLine.Get().Match(data)
}

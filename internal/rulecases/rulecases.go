// Package rulecases finds the rules of a project that have test cases.
package rulecases

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// A Group is rules that are judged alike: those of one folder.
type Group struct {
	Options ruletest.Options
	Suites  []ruletest.Suite
}

// Cases is the number of cases of all rules.
func (g *Group) Cases() int {
	n := 0
	for _, s := range g.Suites {
		n += len(s.Cases)
	}
	return n
}

// OptionsOf are the options that test rules as a project judges them.
func OptionsOf(w *project.Surroundings) ruletest.Options {
	return ruletest.Options{Engine: w.Engine, Root: w.Root, Build: w.Build}
}

// Split tells ids from paths.
func Split(args []string) (ids, paths []string) {
	for _, arg := range args {
		if isRulePath(arg) {
			paths = append(paths, arg)
		} else {
			ids = append(ids, arg)
		}
	}
	return ids, paths
}

// Listed reports whether the file of a rule is among groups.
func Listed(groups []Group, path string) bool {
	return slices.ContainsFunc(groups, func(g Group) bool {
		return slices.ContainsFunc(g.Suites, func(s ruletest.Suite) bool { return s.File.Path == path })
	})
}

// isRulePath reports whether an argument names a file, and no id.
func isRulePath(arg string) bool {
	switch strings.ToLower(filepath.Ext(arg)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return strings.ContainsAny(arg, `/\`)
}

// Groups are the rules of the folders of a project, or those with these ids.
func Groups(p *project.Project, ids []string) (groups []Group, problems []rule.Problem, err error) {
	found := map[string]bool{}
	for _, folder := range p.Folders {
		w, _ := p.Inspect().Surroundings(folder)
		g := Group{Options: OptionsOf(&w)}
		docs, err := folder.Documents()
		if err != nil {
			problems = append(problems, rule.Problem{File: folder.Dir, Message: err.Error()})
		}
		suites, faults := Of(docs)
		for _, s := range suites {
			id := g.Options.Build.IDPrefix + s.File.Definition.ID
			found[id] = true
			if len(ids) == 0 || slices.Contains(ids, id) {
				g.Suites = append(g.Suites, s)
			}
		}
		if len(ids) == 0 {
			problems = append(append(problems, faults...), lonely(docs)...)
		}
		groups = append(groups, g)
	}
	for _, id := range ids {
		if !found[id] {
			return nil, nil, fmt.Errorf("there is no rule %q here; `sentinel rules list` lists them, and a file is named by its path", text.OneLine(id))
		}
	}
	return groups, problems, nil
}

// lonely warns of files of cases that no rule has read: of a rule that was
// renamed, or that has another such file.
func lonely(docs []project.Document) (problems []rule.Problem) {
	read, folders := map[string]bool{}, map[string]bool{}
	for _, d := range docs {
		read[d.Path], folders[filepath.Dir(d.Path)] = true, true
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // the rules in it are reported
		}
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); isCases(path) && !read[path] {
				problems = append(problems, rule.Problem{File: path, Warning: true,
					Message: "no rule reads these cases: name the file after a rule beside it, NAME.tests.yaml for NAME.yaml, and give a rule one such file"})
			}
		}
	}
	return problems
}

// isCases reports whether a path is that of a file of cases.
func isCases(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return isRulePath(name) && strings.Contains(name, ".tests.")
}

// mostNamed is how many rule files a folder that the user names may hold: more is
// a slip, such as naming the folder of a whole project.
const mostNamed = 2000

// At reads a rule file that the user names, or those of a folder, with
// drafts among them.
func At(path string) (docs []project.Document, err error) {
	if isCases(path) {
		return nil, fmt.Errorf("%s holds cases and no rule: name the rule's file", path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return project.ReadDocument(path)
	}
	err = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(e.Name(), ".") && file != path
		switch {
		case err != nil:
			return err
		case e.IsDir() && hidden:
			return fs.SkipDir
		case hidden || !e.Type().IsRegular() || !isRulePath(e.Name()) || isCases(file):
			return nil
		case len(docs) >= mostNamed:
			return fmt.Errorf("%s holds more than %d rule files: name the folder of rules", path, mostNamed)
		}
		read, err := project.ReadDocument(file)
		docs = append(docs, read...)
		return err
	})
	if err == nil && len(docs) == 0 {
		err = fmt.Errorf("there is no rule file in %s", path)
	}
	return docs, err
}

// Of reads rules and the files of cases next to them. The cases of a rule
// that cannot be read are left out.
func Of(docs []project.Document) (suites []ruletest.Suite, problems []rule.Problem) {
	readable := false // the rule before
	for _, d := range docs {
		if !d.Beside {
			readable = d.Err == nil
		}
		switch {
		case d.Err != nil:
			problems = append(problems, rule.Problem{File: d.Path, Message: d.Err.Error()})
		case !d.Beside:
			suites = append(suites, ruletest.NewSuite(d.Path, d.Data))
		case readable:
			problems = append(problems, suites[len(suites)-1].Beside(d.Path, d.Data)...)
		}
	}
	return suites, problems
}

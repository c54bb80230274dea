package rule

import (
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// notThere says which commands and files that the rule's obligation asks for are not in the project:
// nothing there can meet it then. Where that cannot be known, as with an included Makefile, nothing
// is said.
func (r *Rule) notThere(in *Tree, warn func(format string, args ...any)) {
	d := r.def
	if globs, _ := d.Requires.window(); len(d.Requires.Ran) > 0 && len(globs) == 0 && strings.Contains(d.Message, "stale_files") {
		warn("`message` names {{stale_files}}, which says nothing here: `requires.since` has no path patterns. Write these, or {{missing}}")
	}
	if in == nil || in.root == "" {
		return
	}
	if read := d.BeforeFirst.Read; len(read) > 0 && !slices.ContainsFunc(read, func(p string) bool { return in.project().mayHave(p) }) {
		warn("`before_first.read` matches no file here, as %s is not there: the rule asks for what nothing can meet. Write the path as it is", either(read))
	}
	var why string
	for _, pattern := range d.Requires.Ran {
		said := in.lacks(pattern)
		if said == "" {
			return // one of them is enough
		}
		why = said
	}
	if why != "" {
		warn("`requires.ran` can never be met here: %s. Write what is there", why)
	}
}

// maxTree bounds the names of a project that are looked at.
const maxTree = 20_000

// generated are folders whose files are made, so that none of them has to be there.
var generated = []string{"node_modules", "vendor", "build", "dist", "target", "out", "bin", "venv", ".venv", ".git", "tmp", "_build", ".build"}

// A Tree is the folder of a project, in which [Rule.ScopeHints] looks up what rules name. Its
// files are listed when the first rule needs them, once for all rules. It may be used
// concurrently.
type Tree struct {
	root  string
	files lazy.Value[projectTree]
}

// TreeAt is the tree of an absolute folder; one at "" looks nothing up.
func TreeAt(root string) *Tree { return &Tree{root: root} }

func (t *Tree) project() *projectTree {
	return t.files.Get(func() *projectTree { return projectFiles(t.root) })
}

// A projectTree has the files of a project, from its root.
type projectTree struct {
	root  string
	files []string
	all   bool // there are no more
}

func projectFiles(root string) *projectTree {
	t := &projectTree{root: root, all: true}
	seen := 0
	err := filepath.WalkDir(root, func(full string, e fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxTree {
			t.all = false
			return fs.SkipAll
		}
		if e.IsDir() {
			if full != root && slices.Contains(generated, e.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if rel, err := filepath.Rel(root, full); err == nil {
			t.files = append(t.files, filepath.ToSlash(rel))
		}
		return nil
	})
	t.all = t.all && err == nil
	return t
}

// mayHave reports whether there may be a file that a pattern matches.
func (t *projectTree) mayHave(pattern string) bool {
	if !t.all || strings.ContainsAny(pattern, `*?[{\`) || isRooted(pattern) || isGenerated(pattern) {
		return true
	}
	name := path.Clean(pattern)
	return slices.ContainsFunc(t.files, func(file string) bool {
		return strings.EqualFold(file, name) || !strings.Contains(name, "/") && strings.EqualFold(path.Base(file), name)
	}) || t.ignored(name)
}

func isGenerated(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return slices.Contains(generated, part) || part == ".." || strings.HasPrefix(part, "bazel-") || strings.HasPrefix(part, "cmake-build")
	})
}

// mayRun reports whether there may be a file that a program is given: by its name without the ending,
// as a folder, in a folder below, or behind a link to one.
func (t *projectTree) mayRun(file string) bool {
	name := path.Clean(file)
	return t.mayHave(file) || slices.ContainsFunc(t.files, func(f string) bool {
		return strings.HasSuffix(f, "/"+name) || strings.HasPrefix(f, name+".") || strings.HasPrefix(f, name+"/") || strings.HasPrefix(name, f+"/")
	})
}

// has reports whether a file of the project has one of the names, in any folder.
func (t *projectTree) has(names ...string) bool {
	return slices.ContainsFunc(t.files, func(file string) bool { return slices.Contains(names, path.Base(file)) })
}

// lacks says what is not there of what a pattern of a run asks for; "" where all may be.
func (t *Tree) lacks(pattern string) string {
	literal := strings.TrimSpace(strings.TrimSuffix(pattern, "*"))
	if strings.ContainsAny(literal, "*?[{<$:") {
		return ""
	}
	line := shell.Parse(literal, nil)
	if len(line.Commands) != 1 {
		return ""
	}
	c := &line.Commands[0]
	open := strings.HasSuffix(pattern, "*")
	switch c.Program {
	case "make", "gmake":
		return t.project().noTarget(c, open)
	case "npm", "pnpm", "yarn", "bun":
		return t.project().noScript(c, open)
	}
	file := c.Script
	if file == "" && strings.Contains(c.Path, "/") {
		file = c.Path
	}
	if c.Dir != "" || file == "" || file == c.Subcommand || open && strings.HasSuffix(literal, file) || t.project().mayRun(file) {
		return ""
	}
	return "`" + text.Line(file) + "` is not there"
}

// named are the files of the project with one of the names; nil where one cannot be read.
func (t *projectTree) named(names ...string) (texts []string) {
	for _, file := range t.files {
		if !slices.Contains(names, path.Base(file)) {
			continue
		}
		content, err := safefile.Read(filepath.Join(t.root, filepath.FromSlash(file)), 1<<20)
		if err != nil {
			return nil
		}
		texts = append(texts, string(content))
	}
	return texts
}

var (
	// computedRules are in a Makefile whose targets its text does not name.
	computedRules = lazy.Regexp{Source: `(?m)^\s*[-.]?s?(?:include|load)\b|^[^#\t\n]*[%$][^:=\n]*:([^=]|$)|^\.DEFAULT\b|\$[({](eval|call)|^\s*define\b`}
	// ruleLine begins a rule, with its targets.
	ruleLine = lazy.Regexp{Source: `(?m)^ *([^\s#:=][^:=#\n]*?)\s*&?::?([^=]|$)`}
	// phonyLine names targets that are no files.
	phonyLine = lazy.Regexp{Source: `(?m)^ *\.PHONY *:((?:\\\n|[^#\n])*)`}
)

// noTarget says which target no Makefile has a rule for. For one that .PHONY names make does nothing, and
// succeeds. Included and computed rules may have it.
func (t *projectTree) noTarget(c *shell.Command, open bool) string {
	if !t.all || len(c.Context) > 0 || c.HasFlag("-C", "-f") || len(c.Operands) != 1 || strings.Contains(c.Operands[0], "=") {
		return ""
	}
	target := c.Operands[0]
	if isGenerated(target) || t.has("configure", "configure.ac", "Makefile.am", "Makefile.in", "CMakeLists.txt", "Makefile.PL", "extconf.rb") {
		return "" // the Makefile is made
	}
	texts, phony := t.named("Makefile", "makefile", "GNUmakefile"), false
	for _, makefile := range texts {
		if computedRules.Get().MatchString(makefile) {
			return ""
		}
		for _, m := range ruleLine.Get().FindAllStringSubmatch(makefile, -1) {
			if slices.ContainsFunc(strings.Fields(m[1]), func(name string) bool { return name == target || open && strings.HasPrefix(name, target) }) {
				return ""
			}
		}
		for _, m := range phonyLine.Get().FindAllStringSubmatch(makefile, -1) {
			phony = phony || slices.Contains(strings.Fields(m[1]), target)
		}
	}
	if phony {
		return "no Makefile has a rule for `" + text.Line(target) + "`, which .PHONY names: make does nothing for it"
	}
	if len(texts) == 0 || slices.ContainsFunc(t.files, func(file string) bool { // a built-in rule makes it
		return strings.TrimSuffix(path.Base(file), path.Ext(file)) == target || file == target || strings.HasPrefix(file, target+"/")
	}) {
		return ""
	}
	return "no Makefile has the target `" + text.Line(target) + "`"
}

// noScript says which script no package.json has.
func (t *projectTree) noScript(c *shell.Command, open bool) string {
	if !t.all || len(c.Operands) == 0 || len(c.Context) > 0 {
		return ""
	}
	script := ""
	switch first := c.Operands[0]; {
	case (first == "run" || first == "run-script") && len(c.Operands) > 1:
		script = c.Operands[1]
	case (first == "test" || first == "t") && c.Program != "bun":
		script = "test"
	}
	texts := t.named("package.json")
	if script == "" || len(texts) == 0 || t.runsAnyhow(script) || slices.ContainsFunc(c.Flags, func(f string) bool { return f != "--" }) {
		return ""
	}
	for _, manifest := range texts {
		var read struct {
			Scripts map[string]json.RawMessage `json:"scripts"`
		}
		if json.Unmarshal([]byte(manifest), &read) != nil {
			return ""
		}
		for name := range read.Scripts {
			if name == script || open && strings.HasPrefix(name, script) {
				return ""
			}
		}
	}
	return "no package.json has the script `" + text.Line(script) + "`"
}

// runsAnyhow reports whether a script may run that no package.json has: npm has some of its own, pnpm
// takes expressions and other manifests, and bun runs files.
func (t *projectTree) runsAnyhow(script string) bool {
	return script == "env" || script == "restart" || script == "start" && t.has("server.js") || strings.HasPrefix(script, "/") ||
		t.has("package.json5", "package.yaml") || slices.Contains(t.files, path.Clean(script))
}

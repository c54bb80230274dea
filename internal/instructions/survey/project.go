// Package survey looks at what a project has and at what its instruction files show: its linters and
// commands, what they tell to use and to leave, the specimens in their code, and the places that they name.
package survey

import (
	_ "embed"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/tables"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/shellpattern"
)

// A Project says what the repository has that drafts and statuses depend on.
type Project struct {
	repo.Tree

	Linters  []Linter
	Commands []string // that its instruction files and the scripts of package.json name

	Wanted  map[string][]string // names in `code` that texts say to use, with these texts
	Refused map[string]bool     // names in `code` that texts forbid
	Barred  map[string]bool     // commands that texts forbid to call as they are
	Imports map[string][]string // the files that an instruction file imports, and those that import it
	Shown   map[string]Shows    // what its instruction files show as right, by [statement.File.Path]
	Seen    chainSeen           // its tool chains

	ShellIsBash bool // a text says so of the agent's shell

	byPath []string // commands that texts name with the path of their program

	tests []string // the commands that run its tests, where no file names one
}

// A Linter is a linter or formatter that the project has set up.
type Linter struct {
	Name string // "eslint"
	File string // the file that configures it

	holds *regexp.Regexp
}

//go:embed linters.yaml
var lintersFile []byte

// A tool is a linter that is known.
type tool struct {
	Name, Dependency, Section, Holds string
	Files                            []string
}

var tools = sync.OnceValue(func() (list []tool) {
	tables.Parse("linters.yaml", lintersFile, &list)
	return list
})

// Of looks at the top of a project's folder, and at what its instruction files say,
// for linters and commands. root may be "". A file that cannot be read has none.
func Of(root string, files []statement.File) Project {
	p := Project{Tree: repo.New(root), Refused: map[string]bool{}, Barred: map[string]bool{}, Imports: map[string][]string{}, Shown: map[string]Shows{}, Seen: newChainSeen()}
	seen := map[string]bool{}
	if entries, err := os.ReadDir(root); root != "" && err == nil {
		p.look(root, entries, seen)
	}
	for i := range files {
		all := markdown.Blocks(files[i].Text)
		p.Shown[files[i].Path] = showsOf(all)
		for _, to := range files[i].Imports {
			p.Imports[to], p.Imports[files[i].Path] = append(p.Imports[to], files[i].Path), append(p.Imports[files[i].Path], to)
		}
		for k := range all {
			b := &all[k]
			if !banned(b, all) {
				p.wants(b.Text())
			}
			p.Seen.text(b.Text())
			p.ShellIsBash = p.ShellIsBash || shellIsBash.Get().MatchString(b.Text())
			for _, c := range barredIn(b.Text()) {
				p.Barred[c] = true
			}
			spans, not := forbiddenOf(b.Text())
			for _, n := range not {
				p.Refused[strings.Trim(n, "` ")] = true
			}
			for _, c := range append(spans, b.Code...) {
				c, _, _ = strings.Cut(strings.Trim(c, "` "), " #")
				for part := range strings.SplitSeq(c, "&&") {
					p.Seen.command(part)
					if part = strings.TrimSpace(part); len(part) >= maxCommand {
						continue
					}
					if byPath.Get().MatchString(part) {
						p.byPath = append(p.byPath, part)
					}
					if _, found := seen[part]; !found && sentence.KindOf(part) == sentence.Command {
						seen[part] = true
					}
				}
			}
		}
	}
	maps.DeleteFunc(seen, func(_ string, works bool) bool { return !works })
	p.Commands = slices.Sorted(maps.Keys(seen))
	return p
}

// maxCommand bounds the commands that are kept of texts, in bytes.
const maxCommand = 120

// forbidsNext is the front of a command that a sentence forbids.
var forbidsNext = lazy.Regexp{Source: "(?i)\\b(?:never|do not|don['’]t|avoid) (?:[\\w-]+ ){0,3}(?:`[^`]+`(?:,? (?:or|and|nor) |, |/))*$"}

// forbiddenOf are the parts of a text in `code`: those that it forbids, and the others.
func forbiddenOf(said string) (spans, not []string) {
	for _, at := range markdown.CodeSpan.Get().FindAllStringIndex(said, -1) {
		if forbidsNext.Get().MatchString(said[:at[0]]) {
			not = append(not, said[at[0]:at[1]])
		} else {
			spans = append(spans, said[at[0]:at[1]])
		}
	}
	return spans, not
}

// look reads what the top of a project's folder tells: its commands, and as false those that
// only fail.
func (p *Project) look(root string, entries []fs.DirEntry, commands map[string]bool) {
	var manifest struct {
		Scripts                       map[string]any
		Dependencies, DevDependencies map[string]any
	}
	data, err := safefile.Read(filepath.Join(root, "package.json"), repo.MaxManifest)
	if err == nil && json.Unmarshal(data, &manifest) == nil {
		runner := "npm"
		for _, e := range entries {
			if of := repo.LockedBy(e.Name()); of != "" && of != "npm" {
				runner = of
			}
		}
		for name, does := range manifest.Scripts {
			if body, ok := does.(string); ok && refusal.Get().MatchString(body) {
				for _, runner := range []string{"npm", "pnpm", "yarn", "bun"} {
					commands[runner+" "+name], commands[runner+" run "+name] = false, false
				}
				continue
			}
			cmd := runner + " run " + name
			if name == "test" {
				cmd = runner + " test"
			}
			commands[cmd] = true
		}
	}
	python, _ := safefile.Read(filepath.Join(root, "pyproject.toml"), repo.MaxManifest)
	for _, t := range tools() {
		file := ""
		for _, e := range entries {
			if slices.ContainsFunc(t.Files, func(pattern string) bool { return shellpattern.Match(pattern, e.Name()) }) {
				file = e.Name()
			}
		}
		switch {
		case file != "":
		case t.Dependency != "" && (manifest.Dependencies[t.Dependency] != nil || manifest.DevDependencies[t.Dependency] != nil):
			file = "package.json"
		case t.Section != "" && strings.Contains(string(python), "["+t.Section):
			file = "pyproject.toml"
		default:
			continue
		}
		p.Linters = append(p.Linters, Linter{Name: t.Name, File: file, holds: regexp.MustCompile(t.Holds)})
	}
	if strings.Contains(string(python), "[tool.pytest") {
		p.tests = append(p.tests, "pytest")
	}
	var php struct{ Scripts map[string]any }
	if data, err := safefile.Read(filepath.Join(root, "composer.json"), repo.MaxManifest); err == nil && json.Unmarshal(data, &php) == nil && php.Scripts["test"] != nil {
		p.tests = append(p.tests, "composer test")
	}
	named := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	if named("spec") && named("Gemfile") && !named(".rspec") {
		p.tests = append(p.tests, "bundle exec rspec")
	}
	for _, e := range entries {
		p.Seen.file(e.Name())
		if cmd := map[string]string{"go.mod": "go test ./...", "Cargo.toml": "cargo test"}[e.Name()]; cmd != "" {
			commands[cmd] = true
		}
		for pattern, cmd := range testsBy {
			if shellpattern.Match(pattern, e.Name()) && !slices.Contains(p.tests, cmd) {
				p.tests = append(p.tests, cmd)
			}
		}
	}
	slices.Sort(p.tests)
}

// testsBy are the commands that run the tests of a project whose files name none, by patterns of the
// files that tell its kind.
var testsBy = map[string]string{
	"*.sln": "dotnet test", "*.slnx": "dotnet test", "pom.xml": "mvn test", "mvnw": "./mvnw test", "gradlew": "./gradlew test",
	"mix.exs": "mix test", "Package.swift": "swift test", "pytest.ini": "pytest", ".rspec": "bundle exec rspec", "tox.ini": "tox",
}

// refusal is a script that only says why it fails.
var refusal = lazy.Regexp{Source: `^\s*echo\b[^&;|]*(?:&&|;)\s*exit [1-9]\d*\s*$`}

// LinterOf is the linter of the project that can hold a statement, or "". None sees which commands
// run, and one sees messages of commits.
func (p *Project) LinterOf(s *statement.Statement) string {
	said := strings.ToLower(s.Text)
	runs := s.Kind != statement.Content && slices.ContainsFunc(s.Phrases, func(p sentence.Phrase) bool { return forms.Has(p.Words, "c") })
	for i := range p.Linters {
		if l := &p.Linters[i]; l.holds != nil && l.holds.MatchString(said) && !runs && (l.Name == "commitlint" || !messageLimits.Get().MatchString(said)) {
			return l.Name
		}
	}
	return ""
}

// messageLimits is about the length of messages of commits.
var messageLimits = lazy.Regexp{Source: `\bcommit (?:limits|messages?|subjects?|titles?)\b`}

// part is a command that does a job for one file, or one test.
var part = lazy.Regexp{Source: `::|\.(?:py|ts|tsx|js|go|rs|rb)\b|<| -(?:k|run|t|p)\b| --(?:bin|test|package|filter|example)\b`}

// CommandsOf are the commands that do a job, by its name in a sentence.
func (p *Project) CommandsOf(said string) (list []string) {
	job := JobOf(said)
	for _, c := range p.Commands {
		c, _, _ := strings.Cut(c, " <")
		if tool := said == "clippy"; (tool && strings.Contains(c, said) || !tool && forms.All().ByJob[job].Get().MatchString(c)) && !part.Get().MatchString(c) && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	switch {
	case said == "clippy" && len(list) == 0:
		return []string{"cargo clippy"}
	case job == "test" && len(list) == 0:
		return p.tests
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(strings.Fields(a)) - len(strings.Fields(b)) })
	return list[:min(len(list), 4)]
}

// Runs reports whether the files of the project name a run of a program.
func (p *Project) Runs(program string) bool {
	return p != nil && slices.ContainsFunc(p.Commands, func(c string) bool { return strings.HasPrefix(c, program+" ") })
}

// JobOf is the job that words name.
func JobOf(said string) string {
	job := "test"
	switch {
	case strings.HasPrefix(said, "lint"):
		job = "lint"
	case strings.HasPrefix(said, "type"):
		job = "typecheck"
	case strings.HasPrefix(said, "build"):
		job = "build"
	case strings.HasPrefix(said, "format"):
		job = "format"
	case strings.HasPrefix(said, "check"):
		job = "checks"
	}
	return job
}

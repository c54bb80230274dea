package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// manifestOf is the file without which programs have nothing to run in a folder.
var manifestOf = map[string]string{
	"npm": "package.json", "npx": "package.json", "pnpm": "package.json", "yarn": "package.json", "bun": "package.json", "bunx": "package.json", "jest": "package.json", "vitest": "package.json", "mocha": "package.json",
	"cargo": "Cargo.toml", "go": "go.mod", "bundle": "Gemfile", "rspec": "Gemfile", "composer": "composer.json", "mix": "mix.exs", "flutter": "pubspec.yaml", "dart": "pubspec.yaml",
	"make": "Makefile", "task": "Taskfile.yml", "uv": "pyproject.toml", "poetry": "pyproject.toml",
}

// onlyAbove reports whether commands of the instruction file of a folder run in the project's folder:
// only there it has what all of these programs need. Where the line wants a program that the folder has a
// manifest for, it is about that folder.
func (b *builder) onlyAbove(scope []string, dir string) bool {
	if !b.p.Whole() || dir == "" || b.hasManifest(dir) {
		return false
	}
	needed := ""
	for _, s := range scope {
		program, _, _ := strings.Cut(s, " ")
		file := manifestOf[program]
		if file == "" || needed != "" && file != needed {
			return false
		}
		needed = file
	}
	return needed != "" && b.p.Has(needed) && !slices.ContainsFunc(b.p.Files(), func(f string) bool { return strings.Contains(f, "/") && path.Base(f) == needed })
}

// hasManifest reports whether a folder has the manifest of a program that the line wants.
func (b *builder) hasManifest(dir string) bool {
	return slices.ContainsFunc(b.hit.Terms("use"), func(t sentence.Term) bool {
		file := manifestOf[sentence.Program(sentence.Cleaned(t))]
		return file != "" && b.p.Has(path.Join(dir, file))
	})
}

package instructions

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/scope"
)

var (
	// adders are the commands that bring packages to a version.
	adders = []string{"npm install *", "npm i *", "npm add *", "npm update *", "npm upgrade *", "pnpm add *", "pnpm update *", "pnpm up *", "yarn add *", "yarn upgrade *", "yarn up *", "bun add *", "bun update *",
		"cargo add *", "cargo update *", "uv add *", "uv pip install *", "pip install *", "poetry add *", "poetry update *", "go get *", "gem install *", "bundle update *", "bundle add *", "composer require *", "composer update *", "dotnet add *"}
	// manifestFiles name packages with their versions.
	manifestFiles = []string{"**/package.json", "**/Cargo.toml", "**/pyproject.toml", "**/requirements*.{txt,in}", "**/go.mod", "**/Gemfile", "**/composer.json", "**/*.csproj", "**/Directory.Packages.props", "**/pubspec.yaml", "**/*.gradle", "**/*.gradle.kts", "**/libs.versions.toml"}
	// ofPackage is the name of a package as its managers know it.
	ofPackage = lazy.Regexp{Source: `^(?:@[a-z][\w.-]*/)?[A-Za-z][\w.-]*(?:/[\w.-]+)*$`}
	// leading is a version without smaller parts.
	leading = lazy.Regexp{Source: `^[v^~>=]*(\d+)(?:\.[x*])?$`}
)

// pinned forbids other versions of a package, or those from one on that a line names.
func (b *builder) pinned() []ruleFile {
	list := b.hit.terms("package")
	if len(list) != 1 || !ofPackage.Get().MatchString(list[0].text) || !b.p.dependsOn(list[0].text) {
		return nil
	}
	name, major := list[0].text, b.hit.slots["major"]
	if to := b.hit.terms("version"); len(to) > 0 {
		m := leading.Get().FindStringSubmatch(to[0].text)
		if m == nil {
			return nil
		}
		major = m[1]
	}
	if n, err := strconv.Atoi(major); err == nil && b.has("past") {
		major = strconv.Itoa(n + 1)
	}
	quoted, version, message := regexp.QuoteMeta(name), `(?:[@=<>~^]|$)`, "Leave the version of "+name+" as it is."
	if major != "" {
		version, message = `(?:@|==|[~^>=]+)[v^~>=]*`+major+`(?:\D|$)`, "Leave "+name+" below version "+major+"."
	}
	calls := ruleFile{ID: name, Trigger: "bash", Scope: adders, When: fmt.Sprintf("any(cmd.args, # matches `^%s%s`)", quoted, version), Message: message}
	calls.why = "It stops commands that bring " + name + " to another version."
	bad, other := "npm install "+name+"@"+cmp.Or(major, "99"), "npm install zz-other@"+cmp.Or(major, "99")
	calls.Tests = []ruleCase{stops(ruleCase{Bash: bad}), passes(ruleCase{Bash: other}), passes(ruleCase{Bash: "npm ci"})}
	files := ruleFile{ID: name + " in manifests", Trigger: "file_write", Scope: manifestFiles, Message: message}
	of := `[^\n,}]*`
	if major != "" {
		of = `[\s"'{]*(?:version\s*[=:]\s*["'])?[v^~>=<\s]*` + major + `(?:\D|$)`
	}
	files.When = "addsMatch(`(?m)(?:^|[\\s\"'])" + quoted + `["']?\s*(?:[:=@~^><!]+|\s+v?(?:\d))` + of + "`)"
	files.why = "It stops changes of the version of " + name + " in a manifest."
	line := fmt.Sprintf("  %q: \"^%s.0.0\",", name, cmp.Or(major, "99"))
	files.Tests = []ruleCase{stops(ruleCase{Write: "package.json", Content: line}), passes(ruleCase{Write: "package.json", Content: strings.Replace(line, name, "zz-other", 1)}), passes(ruleCase{Write: "src/a.ts", Content: line})}
	return []ruleFile{calls, files}
}

// dependsOn reports whether a manifest at the top of the project names a package; true where that
// is not known.
func (p *Project) dependsOn(name string) bool {
	if !p.known() {
		return true
	}
	named := regexp.MustCompile(`(?:^|[^\w/.@-])` + regexp.QuoteMeta(name) + `(?:$|[^\w/.-])`)
	manifests := scope.NewPaths(manifestFiles, false)
	for _, f := range p.tree().files {
		if _, is := manifests.Match(f); !is {
			continue
		}
		if data, err := safefile.Read(filepath.Join(p.root, filepath.FromSlash(f)), maxManifest); err == nil && named.Match(data) {
			return true
		}
	}
	return false
}

package instructions

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// ofPackage is the name of a package as its managers know it.
	ofPackage = lazy.Regexp{Source: `^(?:@[a-z][\w.-]*/)?[A-Za-z][\w.-]*(?:/[\w.-]+)*$`}
	// leading is a version without smaller parts.
	leading = lazy.Regexp{Source: `^[v^~>=]*(\d+)(?:\.[x*])?$`}
)

// pinned forbids other versions of a package, or those from one on that a line names.
func (b *builder) pinned() []ruletext.Rule {
	list := b.hit.Terms("package")
	if len(list) != 1 || !ofPackage.Get().MatchString(list[0].Text) || !b.p.DependsOn(list[0].Text) {
		return nil
	}
	name, major := list[0].Text, b.hit.Slots["major"]
	if to := b.hit.Terms("version"); len(to) > 0 {
		m := leading.Get().FindStringSubmatch(to[0].Text)
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
	calls := ruletext.Rule{ID: name, Trigger: "bash", Scope: versionActs(), When: fmt.Sprintf("any(cmd.args, # matches `^%s%s`)", quoted, version), Message: message}
	calls.Why = "It stops commands that bring " + name + " to another version."
	bad, other := "npm install "+name+"@"+cmp.Or(major, "99"), "npm install zz-other@"+cmp.Or(major, "99")
	calls.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: bad}), ruletext.AsPass(ruletext.Case{Bash: other}), ruletext.AsPass(ruletext.Case{Bash: "npm ci"})}
	files := ruletext.Rule{ID: name + " in manifests", Trigger: "file_write", Scope: pathglob.Each(repo.Manifests, inAnyFolder), Message: message}
	of := `[^\n,}]*`
	if major != "" {
		of = `[\s"'{]*(?:version\s*[=:]\s*["'])?[v^~>=<\s]*` + major + `(?:\D|$)`
	}
	files.When = "addsMatch(`(?m)(?:^|[\\s\"'])" + quoted + `["']?\s*(?:[:=@~^><!]+|\s+v?(?:\d))` + of + "`)"
	files.Why = "It stops changes of the version of " + name + " in a manifest."
	line := fmt.Sprintf("  %q: \"^%s.0.0\",", name, cmp.Or(major, "99"))
	files.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "package.json", Content: line}), ruletext.AsPass(ruletext.Case{Write: "package.json", Content: strings.Replace(line, name, "zz-other", 1)}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: line})}
	return []ruletext.Rule{calls, files}
}

// versionActs are the commands that bring packages to a version.
func versionActs() (list []string) {
	for _, name := range []string{"dependencies", "upgrade-dependencies"} {
		list = append(list, forms.ActOf(sentence.Term{Kind: 'a', Text: name}).Commands...)
	}
	return list
}

// atVersion is a package at a version, as commands that install it name it.
var atVersion = lazy.Regexp{Source: `^@?[a-z][\w.-]*(?:/[\w.-]+)?@(?:latest|next|canary|beta|[~^v]{0,2}\d[\w.]*)$`}

// versionBanned is a rule about a package at a version, which commands bring.
func (b *builder) versionBanned(t sentence.Term) (r ruletext.Rule, ok bool) {
	if !atVersion.Get().MatchString(t.Text) {
		return r, false
	}
	name, version, _ := strings.Cut(t.Text[1:], "@")
	name = t.Text[:1] + name
	end := "$"
	if strings.ContainsAny(version, "0123456789") && !strings.Contains(version, ".") { // all of a major version
		end = `(?:\.|$)`
	}
	r = ruletext.Rule{ID: t.Text, Trigger: "bash", Scope: versionActs(), Message: b.withUnless("Install another version of " + name + ".")}
	r.When = fmt.Sprintf("any(cmd.args, # matches `^%s@[v^~]{0,2}%s%s`)", regexp.QuoteMeta(name), regexp.QuoteMeta(strings.TrimLeft(version, "v^~")), end)
	r.Why = "It stops commands that install " + t.Text + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "npm install " + t.Text}), ruletext.AsStop(ruletext.Case{Bash: "pnpm add " + t.Text}), ruletext.AsPass(ruletext.Case{Bash: "npm install " + name}), ruletext.AsPass(ruletext.Case{Bash: "npm install zz-other@" + version})}
	return r, true
}

// forbiddenPackage is a rule about imports of a package, and about the manifests that name it.
func (b *builder) forbiddenPackage(t string) (r ruletext.Rule, ok bool) {
	name, imports := regexp.QuoteMeta(t), fmt.Sprintf("import x from %q", t)
	const other = "import x from \"other\""
	if words := b.hit.Phrase.Words; inTests.Get().MatchString(words) && !tested.Get().MatchString(words) {
		return r, false
	}
	r = ruletext.Rule{ID: "package " + t, Trigger: "file_write", Exclude: repo.Documents, Why: "It stops writes that add an import of " + t + ", or a line of a manifest that names it."}
	r.When = putsIn(`(?m)^\s*(import|from|use|require|#include|extern crate)(\s[^\n]*?[^\w@/.-]|\s)(?<a>`+name+`)($|[^\w-])|(from|require\(|import\()\s*["'](?<b>`+name+`)["'/]`) +
		"\n  or path matches `(^|/)(package\\.json|Gemfile|go\\.mod|[^/]+\\.toml)$` and " + putsIn(`(?m)^\s*["']?(?<name>`+name+`)["']?\s*[:=]\s*[{"'^~\d]`)
	if b.wantsInside(t) { // its other modules, and no line of a manifest
		r.When = putsIn(`(?m)^\s*(import|from|use|require)(\s[^\n]*?[^\w@/.-]|\s)(?<a>` + name + `)($|[^\w/-])|(from|require\(|import\()\s*["'](?<b>` + name + `)["']`)
		r.Why = "It stops writes that add an import of " + t + "."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "src/a.ts", Content: imports}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: fmt.Sprintf("import x from %q", t+"/a")}), ruletext.AsPass(ruletext.Case{Write: "package.json", Content: fmt.Sprintf("  %q: \"^1.0.0\"", t)})}
		return r, len(b.within()) == 0
	}
	ofGo := b.aboutGo()
	if ofGo {
		r.When += "\n  or path matches `\\.(go|mod)$` and " + putsIn(`(?m)^\s*(?:import\s+|require\s+)?(?:[\w.]+\s+)?"?[\w-]+\.[a-z]{2,}/(?:[\w./-]*/)?(?<module>`+name+`)(?:/[\w./-]*)?("|\sv\d)`)
	}
	if within := b.within(); len(within) > 0 {
		if b.formed("imports") {
			return r, false
		}
		p := pathglob.Sample(within[0])
		r.Scope, r.Exclude = within, nil
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: imports}), ruletext.AsPass(ruletext.Case{Write: p, Content: other}), ruletext.AsPass(ruletext.Case{Write: "elsewhere/a.ts", Content: imports})}
		return r, true
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "package.json", Content: fmt.Sprintf("  %q: \"^1.0.0\"", t)}), ruletext.AsStop(ruletext.Case{Write: "src/a.ts", Content: imports}),
		ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: other}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: "import " + t})}
	if ofGo {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: "src/a.go", Content: "import (\n\t\"example.com/x/" + t + "/y\"\n)"}), ruletext.AsPass(ruletext.Case{Write: "src/a.go", Content: "import \"example.com/x\""}))
	}
	for _, use := range b.hit.Terms("use") {
		if package_.Get().MatchString(use.Text) {
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: fmt.Sprintf("import x from %q", use.Text)}))
		}
	}
	return r, true
}

// wantsInside reports whether the line wants a module inside of a package, whose own name it forbids.
func (b *builder) wantsInside(t string) bool {
	return slices.ContainsFunc(b.hit.Terms("use"), func(u sentence.Term) bool {
		return strings.HasPrefix(u.Text, t+"/") || strings.Contains(u.Text, "'"+t+"/") || strings.Contains(u.Text, `"`+t+"/")
	})
}

// aboutGo reports whether a line is about Go, as far as its language is known.
func (b *builder) aboutGo() bool {
	return slices.ContainsFunc(b.languagesOf(), func(l forms.Language) bool { return slices.Contains(l.Files, "**/*.go") }) ||
		b.p.Known() && b.p.Has(path.Join(b.s.OfFolder(), "go.mod")) && !b.p.Has(path.Join(b.s.OfFolder(), "package.json"))
}

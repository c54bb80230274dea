package instructions

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

var (
	// headerName is a header of C or C++ as it is included.
	headerName = lazy.Regexp{Source: `^(?:#include )?[<"]([\w./+-]+\.(?:h|hh|hpp|hxx))[>"]$`}
	// genericType is a type of Python's with types for any.
	genericType = lazy.Regexp{Source: `^(?:typing\.)?(Union|Optional|List|Dict|Tuple|Set|FrozenSet|Type)\[(?:[A-Z]\w?|Any|str|int|bool|float|bytes|object|\.\.\.)(?:, ?(?:[A-Z]\w?|Any|str|int|bool|float|bytes|object|\.\.\.))*\]$`}
	// ofImages is a line about the tags of containers' images.
	ofImages = lazy.Regexp{Source: `\bimages?\b|\btags?\b[^.]*\b(?:docker|containers?)\b`}
	// ofInterface is a member of an interface of C#, which code calls on a value.
	ofInterface = lazy.Regexp{Source: `^I([A-Z]\w+)\.([A-Z]\w*)(\*?)(?:\(\))?$`}
	// sigil is one of Elixir's.
	sigil = lazy.Regexp{Source: `^~[A-Za-z]$`}
)

// banned is a rule about one name: of those that are written in a way of their own, or as they are.
func (b *builder) banned(t string) (ruletext.Rule, bool) {
	if t == "latest" && ofImages.Get().MatchString(b.hit.Phrase.Words) {
		t = ":latest"
	}
	var files []string
	var pattern, bad, good string
	m := func(re *lazy.Regexp) string { return strings.Join(re.Get().FindStringSubmatch(t), "\n") }
	if of := m(&headerName); of != "" {
		_, name, _ := strings.Cut(of, "\n")
		files, pattern = []string{"**/*.{c,h,cc,cpp,cxx,c++,hh,hpp,hxx,h++,m,mm}"}, `(?m)^\s*#\s*include\s*[<"]`+regexp.QuoteMeta(name)+`[>"]`
		bad, good = "#include <"+name+">", `#include "other.h"`
		if strings.HasPrefix(strings.TrimPrefix(t, "#include "), `"`) {
			bad = `#include "` + name + `"`
		}
	} else if of := m(&genericType); of != "" {
		_, name, _ := strings.Cut(of, "\n")
		files, pattern = []string{"**/*.{py,pyi}"}, `\b`+name+`\[`
		bad, good = "a: "+name+"[int, str]", "a: int | str"
	} else if m := ofInterface.Get().FindStringSubmatch(t); m != nil {
		files, pattern = []string{"**/*.cs"}, `(?i:\w*`+m[1]+`)\.`+m[2]+map[bool]string{true: `\w*`, false: `\b`}[m[3] != ""]
		bad, good = "_"+strings.ToLower(m[1])+"."+m[2]+"(a);", "other.Call(a);"
	} else if sigil.Get().MatchString(t) {
		files, pattern = []string{"**/*.{ex,exs,heex}"}, `(^|[^\w~])`+t+`["'(\[{/|<]`
		bad, good = t+`"""`, `~Z"""`
	} else if of, shown := formOf(t); of != "" {
		files, _ = b.codeFiles()
		pattern, bad, good = of, shown, "other"
	}
	if of, with, without := b.thrown(t); of != "" && !b.p.UsesWidely(t, b.s.Globs, nil) {
		pattern, bad, good = of, with, without
		if files, _ = b.codeFiles(); inTests.Get().MatchString(b.hit.Phrase.Words) && !tested.Get().MatchString(b.hit.Phrase.Words) {
			files, _ = b.testsBelow()
		}
	}
	if pattern == "" {
		r, ok := b.forbidden(t)
		return r, ok && b.exceptThere(&r)
	}
	if len(b.s.Globs) > 0 {
		files = b.s.Globs
	}
	if files = b.below(files); len(b.within()) > 0 {
		files = b.within()
	}
	r := ruletext.Rule{ID: t, Trigger: "file_write", Scope: files, When: putsIn(pattern)}
	r.Why = whyForbidden(t)
	p := pathglob.Sample(files[0])
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: bad}), ruletext.AsPass(ruletext.Case{Write: p, Content: good}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: bad})}
	b.exceptTests(&r)
	return r, true
}

// knownWord forbids a word of a language that is written in a way of its own.
func (b *builder) knownWord() []ruletext.Rule {
	if list := b.hit.Terms("deny"); len(list) != 1 || len(writings(list[0].Text, list[0].Text)) == 0 {
		return nil
	}
	return b.content()
}

// ofConfig are files of settings.
var ofConfig = []string{"**/config/**", "**/configs/**", "**/settings/**", "**/*.config.*", "**/*config.*", "**/*Config.*", "**/settings.*"}

// elsewhereOnly is where a name is not to be: outside of files of settings, or of files that it names.
var elsewhereOnly = lazy.Regexp{Source: `^(?: \w+)?(?: directly)? (?:outside(?: of)?|except (?:in|inside|within)|other than in|anywhere (?:but|except|other than)(?: in)?) (?:the |your )?(?:(?:config(?:uration)?|settings)(?: files?| folder| directory)?(?:$|[^\w])|(‹p\d+›(?:(?:,? (?:or|and) |, )(?:the )?‹p\d+›)*))`}

// exceptThere leaves the files in which a line allows a name out of the rule about it. It is not ok
// if the only files that may have it are not known.
func (b *builder) exceptThere(r *ruletext.Rule) (ok bool) {
	behind, _ := b.after("deny")
	m := append(elsewhereOnly.Get().FindStringSubmatch(behind), "", "")
	if m[0] == "" && !b.has("home") || len(r.Tests) == 0 {
		return true
	}
	allowed := ofConfig
	if named := b.hit.Phrase.TermsIn(m[1] + b.hit.Slots["home"]); len(named) > 0 {
		allowed = nil
		for _, t := range named {
			list := statement.GlobsOf(b.p.Placed(t.Text, b.s.Base()))
			if len(list) == 0 {
				return !b.has("home")
			}
			allowed = append(allowed, pathglob.Each(list, inAnyFolder)...)
		}
	} else {
		r.Warns = true // which files these are, a name does not show
	}
	if _, all := scope.NewPaths(allowed, false).Match(r.Tests[0].Write); all {
		return !b.has("home") // the rule would be about nothing
	}
	r.Exclude = append(slices.Clone(r.Exclude), allowed...)
	last := pathglob.Sample(allowed[len(allowed)-1])
	if strings.HasSuffix(allowed[len(allowed)-1], "/**") {
		last = path.Dir(last) + "/a" + path.Ext(r.Tests[0].Write)
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: last, Content: r.Tests[0].Content}))
	return true
}

// inAnyFolder is a pattern of the files of a name, wherever they are.
func inAnyFolder(glob string) string {
	if strings.Contains(glob, "/") {
		return glob
	}
	return "**/" + glob
}

// actionShas wants actions of GitHub by the hash of a commit.
func (b *builder) actionShas() []ruletext.Rule {
	if strings.Contains(b.hit.Phrase.Words, "third-party") || strings.Contains(b.hit.Phrase.Words, "external") {
		b.hit.Severity = forms.Reminder // which an action is, a name does not show
	}
	r := ruletext.Rule{ID: "of actions", Trigger: "file_write", Scope: []string{".github/workflows/*.{yml,yaml}", "**/action.{yml,yaml}"}, Message: "Name the action by the full hash of a commit."}
	r.When = "content matches " + strconv.Quote(`(?m)\buses:\s*["']?[\w.-]+/[\w./-]+@[\w./-]{1,39}["']?\s*(#|$)`)
	r.Why = "It stops workflows with an action that is not named by the hash of a commit."
	p, hash := ".github/workflows/ci.yml", strings.Repeat("0123456789", 4)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "      - uses: actions/checkout@v4"}), ruletext.AsStop(ruletext.Case{Write: p, Content: "      uses: a/b/.github/workflows/c.yml@main # main"}),
		ruletext.AsPass(ruletext.Case{Write: p, Content: "      - uses: actions/checkout@" + hash + " # v4"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "      - uses: ./.github/actions/a"}), ruletext.AsPass(ruletext.Case{Write: "docs/a.yml", Content: "uses: actions/checkout@v4"})}
	return []ruletext.Rule{r}
}

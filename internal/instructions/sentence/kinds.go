package sentence

import (
	"path"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// Endings are those of files. They show that a text in `code` is a path.
	Endings = lazy.Regexp{Source: `(?i)\.(go|ts|tsx|js|jsx|mjs|cjs|mts|py|pyi|rs|rb|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|zsh|ps1|sql|cql|md|mdx|mdc|txt|json|jsonc|json5|jsonl|yaml|yml|toml|lock|lockb|ini|cfg|conf|env|xml|html|css|scss|svg|proto|graphql|prisma|tf|tfvars|ipynb|vue|svelte|gradle|properties|csproj|fsproj|vbproj|props|targets|sln|snap|golden|pem|key|po|mod|sum|ex|exs|lua|zig|r|jl|elm|fs|fsx|clj|cljs|hs|ml|mli|sol|glsl|nix|dart|tmpl|rst|adoc|csv|db|sqlite|plist|strings|stringsdict|xcstrings|resx|graphqls|storyboard|xib|xcodeproj|pbxproj|bazel|gen)$`}
	// PathForm is the form of a path, also of one with signs of patterns.
	PathForm = lazy.Regexp{Source: `^[\w.*?@~<>{}\[\],/+$-]+$`}
	// Known are names of files and folders that are known without an ending.
	Known = lazy.Regexp{Source: `^(?:[Nn]u[Gg]et\.[Cc]onfig|[Ww]eb\.config|App\.config|packages\.config|Package\.resolved|Makefile|Dockerfile|LICENSE|NOTICE|COPYING|AUTHORS|MAINTAINERS|\.DS_Store|CHANGELOG|Justfile|justfile|Taskfile|Gemfile|Rakefile|Procfile|CODEOWNERS|Cargo\.lock|go\.sum|node_modules|__pycache__|\.[a-z][\w.-]+[\w*])/?$`}
	anyOf = lazy.Regexp{Source: `^(?:\*\*/)?[\w.-]*\*[\w-]*(?:\.[\w*-]+)+$`} // *.xlf, eslint.config.*
	// script is a program that a project has itself.
	script  = lazy.Regexp{Source: `^(?:\./|(?:scripts?|bin|hack|tools|ci|vendor/bin|\.venv/bin|node_modules/\.bin)/)[\w.$/-]+$`}
	dotCall = lazy.Regexp{Source: `^\.\w+(?:\(|$)`}
	// ModulePath is that of a module of Go.
	ModulePath = lazy.Regexp{Source: `^(?:github\.com/[\w.-]+|gitlab\.com/[\w.-]+|golang\.org/x|google\.golang\.org|gopkg\.in|go\.uber\.org|k8s\.io)/[\w.-]+(?:/v\d+)?$`}
)

// KindOf says what a text in `code` is.
func KindOf(s string) byte {
	first, rest, more := strings.Cut(strings.TrimPrefix(s, "$ "), " ")
	if withVariables.Get().MatchString(s) {
		return Command
	}
	for strings.Contains(first, "=") && more && !strings.HasPrefix(first, "-") {
		first, rest, more = strings.Cut(rest, " ")
	}
	switch {
	case strings.HasPrefix(s, "process.env"):
		return Name
	case strings.HasPrefix(s, "-") && len(s) > 1:
		return Flag
	case Words().IsProgram[first] || more && (first == "cd" || Words().TakesArguments[first]):
		return Command
	case more && (script.Get().MatchString(first) || path.Ext(first) == ".sh" || path.Ext(first) == ".py" || path.Ext(first) == ".ps1") && !strings.Contains(s, "→") && !strings.Contains(s, "->"):
		return Command
	case more, ModulePath.Get().MatchString(s):
		return Name
	case anyOf.Get().MatchString(s), strings.HasSuffix(s, ".config.*"):
		return File
	case !PathForm.Get().MatchString(s) || strings.Contains(s, "://") || strings.HasPrefix(s, "@") || s == "/" || strings.HasSuffix(s, "()"):
		return Name
	case Endings.Get().MatchString(s) && !strings.HasPrefix(s, "<"), Known.Get().MatchString(s) && (!dotCall.Get().MatchString(s) || DotFile(s)):
		return File
	case strings.Contains(s, "/") && !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/"):
		return File
	}
	return Name
}

// withVariables is a program by its path, with variables for it in front.
var withVariables = lazy.Regexp{Source: `^(?:[A-Z_][A-Z\d_]*=\S* )+/[\w./-]+(?: |$)`}

// DotFile reports whether a name that begins with a dot is a file's and no method's.
func DotFile(s string) bool {
	base := strings.TrimRight(s, "/*")
	return strings.HasSuffix(s, "/") ||
		strings.HasPrefix(base, ".env") ||
		strings.HasPrefix(base, ".git") ||
		strings.HasPrefix(base, ".claude") ||
		strings.HasSuffix(base, "rc") ||
		strings.HasSuffix(base, "ignore") ||
		strings.HasSuffix(base, "-version") ||
		strings.HasSuffix(base, "-versions") ||
		base == ".editorconfig" ||
		base == ".DS_Store"
}

// barePath reports whether a word of plain text is a path.
func barePath(s string) bool {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "@") || !PathForm.Get().MatchString(s) || strings.HasPrefix(s, "*") && !strings.Contains(s, ".") {
		return false
	}
	if strings.HasPrefix(s, ".env") || strings.HasSuffix(strings.ToLower(s), ".config") && Known.Get().MatchString(s) || Ending.Get().MatchString(s) && Endings.Get().MatchString(s) {
		return true
	}
	stem := strings.TrimSuffix(s, path.Ext(s))
	if framework.Get().MatchString(s) || stem == "" {
		return false
	}
	return Endings.Get().MatchString(s) && len(stem) > 1 || strings.HasSuffix(s, "/") && len(s) > 3 || below.Get().MatchString(s)
}

var (
	// below is a path without an ending in a folder that sources are in. Words such as
	// client/server and docs/tests are alternatives.
	below = lazy.Regexp{Source: `^(?:\./)?(?:src|libs?|pkg|packages|cmd|internal|crates|apps?|modules|vendor|third_party|db|database|infra|config|scripts|public|static|assets|\.[a-z][\w-]*)/[\w.*@+-]{2,}(?:/[\w.*@+-]+)*$`}
	// folderWord is a folder that is named without a slash: the vendor directory.
	folderWord = lazy.Regexp{Source: `^(?:vendor|dist|node_modules|third_party|generated|migrations|fixtures|legacy|public|assets|snapshots|testdata|infra|terraform|archive) (?:folder|directory|dir)\b`}
	// agentFolder is a folder that is named by its dot alone.
	agentFolder = lazy.Regexp{Source: `^\.(?:github|claude|cursor|vscode|husky|devcontainer|circleci)$`}
	// hooked are the hooks that a program runs, and no command.
	hooked = lazy.Regexp{Source: `^(?:pre-commit|husky|lefthook) (?:hooks?|framework|config\w*|checks?|stage|phase)\b`}
	// member and call are code in plain text: console.log, unwrap(), os.system().
	member = lazy.Regexp{Source: `^[a-z_]\w+\.[a-z_]\w+$|^[A-Z][a-z]\w+\.[A-Z][a-z]\w+$|^[A-Z]\w+\.[a-z]\w+\.[a-z]\w+$`}
	call   = lazy.Regexp{Source: `^(?:\w+\.)*[A-Za-z_]\w+!?\(\)$`}
	domain = lazy.Regexp{Source: `(?i)\.(?:com|org|net|io|dev|ai|app|co|sh|so|me|gg|de|eu|edu|gov)$`}
)

// plainCode reports whether a word of plain text can only be code.
func plainCode(s string) bool {
	return call.Get().MatchString(s) || member.Get().MatchString(s) && !Endings.Get().MatchString(s) && !domain.Get().MatchString(s)
}

var framework = lazy.Regexp{Source: `^[A-Z][a-z]+\.(?:js|go|md|py|c|h|key|env)$|^(?i)(?:node|next|vue|nuxt|express|three|d3|react|chart|alpine|discord|ember|moment|e\.g|i\.e)\.js$`}

// Ending is one of files alone, with its dot.
var Ending = lazy.Regexp{Source: `^\.[a-z]{1,12}$`}

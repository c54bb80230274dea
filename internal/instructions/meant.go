package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// The words of a line, and what its file names, tell which files it is about. The lists of usual
// endings are for lines that do not tell.

// manifestsOf are the files of dependencies that commands are about, and one of them: of one tool
// chain where all of the commands are programs of it, which know no other files.
func manifestsOf(names []string) (list []string, one string) {
	chain := ""
	for _, name := range names {
		of := map[string]string{"cargo": "Cargo.", "go": "go.", "bundle": "Gemfile", "composer": "composer.", "mix": "mix."}[sentence.Program(name)]
		if of == "" || chain != "" && chain != of {
			return repo.Manifests, "package.json"
		}
		chain = of
	}
	list = slices.DeleteFunc(slices.Clone(repo.Manifests), func(m string) bool { return !strings.HasPrefix(m, chain) })
	return list, list[0]
}

// dependencies are words for what a project needs, and for changes of that.
var dependencies = lazy.Regexp{Source: `\b(?:deps?|dependenc(?:y|ies)|bump(?:s|ed|ing)?|lock ?files?|(?:locked|resolved|pinned|python|pip)(?: requirements)? requirements|requirements files?)\b`}

// ofMoreThan is a case about several things.
var ofMoreThan = lazy.Regexp{Source: `\b(?:or|and|injection)\b|[,/&]`}

// intoManifest reports whether what has to change is itself a file that names dependencies.
func (b *builder) intoManifest() bool {
	paths := scope.NewPaths(repo.Manifests, false)
	return slices.ContainsFunc(b.hit.Terms("with"), func(t sentence.Term) bool { _, ok := paths.Match(t.Text); return ok })
}

// onDependencies reports whether what has to run is for changes of what a project needs.
func (b *builder) onDependencies() bool {
	t := b.termOf(sentence.Mark.Get().FindString(b.hit.Slots["words"]))
	return dependencies.Get().MatchString(b.hit.Slots["generic"]+b.hit.Slots["words"]) || t.Kind == 'a' && slices.Contains([]string{"dependencies", "upgrade-dependencies", "version-bump"}, t.Text)
}

// filesIn are files of a kind in folders: "JSON files in ‹p› and ‹p›".
var filesIn = lazy.Regexp{Source: `\b(?:(json|ya?ml|toml|markdown|md|html|css|scss|sql|xml|shell|csv|‹p\d+›) )?(?:files?|file ?names?) (?:names? )?(?:in|under|inside|within|below) (?:the )?((?:‹p\d+›(?:, and |, or |, | and | or |/|, )?)+)`}

// endingOf is the ending of a kind of files that a line names.
func endingOf(kind string) string {
	switch kind {
	case "markdown", "md":
		return "{md,mdx}"
	case "yaml", "yml":
		return "{yml,yaml}"
	case "shell":
		return "{sh,bash}"
	}
	return kind
}

// filesInFolders are the files that a sentence is about by their folders, and by their kind where
// it names one.
func (b *builder) filesInFolders() (globs []string) {
	m := filesIn.Get().FindStringSubmatch(b.hit.Phrase.Words)
	if m == nil {
		return nil
	}
	all, _ := b.codeFiles()
	if of := b.termOf(m[1]).Text; of != "" {
		all = statement.GlobsOf(of)
	} else if m[1] != "" {
		all = []string{"**/*." + endingOf(m[1])}
	}
	for _, t := range b.hit.Phrase.TermsIn(m[2]) {
		for _, g := range statement.GlobsOf(t.Text) {
			dir, ok := strings.CutSuffix(g, "/**")
			if !ok {
				continue
			}
			for _, a := range all {
				if strings.HasPrefix(a, "**/") {
					globs = append(globs, dir+"/"+a)
				}
			}
		}
	}
	return globs
}

var (
	// yamlKey is a key of the files that set up machines, which no code has.
	yamlKey = lazy.Regexp{Source: `^["']?(?:ignore_errors|ignore_unreachable|any_errors_fatal|become|become_user|no_log|gather_facts|changed_when|failed_when|delegate_to|run_once|hostNetwork|hostPID|imagePullPolicy|allowPrivilegeEscalation|runAsNonRoot|runAsUser|network_mode|restartPolicy|runs-on)["']?(?:: ?[\w"'-]+|:)?$`}
	// keyValue is a key with its value.
	keyValue = lazy.Regexp{Source: `^["']?[A-Za-z][\w.-]*["']?: ?(?:true|false|yes|no|null|always|never|latest|"[\w.-]*"|'[\w.-]*'|\d+)$`}
)

// keySet is a key of a file of settings that is set to a value, as code may also do with a name.
var keySet = lazy.Regexp{Source: `^([a-z][\w.-]*) = (true|false|"[\w.-]*"|'[\w.-]*'|\d+)$`}

// setIn are files with such keys.
const setIn = "**/*.{toml,ini,cfg,conf,properties,yml,yaml}"

// yamlFiles are files of settings, in which a key may be as well as in code.
const yamlFiles = "**/*.{yml,yaml}"

// withKey are the files in which a key with its value may be.
func (b *builder) withKey(t string) (globs []string, example string) {
	switch {
	case yamlKey.Get().MatchString(t) && len(b.s.Globs) == 0:
		return b.below([]string{yamlFiles}), b.above.dir + "roles/a.yml"
	case keyValue.Get().MatchString(t) && len(b.s.Globs) == 0 && len(b.languagesOf()) == 0:
		globs, _ = b.codeFiles()
		return append(slices.Clone(globs), b.below([]string{yamlFiles})...), b.above.dir + "config/a.yml"
	case keySet.Get().MatchString(t) && len(b.s.Globs) == 0 && len(b.languagesOf()) == 0:
		globs, _ = b.codeFiles()
		return append(slices.Clone(globs), b.below([]string{setIn})...), b.above.dir + "a.toml"
	}
	return nil, ""
}

// knownPackage matches names of packages that code seldom has as words.
var knownPackage = lazy.Regexp{Source: `^(?:express|dotenv|moment|axios|lodash|jquery|ioredis|execa|enzyme|webpack|mobx|styled-components|bootstrap|underscore|bluebird|request|node-fetch|ws|pg|sqlalchemy|requests|httpx|pydantic|numpy|pandas|celery|flask|django)$`}

// packagers are programs that install packages, and no packages themselves.
var packagers = lazy.Regexp{Source: `^(?:cpan|cpanm|cpm|carton|pkg|pkg_add|pkgin|apt|apt-get|aptitude|dpkg|dnf|yum|zypper|rpm|pacman|yay|paru|apk|emerge|xbps|brew|port|macports|snap|flatpak|choco|chocolatey|winget|scoop|nix|nix-env|guix|conda|mamba|micromamba|pixi|pipx|asdf|mise|rtx|nvm|fnm|volta|rbenv|pyenv|sdkman|luarocks|opam|stack|cabal|leiningen|nuget|paket|cocoapods|pod|carthage|sbt|maven|gradle|npm|pnpm|yarn|bun|pip|pip3|uv|poetry|pdm|pipenv|cargo|gem|bundler|composer|rebar3|mix)$`}

var (
	// inServer is a case about a part of a schema that a server's code may have.
	inServer = lazy.Regexp{Source: `\b(?:backend|server|resolvers?|api)\b`}
	graphQL  = lazy.Regexp{Source: `\bgraphql\b`}
)

// withServer adds code to the files of a schema, where a case is about its part in a server: there
// the schema may be made from code.
func (b *builder) withServer(globs []string, example string) (list []string, one string) {
	if about := b.said("words"); graphQL.Get().MatchString(about) && inServer.Get().MatchString(about) && b.above.dir == "" && len(b.s.Globs) == 0 {
		return append(slices.Clone(globs), b.p.WithOwn(code)), example
	}
	return globs, example
}

// inWord is a command of a target whose place may be any.
var inWord = lazy.Regexp{Source: `^([\w./]+ (?:[a-z][\w-]* )*(?://)?)<[\w -]+>(:[\w.-]*\w)$`}

// anyInWord are the patterns of such a command, with an example of it; none for others.
func anyInWord(cmd string) (list []string, example string) {
	m := inWord.Get().FindStringSubmatch(cmd)
	if m == nil {
		wild := slot.Get().ReplaceAllString(cmd, "*")
		if short := withoutArguments(cmd); wild == cmd || strings.HasSuffix(wild, "*") || strings.Contains(short, " ") || sentence.Words().IsBare[short] {
			return nil, ""
		}
		return []string{wild, wild + " *"}, slot.Get().ReplaceAllString(cmd, "x") // the program alone does more than one thing
	}
	return []string{m[1] + "*" + m[2], m[1] + "*" + m[2] + " *"}, m[1] + "x" + m[2]
}

// common reports whether a name is an everyday word, which would make a rule too wide.
func common(s string) bool {
	return sentence.Words().IsVerb[s] || slices.Contains(sentence.Words().Common, s)
}

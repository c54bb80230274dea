package instructions

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// directly is a prohibition of a command that something else may run.
	directly = lazy.Regexp{Source: `‹c\d+›(?: commands?)? (?:directly|by itself|on its own|by hand|manually)\b|\b(?:directly (?:run|use|call|invoke|execute)|bare|plain|naked|raw) (?:the )?‹c`}
	// ownCommand is a command of the project that runs others: a recipe, a script, or a task.
	ownCommand = lazy.Regexp{Source: `^(?:(?:make|just|task|mise run|rake|cargo xtask|(?:npm|pnpm|yarn|bun) run|composer run|hatch run) [\w.@][\w:./@-]*|(?:npm|pnpm|yarn) test|(?:bash |sh )?(?:\./)?(?:[\w.-]+/)*[\w-]+\.sh|(?:\./)?(?:scripts?|bin|tools|hack|dev|ci)/[\w./-]+)`}
	// begun is a command that a runner of packages starts.
	begun = lazy.Regexp{Source: `^(bundle exec|uv run|poetry run|pdm run|pipenv run|hatch run|npx|bunx|uvx|pnpm exec|pnpm dlx|yarn dlx|yarn exec|npm exec) `}
	// useOwn says to use a command.
	useOwn = lazy.Regexp{Source: `\b(?:use|using|via|run|with|through|prefer|call|by|instead:?)(?: [\w-]+){0,2}:? (‹[cp]\d+›)`}
	// runsIt is a command that runs the one that is forbidden.
	runsIt = lazy.Regexp{Source: `(‹[cp]\d+›)(?: [\w-]+){0,3}? (?:runs?|calls?|does|wraps?|invokes?|handles?|executes?|takes care of|drives?|starts?) (?:it|this|that|them|both|these|all)\b`}
)

// givenBy is the condition of a rule about a command that is only forbidden to be run without
// what the project has for it: a recipe or a script that is to be used runs it itself. It is
// "" for a command that is forbidden in any way.
func (b *builder) givenBy() string {
	if front := b.startedBy(); len(front) > 0 {
		return "not any(cmd.wrappers, " + strings.Join(front, " or ") + ")"
	}
	for _, t := range b.denied() {
		if t.Kind != sentence.Command || ownCommand.Get().MatchString(sentence.Cleaned(t)) {
			return ""
		}
	}
	if directly.Get().MatchString(b.hit.Phrase.Words) {
		starts := ""
		for _, t := range b.denied() {
			if starts == "" && ofPackages.Get().MatchString(sentence.Cleaned(t)) {
				starts = packageRunners
			}
			if m := begun.Get().FindStringSubmatch(sentence.Cleaned(t)); m != nil { // it is named with what starts it
				starts += strconv.Quote(m[1]) + ", "
			}
		}
		return strings.Replace(givenItself, `["sudo"`, `[`+starts+`"sudo"`, 1)
	}
	var by []string
	for _, t := range b.wantedOwn() {
		cmd := sentence.Settings.Get().ReplaceAllString(sentence.Cleaned(t), "")
		own := ownCommand.Get().FindString(cmd)
		switch {
		case own == "":
		case strings.Contains(strings.Fields(own)[0], "/") || strings.HasSuffix(own, ".sh"):
			by = append(by, "# == "+strconv.Quote(path.Base(own)))
		default:
			for _, cmd := range namesOfScript(own) {
				by = append(by, "# startsWith "+strconv.Quote(cmd))
			}
		}
	}
	if len(by) == 0 {
		return ""
	}
	slices.Sort(by)
	return "not any(cmd.wrappers, " + strings.Join(slices.Compact(by), " or ") + ")"
}

// ofPackages are programs that packages for JavaScript bring. packageRunners, in a list, run them by
// themselves.
var ofPackages = lazy.Regexp{Source: `^(?:vitest|jest|mocha|ava|playwright|cypress|tsc|tsgo|tsx|ts-node|eslint|prettier|biome|oxlint|oxfmt|vite|webpack|rollup|next|nuxt|astro|prisma|drizzle-kit|turbo|nx|wrangler|storybook|knip)(?: |$)`}

const packageRunners = `"npx", "bunx", "pnpm", "pnpm exec", "pnpm dlx", "yarn", "yarn exec", "yarn dlx", "npm exec", "bun x", `

// startedBy are conditions of the programs with which the statement has the forbidden command in
// another place: "use `rtk git log`, not `git log`".
func (b *builder) startedBy() (list []string) {
	var denied []string
	for _, t := range b.denied() {
		denied = append(denied, sentence.Cleaned(t))
	}
	for i := range b.s.Phrases {
		for _, t := range b.s.Phrases[i].TermsIn(b.s.Phrases[i].Words) {
			cmd := sentence.Cleaned(t)
			if slices.Contains(denied, cmd) {
				continue
			}
			for _, d := range denied {
				if front, ok := strings.CutSuffix(cmd, " "+d); ok && !strings.ContainsAny(front, "&|;=") {
					list = append(list, "# startsWith "+strconv.Quote(strings.Fields(front)[0]))
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// wantedOwn are the commands that the statement says to use, none that it forbids.
func (b *builder) wantedOwn() []sentence.Term {
	list := b.hit.Terms("use")
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		for _, at := range append(useOwn.Get().FindAllStringSubmatchIndex(p.Words, -1), runsIt.Get().FindAllStringSubmatchIndex(p.Words, -1)...) {
			if !sentence.Denies.Get().MatchString(forms.SentenceFront.Get().FindString(p.Words[:at[0]]) + p.Words[at[0]:at[2]]) {
				list = append(list, p.TermsIn(p.Words[at[2]:at[3]])...)
			}
		}
	}
	return list
}

// ofManager is a script that a package manager runs, with run or without.
var ofManager = lazy.Regexp{Source: `^(npm|pnpm|yarn|bun) (?:run )?([\w.@][\w:./@-]*)$`}

// namesOfScript are the ways to run a recipe: a script of a package manager has two names in most.
func namesOfScript(own string) []string {
	m := ofManager.Get().FindStringSubmatch(own)
	switch {
	case m == nil || m[1] == "bun" && m[2] == "test":
		return []string{own}
	case m[1] == "npm" && !slices.Contains([]string{"test", "start", "stop", "restart"}, m[2]) || m[1] == "bun":
		return []string{m[1] + " run " + m[2]}
	}
	return []string{m[1] + " run " + m[2], m[1] + " " + m[2]}
}

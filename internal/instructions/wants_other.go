package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// What a line wants in the place of a name, and what it wants the versions of.

var (
	// useBehind goes on behind a forbidden name with the one to use.
	useBehind = lazy.Regexp{Source: `^(?: \w+){0,4}?[,;.)]? ?(?:—|–|-|→|\()? ?(?:but |and |please |always |instead,? )*(?:use|prefer) (?:the |our |a |an )?(‹[tcp]\d+›)(?: instead)?(?:$|[.,;)!])`}
	// useInFront is in front of one.
	useInFront = lazy.Regexp{Source: `\b(?:use|prefer|write|call|return) (‹[tc]\d+›) (?:instead of|over|rather than) (?:the |an? )?$`}
	// versioned are things with versions that package.json does not name, and packaged are those that
	// it does.
	versioned = lazy.Regexp{Source: `(?i)\b(?:providers?|images?|docker|containers?|actions?|workflows?|charts?|helm|terraform|opentofu|plugins?|toolchains?|runtimes?|flakes?|inputs?|roles?|collections?|ansible|pods?|jars?|artifacts?|submodules?|extensions?|mods?|modules?|models?|compilers?|sdks?|apis?|schemas?|protocols?|binar(?:y|ies)|r packages?|cran|renv|hex|deps\.edn|conan|vcpkg|swiftpm|spm|maven|gradle|bom|nix|apt|brew|system|node version|tools?)\b`}
	packaged  = lazy.Regexp{Source: `(?i)\b(?:npm|pnpm|yarn|bun|package\.json|node|typescript|javascript|js|frontend)\b`}
)

// usedInstead is what the words behind a forbidden name, or the next sentence, want to be used.
func (b *builder) usedInstead() []term {
	behind, ok := b.after("deny")
	if !ok {
		return nil
	}
	if m := useBehind.Get().FindStringSubmatch(behind); m != nil {
		return b.hit.phrase.termsIn(m[1])
	}
	before, _, _ := strings.Cut(b.hit.phrase.words, mark.Get().FindString(b.hit.slots["deny"]))
	if m := useInFront.Get().FindStringSubmatch(before); m != nil {
		return b.hit.phrase.termsIn(m[1])
	}
	at := slices.IndexFunc(b.s.phrases, func(p phrase) bool { return p.quote == b.quote })
	if at < 0 || at+1 >= len(b.s.phrases) {
		return nil
	}
	next := &b.s.phrases[at+1]
	if m := useBehind.Get().FindStringSubmatch(" " + next.words); m != nil {
		return next.termsIn(m[1])
	}
	return nil
}

// ofOthersVersions reports whether a line is about versions that package.json does not name: of
// another kind of things, or of packages of another tool chain.
func (b *builder) ofOthersVersions() bool {
	said := b.quote + "\n" + ownLabel(b.s.Text) + "\n" + b.s.heading()
	if packaged.Get().MatchString(said) {
		return false
	}
	chains := b.chains()
	return versioned.Get().MatchString(said) || len(chains) > 0 && !slices.ContainsFunc(chains, func(c *chain) bool { return c.Name == "npm" })
}

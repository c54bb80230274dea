package scope

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// phrase is a command pattern taken as words, to be matched by meaning.
type phrase struct {
	words []word
	other [][]word // other ways to write the same
	// joined are ways that hold for a pattern that forbids: whether an option takes a value is not
	// always known, so what exempts a command or proves that it ran has to be as it is written.
	joined [][]word
	more   bool   // it ends with *: there may be anything more
	flag   string // of *--flag*: the flag, which any program may have
	proof  bool   // see [NewRuns]
}

// word is one word of a phrase.
type word struct {
	text string   // without quotes
	glob *matcher // nil when text is literal
	any  bool     // * alone
}

func newWord(text string) word {
	w := word{text: text, any: strings.Trim(text, "*") == ""}
	if strings.ContainsAny(text, `*?[{\`) {
		w.glob = &matcher{source: text}
	}
	return w
}

func (w *word) match(s string) bool {
	if w.glob == nil {
		return w.text == s
	}
	return w.any || w.glob.match(s)
}

func (w *word) isFlag() bool {
	return len(w.text) > 1 && w.text[0] == '-'
}

// maxWords bounds a phrase: each word is tried on each operand.
const maxWords = 64

// newPhrase takes a pattern apart. A pattern whose quotes do not pair has no
// words, nor has one with more than maxWords; both are matched as text.
func newPhrase(pattern string) phrase {
	var p phrase
	if name := strings.Trim(pattern, "*"); strings.HasPrefix(name, "--") && len(name) > 2 &&
		strings.HasPrefix(pattern, "*") && !strings.ContainsAny(name, `*?[{\ "'`) {
		p.flag = name
	}
	texts := splitWords(pattern)
	if len(texts) > maxWords {
		return p
	}
	for _, text := range texts {
		p.words = append(p.words, newWord(text))
	}
	p.other, p.joined = otherWords(p.words), joinedOptions(p.words)
	if n := len(p.words); n > 0 {
		last := p.words[n-1].text
		p.more = strings.HasSuffix(last, "*") && !strings.HasSuffix(last, `\*`)
	}
	return p
}

// splitWords splits a pattern at blanks outside of quotes, braces and classes.
// It returns nil when a quote is never closed.
func splitWords(pattern string) []string {
	var words []string
	var word strings.Builder
	open := false
	quote := byte(0)
	flush := func() {
		if open {
			words = append(words, word.String())
			word.Reset()
			open = false
		}
	}
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
			continue
		case quote != 0:
		case c == '"' || c == '\'':
			quote, open = c, true
			continue
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			flush()
			continue
		case c == '\\' && i+1 < len(pattern):
			word.WriteByte(c)
			i++
			c = pattern[i]
		case c == '[' || c == '{':
			if n := bracketed(pattern[i:]); n > 0 {
				word.WriteString(pattern[i : i+n])
				open = true
				i += n - 1
				continue
			}
		}
		word.WriteByte(c)
		open = true
	}
	if quote != 0 {
		return nil
	}
	flush()
	return words
}

// means reports whether c is what the phrase says. exact is for patterns that
// exempt: no operand may be passed over.
func (p *phrase) means(c *shell.Command, exact bool) bool {
	if p.flag != "" && !exact {
		return hasFlag(withoutData(c), p.flag)
	}
	if len(p.words) == 0 {
		return false
	}
	if p.words[0].any && len(p.words) > 1 {
		c = withoutData(c)
	}
	says := func(c shell.Command) bool {
		if p.says(&c, exact) {
			return true
		}
		if !p.proof {
			return false
		}
		bare, ok := c.Bare(p.options())
		return ok && (p.says(&bare, exact) || slices.ContainsFunc(readings(&bare), func(c shell.Command) bool { return p.says(&c, exact) }))
	}
	return says(*c) || slices.ContainsFunc(readings(c), says)
}

// options are the names of the options in the phrase.
func (p *phrase) options() (names []string) {
	for i := range p.words {
		if name, _, _ := strings.Cut(p.words[i].text, "="); p.words[i].isFlag() {
			names = append(names, name)
		}
	}
	return names
}

// says reports whether c as it is written is what the phrase says in one of its ways.
func (p *phrase) says(c *shell.Command, exact bool) bool {
	means := func(words []word) bool { return p.meansFrom(words, c, c.Wrappers, exact) }
	return means(p.words) || slices.ContainsFunc(p.other, means) || !exact && !p.proof && slices.ContainsFunc(p.joined, means)
}

// meansFrom compares words with c. The first word may name wrappers.
func (p *phrase) meansFrom(words []word, c *shell.Command, wrappers []string, exact bool) bool {
	if words[0].isProgram(c, exact || p.proof) && p.argsMean(words[1:], c, exact) {
		return true
	}
	for i, wrapper := range wrappers {
		if n := namesWrapper(words, wrapper); n > 0 && p.meansFrom(words[n:], c, wrappers[i+1:], exact) {
			return true
		}
	}
	return false
}

// namesWrapper returns how many of words are the wrapper's name, such as bash -c.
// At least one word is left for the command within.
func namesWrapper(words []word, wrapper string) int {
	n := 0
	for name := range strings.FieldsSeq(wrapper) {
		if n+1 >= len(words) || words[n].any || !words[n].match(name) {
			return 0
		}
		n++
	}
	return n
}

// argsMean compares the words after the program.
func (p *phrase) argsMean(words []word, c *shell.Command, exact bool) bool {
	var flags []string
	var operands []word
	for i := range words {
		switch w := &words[i]; {
		case w.text == "--" && !slices.Contains(c.Args, "--"):
			return false
		case w.text == "--":
		case !w.isFlag():
			operands = append(operands, *w)
		case !w.isFlagOf(c) && (exact || p.proof || !w.isValueOf(c) && !w.isContextOf(c)):
			return false
		default:
			flags = append(flags, w.text)
		}
	}
	if !p.more && !onlyFlags(c, flags) {
		return false
	}
	o := order{words: operands, operands: c.Operands, rest: p.more, match: (*word).isOperand}
	if !exact && !p.proof {
		o.operands = withoutValues(c, flags)
	}
	o.passable = len(o.operands)
	switch last := len(words) - 1; {
	case exact:
		o.match = covers
		o.covered = p.more && last >= 0 && !words[last].isFlag() && !words[last].any
	case p.more:
		o.passable = commandWords(c)
	}
	return o.holds()
}

// withoutValues are the operands of c without those that are the values of the named options: of a
// program whose options are not known, "--target prod" is --target=prod if a pattern says so.
func withoutValues(c *shell.Command, named []string) []string {
	operands := c.Operands
	for _, flag := range named {
		name, value, ok := strings.Cut(flag, "=")
		if !ok || slices.Contains(c.Flags, flag) {
			continue
		}
		at, next := slices.Index(c.Args, name)+1, 0
		for i, arg := range c.Args {
			if next == len(operands) || arg != operands[next] {
				continue
			}
			if i == at && at > 0 && arg == value {
				operands = slices.Delete(slices.Clone(operands), next, next+1)
				break
			}
			next++
		}
	}
	return operands
}

// isContextOf looks for a long option among those of c that only say where it works.
func (w *word) isContextOf(c *shell.Command) bool {
	if len(c.Context) == 0 || !strings.HasPrefix(w.text, "--") {
		return false
	}
	where := written(c, c.Path, c.Context)
	where.Program, where.Subcommand = c.Program, c.Subcommand
	return w.isFlagOf(&where) || w.isValueOf(&where)
}

// isValueOf compares a long option with a pattern as its value with the one that c has, however
// it is written.
func (w *word) isValueOf(c *shell.Command) bool {
	name, _, ok := strings.Cut(w.text, "=")
	if !ok || w.glob == nil || !strings.HasPrefix(name, "--") || strings.ContainsAny(name, `*?[{\`) {
		return false
	}
	value, given := c.Value(name)
	return given && w.glob.match(name+"="+value)
}

// isFlagOf looks for a flag word, which may end in * or be a glob.
func (w *word) isFlagOf(c *shell.Command) bool {
	if w.glob == nil {
		return hasFlag(c, w.text)
	}
	stem := strings.TrimRight(w.text, "*")
	if strings.Trim(stem, "-") != "" && !strings.ContainsAny(stem, `*?[{\`) && hasFlag(c, stem) {
		return true
	}
	return slices.ContainsFunc(c.Flags, w.glob.match)
}

// hasFlag reports whether c has the flags of a literal word, however written.
func hasFlag(c *shell.Command, flag string) bool {
	return slices.Contains(c.Flags, flag) || c.HasFlags(flag)
}

// onlyFlags reports whether all flags of c are among the named ones.
func onlyFlags(c *shell.Command, named []string) bool {
	if len(c.Flags) == 0 {
		return true
	}
	same := shell.Command{Program: c.Program, Subcommand: c.Subcommand, Args: named, Flags: named}
	for _, flag := range c.Flags {
		if !hasFlag(&same, flag) {
			return false
		}
	}
	return true
}

// withoutData returns c without the arguments that are mere text.
func withoutData(c *shell.Command) *shell.Command {
	inert := inertArgs(c)
	if inert == nil {
		return c
	}
	data := func(arg string) bool {
		i := slices.Index(c.Args, arg)
		return i >= 0 && inert[i]
	}
	live := *c
	live.Args = slices.DeleteFunc(slices.Clone(c.Args), data)
	live.Flags = slices.DeleteFunc(slices.Clone(c.Flags), data)
	live.Operands = slices.DeleteFunc(slices.Clone(c.Operands), data)
	return &live
}

// order asks whether words are found among operands in their order.
type order struct {
	words    []word
	operands []string
	passable int  // operands from here on may be passed over
	rest     bool // operands may follow the last word
	covered  bool // those have to match the last word too
	match    func(*word, string) bool
}

// holds takes time in proportion to words and operands: it keeps all places at
// which the words so far can end.
func (o *order) holds() bool {
	n := len(o.operands)
	ends := make([]bool, n+1)
	ends[0] = true
	for k := range o.words {
		w := &o.words[k]
		next := make([]bool, n+1)
		reached := false
		for i := range ends {
			reached = ends[i] || reached && (w.any || i > o.passable)
			switch {
			case w.any:
				next[i] = reached
			case reached && i < n && o.match(w, o.operands[i]):
				next[i+1] = true
			}
		}
		ends = next
	}
	for i, end := range ends {
		if end && (i == n || o.rest && (!o.covered || o.coversFrom(i))) {
			return true
		}
	}
	return false
}

// coversFrom reports whether the last word is about all operands from i on.
func (o *order) coversFrom(i int) bool {
	last := &o.words[len(o.words)-1]
	return !slices.ContainsFunc(o.operands[i:], func(s string) bool { return !o.match(last, s) })
}

// covers reports whether w is about the operand. A glob is not about a path that
// leads out again: /tmp/* is not about /tmp/../etc.
func covers(w *word, operand string) bool {
	if w.glob != nil && !strings.Contains(w.text, "..") && hasDotDot(operand) {
		return false
	}
	return w.isOperand(operand)
}

func hasDotDot(operand string) bool {
	for element := range strings.SplitSeq(operand, "/") {
		if element == ".." {
			return true
		}
	}
	return false
}

// leaks reports whether c has operands that a pattern which ends in a word such as
// /tmp/* is not about, although its text seems to say so.
func (p *phrase) leaks(c *shell.Command) bool {
	n := len(p.words)
	if n < 2 || !p.more || p.words[n-1].any || p.words[n-1].isFlag() {
		return false
	}
	last := &p.words[n-1]
	at := slices.IndexFunc(c.Operands, last.isOperand)
	return at >= 0 && slices.ContainsFunc(c.Operands[at:], func(s string) bool { return !covers(last, s) })
}

// commandWords returns how many of the first operands of c are names of
// sub-commands.
func commandWords(c *shell.Command) int {
	if c.Subcommand == "" {
		return 0
	}
	switch c.Program {
	case "aws", "gh", "glab", "doctl", "oci", "ibmcloud", "linode-cli":
		return 2
	case "gcloud", "az":
		return 3
	case "git":
		switch c.Subcommand {
		case "stash", "remote", "submodule", "worktree", "reflog", "bisect", "notes", "bundle", "lfs", "sparse-checkout":
			return 2
		}
	case "docker", "podman", "nerdctl":
		switch c.Subcommand {
		case "system", "image", "container", "volume", "network", "builder", "buildx", "compose", "context", "stack", "service", "swarm", "secret", "config", "node", "plugin", "trust", "manifest":
			return 2
		}
	case "kubectl", "oc":
		switch c.Subcommand {
		case "config", "rollout", "set", "auth", "certificate", "create", "top":
			return 2
		}
	case "terraform", "tofu", "terragrunt":
		switch c.Subcommand {
		case "workspace", "state", "providers":
			return 2
		}
	case "npm", "pnpm", "yarn", "bun", "deno":
		switch c.Subcommand {
		case "run", "run-script", "config", "cache", "dist-tag", "access", "owner", "team", "token", "profile", "task":
			return 2
		}
	}
	return 1
}

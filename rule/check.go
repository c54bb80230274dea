package rule

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
	"github.com/agentsentinel/sentinel/scope"
)

// builtin is the backend that takes the expression for the verdict.
const builtin = sentinel.Builtin

// verdictExact is the value of `verdict` with which the expression decides.
const verdictExact = "exact"

// maxID is the longest id, in bytes: ids become file names.
const maxID = 128

// userPrefix marks the rules of the user's own folder, so that no repository
// can pass its rules off as theirs.
const userPrefix = "user:"

// A checker finds what the types of the keys cannot say.
type checker struct {
	doc    *strictyaml.Document
	def    *Definition
	broken bool // the text is not YAML: keys may be missing that are in it
}

func (c *checker) check(name string) {
	c.id(name)
	c.targets("scope", &c.def.Scope)
	c.targets("exclude", &c.def.Exclude)
	c.obligations()
	c.template("prompt", c.def.Prompt)
	c.template("message", c.def.Message)
	c.expression("when", c.def.When)
	c.expression("doubtful", c.def.Doubtful)
	c.intent()
	c.exact()
	c.judges()
	c.post()
	c.stop()
	c.beforehand()
	c.undo()
	c.needs()
	phase := c.def.Phase
	if c.def.turns() {
		phase = stop
	}
	checkCases(c.doc, c.def.Tests, phase, "tests")
	c.crossing()
}

// at is the place of a key; of one that is absent, the beginning of the file.
func (c *checker) at(key ...string) strictyaml.Place { return c.doc.At(key...) }

func (c *checker) id(name string) {
	id, place := c.def.ID, c.at("id")
	if !place.Set() {
		if !place.Faulty() && !validID(stem(name)) {
			c.at().Doubtf(0, "the file's name cannot be an id: write `id: NAME` of letters, digits and . _ - :; until then the rule is called %s", safeID(stem(name)))
		}
		return
	}
	switch {
	case place.Faulty():
	case id == "" || len(id) > maxID:
		place.Doubtf(0, "`id` must have between 1 and %d characters", maxID)
	case !validID(id):
		place.Doubtf(badIDByte(id), "`id` may hold letters, digits and . _ - : only; write `id: %s`", safeID(id))
		c.def.ID = safeID(id)
	case strings.HasPrefix(id, userPrefix):
		place.Doubtf(0, "ids that begin with `%s` belong to the rules of the user's own folder: write `id: %s`", userPrefix, withoutPrefix(id))
		c.def.ID = withoutPrefix(id)
	}
}

// withoutPrefix takes what marks the user's own rules off an id.
func withoutPrefix(id string) string {
	for strings.HasPrefix(id, userPrefix) {
		id = strings.TrimPrefix(id, userPrefix)
	}
	return safeID(id)
}

func validID(id string) bool { return id != "" && len(id) <= maxID && badIDByte(id) < 0 }

func badIDByte(id string) int {
	return strings.IndexFunc(id, func(r rune) bool { return !idRune(r) })
}

func idRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-:", r)
}

// safeID replaces what an id may not hold.
func safeID(id string) string {
	id = strings.Map(func(r rune) rune {
		if idRune(r) {
			return r
		}
		return '-'
	}, id)
	if id == "" {
		return "rule"
	}
	return id[:min(len(id), maxID)]
}

// targets looks at scope or exclude. A pattern that cannot be used is read as a person
// means it most often, or left out. Without any that can be used the scope is not
// known, and the rule is broken: about everything it was not meant to be.
func (c *checker) targets(key string, list *[]string) {
	place := c.at(key)
	if place.Null() || place.List() && len(*list) == 0 && !place.Faulty() && !c.at(key, "0").Null() {
		do := "take the key out"
		if key == "scope" {
			do = "write `scope: [\"src/**\"]`, or take the key out (without it the rule is about every target)"
		}
		place.Doubtf(0, "`%s` is empty, as if it was not there: %s", key, do)
		*list = nil
		return
	}
	trigger, asWritten := sentinel.Trigger(c.def.Trigger), *list
	*list = make([]string, 0, len(asWritten))
	for i, pattern := range asWritten {
		if err := checkPattern(pattern, trigger); err != nil {
			instead := readable(pattern, trigger)
			c.badPattern(key, i, err, instead)
			if pattern = instead; pattern == "" {
				continue
			}
		}
		*list = append(*list, pattern)
	}
	if len(*list) == 0 {
		*list = nil
		if key == "scope" && place.Set() && !place.Faulty() {
			place.Errorf(0, "no pattern of `scope` can be used: write `scope: [\"src/**\"]`")
		}
	}
}

// badPattern warns of a pattern, and says how it is read; "" is not at all.
func (c *checker) badPattern(key string, i int, err error, instead string) {
	at := c.at(key, strconv.Itoa(i))
	offset, what := patternFault(err)
	how := "; until then it is left out"
	if instead != "" {
		how = "; it is read as `" + instead + "`"
	}
	at.Doubtf(offset, "`%s[%d]`: %s%s", key, i, what, how)
}

// patternFault is what is wrong with a pattern, and from which byte on.
func patternFault(err error) (offset int, what string) {
	var fault *scope.PatternError
	if errors.As(err, &fault) {
		return fault.Offset, fault.Message
	}
	return 0, err.Error()
}

// readable is a pattern with a fault as people mean it: brackets that are never closed
// are themselves, and [^a] is [!a]. It is "" where that does not help either.
func readable(pattern string, trigger sentinel.Trigger) string {
	literal := strings.NewReplacer("[", `\[`, "{", `\{`)
	for _, instead := range []string{strings.ReplaceAll(pattern, "[^", "[!"), literal.Replace(pattern)} {
		if pattern != "" && checkPattern(instead, trigger) == nil {
			return instead
		}
	}
	return ""
}

// checkPattern says what is wrong with a pattern for the trigger. In a rule for
// any action it has to be good for one kind of action at least; of the others
// it matches none.
func checkPattern(pattern string, trigger sentinel.Trigger) error {
	switch trigger {
	case sentinel.FileWrite, sentinel.FileRead:
		return scope.CheckPath(pattern)
	case sentinel.Bash:
		return scope.CheckCommand(pattern)
	case sentinel.MCP:
		return scope.CheckMCP(pattern)
	}
	path := scope.CheckPath(pattern)
	if path == nil || scope.CheckCommand(pattern) == nil || scope.CheckMCP(pattern) == nil {
		return nil
	}
	return path
}

// template looks at the variables of a prompt or message.
func (c *checker) template(key, text string) {
	for _, v := range prompt.Variables(text) {
		known, belongs := variable(v.Name)
		switch trigger := sentinel.Trigger(c.def.Trigger); {
		case !known:
			c.unknownVariable(key, v)
		case v.Name == userRequest && key != "prompt":
			c.at(key).Doubtf(v.Offset, "`{{%s}}` is for `prompt`, and empty here: take it out", v.Name)
		case belongs == forPost && !c.def.Post:
			c.at(key).Doubtf(v.Offset, "`{{%s}}` is known only after the tool has run: write `severity: info` and `post: true`, or take it out", v.Name)
		case belongs == forObligation && !c.def.obliges():
			c.at(key).Doubtf(v.Offset, "`{{%s}}` is known only where something must have happened: write `requires`, `also` or `before_first`, or take it out", v.Name)
		case belongs == forStop && c.def.Phase != stop:
			c.at(key).Doubtf(v.Offset, "`{{%s}}` is known only at the end of a turn: write `phase: stop`, or take it out", v.Name)
		case !slices.Contains([]sentinel.Trigger{forPost, forStop, forAll, forObligation}, belongs) && !covers(trigger, belongs):
			c.at(key).Warnf(v.Offset, "`{{%s}}` is always empty in a rule with `trigger: %s`", v.Name, trigger)
		}
	}
}

func (c *checker) unknownVariable(key string, v prompt.Variable) {
	if near := nearest.Word(v.Name, variableNames()); near != "" {
		c.at(key).Doubtf(v.Offset, "unknown variable `{{%s}}`, left as it stands; did you mean `{{%s}}`?", v.Name, near)
		return
	}
	c.at(key).Doubtf(v.Offset, "unknown variable `{{%s}}`, left as it stands; known are %s", v.Name, strings.Join(variableNames(), ", "))
}

// expression looks at `when` or `doubtful`.
func (c *checker) expression(key, src string) {
	place := c.at(key)
	if !place.Set() || place.Faulty() {
		return
	}
	if strings.TrimSpace(src) == "" {
		place.Errorf(0, "`%s` is empty: write an expression, or take the key out", key)
		return
	}
	err := checkWhen(src, sentinel.Trigger(c.def.Trigger), c.def.Phase)
	var fault *whenError
	switch {
	case errors.As(err, &fault):
		place.Errorf(offsetOf(src, fault.Line, fault.Column), "`%s`: %s", key, fault.Message)
	case err != nil:
		place.Errorf(0, "`%s`: %v", key, err)
	}
}

// intent looks at `intent` and `asked`, which let pass what the person asked for.
func (c *checker) intent() {
	if c.def.Intent && c.severity() != sentinel.SeverityAsk && !c.at("severity").Faulty() {
		c.at("intent").Doubtf(0, "`intent` is for rules that ask: no request of the person lets another rule pass. Write `severity: ask`, or take `intent` out")
		c.def.Intent = false
	}
	if c.def.Intent && c.def.Phase == stop {
		c.at("intent").Doubtf(0, "at the end of a turn nobody is asked: take `intent` out, or `phase`")
		c.def.Intent = false
	}
	if calls(c.def.Doubtful, askedFunction) {
		c.at("doubtful").Errorf(0, "`asked` is for `when`: take it out of `doubtful`")
	}
	if c.severity() == sentinel.SeverityBlock && calls(c.def.When, askedFunction) {
		c.at("when").Errorf(0, "`asked` is for rules that ask or warn: no request of the person lets a rule with `severity: block` pass. Write `severity: ask`, or take it out")
	}
}

// exact reports whether the expression decides, or what replaces it.
func (d *Definition) exact() bool { return d.Verdict == verdictExact || d.settles() }

// decides reports whether the expression alone decides, so that no model is asked.
func (d *Definition) decides() bool { return d.exact() && d.Doubtful == "" }

// exact looks at `verdict: exact` and what goes with it.
func (c *checker) exact() {
	at := c.at("verdict")
	switch {
	case at.Faulty() || c.broken:
	case c.def.Verdict != verdictExact:
		if c.def.Doubtful != "" {
			c.at("doubtful").Doubtf(0, "`doubtful` goes with `verdict: exact`: write that too, or take `doubtful` out")
		}
	case c.severity() == sentinel.SeverityInfo:
		at.Doubtf(0, "an info rule judges nothing: take `verdict` out, or write another `severity`")
		c.def.Verdict, c.def.Doubtful = "", ""
	case c.def.settles():
	case c.def.When == "" && !c.at("when").Faulty():
		at.Errorf(0, "`verdict: exact` takes `when` for the verdict, and there is none: write `when: …`, or take `verdict` out")
	case c.def.Doubtful == "" && c.def.Backend != "" && c.def.Backend != builtin:
		c.at("backend").Warnf(0, "with `verdict: exact` nobody asks %s: take `backend` out, or say with `doubtful: …` when it is to be asked", c.def.Backend)
	}
}

// offsetOf returns the byte at which a line and column (in characters, both from
// 1) are in a text.
func offsetOf(text string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			break
		}
		offset += i + 1
	}
	for i := range text[offset:] {
		if column--; column <= 0 {
			return offset + i
		}
	}
	return offset
}

func (c *checker) post() {
	if !c.def.Post {
		return
	}
	if c.severity() != sentinel.SeverityInfo && !c.at("severity").Faulty() {
		c.at("post").Doubtf(0, "`post` is for info rules: write `severity: info`, or take `post` out")
		c.def.Post = false
	}
	if c.def.Post && c.def.Backend == builtin {
		c.at("backend").Doubtf(0, "the text of a `post` rule is written by a model, and `builtin` has none: name another backend, or take the key out")
		c.def.Backend = ""
	}
}

// stop looks at `phase: stop` and what goes with it.
func (c *checker) stop() {
	if c.def.Phase != stop {
		return
	}
	switch at := c.at("phase"); {
	case c.def.Post:
		at.Doubtf(0, "`post` gives advice after a tool: take `phase` out, or `post`")
		c.def.Phase = ""
	case c.severity() == sentinel.SeverityInfo:
		at.Doubtf(0, "an info rule judges nothing, and at the end of a turn nobody reads its text: take `phase` out, or write another `severity`")
		c.def.Phase = ""
	case c.severity() == sentinel.SeverityAsk:
		c.at("severity").Warnf(0, "at the end of a turn nobody is asked: the user is told. Write `block` to keep the agent at work, or `warn`")
	}
}

// beforehand refuses what looks at a file before it is written in a rule that judges later:
// there the text and the file would be the same.
func (c *checker) beforehand() {
	d, when, instead := c.def, "", ""
	switch {
	case d.Phase == stop:
		when, instead = "with `phase: stop` the rule is judged at the end of the turn", "take `phase` out"
	case d.Post:
		when, instead = "with `post: true` the rule is judged after the tool has run", "take `post` out"
	case d.turns():
		when, instead = "`by: turn` judges a write at the end of the turn", "take `turn` out of `by`"
	default:
		return
	}
	for _, e := range [...]struct{ key, src string }{{"when", d.When}, {"doubtful", d.Doubtful}} {
		if at := c.at(e.key); !at.Faulty() && calls(e.src, addsFunction) {
			at.Errorf(strings.Index(e.src, addsFunction), "`%s`: %s compares a write with the file before it, and %s, when the file is written already: %s, or %s out of the expression",
				e.key, addsFunction, when, instead, addsFunction)
		}
	}
}

// undo looks at what goes with `undo`: a rule that stops commands.
func (c *checker) undo() {
	at, trigger := c.at("undo"), sentinel.Trigger(c.def.Trigger)
	switch {
	case c.def.Undo == "":
		return
	case c.severity() < sentinel.SeverityAsk:
		at.Doubtf(0, "`undo` is for rules that stop a call: write `severity: ask` or `block`, or take `undo` out")
	case !trigger.Covers(sentinel.Bash):
		at.Doubtf(0, "`undo` is about commands: write `trigger: bash`, or take `undo` out")
	case c.def.Phase == stop:
		at.Doubtf(0, "at the end of a turn there is no call to change: take `undo` out, or `phase`")
	default:
		return
	}
	c.def.Undo = ""
}

func (c *checker) severity() sentinel.Severity {
	if s, err := ParseSeverity(c.def.Severity); err == nil {
		return s
	}
	return sentinel.SeverityBlock
}

// judges looks at the backends that are asked. Those that cannot be are left out.
func (c *checker) judges() {
	kept := c.def.Fallback[:0]
	for i, name := range c.def.Fallback {
		at := c.at("fallback", strconv.Itoa(i))
		switch {
		case strings.TrimSpace(name) == "":
			at.Doubtf(0, "`fallback[%d]` is empty: write the name of a backend", i)
		case name == builtin && c.def.When == "" && !c.at("when").Faulty() && c.severity() != sentinel.SeverityInfo:
			at.Doubtf(0, "`builtin` judges by `when`, and there is none: write one, or take `builtin` out")
		case name == c.def.Backend || slices.Contains(kept, name):
			at.Warnf(0, "`%s` is asked already: take it out", name)
		default:
			kept = append(kept, name)
		}
	}
	c.def.Fallback = kept
	if at := c.at("backend"); at.Set() && !at.Faulty() && strings.TrimSpace(c.def.Backend) == "" {
		at.Doubtf(0, "`backend` is empty: write the name of a backend, or take the key out")
		c.def.Backend = ""
	}
}

// needs looks for what the rule cannot be judged without. Where there is a `when` and
// no prompt, `when` decides; where there is neither, a model is asked by the rule's
// message or name, see [Build].
func (c *checker) needs() {
	if c.at("prompt").Faulty() || c.at("when").Faulty() || c.broken {
		return // said already
	}
	prompted := strings.TrimSpace(c.def.Prompt) != ""
	if c.at("requires").Set() || c.at("also").Set() || c.at("before_first").Set() {
		return // no model is asked
	}
	switch info := c.severity() == sentinel.SeverityInfo; {
	case info && c.def.Post:
		if !prompted {
			c.at("prompt").Errorf(0, "a `post` rule needs a `prompt`: what a model is to make its text from")
		}
	case info:
		if !prompted && strings.TrimSpace(c.def.Message) == "" {
			c.at("prompt").Errorf(0, "an info rule needs a `prompt`: the text that the agent is to read")
		}
	case c.def.decides(): // see exact
	case c.def.Backend == builtin && c.def.When == "":
		c.at("backend").Errorf(0, "`backend: builtin` judges by `when`, and there is none: write `when: …`, or take `backend` out")
	case c.def.Backend != "" && c.def.Backend != builtin && !prompted && c.def.When != "":
		c.at("prompt").Doubtf(0, "the rule is judged by %s and has no `prompt`: until it has one `when` decides. Write a prompt, or `backend: builtin`", c.def.Backend)
		c.def.Backend = builtin
	case !prompted && c.def.When == "":
		c.at("prompt").Doubtf(0, "the rule has nothing to judge by but its name and message: write a `prompt`, or `backend: builtin` and `when`")
	}
}

// checkCases looks at the cases below path.
func checkCases(doc *strictyaml.Document, cases []Case, phase string, path ...string) {
	for i, k := range cases {
		at := doc.At(append(path[:len(path):len(path)], strconv.Itoa(i))...)
		if at.Faulty() {
			continue
		}
		actions := 0
		for _, s := range []string{k.Bash, k.Write, k.Read, k.MCP} {
			if s != "" {
				actions++
			}
		}
		switch {
		case actions != 1:
			at.Doubtf(0, "a case is one action: write one of `bash`, `write`, `read` and `mcp`")
		case k.Expect == "":
			at.Doubtf(0, "the case does not say what is right: write `expect: violation` or `expect: pass`")
		case k.Write == "" && (k.Content != "" || k.Old != ""):
			at.Doubtf(0, "`content` and `old` go with `write`: take them out")
		case k.MCP == "" && k.Args != nil:
			at.Doubtf(0, "`args` goes with `mcp`: take it out")
		case slices.ContainsFunc(k.Before, func(s Step) bool { return !s.whole() }):
			at.Doubtf(0, "an element of `before` is one thing that happened: write one of `bash`, `write`, `edit`, `read` and `mcp`")
		case len(k.Turn) > 0 && phase != stop:
			at.Doubtf(0, "`turn` goes with `phase: stop`: take it out")
		}
	}
}

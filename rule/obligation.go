package rule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// Requires says what must have run before a call.
type Requires struct {
	Ran     []string `yaml:"ran" one:"true" json:"ran,omitempty" jsonschema:"Patterns of commands, as in scope. One of them must have run in this session."`
	OK      bool     `yaml:"ok" json:"ok" default:"true" jsonschema:"Whether it must have succeeded. A result that a pipe, a list or the background hides does not count."`
	Since   []string `yaml:"since" one:"true" json:"since,omitempty" default:"(session)" jsonschema:"Since when: the last write to one of these path patterns; session; or a duration such as 30m."`
	Unknown string   `yaml:"unknown" json:"unknown,omitempty" enum:"violation,pass" default:"(could not be judged)" jsonschema:"What a run counts for if the agent does not tell its result. By default the rule could not be judged."`
}

// Also says which files change together.
type Also struct {
	Changed []string `yaml:"changed" one:"true" json:"changed,omitempty" jsonschema:"Path patterns. When a file that one matches was changed …"`
	New     bool     `yaml:"new" json:"new,omitempty" default:"false" jsonschema:"Only files count that are new: the last commit before does not have them."`
	Except  []string `yaml:"except" one:"true" json:"except,omitempty" default:"(none)" jsonschema:"Path patterns of files that do not count as changed."`
	With    []string `yaml:"with" one:"true" json:"with,omitempty" jsonschema:"… a file that one of these matches must have changed, too."`
	By      []string `yaml:"by" one:"true" json:"by,omitempty" enum:"commit,turn,pull_request" default:"(commit and turn)" jsonschema:"When it is judged: at a commit, at the end of the turn, or when commits are pushed or a pull request is opened."`
}

// BeforeFirst says what must have been read before a session writes.
type BeforeFirst struct {
	Write []string `yaml:"write" one:"true" json:"write,omitempty" jsonschema:"Path patterns. Before the session's first write to one of these …"`
	Read  []string `yaml:"read" one:"true" json:"read,omitempty" jsonschema:"… one of these must have been read."`
}

// A Step is one thing that a case says happened earlier in the session. Exactly one of
// Bash, Write, Edit, Read and MCP is set.
type Step struct {
	Bash    string `yaml:"bash" json:"bash,omitempty" jsonschema:"A command that ran."`
	Write   string `yaml:"write" json:"write,omitempty" jsonschema:"A file that was written."`
	Edit    string `yaml:"edit" json:"edit,omitempty" jsonschema:"A file that was there, and was written."`
	Read    string `yaml:"read" json:"read,omitempty" jsonschema:"A file that was read."`
	MCP     string `yaml:"mcp" json:"mcp,omitempty" jsonschema:"An MCP tool that was called."`
	Failed  bool   `yaml:"failed" json:"failed,omitempty" jsonschema:"The call failed."`
	Unknown bool   `yaml:"unknown" json:"unknown,omitempty" jsonschema:"The agent did not tell the result."`
}

// whole reports whether the step is one thing.
func (s *Step) whole() bool {
	set := 0
	for _, what := range []string{s.Bash, s.Write, s.Edit, s.Read, s.MCP} {
		set += min(len(what), 1)
	}
	return set == 1
}

// Words of the keys.
const (
	sinceSession = "session"
	byTurn       = "turn"
	byCommit     = "commit"
	byRequest    = "pull_request"
)

// occasions are the calls that commit files, or publish them for review: command
// patterns, and server:tool.
func occasions(by string) []string {
	switch by {
	case byCommit:
		return []string{"git commit*", "jj commit*", "jj describe*", "hg commit*", "hg ci*", "*:git_commit"}
	case byRequest:
		return requests()
	}
	return nil
}

// obliges reports whether the rule says what must have happened. Then no model is asked.
func (d *Definition) obliges() bool {
	return len(d.Requires.Ran) > 0 || len(d.Also.Changed) > 0 || len(d.BeforeFirst.Write) > 0
}

// settles reports whether keys of the rule decide without a model.
func (d *Definition) settles() bool { return d.obliges() || d.Once && blank(d.Prompt) && d.When == "" }

// window is `since` in its three forms.
func (q *Requires) window() (globs []string, within time.Duration) {
	if len(q.Since) == 1 {
		if q.Since[0] == sinceSession {
			return nil, 0
		}
		if age, err := time.ParseDuration(q.Since[0]); err == nil {
			return nil, age
		}
	}
	return q.Since, 0
}

// obligations looks at the keys that say what must have happened, and sets what follows
// from them: what the rule is about, and when it judges.
func (c *checker) obligations() {
	d, set := c.def, 0
	for _, key := range []string{"requires", "also", "before_first"} {
		if c.at(key).Set() {
			set++
		}
	}
	if set > 1 {
		c.at().Errorf(0, "a rule has one obligation: write two rules in the place of `requires`, `also` and `before_first` together")
	}
	if set > 0 && d.Post {
		c.at("post").Doubtf(0, "an obligation is judged before a call, or at the end of a turn: take `post` out")
		d.Post = false
	}
	switch {
	case c.at("requires").Set():
		c.requires()
	case c.at("also").Set():
		c.also()
	case c.at("before_first").Set():
		c.beforeFirst()
	}
	c.once()
	c.origin()
	if !d.obliges() {
		return
	}
	if !blank(d.Prompt) {
		c.at("prompt").Warnf(0, "an obligation asks no model, and `prompt` is without effect: take it out")
	}
	if d.Backend != "" && d.Backend != builtin {
		c.at("backend").Warnf(0, "an obligation asks no model, and `backend` is without effect: take it out")
	}
}

// requires looks at `requires`.
func (c *checker) requires() {
	d := c.def
	if !c.at("requires", "ok").Set() {
		d.Requires.OK = true
	}
	c.required("requires", "ran", d.Requires.Ran, scope.CheckCommand, `["go test ./...", "make test"]`)
	c.since()
	if len(d.Scope) == 0 && !c.at("scope").Set() { // it is about the end of the turn
		if d.Phase == "" {
			d.Phase = stop
		}
		if !c.at("trigger").Set() {
			d.Trigger = string(sentinel.FileWrite)
		}
	}
	if d.Requires.Unknown != "" && !d.Requires.OK {
		c.at("requires", "unknown").Warnf(0, "with `ok: false` every result counts: take `unknown` out")
	}
	c.meetable()
}

// meetable says where no run could ever count.
func (c *checker) meetable() {
	d := c.def
	for i, pattern := range d.Requires.Ran {
		if d.Requires.OK && strings.ContainsAny(strings.TrimSuffix(pattern, "*"), "|;&\n") {
			c.at("requires", "ran", strconv.Itoa(i)).Errorf(0,
				"this can never be met: the result of `%s` does not tell whether each part of it succeeded. Write one command, or `ok: false`", text.Line(pattern))
		} else if d.Requires.OK && !provable(pattern) {
			says := c.at("requires", "ran", strconv.Itoa(i)).Errorf
			if slices.ContainsFunc(d.Requires.Ran, provable) {
				says = c.at("requires", "ran", strconv.Itoa(i)).Warnf
			}
			says(0, "this can never be met: the result of `%s` does not tell that of the command in it. Write that command alone, or `ok: false`", text.Line(pattern))
		}
	}
	if d.Trigger != string(sentinel.Bash) && d.Trigger != string(sentinel.Any) || len(d.Requires.Ran) == 0 || len(d.Scope) == 0 || d.Phase == stop {
		return
	}
	in, out := scope.NewCommands(d.Scope), scope.NewCommands(d.Exclude)
	for _, pattern := range d.Requires.Ran {
		example := shell.Parse(strings.TrimSpace(strings.ReplaceAll(pattern, "*", " ")), nil)
		if _, about := in.Match(example, out); !about {
			return
		}
	}
	c.at("requires", "ran").Errorf(0, "this can never be met: the rule is about what it requires, too, and stops it. Write a narrower `scope`, or `exclude`")
}

// provable reports whether a run of what a pattern says counts. Patterns about effects and of
// tools, and those with a part for anything inside, have no such run.
func provable(pattern string) bool {
	line := strings.TrimSpace(strings.TrimSuffix(pattern, "*"))
	if line == "" || strings.ContainsAny(line, "*?[{<$:") {
		return true
	}
	result, _ := runOf(shell.Parse(line, nil), pattern, "")
	return result == facts.Succeeded || strings.HasSuffix(pattern, " *") && provable(line)
}

// maxSince is the longest duration of `since`: facts are not kept longer.
const maxSince = 7 * 24 * time.Hour

// since looks at `requires.since`.
func (c *checker) since() {
	at, list := c.at("requires", "since"), c.def.Requires.Since
	if at.Set() && len(list) == 0 && !at.Faulty() {
		at.Errorf(0, "`since` is empty: write path patterns, `session` or a duration, or take it out")
	}
	for i, one := range list {
		age, err := time.ParseDuration(one)
		switch item := c.at("requires", "since", strconv.Itoa(i)); {
		case len(list) > 1 && (err == nil || one == sinceSession):
			item.Errorf(0, "`since` is either path patterns, or `session`, or one duration: write two rules")
		case one == sinceSession:
		case err == nil && age < time.Second:
			item.Errorf(0, "this can never be met: `%s` is over before the call is judged. Write a longer duration", text.Line(one))
		case err == nil && age > maxSince:
			item.Errorf(0, "facts are kept for 7 days: write at most `168h`")
		case err == nil:
		default:
			c.pattern("requires", "since", i, scope.CheckPath(one))
		}
	}
}

// also looks at `also`.
func (c *checker) also() {
	d := c.def
	a := &d.Also
	c.required("also", "changed", a.Changed, scope.CheckPath, `["docs/pages/**"]`)
	c.required("also", "with", a.With, scope.CheckPath, `["docs/sidebar.yml"]`)
	for i, pattern := range a.Except {
		c.pattern("also", "except", i, scope.CheckPath(pattern))
	}
	if len(a.Changed) > 0 && slices.Equal(a.Changed, a.With) {
		c.at("also", "with").Warnf(0, "every change that the rule is about meets it: write other patterns than in `changed`")
	}
	c.own("also", "trigger", "scope", "phase")
	if len(a.By) == 0 {
		a.By = []string{byCommit, byTurn}
	}
	d.Trigger, d.Phase, d.Scope = string(sentinel.Any), "", nil
	for _, by := range a.By {
		d.Scope = append(d.Scope, occasions(by)...)
	}
	if slices.Contains(a.By, byTurn) {
		if len(a.By) == 1 {
			d.Trigger, d.Phase = string(sentinel.FileWrite), stop
		}
		d.Scope = append(d.Scope, a.Changed...)
	}
}

// beforeFirst looks at `before_first`.
func (c *checker) beforeFirst() {
	d := c.def
	b := &d.BeforeFirst
	c.required("before_first", "write", b.Write, scope.CheckPath, `["src/**"]`)
	c.required("before_first", "read", b.Read, scope.CheckPath, `["docs/architecture.md"]`)
	c.own("before_first", "trigger", "scope", "phase")
	d.Trigger, d.Phase, d.Scope = string(sentinel.FileWrite), "", b.Write
}

// own warns of keys whose place an obligation takes.
func (c *checker) own(obligation string, keys ...string) {
	for _, key := range keys {
		if at := c.at(key); at.Set() && !at.Faulty() {
			at.Doubtf(0, "`%s` says itself what the rule is about, and when: take `%s` out", obligation, key)
		}
	}
}

// required looks at a list that has to have a pattern.
func (c *checker) required(key, list string, patterns []string, check func(string) error, example string) {
	if len(patterns) == 0 && !c.at(key).Faulty() {
		c.at(key).Errorf(0, "`%s` needs `%s`: write `%s: %s`", key, list, list, example)
	}
	for i, pattern := range patterns {
		c.pattern(key, list, i, check(pattern))
	}
}

// pattern reports what is wrong with a pattern of an obligation: without it the rule would
// ask for less, or could never be met.
func (c *checker) pattern(key, list string, i int, err error) {
	if err == nil {
		return
	}
	offset, what := patternFault(err)
	c.at(key, list, strconv.Itoa(i)).Errorf(offset, "`%s.%s[%d]`: %s", key, list, i, what)
}

// once looks at `once`.
func (c *checker) once() {
	if !c.def.Once {
		return
	}
	switch {
	case c.severity() != sentinel.SeverityAsk:
		c.at("once").Doubtf(0, "`once` is for rules that ask: write `severity: ask`, or take `once` out")
	case c.def.Phase == stop:
		c.at("once").Doubtf(0, "at the end of a turn nobody is asked: take `once` out, or `phase`")
	default:
		return
	}
	c.def.Once = false
}

// Bounds of where a rule comes from, in characters.
const (
	maxOrigin = 200
	maxQuote  = 300
)

// origin looks at `source` and `quote`.
func (c *checker) origin() {
	d := c.def
	if d.Source != "" {
		file, line, ok := strings.Cut(d.Source, ":")
		n, err := strconv.Atoi(line)
		if !ok || file == "" || err != nil || n < 1 || len(d.Source) > maxOrigin || text.OneLine(d.Source) != d.Source {
			c.at("source").Doubtf(0, "`source` is a file and a line of it: write `source: \"CLAUDE.md:14\"`")
			d.Source = ""
		}
	}
	if d.Quote != "" && d.Source == "" {
		c.at("quote").Doubtf(0, "`quote` goes with `source`, which says where the words stand: write that too, or take `quote` out")
		d.Quote = ""
	}
	d.Quote = text.Cut(text.OneLine(d.Quote), maxQuote)
}

// attributed is the rule's message with the place that it comes from.
func (d *Definition) attributed() string {
	said := strings.TrimSpace(d.Message)
	if d.Source == "" {
		return d.Message
	}
	if named := strings.NewReplacer("{{source}}", d.Source, "{{ source }}", d.Source).Replace(said); named != said {
		return named
	}
	if d.Severity == sentinel.SeverityInfo.String() {
		said = cmp.Or(said, strings.TrimSpace(d.Prompt))
	}
	from := d.Source + " says: "
	if d.Quote == "" {
		return text.When(said != "", from+said)
	}
	return strings.TrimSpace(from + strconv.Quote(d.Quote) + " " + said)
}

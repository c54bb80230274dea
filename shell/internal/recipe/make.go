package recipe

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A maker is a makefile that is being read.
type maker struct {
	*Budget
	call     *Call
	vars     map[string]string // values as written
	targets  []target
	own      map[string]map[string]string // variables of one target
	named    map[string][]int             // targets by name
	patterns []int                        // targets with a pattern or a variable in their names
	goal     string                       // .DEFAULT_GOAL
	prefix   string                       // of the lines of a recipe
	oneShell bool
	included map[string]bool
	done     Work
	ignores  map[string]bool // targets whose commands may fail; "" for all
	at       *target         // whose values hold
	reading  bool            // $(shell …) runs as the file is read
}

// A target is what a makefile says how to make.
type target struct {
	names, needs, commands []string
	vars                   map[string]string

	name, stem string // as it is made now
}

// makefile are the commands for some targets, and for all that these need. All branches
// of a condition count. A target that has no rule of its name may be made by those with
// a pattern, or with a variable that is not known, in theirs.
func makefile(text string, c *Call) (Work, error) {
	m := &maker{Budget: c.Budget, call: c, vars: map[string]string{}, included: map[string]bool{}, own: map[string]map[string]string{}, named: map[string][]int{}, prefix: "\t", ignores: map[string]bool{"": c.IgnoreErrors || c.Vars["SHELL"] != ""}}
	m.read(text)
	if m.oneShell {
		for i := range m.targets {
			m.targets[i].commands = []string{strings.Join(m.targets[i].commands, "\n")}
		}
	}
	m.index()
	m.collect()
	return m.done, m.err()
}

// index expands the names of all targets, and finds targets by name.
func (m *maker) index() {
	for i := range m.targets {
		t := &m.targets[i]
		m.at = t
		t.names = strings.Fields(m.expand(strings.Join(t.names, " "), 0))
		for _, name := range t.names {
			if strings.ContainsAny(name, "%$") || name == ".DEFAULT" {
				m.patterns = append(m.patterns, i)
			} else {
				m.named[name] = append(m.named[name], i)
			}
		}
	}
	m.at = nil
}

// collect adds the targets that are wanted, and what they need.
func (m *maker) collect() {
	wanted := slices.Clone(m.call.Names)
	if len(wanted) == 0 {
		wanted = m.first()
	}
	done, asked := map[string]bool{}, len(wanted)
	for i := 0; i < len(wanted) && m.step(0); i++ {
		if done[wanted[i]] {
			continue
		}
		done[wanted[i]] = true
		if i >= asked && len(m.named[wanted[i]]) > 0 && !m.call.Dry && m.Budget.command(wanted[i]) {
			m.done.names(wanted[i], m.ignores[""])
		}
		for _, t := range m.rules(wanted[i]) {
			for _, need := range m.build(t) {
				if !done[need] {
					wanted = append(wanted, need)
				}
			}
		}
	}
}

// build adds the commands of a target, and returns what it needs.
func (m *maker) build(t target) []string {
	m.at = &t
	defer func() { m.at = nil }()
	t.needs = strings.Fields(strings.ReplaceAll(m.expand(strings.Join(t.needs, " "), 0), "%", t.stem))
	for _, text := range t.commands {
		m.command(m.expand(text, 0))
	}
	return t.needs
}

// first is the target that is made where the call names none.
func (m *maker) first() []string {
	if m.goal != "" {
		return strings.Fields(m.expand(m.goal, 0))
	}
	for _, t := range m.targets {
		for _, name := range t.names {
			if !strings.Contains(name, "%") && (name[0] != '.' || strings.Contains(name, "/")) {
				return []string{name}
			}
		}
	}
	return nil
}

// rules are those that make a target: those of its name, or else those with a pattern
// that fits, or with a variable in theirs.
func (m *maker) rules(name string) []target {
	var found []target
	for _, i := range m.named[name] {
		found = append(found, m.targets[i])
	}
	if len(found) == 0 {
		found = m.fitting(name)
	}
	for i := range found {
		found[i].name, found[i].vars = name, m.own[name]
	}
	return found
}

func (m *maker) fitting(name string) (found []target) {
	for _, i := range m.patterns {
		t := m.targets[i]
		for _, pattern := range t.names {
			if !m.step(0) {
				return found
			}
			before, after, isPattern := strings.Cut(pattern, "%")
			switch {
			case strings.Contains(pattern, "$") || pattern == ".DEFAULT":
				found = append(found, t)
			case isPattern && len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after):
				t.stem = name[len(before) : len(name)-len(after)]
				found = append(found, t)
			}
		}
	}
	return found
}

// command takes one command of a recipe, expanded. A variable may have several. Those
// marked with + run in a dry run, too.
func (m *maker) command(text string) {
	begin := text[:len(text)-len(strings.TrimLeft(text, "@-+ \t"))]
	if m.call.Dry && !strings.Contains(begin, "+") {
		return
	}
	if m.oneShell {
		text = strings.TrimLeft(text, "@-+ \t")
		if shell := m.value("SHELL"); shell != "" && !isShell(shell) {
			text = fed(shell, text)
		}
		m.add(text, m.mayFail(begin))
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		said := strings.TrimLeft(line, "@-+ \t")
		m.add(said, m.mayFail(begin+line[:len(line)-len(said)]))
	}
}

// mayFail reports whether make goes on after the failure of a command with these signs.
func (m *maker) mayFail(signs string) bool {
	return strings.Contains(signs, "-") || m.ignores[""] || m.at != nil && m.ignores[m.at.name]
}

func (m *maker) add(text string, ignored bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if ignored {
		text = ignoring(text)
	}
	if m.Budget.command(text) {
		m.done.Texts = append(m.done.Texts, text)
	}
}

var (
	assignment = lazy.Regexp{Source: `^\s*((?:(?:export|override|private)\s+)*)([^\s:#=+?!]+)\s*(=|:{1,3}=|\?=|\+=|!=)\s*(.*)$`}
	define     = lazy.Regexp{Source: `^\s*(?:override\s+|export\s+)*define\s+(\S+)`}
	inclusion  = lazy.Regexp{Source: `^\s*(?:-include|sinclude|include)\s+(.*)$`}
)

// directives are words that begin a line which is not a rule. Lines that a condition would
// leave out count, too.
var directives = []string{"ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "export", "unexport", "vpath"}

// finds is what a pattern finds in a line, which has to hold a word for that.
func finds(p *lazy.Regexp, line, word string) []string {
	if !strings.Contains(line, word) {
		return nil
	}
	return p.Get().FindStringSubmatch(line)
}

// read reads a makefile, or one that it includes.
func (m *maker) read(text string) {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", " "), "\n")
	for i := 0; i < len(lines) && !m.spent; i++ {
		line := lines[i]
		if n := len(m.targets); n > 0 && strings.HasPrefix(line, m.prefix) {
			m.targets[n-1].commands = append(m.targets[n-1].commands, line[len(m.prefix):])
			continue
		}
		if found := finds(&define, line, "define"); found != nil {
			end := i + 1
			for end < len(lines) && strings.TrimSpace(lines[end]) != "endef" {
				end++
			}
			m.vars[found[1]] = strings.Join(lines[i+1:min(end, len(lines))], "\n")
			i = end
			continue
		}
		m.line(withoutComment(line))
	}
}

func withoutComment(line string) string {
	for i := range line {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return line[:i]
		}
	}
	return line
}

// line reads a line that is not part of a recipe.
func (m *maker) line(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	if found := finds(&assignment, line, "="); found != nil {
		m.assign(m.vars, found)
		return
	}
	if found := finds(&inclusion, line, "include"); found != nil {
		m.include(strings.Fields(m.now(found[1])))
		return
	}
	at := colon(line)
	if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); at < 0 || slices.Contains(directives, word) {
		m.now(line)
		return
	}
	m.rule(line, at)
}

// rule reads the head of a rule, or a variable of one target.
func (m *maker) rule(line string, at int) {
	names, rest := strings.Fields(strings.TrimSuffix(strings.TrimSpace(line[:at]), "&")), strings.TrimPrefix(line[at+1:], ":")
	if len(names) == 0 {
		return
	}
	switch names[0] {
	case ".ONESHELL":
		m.oneShell = true
	case ".IGNORE":
		m.ignores[""] = m.ignores[""] || strings.TrimSpace(rest) == "" || strings.Contains(rest, "$")
		for name := range strings.FieldsSeq(rest) {
			m.ignores[name] = true
		}
	}
	if strings.HasPrefix(names[0], ".") && strings.ToUpper(names[0]) == names[0] && names[0] != ".DEFAULT" {
		return
	}
	t := target{names: names}
	if found := finds(&assignment, rest, "="); found != nil {
		for _, name := range names {
			if m.own[name] == nil {
				m.own[name] = map[string]string{}
			}
			m.assign(m.own[name], found)
		}
		return
	}
	needs, recipe, has := strings.Cut(rest, ";")
	if at := colon(needs); at >= 0 { // names: pattern: needs
		needs = needs[at+1:]
	}
	t.needs = slices.DeleteFunc(strings.Fields(needs), func(w string) bool { return w == "|" })
	if has {
		t.commands = []string{recipe}
	}
	m.targets = append(m.targets, t)
}

// now expands what make expands as it reads.
func (m *maker) now(text string) string {
	m.reading = true
	defer func() { m.reading = false }()
	return m.expand(text, 0)
}

// colon is the place of the first colon outside of references, -1 without one.
func colon(line string) int {
	depth := 0
	for i := range line {
		switch line[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case ':':
			if depth <= 0 {
				return i
			}
		}
	}
	return -1
}

// assign keeps the value of a variable, as an assignment says it.
func (m *maker) assign(vars map[string]string, found []string) {
	name, op, value := found[2], found[3], found[4]
	switch {
	case name == ".DEFAULT_GOAL":
		m.goal = value
	case name == ".RECIPEPREFIX" && value != "":
		m.prefix = value[:1]
	case op == "+=":
		if old, ok := vars[name]; ok {
			value = old + " " + value
		}
	case op == "?=":
		if old, ok := vars[name]; ok {
			value = old
		}
	case op == "!=":
		value = "$(shell " + value + ")"
		m.now(value)
	case op != "=":
		if value = m.now(value); !m.spent { // a later change of what it refers to has no part in it
			value = strings.ReplaceAll(value, "$", "$$")
		}
	}
	vars[name] = value
}

// include reads other makefiles, each once.
func (m *maker) include(names []string) {
	for _, name := range names {
		if m.call.Read == nil || m.included[name] || !m.step(0) {
			continue
		}
		if len(m.included) == maxInclude {
			m.spent = true
			return
		}
		m.included[name] = true
		if text, ok := m.call.Read(name); ok {
			m.read(text)
		}
	}
}

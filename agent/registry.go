package agent

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/nearest"
)

// A Registry is a set of agents. The zero Registry has those that Sentinel knows. It is
// immutable and safe for concurrent use; it returns copies of its agents.
type Registry struct {
	added []*Agent // in the order in which they were given
}

// New is a registry of the agents that Sentinel knows and of those given. One with the
// name of another replaces it.
func New(agents ...Agent) (Registry, error) {
	var r Registry
	for _, a := range agents {
		if err := r.check(&a, agents); err != nil {
			return Registry{}, fmt.Errorf("agent: %q: %w", a.Name, err)
		}
		r.added = append(slices.DeleteFunc(r.added, func(b *Agent) bool { return b.Name == a.Name }), &a)
	}
	return r, nil
}

// check refuses an agent that could not be used.
func (r Registry) check(a *Agent, all []Agent) error {
	for _, name := range append([]string{a.Name}, a.Aliases...) {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || name[0] == '-' {
			return fmt.Errorf("the name %q has other characters than small letters, digits and hyphens", name)
		}
	}
	switch {
	case a.Speaks == "" && (a.Decode == nil || a.Encode == nil):
		return errors.New("it has neither Decode and Encode nor Speaks")
	case a.Speaks != "" && r.find(a.Speaks) == nil && !slices.ContainsFunc(all, func(b Agent) bool { return b.Name == a.Speaks && b.Speaks == "" }):
		return fmt.Errorf("it speaks the protocol of %q, which is not known", a.Speaks)
	case a.Settings.Files != nil && a.Settings.Script == nil && (a.Settings.Form == nil || a.Settings.Wants == nil):
		return errors.New("its settings have files, but neither Form and Wants nor Script")
	case a.Settings.Before == nil && (a.Settings.Wants != nil || a.Settings.PerEvent):
		return errors.New("its settings do not say which events come before a tool runs: Before is nil")
	case a.Settings.Script != nil && a.Settings.ReadScript == nil:
		return errors.New("its settings have Script, but no ReadScript")
	}
	for _, s := range slices.Concat(a.Marks, a.Signs) {
		if reflect.ValueOf(s).IsZero() {
			return errors.New("an empty sign would claim every event")
		}
	}
	return nil
}

// All returns the agents in the order in which they are shown: those that Sentinel knows,
// then those that were added.
func (r Registry) All() []*Agent {
	all := make([]*Agent, 0, len(builtin)+len(r.added))
	for _, a := range builtin {
		if i := slices.IndexFunc(r.added, func(b *Agent) bool { return b.Name == a.Name }); i >= 0 {
			a = r.added[i]
		}
		all = append(all, copied(a))
	}
	for _, a := range r.added {
		if !slices.ContainsFunc(builtin[:], func(b *Agent) bool { return b.Name == a.Name }) {
			all = append(all, copied(a))
		}
	}
	return all
}

// copied protects the agents of a registry from changes.
func copied(a *Agent) *Agent {
	if a == nil {
		return nil
	}
	b := *a
	return &b
}

// Names returns the names of all agents, in the order of [Registry.All].
func (r Registry) Names() []string { return names(r.All()) }

// Installable returns the names of the agents whose hook can be written into their
// settings, in the order of [Registry.All].
func (r Registry) Installable() []string {
	return names(slices.DeleteFunc(r.All(), func(a *Agent) bool { return !a.Settings.Known() }))
}

func names(agents []*Agent) []string {
	list := make([]string, len(agents))
	for i, a := range agents {
		list[i] = a.Name
	}
	return list
}

// Find returns the agent with a name, or nil. Aliases do not count.
func (r Registry) Find(name string) *Agent { return copied(r.find(name)) }

func (r Registry) find(name string) *Agent {
	for _, list := range [][]*Agent{r.added, builtin[:]} {
		for _, a := range list {
			if a.Name == name {
				return a
			}
		}
	}
	return nil
}

// Named returns the agent that a user means by a name or an alias. The error for any
// other name says which known one is near, and lists all.
func (r Registry) Named(name string) (*Agent, error) {
	if a := r.Find(name); a != nil {
		return a, nil
	}
	all := r.All()
	for _, a := range all {
		if slices.Contains(a.Aliases, name) {
			return a, nil
		}
	}
	known := slices.Sorted(slices.Values(names(all)))
	near := nearest.Word(name, known)
	if near != "" {
		near = fmt.Sprintf("; the nearest known one is %q", near)
	}
	return nil, fmt.Errorf("unknown agent %q%s (known: %s)", name, near, strings.Join(known, ", "))
}

// speaker is the agent whose protocol an agent speaks.
func (r Registry) speaker(a *Agent) *Agent {
	if a.Speaks == "" {
		return a
	}
	if b := r.find(a.Speaks); b != nil {
		return b
	}
	return a
}

// Resolve returns the agent whose event stdin is; it has Decode and Encode. flag is what
// the hook was registered with, "" for nothing. A mark in the event that only one agent
// makes beats the flag; without a flag the event has to tell. The error says what is
// wrong with the flag or, wrapping [sentinel.ErrEvent], with the event.
func (r Registry) Resolve(flag string, stdin []byte) (*Agent, error) {
	ev, parseErr := wire.Parse(stdin)
	arrived := wire.Arrived(ev)
	if a := r.bearing(arrived, marked); a != nil {
		return copied(a), nil
	}
	if flag != "" {
		a, err := r.Named(flag)
		if err != nil {
			return nil, fmt.Errorf("hook: %w", err)
		}
		return copied(r.speaker(a)), nil
	}
	if parseErr != nil {
		return nil, parseErr
	}
	if a := r.bearing(arrived, signed); a != nil {
		return copied(a), nil
	}
	known := slices.Sorted(slices.Values(r.Names()))
	return nil, wire.EventError("the event does not tell which agent sent it; register the hook with --agent NAME (known: %s)", strings.Join(known, ", "))
}

// bearing returns the first agent that an event is known to be of. Agents that were
// added come first: they may speak another one's protocol with a mark of their own.
func (r Registry) bearing(ev *wire.Arrival, known func(*Agent, *wire.Arrival) bool) *Agent {
	for _, list := range [][]*Agent{r.added, builtin[:]} {
		for _, a := range list {
			if known(a, ev) && (r.find(a.Name) == a) {
				return r.speaker(a)
			}
		}
	}
	return nil
}

func marked(a *Agent, ev *wire.Arrival) bool { return ev.Bears(a.Marks) }

func signed(a *Agent, ev *wire.Arrival) bool { return !ev.Has(a.Never...) && ev.Bears(a.Signs) }

// Detect says from an event alone which agent sent it. Several agents start one command
// line, because some of them also run the hooks in another one's settings. ok is false
// when the event is not JSON, or is not plainly one agent's.
func (r Registry) Detect(stdin []byte) (name string, ok bool) {
	a, err := r.Resolve("", stdin)
	if err != nil {
		return "", false
	}
	return a.Name, true
}

// Starts are what shows that a command line starts one of the agents without hooks.
func (r Registry) Starts() []Starts {
	list := make([]Starts, 0, len(builtin)+len(r.added))
	for _, a := range builtin {
		if !slices.ContainsFunc(r.added, func(b *Agent) bool { return b.Name == a.Name }) {
			list = append(list, a.Starts)
		}
	}
	for _, a := range r.added {
		list = append(list, a.Starts)
	}
	return slices.DeleteFunc(list, func(s Starts) bool { return len(s.Programs) == 0 })
}

// Readable reports whether the agent with this name keeps records of its sessions that
// can be read.
func (r Registry) Readable(name string) bool {
	a := r.find(name)
	return a != nil && a.Sessions.Format != ""
}

// WritesLate reports whether the agent with this name writes its records some time after
// the events that they are about.
func (r Registry) WritesLate(name string) bool {
	a := r.find(name)
	return a != nil && a.Sessions.Late
}

// TellsEnd reports whether the agent with this name has an event for the end of a
// session. An unknown agent is taken to have one.
func (r Registry) TellsEnd(name string) bool {
	a := r.find(name)
	return a == nil || a.Abilities.TellsEnd
}

// ErrorDenies reports whether the agent with this name takes exit status 1 for a denial.
func (r Registry) ErrorDenies(name string) bool {
	a := r.find(name)
	return a != nil && a.Abilities.ErrorDenies
}

// A Tool is what is known of one tool of an agent.
type Tool struct {
	Does       sentinel.Trigger // "" means nothing that a rule could be about
	Searches   bool             // it reads the lines that a text is found in
	Modes      bool             // its output_mode says whether it shows lines, as a search of this agent
	NamesOnly  bool             // and its names_only says that it does not
	PowerShell bool             // its command is PowerShell text
	NoCommand  bool             // it may come without a command
	FolderKeys []string         // the arguments that hold the folder it runs in
	Patch      bool             // it takes a patch
	Verbs      bool             // its argument command says what it does to the file
	Edits      bool             // it changes a part of a file, whatever its arguments
	Service    bool             // its arguments name a service and an operation of the AWS command line
}

// Tool returns what a tool of an agent does. Agents take over each other's tools, so
// where the agent has no tool of that name, those of the others count. agent may be
// unknown.
func (r Registry) Tool(agent, name string) (t Tool, ok bool) {
	own := r.find(agent)
	if own != nil {
		t.Does, t.Searches, ok = does(&own.Tools, name)
		t.Modes, t.NamesOnly = slices.Contains(own.Tools.Modes, name), slices.Contains(own.Tools.NamesOnly, name)
	}
	for _, list := range [][]*Agent{r.added, builtin[:]} {
		for _, a := range list {
			if !ok {
				t.Does, t.Searches, ok = does(&a.Tools, name)
			}
			t.join(&a.Tools, name)
			if t.FolderKeys == nil {
				t.FolderKeys = folderKeys(&a.Tools, name, a == own)
			}
		}
	}
	return t, ok
}

// join adds what an agent has for the arguments of a tool of that name.
func (t *Tool) join(tools *Tools, name string) {
	t.PowerShell = t.PowerShell || slices.Contains(tools.PowerShell, name)
	t.NoCommand = t.NoCommand || slices.Contains(tools.NoCommand, name)
	t.Patch = t.Patch || slices.Contains(tools.Patch, name)
	t.Verbs = t.Verbs || slices.Contains(tools.Verbs, name)
	t.Edits = t.Edits || slices.Contains(tools.Edits, name)
	t.Service = t.Service || slices.Contains(tools.Services, name)
}

// HasTool reports whether an agent has a tool of that name that a rule can be about.
func (r Registry) HasTool(name string) bool {
	t, _ := r.Tool("", name)
	return t.Does != ""
}

// Bookkeeping reports whether a tool of that name serves an agent's own work, as a list of
// tasks does. Records leave its calls out.
func (r Registry) Bookkeeping(name string) bool {
	for _, list := range [][]*Agent{r.added, builtin[:]} {
		for _, a := range list {
			if slices.Contains(a.Tools.Bookkeeping, name) {
				return true
			}
		}
	}
	return false
}

// does returns the action of a tool, as its agent has it.
func does(t *Tools, name string) (what sentinel.Trigger, searches, ok bool) {
	for _, list := range [...]struct {
		names    []string
		does     sentinel.Trigger
		searches bool
	}{
		{t.Write, sentinel.FileWrite, false}, {t.Run, sentinel.Bash, false}, {t.Read, sentinel.FileRead, false},
		{t.Search, sentinel.FileRead, true}, {t.MCP, sentinel.MCP, false}, {t.Harmless, "", false},
	} {
		if slices.Contains(list.names, name) {
			return list.does, list.searches, true
		}
	}
	return "", false, false
}

// folderKeys returns the keys of a tool. With a tool that takes no folder such a key
// means something else, and must not lead the guard astray.
func folderKeys(t *Tools, name string, own bool) []string {
	for _, keys := range t.Folders {
		if slices.Contains(keys.Tools, name) && (own || !keys.Own) {
			return keys.Keys
		}
	}
	return nil
}

// ToolNames returns the names of the tools of all agents that a rule can be about, with
// what they do. The map is the caller's own.
func (r Registry) ToolNames() map[string]sentinel.Trigger {
	names := map[string]sentinel.Trigger{}
	for _, a := range slices.Backward(r.All()) {
		for _, list := range [][]string{a.Tools.Write, a.Tools.Run, a.Tools.Read, a.Tools.Search, a.Tools.MCP} {
			for _, name := range list {
				names[name], _, _ = does(&a.Tools, name)
			}
		}
	}
	return names
}

// Separators are what the agent with this name writes between server and tool in the name
// of an MCP tool that has no prefix.
func (r Registry) Separators(agent string) []string {
	if a := r.find(agent); a != nil && a.Tools.Separator != "" {
		return []string{a.Tools.Separator}
	}
	return nil
}

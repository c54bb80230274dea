package codex

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// steps: Codex keeps in config.toml which folders its user trusts, and the digest of each
// hook as its user has approved it. It runs no other.
func steps(p install.Place, s install.Scope) []install.Step {
	file, state := stateOf(p)
	found := switchedOff(file, state)
	if s == install.Repository {
		step := wire.TrustStep("Codex", "codex", "")
		for _, dir := range []string{p.Root, wire.Real(p.Root)} {
			if state["projects."+dir]["trust_level"] == "trusted" {
				step.Done = file + " trusts " + dir
			}
		}
		found = append(found, step)
	}
	hooks := files(p, s)[0]
	ours := func(line string) bool { return install.IsOurs(p.Program, line, nil) }
	return append(found, review(file, state, hooks, []string{hooks, wire.Real(hooks)}, ours))
}

// stateOf is the file in which Codex keeps its state, and its tables.
func stateOf(p install.Place) (file string, state map[string]map[string]string) {
	file = filepath.Join(home(p), "config.toml")
	text, _ := safefile.Read(file, maxState) // nothing is approved where it cannot be read
	return file, tables(string(text))
}

func switchedOff(file string, state map[string]map[string]string) []install.Step {
	if state["features"]["hooks"] != "false" {
		return nil
	}
	return []install.Step{{What: file + " has [features] hooks = false, so that Codex runs no hook", Do: "take that out", Read: true}}
}

// plugin is the file that has Sentinel's plugin in it, "" where it does not or the plugin is
// switched off.
func plugin(p install.Place) string {
	file, state := stateOf(p)
	if pluginID(state) == "" {
		return ""
	}
	return file
}

// pluginID is sentinel@SOURCE, "" for none.
func pluginID(state map[string]map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(state)) {
		id, ok := strings.CutPrefix(name, "plugins.")
		if base, _, _ := strings.Cut(id, "@"); ok && base == "sentinel" && state[name]["enabled"] != "false" {
			return id
		}
	}
	return ""
}

// pluginSteps: the hooks of a plugin are reviewed like any other, and named by the plugin.
func pluginSteps(p install.Place) []install.Step {
	file, state := stateOf(p)
	id := pluginID(state)
	_, source, _ := strings.Cut(id, "@")
	hooks := filepath.Join(wire.FirstFolder(filepath.Join(home(p), "plugins", "cache", source, "sentinel", "*")), "hooks", "hooks.json")
	return append(switchedOff(file, state), review(file, state, hooks, []string{id + ":hooks/hooks.json"}, func(string) bool { return true }))
}

// review says which hooks of a file the user has approved: those whose command lines are ours,
// by the names that Codex has for the file.
func review(file string, state map[string]map[string]string, hooks string, names []string, ours func(string) bool) install.Step {
	step := install.Step{
		What: "Codex runs a new or changed hook only after you have reviewed it",
		Do:   "start codex, enter /hooks, and approve Sentinel's", Read: true,
	}
	if open, all := unreviewed(state, hooks, names, ours); all > 0 && len(open) == 0 {
		step.Done = fmt.Sprintf("%s has your approval of all %d hooks as they are now", file, all)
	} else if len(open) < all {
		step.What += ", and not yet " + strings.Join(open, ", ")
	}
	return step
}

// maxState bounds what is read of Codex's files, in bytes.
const maxState = 4 << 20

// A command is a hook as Codex takes its digest.
type command struct {
	Async   bool   `json:"async"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
	Type    string `json:"type"`
}

// unreviewed are the events of a file for which Codex would not run Sentinel's hook, and
// the number of all.
func unreviewed(state map[string]map[string]string, file string, names []string, ours func(string) bool) (open []string, all int) {
	var hooks struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []command
		}
	}
	if wire.ReadState(file, &hooks) != nil {
		return nil, 0
	}
	for event, groups := range hooks.Hooks {
		for i, group := range groups {
			for j, h := range group.Hooks {
				if !ours(h.Command) {
					continue
				}
				all++
				name := snake(event)
				kept := keptOf(state, names, fmt.Sprintf("%s:%d:%d", name, i, j))
				hash, _, _ := strings.Cut(kept["trusted_hash"], "/") // of a plugin another digest comes after it
				if hash != hookDigest(name, group.Matcher, h) || kept["enabled"] == "false" {
					open = append(open, event)
				}
			}
		}
	}
	slices.Sort(open)
	return open, all
}

// keptOf is what Codex keeps of a hook, which it names by one of the names of its file.
func keptOf(state map[string]map[string]string, names []string, hook string) map[string]string {
	for _, of := range names {
		if kept := state["hooks.state."+of+":"+hook]; kept != nil {
			return kept
		}
	}
	return nil
}

// hookDigest is what Codex keeps of a hook: of its JSON, with the keys in order.
func hookDigest(event string, matcher *string, h command) string {
	return "sha256:" + digest.Hex(install.Quote(struct {
		Event   string    `json:"event_name"`
		Hooks   []command `json:"hooks"`
		Matcher *string   `json:"matcher,omitempty"`
	}{event, []command{h}, matcher}))
}

// snake spells PreToolUse as pre_tool_use.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// tables reads as much of TOML as Codex writes of its state: the values, text without its
// quotes, by the names of their table, joined by dots, and their key. Anything else is
// left out, and then counts as not approved.
func tables(text string) map[string]map[string]string {
	all, at := map[string]map[string]string{}, map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(line, "["); ok {
			at = map[string]string{}
			if name, ok := strings.CutSuffix(inner, "]"); ok {
				all[tableName(name)] = at
			}
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok {
			at[strings.TrimSpace(key)] = unquoted(strings.TrimSpace(value))
		}
	}
	return all
}

// tableName takes the quotes off the last part of a table's name.
func tableName(name string) string {
	if at := strings.IndexAny(name, `"'`); at >= 0 {
		return name[:at] + unquoted(name[at:])
	}
	return name
}

func unquoted(value string) string {
	if inner, ok := strings.CutPrefix(value, "'"); ok {
		return strings.TrimSuffix(inner, "'")
	}
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

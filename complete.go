package sentinel

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/shell"
)

// completed returns the actions with what each leaves out made from the rest: a
// caller that knows the path of a write, or the text of a command, need not know
// how rules look at it. An action that lacks that too, or whose trigger no rule can
// name, is [ErrEvent]: no rule could be about it.
func (b *Rulebook) completed(actions []Action, ev Event) ([]Action, error) {
	for i := range actions {
		a := &actions[i]
		if a.Trigger != "" && !b.knows(a.Trigger) {
			return nil, fmt.Errorf("%w: action %d of tool %q has the trigger %q: an action has file_write, file_read, bash or mcp, or a trigger that a rule of this engine has in RuleSpec.Trigger",
				ErrEvent, i, ev.Tool.Name, a.Trigger)
		}
		if !a.isComplete() {
			if &actions[0] == firstOf(ev.Actions) { // the caller's own: an event is never changed
				actions = slices.Clone(actions)
				a = &actions[i]
			}
			if err := a.complete(ev); err != nil {
				return nil, fmt.Errorf("%w: action %d of tool %q %w", ErrEvent, i, ev.Tool.Name, err)
			}
		}
		if a.isLost(ev) {
			return nil, fmt.Errorf("%w: action %d of tool %q has the absolute path %q, and patterns start from no folder: set Event.Dir or Event.Root", ErrEvent, i, ev.Tool.Name, a.Forms[0])
		}
	}
	return actions, nil
}

// knows reports whether a rule can be about actions of kind t. A rule that names no
// trigger, which only a type of its own can do, may be about any.
func (b *Rulebook) knows(t Trigger) bool {
	switch t {
	case FileWrite, FileRead, Bash, MCP:
		return true
	case Any: // for rules only
		return false
	}
	return slices.ContainsFunc(b.specs, func(s *RuleSpec) bool { return s.Trigger == t || s.Trigger == "" })
}

func firstOf(actions []Action) *Action {
	if len(actions) == 0 {
		return nil
	}
	return &actions[0]
}

// isComplete reports whether nothing has to be made up.
func (a *Action) isComplete() bool {
	switch a.Trigger {
	case "":
		return false
	case Bash:
		return a.Command != nil && a.Target != "" && len(a.Forms) > 0
	}
	return a.Target != "" && len(a.Forms) > 0
}

// isLost reports whether no pattern of a project could find a file: its path is absolute, and
// neither the action nor the event names a folder for the patterns.
func (a *Action) isLost(ev Event) bool {
	return (a.Trigger == FileWrite || a.Trigger == FileRead) && a.DerivedFrom == "" && cmp.Or(a.Root, a.Dir, ev.Root, ev.Dir) == "" && filepath.IsAbs(a.Forms[0])
}

func (a *Action) complete(ev Event) error {
	a.Agent, a.Tool = cmp.Or(a.Agent, ev.Agent), cmp.Or(a.Tool, ev.Tool.Name)
	a.Dir = cmp.Or(a.Dir, ev.Dir)
	a.Root = cmp.Or(a.Root, ev.Root, a.Dir)
	a.Certain = a.Certain || a.DerivedFrom == ""
	switch a.Trigger {
	case "":
		return fmt.Errorf("has no trigger")
	case FileWrite, FileRead:
		return a.completePath()
	case Bash:
		return a.completeCommand()
	case MCP:
		return a.completeCall()
	}
	if a.Target == "" && len(a.Forms) == 0 {
		return fmt.Errorf("has no target")
	}
	a.Target = cmp.Or(a.Target, strings.Join(a.Forms, " "))
	return nil
}

// completePath makes the forms of a file from its path: from the root, and the same
// with symbolic links resolved.
func (a *Action) completePath() error {
	path := cmp.Or(a.Path, a.Target, strings.Join(a.Forms[:min(len(a.Forms), 1)], ""))
	if path == "" {
		return fmt.Errorf("has no path")
	}
	if len(a.Forms) == 0 {
		abs := filepath.FromSlash(path)
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(a.Dir, abs)
		}
		a.Certain = a.Certain && !safefile.TooLong(abs)
		a.Forms = []string{fromRoot(filepath.Clean(abs), a.Root)}
		if real := safefile.Resolve(filepath.Clean(abs)); a.Root != "" {
			if form := fromRoot(real, safefile.Resolve(a.Root)); form != a.Forms[0] {
				a.Forms = append(a.Forms, form)
			}
		}
		a.Path = a.Forms[0]
	}
	a.Path = cmp.Or(a.Path, path)
	a.Target = cmp.Or(a.Target, a.Path)
	return nil
}

// fromRoot is a path as patterns see it: from root with slashes, absolute when it
// lies outside.
func fromRoot(path, root string) string {
	if root != "" {
		if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

func (a *Action) completeCommand() error {
	a.Target = cmp.Or(a.Target, strings.Join(a.Forms, "\n"))
	if a.Target == "" && a.Command != nil {
		a.Target = a.Command.Text
	}
	if strings.TrimSpace(a.Target) == "" {
		return fmt.Errorf("has no command")
	}
	if len(a.Forms) == 0 {
		a.Forms = []string{a.Target}
	}
	if a.Command == nil {
		a.Command = shell.Parse(a.Target, nil)
	}
	return nil
}

// completeCall makes the forms of an MCP call from its server and tool.
func (a *Action) completeCall() error {
	server, tool := a.Server, a.MCPTool
	if server == "" && tool == "" && len(a.Forms) == 0 {
		server, tool, _ = strings.Cut(a.Target, ":")
		if server == "" || tool == "" {
			return fmt.Errorf("has no MCP server and tool")
		}
		a.Server, a.MCPTool = server, tool
	}
	if a.Target == "" {
		a.Target = strings.Trim(server+":"+tool, ":")
		if a.Target == "" {
			a.Target = a.Forms[0]
		}
	}
	if len(a.Forms) == 0 {
		for _, form := range []string{server + ":" + tool, tool, server} {
			if form != "" && form != ":" {
				a.Forms = append(a.Forms, form)
			}
		}
	}
	return nil
}

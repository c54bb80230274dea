package history

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// Bounds of what a scope is tried on.
const (
	maxFiles    = 200_000
	maxCalls    = 500      // commands, and as many MCP calls
	maxSessions = 50       // the newest ones
	maxBytes    = 64 << 20 // of one of them
)

// A Reach is what a project has that scopes are tried on: its files, and the commands
// and MCP calls of its last sessions.
type Reach struct {
	files    []sentinel.Action
	commands []sentinel.Action
	tools    []sentinel.Action
}

// Gather collects the files below the folder that the rules of dir belong to, and what
// agents did there last. It reads; it judges nothing.
func Gather(ctx context.Context, dir string, o *project.Options) (*Reach, error) {
	past, err := Load(dir, o, nil)
	if err != nil {
		return nil, err
	}
	e := &Reach{files: Files(past.Root)}
	paths, err := past.Transcripts(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	for i, path := range newest(paths) {
		if i == maxSessions || ctx.Err() != nil || len(e.commands) >= maxCalls && len(e.tools) >= maxCalls {
			break
		}
		e.read(ctx, &past, path)
	}
	return e, nil
}

// Files are the files below a folder, as actions that edit them: of a large folder the
// first of them.
func Files(root string) (all []sentinel.Action) {
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case e.IsDir() && slices.Contains([]string{".git", ".sentinel", "node_modules"}, e.Name()):
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		case len(all) >= maxFiles:
			return fs.SkipAll
		}
		if rel, err := filepath.Rel(root, path); err == nil {
			rel = filepath.ToSlash(rel)
			all = append(all, sentinel.Action{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Target: rel, Path: rel, Forms: []string{rel}, Root: root, Dir: root, Certain: true})
		}
		return nil
	})
	return all
}

// ProjectFiles are [Files] without what `sentinel init` writes: Sentinel's own, and the settings
// in which agents register hooks.
func ProjectFiles(root string) []sentinel.Action {
	own := map[string]bool{}
	for _, a := range (agent.Registry{}).All() {
		if a.Settings.Known() {
			for _, file := range a.Settings.Files(agent.Place{Root: root}, install.Repository) {
				own[file] = true
			}
		}
	}
	return slices.DeleteFunc(Files(root), func(a sentinel.Action) bool {
		return strings.HasPrefix(a.Path, ".claude/sentinel/") || own[filepath.Join(root, filepath.FromSlash(a.Path))]
	})
}

// On is the reach with other files.
func (e *Reach) On(files []sentinel.Action) *Reach { return &Reach{files, e.commands, e.tools} }

// newest are the paths of transcripts, those that were written last first. Files that
// are too large are left out.
func newest(paths []string) []string {
	when := map[string]time.Time{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= maxBytes {
			when[path] = info.ModTime()
		}
	}
	found := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { _, ok := when[p]; return !ok })
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Or(when[b].Compare(when[a]), strings.Compare(a, b)) })
	return found
}

// read adds the last calls of one session. One that cannot be read adds what could be.
func (e *Reach) read(ctx context.Context, past *Past, path string) {
	var opts *transcript.Options
	if past.Opts.Whose != nil {
		t := past.Opts.Whose(path)
		opts = &transcript.Options{Agent: t.Agent, Format: t.Format}
	}
	reader, err := transcript.Open(path, transcript.Position{}, opts)
	if err != nil {
		return
	}
	defer reader.Close()
	var commands, tools []sentinel.Action
	for ctx.Err() == nil {
		entry, err := reader.Next()
		if err != nil {
			break
		}
		if entry.Kind != transcript.Call {
			continue
		}
		ev := reader.Event(entry)
		ev.Root, ev.Dir = past.Root, past.Root
		actions, _ := past.Opts.Views[0].Mapper.MapTool(ctx, ev)
		for _, a := range actions {
			switch a.Trigger {
			case sentinel.Bash:
				commands = append(commands, a)
			case sentinel.MCP:
				tools = append(tools, a)
			}
		}
	}
	e.commands, e.tools = add(e.commands, commands), add(e.tools, tools)
}

// add puts the last of some actions behind those of newer sessions.
func add(all, more []sentinel.Action) []sentinel.Action {
	room := maxCalls - len(all)
	return append(all, more[max(0, len(more)-room):]...)
}

// ReachOf says what [Reach.Of] says about the project of dir, and asks about a scope that
// matches nothing.
func ReachOf(ctx context.Context, dir string, o *project.Options, r *rule.Rule) (string, error) {
	reach, err := Gather(ctx, dir, o)
	if err != nil {
		return "", err
	}
	said, dead := reach.Of(r)
	return said + text.When(dead, ". Is a pattern wrong?"), nil
}

// Of says how much of the project a rule's scope is about, as "matches 3 of the 312 files
// here and 0 of your last 500 commands"; "" where there is nothing to try it on. dead is
// true if there is something, and the scope matches none of it.
func (e *Reach) Of(r *rule.Rule) (said string, dead bool) {
	trigger := r.Spec().Trigger
	var parts []string
	matched := 0
	try := func(actions []sentinel.Action, as sentinel.Trigger, format string) {
		if len(actions) == 0 || !trigger.Covers(as) {
			return
		}
		n := 0
		for i := range actions {
			a := actions[i]
			if a.Trigger = as; r.Match(&a).OK {
				n++
			}
		}
		matched += n
		parts = append(parts, fmt.Sprintf(format, n, len(actions)))
	}
	if trigger == sentinel.FileRead {
		try(e.files, sentinel.FileRead, "%d of the %d files here")
	}
	try(e.files, sentinel.FileWrite, "%d of the %d files here")
	try(e.commands, sentinel.Bash, "%d of your last %d commands")
	try(e.tools, sentinel.MCP, "%d of your last %d MCP calls")
	if len(parts) == 0 {
		return "", false
	}
	return "matches " + strings.Join(parts, " and "), matched == 0
}

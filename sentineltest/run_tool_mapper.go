package sentineltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Bounds of what a failure prints, in characters.
const (
	shownMax  = 200  // of a value
	reportMax = 4000 // of the whole
)

// mappedWithin is what the kit gives a mapper for a call of a megabyte or more: enough for
// a busy machine under the race detector, and an end for a mapper that hangs.
const mappedWithin = time.Minute

// RunToolMapper checks a [sentinel.ToolMapper] against its contract, one subtest
// a clause, each on a mapper of its own from newMapper. known are calls that the
// mapper understands, at least one, with arguments as an agent sends them; paths
// in them may be relative. They happen in a folder that the kit makes. An action
// that is not as [sentinel.Action] describes it fails the first clause that meets
// it, and no later one. Run it with -race.
func RunToolMapper(t *testing.T, newMapper func(t *testing.T) sentinel.ToolMapper, known ...sentinel.ToolCall) {
	t.Helper()
	if len(known) == 0 {
		t.Fatal("sentineltest: RunToolMapper needs calls that the mapper knows")
	}
	reported := map[string]bool{}
	for _, c := range mapperCases() {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := populate(dir); err != nil {
				t.Fatal(err)
			}
			if err := c.check(t.Context(), mapping{newMapper(t), dir, known, reported}); err != nil {
				t.Errorf("%s\nThe contract: %s", text.Cut(err.Error(), reportMax), c.explanation)
				if d := (defect{}); errors.As(err, &d) {
					reported[d.what] = true
				}
			}
		})
	}
}

type mapperCase struct {
	name, explanation string
	check             func(context.Context, mapping) error
}

func mapperCases() []mapperCase {
	return []mapperCase{
		{"1 known calls", "1. No actions and no error: there is nothing to judge. Actions are as sentinel.Action describes them.", checkKnown},
		{"2 unknown tool", "2. ErrUnknownTool: the tool is not this mapper's; the next one may know it.", checkUnknownTool},
		{"3 not understood", "3. A call of its own that it cannot understand is an error, not ErrUnknownTool, and never nothing to judge.", checkNotUnderstood},
		{"3 hostile arguments", "3. Whatever the arguments are, what comes of a call are sound actions or an error.", checkHostile},
		{"4 changes nothing", "4. It runs nothing and changes nothing.", checkChangesNothing},
		{"4 bounded", "4. It reads a bounded part of each file, and returns soon.", checkBounded},
		{"5 concurrent", "5. It is safe for concurrent use.", checkMapperConcurrent},
		{"5 event unchanged", "5. It is safe for concurrent use: events are shared, so nobody writes to them.", checkEventUnchanged},
	}
}

// mapping is a mapper with the calls it knows and the folder they happen in.
type mapping struct {
	mapper sentinel.ToolMapper
	dir    string
	known  []sentinel.ToolCall
	// reported has the defects of actions that an earlier case failed for. A mapper
	// makes the same mistake with every call.
	reported map[string]bool
}

func (m mapping) event(call sentinel.ToolCall) sentinel.Event {
	return sentinel.Event{Phase: sentinel.PhasePre, Agent: "sentineltest", Session: "sentineltest", Dir: m.dir, Root: m.dir, Tool: call}
}

// mapTool maps one call. A result that no call may have, including a panic, is fault; the
// error of the mapper itself is err.
func (m mapping) mapTool(ctx context.Context, ev sentinel.Event) (actions []sentinel.Action, err, fault error) {
	call := fmt.Sprintf("%s with arguments %s", ev.Tool.Name, shorten(ev.Tool.Args))
	fault = within(mappedWithin, func() (fault error) {
		defer func() {
			if p := recover(); p != nil {
				fault = fmt.Errorf("it panicked: %s", text.Cut(fmt.Sprint(p), shownMax))
			}
		}()
		actions, err = m.mapper.MapTool(ctx, ev)
		return nil
	})
	if fault == nil && err != nil && len(actions) > 0 {
		fault = fmt.Errorf("it returned %d actions and the error %w", len(actions), err)
	}
	for i := range actions {
		if fault != nil {
			break
		}
		if what, ok := unsound(&actions[i], ev.Tool.Name); !ok && !m.reported[what] {
			fault = defect{what, described(&actions[i])}
		}
	}
	if fault != nil {
		fault = fmt.Errorf("%s: %w", call, fault)
	}
	return actions, err, fault
}

func shorten(args json.RawMessage) string {
	return fmt.Sprintf("%q (%d bytes)", text.Cut(string(args), shownMax), len(args))
}

// A defect is what is wrong with an action, and that action.
type defect struct{ what, action string }

func (d defect) Error() string { return d.what + ": " + d.action }

// unsound says what is wrong with an action, in constant words; ok is true when
// nothing is.
func unsound(a *sentinel.Action, tool string) (what string, ok bool) {
	isFile := a.Trigger == sentinel.FileWrite || a.Trigger == sentinel.FileRead
	switch {
	case !isFile && a.Trigger != sentinel.Bash && a.Trigger != sentinel.MCP:
		return "an action has an unknown trigger", false
	case a.Target == "":
		return "an action has no target", false
	case a.Tool != tool:
		return "an action names another tool than the call", false
	case len(a.Forms) == 0 || slices.Contains(a.Forms, ""):
		return "an action has no forms or an empty one: patterns are tried on them", false
	case isFile && a.Path != a.Forms[0]:
		return "an action's path is not its first form", false
	case (a.Trigger == sentinel.FileWrite) != (a.Op != sentinel.OpNone):
		return "an action's operation does not fit its trigger", false
	case a.Trigger == sentinel.Bash && a.Command == nil:
		return "an action has no parsed command", false
	case a.Trigger == sentinel.MCP && a.Server == "" && a.MCPTool == "":
		return "an action names no server and no tool", false
	case !filepath.IsAbs(a.Root) || !filepath.IsAbs(a.Dir):
		return "an action's folders are not absolute", false
	}
	return "", true
}

// described shows the fields of an action that unsound looks at.
func described(a *sentinel.Action) string {
	show := func(s string) string { return fmt.Sprintf("%q", text.Cut(s, shownMax)) }
	first := "none"
	if len(a.Forms) > 0 {
		first = show(a.Forms[0])
	}
	return fmt.Sprintf("trigger %q, operation %q, tool %s, target %s, path %s, %d forms (the first is %s), server %s, MCP tool %s, root %s, folder %s",
		a.Trigger, a.Op, show(a.Tool), show(a.Target), show(a.Path), len(a.Forms), first, show(a.Server), show(a.MCPTool), show(a.Root), show(a.Dir))
}

func checkKnown(ctx context.Context, m mapping) error {
	for _, call := range m.known {
		if _, err, fault := m.mapTool(ctx, m.event(call)); err != nil || fault != nil {
			return errors.Join(fault, wrapIf("a known call was not understood", err))
		}
	}
	return nil
}

func wrapIf(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func checkUnknownTool(ctx context.Context, m mapping) error {
	const name = "sentineltest-no-such-tool"
	call := sentinel.ToolCall{Name: name, Args: json.RawMessage(`{"file_path":"a","command":"b"}`)}
	actions, err, fault := m.mapTool(ctx, m.event(call))
	if fault == nil && !errors.Is(err, sentinel.ErrUnknownTool) {
		fault = fmt.Errorf("for %s, which nobody knows, it returned %d actions and the error %v, not ErrUnknownTool", name, len(actions), err)
	}
	return fault
}

func checkNotUnderstood(ctx context.Context, m mapping) error {
	for _, call := range m.known {
		for _, args := range []string{`{"file_path":"a`, `{"command":`, "\x00\xff", `{} {`, "<args/>"} {
			call.Args = json.RawMessage(args)
			actions, err, fault := m.mapTool(ctx, m.event(call))
			switch {
			case fault != nil:
				return fault
			case err == nil && len(actions) == 0:
				return fmt.Errorf("%s with the arguments %q, which are no JSON, was taken for a call that does nothing", call.Name, args)
			case errors.Is(err, sentinel.ErrUnknownTool):
				return fmt.Errorf("%s is known, but with the arguments %q it was said to be unknown", call.Name, args)
			}
		}
	}
	return nil
}

func checkHostile(ctx context.Context, m mapping) error {
	for _, call := range m.known {
		for _, args := range hostile(call.Args) {
			call.Args = args
			_, err, fault := m.mapTool(ctx, m.event(call))
			if fault != nil {
				return fault
			}
			if errors.Is(err, sentinel.ErrUnknownTool) {
				return fmt.Errorf("%s is known, but with the arguments %s it was said to be unknown", call.Name, shorten(args))
			}
		}
	}
	return nil
}

// hostile returns JSON that has the wrong shape, and args with each of its
// members in turn of the wrong type, empty, missing, and leading astray.
func hostile(args json.RawMessage) []json.RawMessage {
	list := []json.RawMessage{nil, []byte("null"), []byte("[]"), []byte("7"), []byte(`""`), []byte("{}"),
		[]byte(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))}
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return list
	}
	for name, was := range members {
		for _, value := range []string{"null", "7", "[]", `{}`, `""`, `"../../../../etc/passwd"`, `"a\u0000b"`, `"\ud800"`, `["a","b"]`, `[7]`} {
			members[name] = json.RawMessage(value)
			changed, _ := json.Marshal(members) // its values came from a decoder or from the list above
			list = append(list, changed)
		}
		delete(members, name)
		without, _ := json.Marshal(members)
		list = append(list, without)
		members[name] = was
	}
	return list
}

func checkChangesNothing(ctx context.Context, m mapping) error {
	before, err := snapshot(m.dir)
	if err != nil {
		return err
	}
	for _, call := range m.known {
		if _, _, fault := m.mapTool(ctx, m.event(call)); fault != nil {
			return fault
		}
		after, err := snapshot(m.dir)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(before, after) {
			return fmt.Errorf("after %s was mapped the folder has changed: %.200q, before %.200q", call.Name, after, before)
		}
	}
	return nil
}

// populate makes some files for mappers to find.
func populate(dir string) error {
	return errors.Join(
		os.MkdirAll(filepath.Join(dir, "src"), 0o700),
		os.WriteFile(filepath.Join(dir, "README.md"), []byte("A project.\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "src", "main.go"), []byte("package main\n"), 0o600),
	)
}

// snapshot returns what lies in dir, as path and content.
func snapshot(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			files[path] = d.Type().String()
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	return files, err
}

func checkBounded(ctx context.Context, m mapping) error {
	long := json.RawMessage(`"` + strings.Repeat("a ", 1<<19) + `"`)
	for _, call := range m.known {
		var members map[string]json.RawMessage
		if json.Unmarshal(call.Args, &members) != nil {
			continue
		}
		for name := range members {
			members[name] = long
		}
		call.Args, _ = json.Marshal(members) // strings only
		if _, _, fault := m.mapTool(ctx, m.event(call)); fault != nil {
			return fault
		}
	}
	return nil
}

func checkMapperConcurrent(ctx context.Context, m mapping) error {
	for _, call := range m.known {
		want, err, fault := m.mapTool(ctx, m.event(call))
		if err != nil || fault != nil {
			return errors.Join(fault, wrapIf("a known call was not understood", err))
		}
		const callers = 8
		faults := make(chan error, callers)
		for range callers {
			go func() { faults <- m.sameAgain(ctx, call, want) }()
		}
		var errs []error
		for range callers {
			errs = append(errs, <-faults)
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	return nil
}

func (m mapping) sameAgain(ctx context.Context, call sentinel.ToolCall, want []sentinel.Action) error {
	got, err, fault := m.mapTool(ctx, m.event(call))
	if err != nil || fault != nil {
		return errors.Join(fault, wrapIf("of calls at once one failed", err))
	}
	same := slices.EqualFunc(want, got, func(a, b sentinel.Action) bool {
		return a.Trigger == b.Trigger && a.Op == b.Op && a.Target == b.Target && a.Content == b.Content && slices.Equal(a.Forms, b.Forms)
	})
	if !same {
		return fmt.Errorf("%s was mapped to other actions when several calls came at once", call.Name)
	}
	return nil
}

func checkEventUnchanged(ctx context.Context, m mapping) error {
	for _, call := range m.known {
		was := bytes.Clone(call.Args)
		if _, _, fault := m.mapTool(ctx, m.event(call)); fault != nil {
			return fault
		}
		if !bytes.Equal(was, call.Args) {
			return fmt.Errorf("after %s was mapped its arguments are %s, before %s", call.Name, shorten(call.Args), shorten(was))
		}
	}
	return nil
}

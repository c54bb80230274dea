package replay

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// Places are the folders in which agents keep their sessions; "" is none.
// docs/replay.md says where they usually are.
type Places struct {
	Claude   string   // Claude Code's: it holds projects/<folder>/<session>.jsonl
	Codex    string   // Codex's: sessions/YYYY/MM/DD/rollout-*.jsonl
	Copilot  string   // Copilot CLI's: session-state/<session>/events.jsonl
	Gemini   string   // Gemini CLI's: tmp/<project>/chats/session-*
	Qwen     string   // Qwen Code's: projects/<folder>/chats/<session>.jsonl
	VSCode   []string // VS Code's workspaceStorage, one for each edition
	Journals string   // Sentinel's own, for agents that keep none: <session>.jsonl
}

// Find returns the transcripts of sessions that were held in the folder root or
// below it, sorted by path. Where an agent keeps the sessions of all projects
// together, a transcript says itself where it was held: its first lines are read.
// What cannot be read there is nobody's, and left out.
func Find(ctx context.Context, root string, p Places) []string {
	f := finder{roots: []string{filepath.Clean(root)}}
	if real, err := filepath.EvalSymlinks(root); err == nil && real != f.roots[0] {
		f.roots = append(f.roots, real)
	}
	var found, asked []string
	asked = append(asked, f.claude(p.Claude)...)
	asked = append(asked, glob(p.Codex, "sessions/*/*/*/rollout-*.jsonl")...)
	asked = append(asked, glob(p.Copilot, "session-state/*/events.jsonl")...)
	asked = append(asked, glob(p.Qwen, "projects/*/chats/*.jsonl")...)
	asked = append(asked, glob(p.Journals, "*.jsonl")...)
	found = append(found, f.gemini(p.Gemini)...)
	for _, dir := range p.VSCode {
		found = append(found, f.vscode(dir)...)
	}
	found = append(found, f.here(ctx, asked)...)
	slices.Sort(found)
	return slices.Compact(found)
}

// glob lists files below a folder. The folder's own name may hold any character.
func glob(dir, pattern string) []string {
	if !filepath.IsAbs(dir) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	found := []string{"."}
	for _, element := range strings.Split(pattern, "/") {
		var next []string
		for _, at := range found {
			next = append(next, matching(root, at, element)...)
		}
		found = next
	}
	for i := range found {
		found[i] = filepath.Join(dir, found[i])
	}
	return found
}

// matching are the entries of a folder whose names match.
func matching(root *os.Root, dir, element string) (found []string) {
	if !strings.ContainsAny(element, "*?[") {
		if _, err := root.Lstat(filepath.Join(dir, element)); err == nil {
			found = append(found, filepath.Join(dir, element))
		}
		return found
	}
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if ok, _ := filepath.Match(element, name); ok {
			found = append(found, filepath.Join(dir, name))
		}
	}
	return found
}

// finder knows the folder by all its names.
type finder struct{ roots []string }

// holds reports whether a folder is the project's or below it.
func (f *finder) holds(dir string) bool {
	return slices.ContainsFunc(f.roots, func(root string) bool { return safefile.Within(filepath.Clean(dir), root) })
}

// claude lists what Claude Code keeps for the folder, for those below it and for
// those whose name only begins alike: it writes - for whatever is no letter or
// digit, so that names cannot be told apart for certain.
func (f *finder) claude(home string) (found []string) {
	for _, dir := range glob(home, "projects/*") {
		name := filepath.Base(dir)
		if !slices.ContainsFunc(f.roots, func(root string) bool { return strings.HasPrefix(name, mangle(root)) }) {
			continue
		}
		found = append(found, glob(dir, "*.jsonl")...)
		found = append(found, glob(dir, "*/subagents/*.jsonl")...)
	}
	return found
}

func mangle(path string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, path)
	return name[:min(len(name), 200)] // longer names are cut, with a digest behind
}

// gemini lists what Gemini CLI keeps: in a folder that has the project's path in
// .project_root or, of older versions, is named by its SHA-256. The sessions
// themselves do not tell where they were held.
func (f *finder) gemini(home string) (found []string) {
	for _, dir := range glob(home, "tmp/*") {
		text, err := readSmall(filepath.Join(dir, ".project_root"))
		mine := err == nil && f.holds(strings.TrimSpace(string(text)))
		for _, root := range f.roots {
			mine = mine || filepath.Base(dir) == digest.Hex(root)
		}
		if mine {
			found = append(found, glob(dir, "chats/session-*.json")...)
			found = append(found, glob(dir, "chats/session-*.jsonl")...)
		}
	}
	return found
}

// vscode lists what Copilot keeps for the workspaces of VS Code that are this
// folder.
func (f *finder) vscode(storage string) (found []string) {
	for _, dir := range glob(storage, "*") {
		text, err := readSmall(filepath.Join(dir, "workspace.json"))
		var workspace struct{ Folder string }
		if err != nil || json.Unmarshal(text, &workspace) != nil {
			continue
		}
		if folder, ok := fromURL(workspace.Folder); ok && f.holds(folder) {
			found = append(found, glob(dir, "GitHub.copilot-chat/transcripts/*.jsonl")...)
		}
	}
	return found
}

// fromURL is the path of a file: URL.
func fromURL(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return "", false
	}
	if runtime.GOOS == "windows" {
		return filepath.FromSlash(strings.TrimPrefix(u.Path, "/")), true
	}
	return u.Path, true
}

// readSmall reads the beginning of a regular file.
func readSmall(path string) ([]byte, error) {
	f, _, err := safefile.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 64<<10))
}

// here keeps the transcripts that say that they were held here.
func (f *finder) here(ctx context.Context, paths []string) (found []string) {
	mine := make([]bool, len(paths))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, path := range paths {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			mine[i] = f.holds(heldIn(path))
		})
	}
	wait.Wait()
	for i, path := range paths {
		if mine[i] {
			found = append(found, path)
		}
	}
	return found
}

// firstEntries is how much of a transcript is read to see where it was held: in
// all that are known the first line that says anything tells.
const firstEntries = 16

// heldIn is the folder in which a session began. nowhere can be no folder's name;
// "" would be cleaned to the present one.
func heldIn(path string) string {
	const nowhere = "\x00"
	r, err := transcript.Open(path, transcript.Position{}, nil)
	if err != nil {
		return nowhere
	}
	defer r.Close()
	for range firstEntries {
		if _, err := r.Next(); err != nil && r.Dir() == "" {
			return nowhere
		}
		if dir := r.Dir(); dir != "" {
			return dir
		}
	}
	return nowhere
}

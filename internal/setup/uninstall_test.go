package setup_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/project"
)

// layouts are settings that users have, in forms that an editor would not choose. The last
// are for agents that read comments.
var layouts = []string{
	"", // no file
	"{}", "{\n}\n", "{ \"theme\" :\"dark\",\"z\": [1,2 ] }",
	"{\r\n\t\"theme\": \"dark\",\r\n\t\"hooks\": {}\r\n}\r\n",
	"{\n    \"b\": 1,\n    \"hooks\": {\"Other\": []},\n    \"a\": \"\\u00e4 ~\"\n}\n\n",
	"// mine\n{\n  /* why */ \"theme\": \"dark\", // for now\n  \"hooks\": { /* none */ }\n}\n",
	"{\n  \"theme\": \"dark\" // the last\n  // after it\n}",
}

const plainLayouts = 6

// home is a repository and a home folder, with the settings of agents in them.
type home struct {
	*testing.T
	dir  string
	opts *project.Options
}

func newHome(t *testing.T) home {
	h := home{t, t.TempDir(), nil}
	in := func(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }
	h.opts = &project.Options{
		Home: in("ä home"), UserDir: in("ä home/.config/sentinel"), StateDir: in("ä home/.local/state/sentinel"), CacheDir: in("ä home/.cache/sentinel"),
	}
	require.NoError(t, os.MkdirAll(in("a repo/.git"), 0o755))
	require.NoError(t, os.MkdirAll(in("ä home"), 0o755))
	return h
}

func (h home) options() *setup.Options {
	return &setup.Options{
		Dir: filepath.Join(h.dir, "a repo"), Packs: []string{"network"}, Backend: "builtin", Where: setup.InBoth, Project: h.opts, Say: func(string, ...any) {},
	}
}

// settings gives an agent's files a layout each.
func (h home) settings(r *rand.Rand, a *agent.Agent) {
	for _, s := range []install.Scope{install.Repository, install.User} {
		targets, err := a.Targets(agent.Place{Root: h.options().Dir, Home: h.opts.Home}, s)
		require.NoError(h, err)
		for _, t := range targets {
			among := plainLayouts
			form := t.Settings.FormOf(t.File)
			if form.Dialect == install.WithComments {
				among = len(layouts)
			}
			text := layouts[r.IntN(among)]
			if t.Settings.Script != nil || form.Shape == install.Listed {
				text = "" // the file itself is ours; others lie next to it
				h.write(filepath.Join(filepath.Dir(t.File), "mine.txt"), "mine")
			}
			if text != "" && !h.exists(t.File) {
				h.write(t.File, text)
			}
		}
	}
}

func (h home) exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

func (h home) write(file, text string) {
	require.NoError(h, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(h, os.WriteFile(file, []byte(text), 0o640))
}

// tree is every file with its mode and content, and every folder.
func (h home) tree() map[string]string {
	all := map[string]string{}
	require.NoError(h, filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(h, err)
		info, err := d.Info()
		require.NoError(h, err)
		var data []byte
		if !d.IsDir() {
			data, err = os.ReadFile(path)
			require.NoError(h, err)
		}
		all[path] = info.Mode().String() + "\n" + string(data)
		return nil
	}))
	return all
}

// After init and uninstall a repository and a home folder are as they were, for any agents
// with any settings of their own.
func TestUninstallLeavesNothing(t *testing.T) {
	t.Parallel()
	var all []*agent.Agent
	for _, a := range (agent.Registry{}).All() {
		if a.Settings.Known() {
			all = append(all, a)
		}
	}
	require.Greater(t, len(all), 10)
	for seed := range uint64(2 * len(all)) {
		r := rand.New(rand.NewPCG(seed, 0))
		some := []*agent.Agent{all[int(seed)%len(all)]} // each by itself, and with others
		for seed >= uint64(len(all)) && len(some) < 4 {
			some = append(some, all[r.IntN(len(all))])
		}
		h := newHome(t)
		o := h.options()
		for _, a := range some {
			h.settings(r, a)
			if !slices.Contains(o.Agents, a.Name) {
				o.Agents = append(o.Agents, a.Name)
			}
		}
		before := h.tree()
		done, err := setup.Init(t.Context(), o)
		require.NoError(t, err, o.Agents)
		require.Equal(t, o.Agents, done.Agents)
		require.NotEqual(t, before, h.tree())
		again, err := setup.Init(t.Context(), o)
		require.NoError(t, err)
		require.Empty(t, again.Agents, "the second init writes nothing")

		h.write(filepath.Join(o.Dir, ".claude", "sentinel", "sentinel.log"), "{}\n") // as the hook does
		h.write(filepath.Join(o.Dir, ".sentinel", "scribe", "x.json"), "{}\n")
		for _, user := range []bool{false, true} {
			require.NoError(t, setup.Uninstall(&setup.Options{Dir: o.Dir, User: user, Purge: true, Project: o.Project, Say: o.Say}, true))
		}
		require.Equal(t, before, h.tree(), "seed %d: %v", seed, o.Agents)
	}
}

// The records of what init wrote are not removed while they are needed.
func TestPurgeKeepsRecordsThatAreNeeded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.options()
	_, err := setup.Init(t.Context(), o)
	require.NoError(t, err)
	purge := &setup.Options{Dir: o.Dir, User: true, Purge: true, Project: o.Project, Say: o.Say}
	err = setup.Uninstall(purge, true)
	require.ErrorContains(t, err, "run `sentinel uninstall` there first")
	require.DirExists(t, o.Project.StateDir)
	require.NoError(t, os.RemoveAll(filepath.Join(o.Dir, ".claude")))
	require.NoError(t, setup.Uninstall(purge, true))
	require.NoDirExists(t, o.Project.StateDir)
	require.NoError(t, setup.Uninstall(purge, true), "once more there is nothing to do")
}

package project_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
)

// A person is asked about each file that init writes for an agent, and about each that
// an agent's value names besides: whatever changes it.
func TestGuardFilesIsAboutEveryFileOfEveryAgent(t *testing.T) {
	t.Parallel()
	for _, pack := range []string{"recommended", "self-protection"} {
		t.Run(pack, func(t *testing.T) {
			t.Parallel()
			files := tree{"user/x": "", "home/x": ""}
			list, err := packs.Files(pack)
			require.NoError(t, err)
			for _, f := range list {
				if f.Name == "guard-files.yaml" {
					files["repo/.claude/sentinel/rules/"+f.Name] = string(f.Data)
				}
			}
			files["repo/.claude/sentinel/config.yaml"] = "backend: builtin\n"
			dir := files.write(t)
			repo, home := filepath.Join(dir, "repo"), filepath.Join(dir, "home")
			p := project.Open([]string{repo}, &project.Options{Home: home})
			guarded := guardedFiles(t, repo, home)
			require.Greater(t, len(guarded), 60)
			for file, name := range guarded {
				for how, ev := range changesOf(repo, file) {
					d, err := p.Evaluate(t.Context(), ev)
					require.NoError(t, err)
					require.True(t, isAsked(d, "guard-files"), "%s by %s: no one is asked about %s", name, how, file)
				}
			}
		})
	}
}

// guardedFiles are the files and the agents that they belong to.
func guardedFiles(t *testing.T, repo, home string) map[string]string {
	files := map[string]string{}
	for _, a := range (agent.Registry{}).All() {
		for _, goos := range []string{"linux", "darwin", "windows"} {
			for _, s := range []install.Scope{install.Repository, install.User} {
				at := agent.Place{Root: repo, Home: home, GOOS: goos}
				targets, err := a.Targets(at, s)
				require.NoError(t, err)
				also, err := at.AlsoRead(a.Name, &a.Settings, s)
				require.NoError(t, err)
				for _, target := range append(targets, also...) {
					files[target.File] = a.Name
				}
			}
		}
		for _, guard := range a.Guards {
			base := repo
			if rest, ok := strings.CutPrefix(guard, "~/"); ok {
				base, guard = home, rest
			}
			if strings.HasSuffix(guard, "/") {
				guard += "sub/any.file"
			}
			files[filepath.Join(base, filepath.FromSlash(guard))] = a.Name
		}
	}
	return files
}

// changesOf are the ways to change a file.
func changesOf(repo, file string) map[string]sentinel.Event {
	tool := func(name string, args map[string]string) sentinel.Event {
		data, _ := json.Marshal(args)
		return sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: repo, Tool: sentinel.ToolCall{Name: name, Args: data}}
	}
	file = strings.ReplaceAll(file, `\`, "/") // to a POSIX shell and to Python a backslash escapes
	return map[string]sentinel.Event{
		"Write":       tool("Write", map[string]string{"file_path": file, "content": "{}"}),
		"Edit":        tool("Edit", map[string]string{"file_path": file, "old_string": "a", "new_string": "b"}),
		"redirection": command(repo, "echo '{}' > '"+file+"'"),
		"sed":         command(repo, "sed -i s/a/b/ '"+file+"'"),
		"mv":          command(repo, "mv /tmp/x '"+file+"'"),
		"rm":          command(repo, "rm '"+file+"'"),
		"python":      command(repo, `python3 -c "open('`+file+`','w').write('')"`),
	}
}

func isAsked(d sentinel.Decision, rule string) bool {
	for _, f := range d.Findings {
		if f.Rule.ID == rule && f.Verdict >= sentinel.VerdictAsk {
			return true
		}
	}
	return false
}

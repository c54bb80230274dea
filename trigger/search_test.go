package trigger

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
)

// searchProject is a folder with files that are not for everybody.
func searchProject(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, file := range []string{".env", ".env.local", "main.go", "config/app.pem", "config/.env", "config/secrets.json", "keys/.ssh/id_rsa", "src/a.ts"} {
		path := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	return root
}

// searched are the forms of what a search reads, one text for each action.
func searched(t *testing.T, opts *Options, dir, agent, tool, args string) (all []string) {
	t.Helper()
	root := strings.TrimSuffix(dir, string(filepath.Separator)+"config")
	actions, err := New(opts).MapTool(t.Context(), sentinel.Event{
		Phase: sentinel.PhasePre, Agent: agent, Dir: dir, Root: root, Tool: sentinel.ToolCall{Name: tool, Args: json.RawMessage(args)},
	})
	require.NoError(t, err, args)
	for _, a := range actions {
		require.Equal(t, sentinel.FileRead, a.Trigger)
		require.Equal(t, a.Forms[0], a.Path)
		require.Empty(t, a.DerivedFrom)
		require.False(t, a.Certain, "a search is no reading of the whole file")
		all = append(all, strings.Join(a.Forms, " "))
	}
	return all
}

// TestSearches: what a search shows the lines of is read.
func TestSearches(t *testing.T) {
	t.Parallel()
	root := searchProject(t)
	for _, tt := range []struct {
		name, args string
		want       []string
	}{
		{"a file", `{"path":".env"}`, []string{".env"}},
		{"a file from the root", `{"path":"` + filepath.ToSlash(root) + `/config/.env","glob":"*.go"}`, []string{"config/.env"}},
		{"a file that is not there", `{"path":"a/id_rsa"}`, []string{"a/id_rsa"}},
		{"a folder", `{"path":"config"}`, []string{"config"}},
		{"nothing", `{}`, []string{"."}},
		{"a list of files", `{"paths":[".env","src"]}`, []string{".env", "src"}},
		{"a folder by another key", `{"dir_path":"config"}`, []string{"config"}},
		{"a pattern for a path", `{"path":".env*"}`, []string{".env* .env .env.local"}},

		{"names", `{"glob":".env*"}`, []string{"**/.env* .env .env.local config/.env"}},
		{"names below a folder", `{"path":"config","glob":".env*"}`, []string{"config/**/.env* config/.env"}},
		{"names in a folder", `{"glob":"config/.e*"}`, []string{"config/.e* config/.env"}},
		{"names in a folder, from where the call runs", `{"path":"config","glob":"config/.e*"}`, []string{"config/config/.e* config/.env"}},
		{"one name", `{"include":".env.local"}`, []string{"**/.env.local .env.local"}},
		{"a name at any depth", `{"includePattern":"**/id_rsa"}`, []string{"**/id_rsa keys/.ssh/id_rsa"}},
		{"a path", `{"include_pattern":"./config/app.pem"}`, []string{"config/app.pem"}},
		{"a path from the root", `{"includePattern":"` + filepath.ToSlash(root) + `/config/.e*"}`, []string{"config/.e* config/.env"}},
		{"a star that hidden names fit", `{"file_pattern":"*env*"}`, []string{"**/*env* .env .env.local config/.env"}},
		{"a class", `{"glob":"[.]env"}`, []string{"**/[.]env .env config/.env"}},

		{"an ending picks no files", `{"glob":"*.pem"}`, []string{"**/*.pem **/.pem"}},
		{"an ending that is a name", `{"glob":"**/*.env"}`, []string{"**/*.env **/.env"}},
		{"an ending in a folder", `{"path":"src","glob":"*.ts"}`, []string{"src/**/*.ts src/**/.ts"}},
		{"braces", `{"glob":"*.{go,p{em,12}}"}`, []string{"**/*.go **/.go", "**/*.pem **/.pem", "**/*.p12 **/.p12"}},
		{"one in braces", `{"glob":"{.env.local}"}`, []string{"**/.env.local .env.local"}},
		{"several", `{"glob":"*.go, .env.local !*.ts"}`, []string{"**/*.go **/.go", "**/.env.local .env.local", "**/*.go, .env.local !*.ts"}},
		{"a name with a blank", `{"glob":"Login Data"}`, []string{"**/Login", "**/Data", "**/Login Data"}},
		{"several, one of them everything", `{"glob":"{*,.env.local}"}`, []string{".", "**/.env.local .env.local"}},
		{"a list", `{"Includes":["*.go","**"]}`, []string{"**/*.go **/.go", "."}},

		{"everything", `{"glob":"*"}`, []string{"."}},
		{"everything at any depth", `{"path":"config","glob":"**/*.*"}`, []string{"config"}},
		{"all but some", `{"glob":"!*.ts"}`, []string{"."}},
		{"everything in a folder", `{"glob":"config/**"}`, []string{"config"}},
		{"everything in folders of a name", `{"glob":"**/.ssh/*"}`, []string{"**/.ssh keys/.ssh"}},
		{"hidden names", `{"path":"config","glob":".*"}`, []string{"config/**/.* config/.env"}},
	} {
		require.Equal(t, tt.want, searched(t, nil, root, "gemini", "grep_search", tt.args), tt.name)
	}
	keys := searched(t, nil, root, "gemini", "grep_search", `{"path":"/home/u/.ssh"}`)
	require.Len(t, keys, 1)
	require.Equal(t, "/home/u/.ssh", strings.Fields(keys[0])[0]) // on Windows a form with the drive follows
	require.Equal(t, []string{"config/**/.env config/.env"}, searched(t, nil, filepath.Join(root, "config"), "opencode", "grep", `{"include":".env"}`))
}

// TestSearchTools: the search of each agent, with its arguments as the agent calls them.
func TestSearchTools(t *testing.T) {
	t.Parallel()
	root := searchProject(t)
	for _, tt := range []struct {
		agent, tool, args string
		reads             bool
	}{
		{"claude", "Grep", `{"pattern":"KEY","path":".env","output_mode":"content","-n":true}`, true},
		{"claude", "Grep", `{"pattern":"KEY","path":".env"}`, false}, // files_with_matches is its default
		{"claude", "Grep", `{"pattern":"KEY","path":".env","output_mode":"files_with_matches"}`, false},
		{"claude", "Grep", `{"pattern":"KEY","path":".env","output_mode":"count"}`, false},
		{"claude", "Grep", `{"pattern":"KEY","path":".env","output_mode":"all"}`, true},
		{"claude", "Grep", `{"pattern":"KEY","path":".env","output_mode":"content","names_only":true}`, true},
		{"cursor", "Grep", `{"pattern":"KEY","file_path":".env"}`, true},
		{"copilot", "grep", `{"pattern":"KEY","path":".env","output_mode":"content"}`, true},
		{"copilot", "grep", `{"pattern":"KEY","path":".env"}`, false},
		{"copilot", "rg", `{"pattern":"KEY","path":".env"}`, true},
		{"copilot", "Grep", `{"pattern":"KEY","path":".env"}`, true},
		{"vscode", "grep_search", `{"query":"KEY","isRegexp":false,"includePattern":".env"}`, true},
		{"kiro", "grepSearch", `{"query":"KEY","includePattern":".env"}`, true},
		{"kiro", "grep", `{"pattern":"KEY","path":".env"}`, true},
		{"opencode", "grep", `{"pattern":"KEY","include":".env"}`, true},
		{"gemini", "grep_search", `{"pattern":"KEY","include_pattern":".env"}`, true},
		{"gemini", "grep_search", `{"pattern":"KEY","include_pattern":".env","names_only":true}`, false},
		{"gemini", "grep_search", `{"pattern":"KEY","include_pattern":".env","output_mode":"count"}`, true},
		{"gemini", "search_file_content", `{"pattern":"KEY","include":".env"}`, true},
		{"qwen", "grep_search", `{"pattern":"KEY","glob":".env"}`, true},
		{"pi", "grep", `{"pattern":"KEY","path":".env","literal":true}`, true},
		{"pi", "grep", `{"pattern":"KEY","path":".env","output_mode":"count","names_only":true}`, true}, // it has neither
		{"cline", "search_files", `{"path":".","regex":"KEY","file_pattern":".env"}`, true},
		{"windsurf", "search_in_file", `{"absolute_path":".env","query":"KEY"}`, true},
		{"", "Grep", `{"pattern":"KEY","path":".env"}`, true},
	} {
		got := searched(t, nil, root, tt.agent, tt.tool, tt.args)
		require.Equal(t, tt.reads, len(got) == 1 && strings.Contains(" "+got[0]+" ", " .env "), "%s %s: %q", tt.agent, tt.args, got)
	}
	require.Equal(t, []string{"."}, searched(t, nil, root, "cline", "search_codebase", `{"queries":["KEY"]}`))
}

// TestSearchesBeyondTheBound: a search for more patterns than are looked at may be about
// any file of the folder.
func TestSearchesBeyondTheBound(t *testing.T) {
	t.Parallel()
	root := searchProject(t)
	glob := strings.Repeat("{a,b}", 7) + ",.env"
	got := searched(t, nil, root, "pi", "grep", `{"glob":"`+glob+`"}`)
	require.Equal(t, ". **", got[len(got)-1])
	got = searched(t, nil, root, "pi", "grep", `{"path":"config","glob":"`+strings.Repeat("a{", 1000)+`"}`)
	require.Len(t, got, 1)

	// Names beyond the bound of a walk are not picked: docs/limits.md.
	for i := range walkEntries {
		require.NoError(t, os.WriteFile(filepath.Join(root, "config", fmt.Sprint(i)), nil, 0o600))
	}
	require.Equal(t, []string{"**/i[d]_rsa"}, searched(t, nil, root, "pi", "grep", `{"glob":"i[d]_rsa"}`))
}

// TestModesOfReading: fs_read of Amazon Q searches in one of its modes.
func TestModesOfReading(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		`{"operations":[{"mode":"Line","path":"a"}]}`:                                true,
		`{"operations":[{"mode":"Search","path":"a","pattern":"x"}]}`:                false,
		`{"operations":[{"mode":"Search","path":"a"},{"mode":"Line","path":"a"}]}`:   true,
		`{"operations":[{"mode":"Line","path":"a"},{"mode":"Search","path":"a"}]}`:   true,
		`{"mode":"Search","path":"a","pattern":"x"}`:                                 false,
		`{"mode":"Line","path":"a"}`:                                                 true,
		`{"operations":[{"mode":"Search","path":"b"},{"mode":"Search","path":"a"}]}`: false,
	} {
		got, err := mapCall(t, nil, "amazonq", "fs_read", args)
		require.NoError(t, err)
		require.Equal(t, want, got[len(got)-1].Certain, args)
	}
}

// TestConfiguredSearches: a configuration decides on a search tool as on any other.
func TestConfiguredSearches(t *testing.T) {
	t.Parallel()
	root := searchProject(t)
	const args = `{"pattern":"KEY","path":".env","output_mode":"content"}`
	for name, tt := range map[string]struct {
		opts Options
		want []string
	}{
		"harmless":                    {Options{Extra: map[string]sentinel.Trigger{"Grep": ""}}, nil},
		"as it is":                    {Options{Extra: map[string]sentinel.Trigger{"Grep": sentinel.FileRead}}, []string{".env"}},
		"not in a map of other tools": {Options{Map: map[string]sentinel.Trigger{"Bash": sentinel.Bash}}, nil},
		"in a map":                    {Options{Map: map[string]sentinel.Trigger{"Grep": sentinel.FileRead}}, []string{".env"}},
	} {
		require.Equal(t, tt.want, searched(t, &tt.opts, root, "claude", "Grep", args), name)
	}
	_, err := mapCall(t, nil, "pi", "grep", `{"path":7}`)
	require.ErrorIs(t, err, sentinel.ErrEvent)
}

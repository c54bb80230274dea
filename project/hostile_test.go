package project_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/project"
)

func bash(dir, command string) sentinel.Event {
	args, _ := json.Marshal(map[string]string{"command": programtest.Line(command)})
	return sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: dir, Tool: sentinel.ToolCall{Name: "Bash", Args: args}}
}

func problems(p *project.Project) string {
	var all []string
	for _, pr := range p.Inspect().Problems() {
		all = append(all, pr.Error())
	}
	return strings.Join(all, "\n")
}

// What a repository says of its tools must not make the user's rules undecided.
func TestARepositorysToolNamesDoNotReachTheUsersRules(t *testing.T) {
	t.Parallel()
	user := "trigger: bash\nseverity: ask\nbackend: builtin\nscope: [\"kubectl *\"]\nwhen: \"true\"\nmessage: ask first\n"
	for name, config := range map[string]string{
		"tool_map":  "tool_map: {Bash: file_write}\n",
		"tool_args": "tool_map: {Bash: bash}\ntool_args: {Bash: {command: nope}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree{"repo/.claude/sentinel/config.yaml": config, "user/rules/k.yaml": user}.write(t)
			repo := filepath.Join(dir, "repo")
			p := project.Open([]string{repo}, &project.Options{UserDir: filepath.Join(dir, "user")})
			require.Equal(t, "ask", verdict(t, p, bash(repo, "kubectl delete x")))
			require.Equal(t, "ask", verdict(t, p, bash(repo, "sentinel trust")))
		})
	}
}

// A folder that was made unreadable is there, and counts as broken.
func TestTakingTheFolderAwayIsNoWayOut(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(t *testing.T, dir string){
		"a dangling link": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(dir))
			programtest.Link(t, "nowhere", dir)
		},
		"a file in its place": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(dir))
			put(t, dir, "")
		},
		"no permission": func(t *testing.T, dir string) {
			if os.Geteuid() <= 0 {
				t.Skip("the superuser may read everything, and on Windows a mode takes nothing away")
			}
			require.NoError(t, os.Chmod(dir, 0))
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree{".claude/sentinel/config.yaml": "fail_open: false\nbackend: builtin\n"}.write(t)
			opts := &project.Options{CacheDir: filepath.Join(t.TempDir(), "cache"), StateDir: t.TempDir()}
			require.Equal(t, "allow", verdict(t, project.Open([]string{dir}, opts), write(dir, "x")))
			take(t, filepath.Join(dir, ".claude", "sentinel"))
			p := project.Open([]string{dir}, opts)
			require.Equal(t, "block", verdict(t, p, write(dir, "x")), "strict, as it was when it could be read")
			require.NotEmpty(t, problems(p))
		})
	}
}

func TestANamedFolderThatIsMissingIsAProblem(t *testing.T) {
	t.Parallel()
	p := project.Open([]string{t.TempDir()}, &project.Options{ConfigDir: filepath.Join(t.TempDir(), "typo")})
	require.Contains(t, problems(p), "typo")
}

func TestRemovingTheWholeProjectMeetsItsRules(t *testing.T) {
	t.Parallel()
	dir := tree{
		"work/repo/.claude/sentinel/rules/a.yaml": guard("src/**"),
		"work/repo/src/x.go":                      "",
		"elsewhere/x":                             "",
	}.write(t)
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	for _, command := range []string{
		"rm -rf " + at("work/repo"),
		"rm -rf " + at("work/repo/src"),
		"mv " + at("work/repo") + " /tmp/gone",
		"cd " + at("work") + " && rm -rf repo",
		"rm -rf " + at("work"),
	} {
		p := project.Open([]string{at("elsewhere")}, nil)
		require.Equal(t, "block", verdict(t, p, bash(at("elsewhere"), command)), command)
	}
}

func TestCloudModelsUnderEveryName(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-oss:120b-cloud", "x:cloud", "GPT-OSS:120B-CLOUD", "x:Cloud", "reg.io:5000/x:cloud", " x:cloud "} {
		dir := tree{
			".claude/sentinel/config.yaml":  "fail_open: false\nbackends: {ollama: {url: \"http://127.0.0.1:1\"}}\n",
			".claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: x\nmodel: \"" + model + "\"\n",
		}.write(t)
		d, err := project.Open([]string{dir}, nil).Evaluate(t.Context(), write(dir, "a"))
		require.NoError(t, err)
		require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrRefused, model)
	}
}

func TestAClonedRepositoryChoosesNoOtherFileAsLog(t *testing.T) {
	t.Parallel()
	for _, log := range []string{".git/config", "CLAUDE.md", ".claude/settings.json", "../x.log", ".git/x.log", filepath.ToSlash(filepath.Join(t.TempDir(), "sentinel-test.log"))} {
		dir := tree{".claude/sentinel/config.yaml": "log_file: " + log + "\n", ".claude/sentinel/rules/a.yaml": guard("a")}.write(t)
		p := project.Open([]string{dir}, nil)
		require.Empty(t, p.Inspect().LogFile(), log)
		require.Contains(t, problems(p), "log_file", log)
	}
}

func TestLinkedRuleFolders(t *testing.T) {
	t.Parallel()
	dir := tree{
		"repo/.claude/sentinel/rules/a.yaml": guard("a"),
		"repo/shared/team.yaml":              guard("b"),
		"outside/evil.yaml":                  guard("c"),
	}.write(t)
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	rules := at("repo/.claude/sentinel/rules")
	programtest.Link(t, at("repo/shared"), filepath.Join(rules, "team"))
	programtest.Link(t, ".", filepath.Join(rules, "loop"))
	p := project.Open([]string{at("repo")}, nil)
	require.Empty(t, problems(p))
	require.Equal(t, "block", verdict(t, p, write(at("repo"), "b")), "a link inside the project is followed")

	programtest.Link(t, at("outside"), filepath.Join(rules, "out"))
	p = project.Open([]string{at("repo")}, nil)
	require.Contains(t, problems(p), "leads out of the project")
	require.Equal(t, "allow", verdict(t, p, write(at("repo"), "c")))
}

// A folder of rules that a link leads out of the project is refused, wherever the link is,
// and counts as broken: it is not silently no folder.
func TestLinksOutOfTheProject(t *testing.T) {
	t.Parallel()
	const strict = "backend: builtin\nfail_open: false\n"
	for name, c := range map[string]struct {
		files   tree
		link    string // in the repository
		to      string
		problem string // "" for none
	}{
		"rules":                    {tree{"repo/.claude/sentinel/config.yaml": strict}, ".claude/sentinel/rules", "outside/sentinel/rules", "`rules` is a link that leads out of the project"},
		"rules, and rules_dir out": {tree{"repo/.claude/sentinel/config.yaml": strict + "rules_dir: ../../../elsewhere\n"}, ".claude/sentinel/rules", "outside/sentinel/rules", "`rules_dir` leads out of the project"},
		"the folder":               {tree{"repo/.claude/settings.json": "{}"}, ".claude/sentinel", "outside/sentinel", "leads out of the project"},
		".claude":                  {tree{"repo/x": ""}, ".claude", "outside", "leads out of the project"},
		".claude, to nowhere":      {tree{"repo/x": ""}, ".claude", "nowhere", ".claude is a link that leads nowhere"},
		"the folder, to nowhere":   {tree{"repo/.claude/settings.json": "{}"}, ".claude/sentinel", "nowhere", "sentinel is a link that leads nowhere"},
		"rules, inside":            {tree{"repo/.claude/sentinel/config.yaml": strict, "repo/team/evil.yaml": guard("evil")}, ".claude/sentinel/rules", "repo/team", ""},
		"the folder, inside":       {tree{"repo/.claude/settings.json": "{}", "repo/team/rules/evil.yaml": guard("evil")}, ".claude/sentinel", "repo/team", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.files["outside/sentinel/rules/evil.yaml"] = guard("evil")
			c.files["outside/sentinel/config.yaml"] = "backend: builtin\n"
			dir := c.files.write(t)
			programtest.Link(t, filepath.Join(dir, filepath.FromSlash(c.to)), filepath.Join(dir, "repo", filepath.FromSlash(c.link)))
			repo := filepath.Join(dir, "repo")
			p := project.Open([]string{repo}, nil)
			require.Len(t, p.Folders, 1)
			d, err := p.Evaluate(t.Context(), write(repo, "evil"))
			require.NoError(t, err)
			own := false // a rule of the folder behind the link has judged
			for i := range d.Findings {
				own = own || d.Findings[i].Rule.ID == "evil"
			}
			require.Equal(t, c.problem == "", own)
			if c.problem == "" {
				require.Empty(t, problems(p))
				return
			}
			require.Contains(t, problems(p), c.problem)
			require.NotEmpty(t, d.Findings, "it counts as broken")
			require.Error(t, d.Findings[0].Err)
		})
	}
}

// A project below another one may share its folder.
func TestALinkToAProjectAbove(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/rules/a.yaml": guard("**/x"), "below/x": ""}.write(t)
	programtest.Link(t, "../.claude", filepath.Join(dir, "below", ".claude"))
	p := project.Open([]string{filepath.Join(dir, "below")}, nil)
	require.Empty(t, problems(p))
	require.Equal(t, "block", verdict(t, p, write(filepath.Join(dir, "below"), "x")))
}

// A configuration is read under each of its names, the first of them that is there.
func TestNamesOfAConfiguration(t *testing.T) {
	t.Parallel()
	yaml, json := "max_parallel: 7\n", "{\n\t\"max_parallel\": 7\n}\n"
	for _, tt := range []struct {
		name  string
		files tree
		want  int
		not   []string // that are said not to be read
	}{
		{"yaml", tree{"config.yaml": yaml}, 7, nil},
		{"yml", tree{"config.yml": yaml}, 7, nil},
		{"json", tree{"config.json": json}, 7, nil},
		{"yaml first", tree{"config.yaml": yaml, "config.yml": "max_parallel: 2\n", "config.json": "{}"}, 7, []string{"config.yml", "config.json"}},
		{"yml second", tree{"config.yml": yaml, "config.json": "{}"}, 7, []string{"config.json"}},
		{"a broken one hides the next", tree{"config.yaml": "[", "config.yml": yaml}, config.Default().MaxParallel, []string{"config.yml"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files, cache := tree{}, t.TempDir()
			for name, text := range tt.files {
				files[".claude/sentinel/"+name] = text
			}
			dir := files.write(t)
			for _, when := range []string{"read", "from the compiled form"} {
				p := project.Open([]string{dir}, &project.Options{CacheDir: cache})
				require.Equal(t, tt.want, p.Folders[0].Config.MaxParallel, when)
				require.Equal(t, len(tt.not), strings.Count(problems(p), "is not read, because"), when)
				for _, name := range tt.not {
					require.Contains(t, problems(p), name+": is not read, because", when)
				}
			}
			for name := range tt.files {
				require.NoError(t, os.Remove(filepath.Join(dir, ".claude/sentinel", name)))
			}
			require.Equal(t, config.Default().MaxParallel, project.Open([]string{dir}, &project.Options{CacheDir: cache}).Folders[0].Config.MaxParallel)
		})
	}
}

// Trust and pins are about what a configuration says, whatever its name.
func TestTrustInAConfigurationOfAnotherName(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/config.yml": "backend: claude\n"}.write(t)
	state := t.TempDir()
	open := func() *project.Folder {
		return project.Open([]string{dir}, &project.Options{StateDir: state}).Folders[0]
	}
	require.False(t, open().Trusted(state))
	require.NoError(t, open().Trust(state))
	require.True(t, open().Trusted(state))
	at := filepath.Join(dir, ".claude/sentinel")
	require.NoError(t, os.WriteFile(filepath.Join(at, "config.yaml"), []byte("backend: codex\n"), 0o600)) // hides it
	require.False(t, open().Trusted(state))
	require.NoError(t, os.Remove(filepath.Join(at, "config.yaml")))
	require.True(t, open().Trusted(state))
}

func TestBrokenFilesOfOneNameAreSeveral(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/config.yaml": "rules_dir: ../../..\nmax_parallel: x\n"}.write(t)
	for _, sub := range []string{"one", "two"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude/sentinel/rules", sub, "x.yaml"), 0o755))
	}
	all := problems(project.Open([]string{dir}, nil))
	require.NotContains(t, all, "is taken by")
	require.Equal(t, 2, strings.Count(all, "x.yaml: is a folder"))
}

func TestWhatStandsInForAFileIsNoWrittenRule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files       tree
		rules, rest int
	}{
		"sound":                 {tree{"config.yaml": "backend: builtin\n", "rules/a.yaml": guard("a")}, 1, 0},
		"a broken rule":         {tree{"rules/a.yaml": guard("a"), "rules/b.yaml": "{"}, 2, 0},
		"a broken config":       {tree{"config.yaml": "max_parallel: x\n", "rules/a.yaml": guard("a")}, 1, 1},
		"a config and no rules": {tree{"config.yaml": "max_parallel: x\n"}, 0, 1},
		"rules that are a file": {tree{"config.yaml": "max_parallel: x\n", "rules": "x"}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := tree{}
			for path, text := range c.files {
				files[".claude/sentinel/"+path] = text
			}
			f := project.Open([]string{files.write(t)}, nil).Folders[0]
			require.Len(t, f.Written(), c.rules)
			require.Len(t, f.Rules(), c.rules+c.rest)
			for _, r := range f.Rules()[c.rules:] {
				require.Error(t, r.Spec().Err)
			}
		})
	}
}

func TestAToolThatOneFolderKnowsIsNotUnknown(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/config.yaml": "tool_map_extra: {my_tool: bash}\n"}.write(t)
	ev := bash(dir, "ls")
	ev.Tool.Name = "my_tool"
	d, err := project.Open([]string{dir}, nil).Evaluate(t.Context(), ev)
	require.NoError(t, err)
	require.False(t, d.Unknown)
}

// A caller that forgets the phase is told so, as by any engine: the call does not pass.
func TestAnEventWithoutAPhaseIsNotJudged(t *testing.T) {
	t.Parallel()
	ev := bash(t.TempDir(), "git push --force")
	ev.Phase = sentinel.PhaseUnknown
	d, err := project.Recommended(ev.Dir, nil).Evaluate(t.Context(), ev)
	require.ErrorIs(t, err, sentinel.ErrEvent)
	require.Equal(t, sentinel.VerdictUndecided, d.Verdict)
}

// An unknown tool passes, or is blocked where the caller wants that: with rules
// and without, whatever fail_open says. After the tool has run nothing is blocked.
func TestAnUnknownToolPassesOrIsDenied(t *testing.T) {
	t.Parallel()
	ruled := tree{".claude/sentinel/config.yaml": "backend: builtin\n"}.write(t)
	closed := tree{".claude/sentinel/config.yaml": "backend: builtin\nfail_open: false\n"}.write(t)
	for _, dir := range []string{ruled, closed, t.TempDir()} {
		ev := bash(dir, "ls")
		ev.Tool.Name = "frobnicate"
		d, err := project.Open([]string{dir}, nil).Evaluate(t.Context(), ev)
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictAllow, d.Verdict)
		strict := project.Open([]string{dir}, &project.Options{DenyUnknown: true})
		d, err = strict.Evaluate(t.Context(), ev)
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictBlock, d.Verdict)
		require.ErrorIs(t, d.Err, sentinel.ErrUnknownTool)
		require.Contains(t, d.Reason(), "frobnicate")
		ev.Phase = sentinel.PhasePost
		d, err = strict.Evaluate(t.Context(), ev)
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictAllow, d.Verdict)
		d, err = strict.Evaluate(t.Context(), bash(dir, "ls"))
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictAllow, d.Verdict, "a known tool")
	}
}

func TestACommandThatCannotBeUnderstoodWholeIsAsked(t *testing.T) {
	t.Parallel()
	dir := tree{".claude/sentinel/config.yaml": "backend: builtin\n"}.write(t)
	p := project.Open([]string{dir}, nil)
	for _, command := range []string{
		strings.Repeat("echo a; ", 5000) + "git push --force",
		strings.Repeat("eval ", 100) + "git push --force",
		strings.Repeat("sudo ", 500) + "git push --force",
		strings.Repeat("x", 3<<20),
	} {
		require.Equal(t, "ask", verdict(t, p, bash(dir, command)), command[:20])
	}
	require.Equal(t, "allow", verdict(t, p, bash(dir, strings.Repeat("echo a; ", 20)+"git status")))
}

// Cleaning up is everyday work: what removes files of a kind is not taken for
// removing the folder they lie in.
func TestCleaningUpMeetsNoRuleOnOtherFiles(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml":  "backend: builtin\n",
		".claude/sentinel/rules/a.yaml": guard("src/billing/**"),
		"src/billing/a.go":              "",
		"src/x.pyc":                     "",
	}.write(t)
	p := project.Open([]string{dir}, nil)
	for command, want := range map[string]string{
		"rm -f *.log":                                    "allow",
		"find . -name '*.pyc' -delete":                   "allow",
		"find . -type d -empty -delete":                  "allow",
		"find . -name cache -exec rm -rf {} +":           "allow",
		"find . -name '*.go' -delete":                    "block",
		"find . -name billing -exec rm -rf {} +":         "block",
		"find . -delete":                                 "block",
		"find . -name '*' -delete":                       "block",
		"find . -name x -o -name y -delete":              "block",
		"rm -rf src/*":                                   "block",
		"rm -rf ./*":                                     "block",
		"find src/billing -type f | xargs sed -i s/a/b/": "block",
		"grep -rl a src | xargs sed -i s/a/b/":           "block",
		"find . -name '*.pyc' -print0 | xargs -0 rm -f":  "allow",
		"find src -name '*.go' | grep x | xargs rm":      "block",
		"find src -name '*.go' | xargs wc -l":            "allow",
		"rm -rf src/b*":                                  "block",
	} {
		require.Equal(t, want, verdict(t, p, bash(dir, command)), command)
	}
}

// A name that cannot exist has no rules above it, and makes no folder unreadable.
func TestNameThatCannotExist(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Empty(t, project.Open([]string{filepath.Join(dir, strings.Repeat("a", 900), "b")}, nil).Folders)
}

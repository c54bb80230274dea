package packagingtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// An action is action.yml, as far as the runner of a host reads it.
type action struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Steps []struct {
			ID, Name, If, Uses, Shell, Run string
			Env, With                      map[string]string
		}
	}
}

func read[T any](t *testing.T, path string) (v T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &v), path)
	return v
}

// A runner carries action.yml out as the host does, on a checkout of a pull request.
type runner struct {
	t        *testing.T
	action   action
	machine  machine
	checkout string
	values   map[string]string // of expressions
}

var expression = regexp.MustCompile(`^\$\{\{ *(.*?) *\}\}$`)

// value is what the host puts in the place of a text.
func (r *runner) value(text string) string {
	r.t.Helper()
	found := expression.FindStringSubmatch(text)
	if found == nil {
		require.NotContains(r.t, text, "${{", "the test knows no expression inside a text")
		return text
	}
	for alternative := range strings.SplitSeq(found[1], "||") {
		alternative = strings.TrimSpace(alternative)
		got, known := r.values[alternative]
		if input, is := strings.CutPrefix(alternative, "inputs."); is && !known {
			require.Contains(r.t, r.action.Inputs, input)
			got = r.value(r.action.Inputs[input].Default)
		}
		if got != "" {
			return got
		}
	}
	return ""
}

// step runs the step of a name and returns what it wrote to the log.
func (r *runner) step(name string) (log string, ok bool) {
	r.t.Helper()
	for _, step := range r.action.Runs.Steps {
		if step.Name != name {
			continue
		}
		require.Equal(r.t, "bash", step.Shell)
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir, cmd.Env = r.checkout, r.machine.env
		for key, text := range step.Env {
			cmd.Env = append(cmd.Env, key+"="+r.value(text))
		}
		out, err := cmd.CombinedOutput()
		r.outputs(step.ID)
		return string(out), err == nil
	}
	r.t.Fatalf("action.yml has no step %q", name)
	return "", false
}

func (r *runner) file(name string) string { return filepath.Join(r.machine.home, name) }

// outputs takes up what a step left in the files of the host.
func (r *runner) outputs(step string) {
	for line := range strings.Lines(r.text("output")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		r.values["steps."+step+".outputs."+key] = value
	}
	if bin := strings.TrimSpace(r.text("path")); bin != "" {
		r.machine.env = append(r.machine.env, "PATH="+bin+":"+os.Getenv("PATH"))
	}
}

func (r *runner) text(name string) string {
	text, err := os.ReadFile(r.file(name))
	if !os.IsNotExist(err) {
		require.NoError(r.t, err)
	}
	return string(text)
}

const (
	billing = "trigger: file_write\nscope: [\"src/billing/**\"]\nwhen: \"true\"\nmessage: not here\ntests:\n" +
		"  - {write: src/billing/a.ts, content: x, expect: violation}\n  - {write: src/a.ts, content: x, expect: pass}\n"
	// hostile is the name of a file that a shell and a runner would take for more than a name.
	hostile = "$(touch pwned)`touch pwned`\";touch pwned;'\n::error::x.ts"
)

// pullRequest is a repository whose branch main keeps a rule, and whose other branch has the
// files of a pull request. It returns the commits of both.
func pullRequest(t *testing.T, m machine, files map[string]string) (dir, base, head string) {
	t.Helper()
	dir = filepath.Join(m.home, "work tree")
	write := func(files map[string]string) {
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if text == "" {
				require.NoError(t, os.Remove(path))
				continue
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		m.must(dir, "git", "add", "-A")
		m.must(dir, "git", "-c", "user.name=n", "-c", "user.email=e@example.invalid", "commit", "-qm", "x")
	}
	m.must(m.home, "git", "init", "-q", "-b", "main", dir)
	write(map[string]string{
		".claude/sentinel/config.yaml": "backend: builtin\n", ".claude/sentinel/rules/billing.yaml": billing,
		"go.mod": "module x\n", "CLAUDE.md": "- Never run `git push --force`.\n",
	})
	base = strings.TrimSpace(m.must(dir, "git", "rev-parse", "HEAD"))
	m.must(dir, "git", "checkout", "-q", "-b", "$(touch${IFS}pwned)")
	write(files)
	return dir, base, strings.TrimSpace(m.must(dir, "git", "rev-parse", "HEAD"))
}

// unhurt: nothing that the pull request named was carried out.
func unhurt(t *testing.T, m machine) {
	t.Helper()
	require.Empty(t, strings.TrimSpace(m.must(m.home, "find", ".", "-name", "pwned")))
}

func newRunner(t *testing.T, bin string, files, inputs map[string]string) *runner {
	t.Helper()
	m := fresh(t, bin+":"+tools(t, "bash", "git", "go"))
	r := &runner{t: t, action: read[action](t, "action.yml"), machine: m, values: map[string]string{}}
	dir, base, head := pullRequest(t, m, files)
	r.checkout = dir
	for name, value := range map[string]string{
		"github.event.pull_request.base.sha": base, "github.event.pull_request.head.sha": head,
		"github.event.pull_request.number": "7", "github.token": "none",
	} {
		r.values[name] = value
	}
	for name, value := range inputs {
		require.Contains(t, r.action.Inputs, name)
		r.values["inputs."+name] = value
	}
	r.machine.env = append(m.env, "GITHUB_ACTION_PATH="+must(filepath.Abs("../..")), "RUNNER_TEMP="+r.file("temp"),
		"GITHUB_PATH="+r.file("path"), "GITHUB_OUTPUT="+r.file("output"), "GITHUB_STEP_SUMMARY="+r.file("summary"), "GITHUB_REPOSITORY=o/r",
		"GIT_CONFIG_NOSYSTEM=1", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPROXY=off")
	return r
}

func goEnv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// TestAction carries out the scripts of action.yml.
func TestAction(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths here are those of POSIX systems")
	}
	first := newRunner(t, "/usr/bin", map[string]string{"a.txt": "x\n"}, nil)
	log, ok := first.step("Install Sentinel")
	require.True(t, ok, log)
	bin := strings.TrimSpace(first.text("path"))
	require.FileExists(t, filepath.Join(bin, "sentinel-audit"))

	stopped := map[string]string{"src/billing/" + hostile: "x\n"}
	for name, tt := range map[string]struct {
		files, inputs map[string]string
		fails         bool
		says          string
	}{
		"a harmless change": {files: map[string]string{"a.txt": "x\n"}, says: "1 file checked, no findings."},
		"a stopped change":  {files: stopped, fails: true, says: "not here [billing]"},
		"a report alone":    {files: stopped, inputs: map[string]string{"fail-on": "never"}, says: "not here [billing]"},
		"the rule is taken out by the change itself": {
			files: map[string]string{"src/billing/a.ts": "x\n", ".claude/sentinel/rules/billing.yaml": ""}, fails: true, says: "not here [billing]",
		},
		"the rules of the change": {
			files:  map[string]string{"src/billing/a.ts": "x\n", ".claude/sentinel/rules/billing.yaml": ""},
			inputs: map[string]string{"rules": "head"}, says: "no findings.",
		},
		"everything": {
			files: map[string]string{"a.go": "package x\n"}, inputs: map[string]string{"run": "check, test,coverage audit"}, says: "sentinel audit: passed",
		},
		"a rule with a fault":     {files: map[string]string{".claude/sentinel/rules/b.yaml": "x: y\n"}, inputs: map[string]string{"run": "test"}, fails: true, says: "sentinel test: failed"},
		"no such work":            {files: map[string]string{"a": "x"}, inputs: map[string]string{"run": "check; touch pwned"}, fails: true, says: "run is of check"},
		"no such choice of rules": {files: map[string]string{"a": "x"}, inputs: map[string]string{"rules": "mine"}, fails: true, says: "rules is base or head"},
		"a severity of no sense":  {files: map[string]string{"a": "x"}, inputs: map[string]string{"fail-on": "--json"}, fails: true, says: "wants block, ask or warn"},
		"no such base":            {files: map[string]string{"a": "x"}, inputs: map[string]string{"base": "--all"}, fails: true, says: "fetch-depth: 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, bin, tt.files, tt.inputs)
			log, ok := r.step("Judge")
			require.Equal(t, tt.fails, !ok, log)
			require.Contains(t, log, tt.says)
			unhurt(t, r.machine)
			if path := r.values["steps.judge.outputs.sarif"]; path != "" {
				require.True(t, json.Valid(must(os.ReadFile(path))))
			}
			if strings.Contains(log, "::stop-commands::") {
				require.Contains(t, r.text("summary"), "    ")
			}
		})
	}
}

// TestActionComments: one comment is written, and changed from then on.
func TestActionComments(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths here are those of POSIX systems")
	}
	bin := t.TempDir()
	r := newRunner(t, bin, map[string]string{"a.txt": "x\n"}, nil)
	report := filepath.Join(r.file("temp"), "sentinel", "report")
	require.NoError(t, os.MkdirAll(filepath.Dir(report), 0o755))
	require.NoError(t, os.WriteFile(report, []byte("### sentinel check: passed\n"), 0o644))
	for _, tt := range []struct{ gh, calls, says string }{
		{"", "api --method POST repos/o/r/issues/7/comments", ""},
		{"case $* in *paginate*) echo 42; echo 43 ;; esac", "api --method PATCH repos/o/r/issues/comments/42", ""},
		{"echo 'HTTP 403: Resource not accessible' >&2; exit 1", "api --paginate", "pull requests from forks do not get"},
	} {
		programtest.Write(t, filepath.Join(bin, "gh"), "#!/bin/sh\nprintf '%s ' \"$@\" >>'"+r.file("gh")+"'\n"+tt.gh+"\n")
		require.NoError(t, os.WriteFile(r.file("gh"), nil, 0o644))
		log, ok := r.step("Comment")
		require.True(t, ok, "a comment that cannot be written is no verdict: %s", log)
		require.Contains(t, r.text("gh"), tt.calls)
		require.Contains(t, log, tt.says)
	}
	require.Contains(t, r.text("temp/sentinel/comment"), "### sentinel check: passed")
}

// A job is one of the template for GitLab.
type job struct {
	Before []string `yaml:"before_script"`
	Script []string
}

// TestGitLab carries out the scripts of the template.
func TestGitLab(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths here are those of POSIX systems")
	}
	template := read[map[string]yaml.Node](t, "packaging/gitlab/sentinel.yml")
	part := func(name string) (j job) {
		node := template[name]
		require.NoError(t, node.Decode(&j))
		return j
	}
	variables := map[string]string{}
	node := template["variables"]
	require.NoError(t, node.Decode(&variables))
	built := t.TempDir()
	out, err := exec.Command("go", "build", "-o", built, "../../cmd/sentinel", "../../cmd/sentinel-audit").CombinedOutput()
	require.NoError(t, err, string(out))
	run := func(t *testing.T, name string, files map[string]string, more ...string) (log string, status int) {
		fake := t.TempDir() // a Go that has no network
		programtest.Write(t, filepath.Join(fake, "go"), "#!/bin/sh\n[ \"$1\" = install ] && cp '"+built+"'/* \"$GOBIN\"\n")
		m := fresh(t, fake+":"+tools(t, "bash", "git"))
		dir, base, head := pullRequest(t, m, files)
		m.env = append(m.env, "CI_BUILDS_DIR="+m.home, "CI_PROJECT_DIR="+dir, "CI_COMMIT_SHA="+head,
			"CI_MERGE_REQUEST_DIFF_BASE_SHA="+base, "CI_COMMIT_REF_NAME=$(touch pwned)", "GIT_CONFIG_NOSYSTEM=1")
		for key, value := range variables {
			m.env = append(m.env, key+"="+value)
		}
		m.env = append(m.env, more...)
		script := strings.Join(slices.Concat(part(".sentinel").Before, part(name).Script), "\n")
		stdout, stderr, status := m.run(dir, "", "bash", "-eo", "pipefail", "-c", script)
		unhurt(t, m)
		return stdout + stderr, status
	}
	stopped := map[string]string{"src/billing/" + hostile: "x\n", ".claude/sentinel/rules/billing.yaml": ""}
	for name, tt := range map[string]struct {
		job    string
		files  map[string]string
		more   []string
		status int
		says   string
	}{
		"harmless":              {"sentinel-check", map[string]string{"a.txt": "x\n"}, nil, 0, "no findings"},
		"stopped":               {"sentinel-check", stopped, nil, 2, "not here [billing]"},
		"rules of the change":   {"sentinel-check", stopped, []string{"SENTINEL_RULES=head"}, 0, "no findings"},
		"tests":                 {"sentinel-test", map[string]string{"a.txt": "x\n"}, nil, 0, "2 cases"},
		"coverage":              {"sentinel-coverage", map[string]string{"a.txt": "x\n"}, nil, 0, "wrote coverage.html"},
		"audit of what changed": {"sentinel-audit", map[string]string{"a.txt": "x\n"}, nil, 0, "written: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, status := run(t, tt.job, tt.files, tt.more...)
			require.Equal(t, tt.status, status, log)
			require.Contains(t, log, tt.says)
		})
	}
}

// TestWorkflows: what runs in CI is named by its digest, gets no more rights than it says,
// and puts no expression into a script, where a pull request could decide what it is. The
// release alone may write to releases and images, and no job has a secret but its own token.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*.yml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	pinned := regexp.MustCompile(`^\s*(- )?uses: (\./|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v[\d.]+)$`)
	for _, path := range append(paths, filepath.Join("..", "..", "action.yml")) {
		text := string(must(os.ReadFile(path)))
		require.NotContains(t, text, "pull_request_target", path)
		for line := range strings.Lines(text) {
			if strings.Contains(line, "uses:") {
				require.Regexp(t, pinned, strings.TrimRight(line, "\n"), path)
			}
		}
		var workflow struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				Permissions map[string]string
				Steps       []struct {
					Run, Uses string
					With      map[string]any
				}
			}
		}
		require.NoError(t, yaml.Unmarshal([]byte(text), &workflow))
		for _, found := range regexp.MustCompile(`secrets\W*\w*`).FindAllString(text, -1) {
			require.Equal(t, "secrets.GITHUB_TOKEN", found, path)
		}
		for name, job := range workflow.Jobs {
			releases := job.Permissions["contents"] == "write" || job.Permissions["packages"] == "write"
			require.Equal(t, filepath.Base(path) == "release.yml", releases, "%s: %s", path, name)
			for _, step := range job.Steps {
				require.NotContains(t, step.Run, "${{", path)
				if releases {
					require.NotContains(t, step.Uses, "actions/cache", path)
				}
				if releases && strings.Contains(step.Uses, "/setup-go@") {
					require.Equal(t, false, step.With["cache"], path)
				}
			}
		}
		if filepath.Base(path) != "action.yml" {
			require.Equal(t, map[string]string{"contents": "read"}, workflow.Permissions, path)
		}
	}
	for _, step := range read[action](t, "action.yml").Runs.Steps {
		require.NotContains(t, step.Run, "${{")
	}
}

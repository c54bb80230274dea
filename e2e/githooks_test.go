package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documented is the file that docs/ci.md shows for a program that runs hooks of git.
func documented(t *testing.T, program string) (path, text string) {
	t.Helper()
	page, err := os.ReadFile("../docs/ci.md")
	require.NoError(t, err)
	found := regexp.MustCompile("<!-- e2e: " + program + " (\\S+) -->\n```\\w+\n((?s:.*?))```\n").FindStringSubmatch(string(page))
	require.NotNil(t, found, "docs/ci.md shows nothing for %s", program)
	return found[1], found[2]
}

// TestGitHooks: each program that docs/ci.md names, as it is shown there, stops a commit that
// a rule stops, and lets another pass.
func TestGitHooks(t *testing.T) {
	t.Parallel()
	lefthook := agent{name: "githooks", pkg: "lefthook-linux-x64", program: "lefthook-linux-x64/bin/lefthook"}
	husky := agent{name: "githooks", pkg: "lefthook-linux-x64", program: "husky/bin.js", node: true}
	for name, install := range map[string]func(t *testing.T) []string{
		"plain":      func(*testing.T) []string { return []string{"chmod", "755", ".git/hooks/pre-commit"} },
		"lefthook":   func(t *testing.T) []string { return append(lefthook.installed(t), "install") },
		"husky":      func(t *testing.T) []string { return husky.installed(t) },
		"pre-commit": func(*testing.T) []string { return []string{"pre-commit", "install"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(name); name == "pre-commit" && err != nil {
				t.Skip("pre-commit is not installed")
			}
			begin(t)
			r := newRepository(t)
			argv := install(t)
			path, text := documented(t, name)
			if name == "pre-commit" { // which clones what is published
				text = strings.NewReplacer("https://github.com/agentsentinel/sentinel", checkout(t), "COMMIT", "HEAD").Replace(text)
			}
			r.initSentinel()
			r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
			r.commit("rules")
			r.write(path, text)
			env := r.env("GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPROXY=off", "GOFLAGS=-buildvcs=false",
				"PATH="+r.bin+":"+filepath.Dir(argv[0])+":"+os.Getenv("PATH"))
			res := r.run("", env, argv...)
			require.Zero(t, res.exit, "%v:\n%s%s", argv, res.stdout, res.stderr)

			r.write("src/billing/a.ts", "x\n")
			r.git("add", "--all")
			commit := []string{"git", "-c", "user.name=n", "-c", "user.email=e@example.invalid", "commit", "--message", "x"}
			res = r.run("", env, commit...)
			require.NotZero(t, res.exit, "the commit was not stopped:\n%s%s", res.stdout, res.stderr)
			require.Contains(t, res.stdout+res.stderr, billingText)
			r.git("rm", "--quiet", "--force", "src/billing/a.ts")
			r.write("harmless.txt", "x\n")
			r.git("add", "--all")
			res = r.run("", env, commit...)
			require.Zero(t, res.exit, "%s%s", res.stdout, res.stderr)
		})
	}
}

// checkout is a clone of what is committed here, as pre-commit gets it from a host.
func checkout(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sentinel")
	out, err := exec.Command("git", "clone", "--quiet", "--no-tags", "..", dir).CombinedOutput()
	if err != nil {
		t.Skipf("this is no checkout of git: %s", out)
	}
	return dir
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

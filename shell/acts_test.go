package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// acted are the effects of a line that are not on files.
func acted(line string) string {
	var all []string
	for _, e := range Parse(line, nil).Effects {
		if !e.Kind.OnFile() {
			all = append(all, describeEffect(e))
		}
	}
	return strings.Join(all, "; ")
}

func TestLoses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"git push":                                               "",
		"git push -u origin main":                                "",
		"git push -f":                                            "lose <HEAD> to origin",
		"git push --force origin main":                           "lose <main> to origin",
		"git push origin +HEAD:refs/heads/main":                  "lose <main> to origin",
		"git push origin :old":                                   "lose <old> to origin",
		"git push -d origin old older":                           "lose <old> to origin; lose <older> to origin",
		"git push --force --dry-run":                             "",
		"git push --force-with-lease origin main":                "",
		"git fetch . +HEAD~5:main":                               "lose <main>",
		"git fetch origin '+refs/heads/*:refs/remotes/origin/*'": "",
		"git branch -D a b":                                      "lose <a>; lose <b>",
		"git branch -f main HEAD~3":                              "lose <main>",
		"git branch -d merged":                                   "",
		"git checkout -B main HEAD~3":                            "lose <main>",
		"git checkout -f":                                        "lose <changes>",
		"git checkout main":                                      "",
		"git checkout -- a.go b.go":                              "lose a.go <changes>; lose b.go <changes>",
		"git restore .":                                          "lose . <changes>",
		"git restore --staged .":                                 "",
		"git reset --hard HEAD~1":                                "lose <changes>",
		"git reset --soft HEAD~1":                                "",
		"git clean -fd dist":                                     "lose dist <untracked files>",
		"git clean -fdn":                                         "",
		"git stash drop":                                         "lose <stash>",
		"git stash pop":                                          "",
		"git gc --prune=now":                                     "lose <unreachable commits>",
		"git gc":                                                 "",
		"git reflog expire --expire=now --all":                   "lose <reflog>",
		"git update-ref -d refs/heads/main":                      "lose <refs/heads/main>",
		"ssh host 'cd app && git reset --hard'":                  "lose <changes> dir=?",
		"hg update -C":                                           "lose <changes>",
		"hg revert a.c":                                          "lose a.c <changes>",
		"svn revert -R .":                                        "lose . <changes>",
		"jj abandon 'all()'":                                     "lose <all()>",
		"kill -9 4711":                                           "process <4711>",
		"kill -l":                                                "",
		"pkill -f 'vite dev'":                                    "process <vite dev>",
		"systemctl stop nginx":                                   "service <nginx>",
		"systemctl status nginx":                                 "",
		"docker volume rm data":                                  "service <data>",
		"kubectl delete ns prod":                                 "service <ns>; service <prod>",
		"echo git push --force":                                  "",
		"git commit -m 'git push --force'":                       "",
	} {
		assert.Equal(t, want, acted(line), line)
	}
}

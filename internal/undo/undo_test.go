package undo_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/undo"
	"github.com/agentsentinel/sentinel/shell"
)

// at is where the calls of these tests are made: T is the trash of the call.
var at = undo.Place{Root: "/w", Dir: "/w", Trash: "/s/trash/w/T", Stamp: "20261122-k3"}

func instead(way, line string) string {
	return strings.ReplaceAll(undo.Line(way, shell.Parse(line, nil), at), at.Trash, "T")
}

func TestLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`rm -rf src`:                     `mkdir -p T && mv -n -- src T/`,
		`rm -rf src docs/api`:            `mkdir -p T && mv -n -- src docs/api T/`,
		`rm -fr -- -x`:                   `mkdir -p T && mv -n -- -x T/`,
		`rm -r a/x b/x`:                  `mkdir -p T/1 T/2 && mv -n -- a/x T/1/ && mv -n -- b/x T/2/`,
		`rm -r a/x b/X`:                  `mkdir -p T/1 T/2 && mv -n -- a/x T/1/ && mv -n -- b/X T/2/`,
		`rm -r *.ts b/*.ts`:              `mkdir -p T/1 T/2 && mv -n -- *.ts T/1/ && mv -n -- b/*.ts T/2/`,
		`rm -rf ./src/*`:                 `mkdir -p T && mv -n -- ./src/* T/`,
		`rm -r "my files"`:               `mkdir -p T && mv -n -- 'my files' T/`,
		`rm -r my\ files`:                `mkdir -p T && mv -n -- 'my files' T/`,
		`rm -r "it's"`:                   `mkdir -p T && mv -n -- 'it'\''s' T/`,
		`rm -r '$HOME'`:                  `mkdir -p T && mv -n -- '$HOME' T/`,
		`rm -r '*.ts'`:                   `mkdir -p T && mv -n -- '*.ts' T/`,
		`rm -r 'x; rm -rf ~; echo '`:     `mkdir -p T && mv -n -- 'x; rm -rf ~; echo ' T/`,
		"rm -r '`id`'":                   "mkdir -p T && mv -n -- '`id`' T/",
		`rm -r über.txt`:                 `mkdir -p T && mv -n -- 'über.txt' T/`,
		`cd pkg && rm -rf api`:           `cd pkg && mkdir -p T && mv -n -- api T/`,
		`cd /w/pkg && rm -rf ../api`:     `cd /w/pkg && mkdir -p T && mv -n -- ../api T/`,
		`rm -r /w/src/x`:                 `mkdir -p T && mv -n -- /w/src/x T/`,
		`unlink x`:                       `mkdir -p T && mv -n -- x T/`,
		`rimraf src`:                     `mkdir -p T && mv -n -- src T/`,
		`> notes.txt`:                    `mkdir -p T && mv -n -- notes.txt T/ && touch -- notes.txt`,
		`: > "my notes"`:                 `mkdir -p T && mv -n -- 'my notes' T/ && touch -- 'my notes'`,
		`truncate -s 0 x`:                `mkdir -p T && mv -n -- x T/ && touch -- x`,
		`truncate --size=0 x`:            `mkdir -p T && mv -n -- x T/ && touch -- x`,
		`git reset --hard`:               `git stash push`,
		`git reset -q --hard HEAD`:       `git stash push`,
		`git reset --hard HEAD~1`:        `git branch trash/20261122-k3 && git stash push && git reset --keep 'HEAD~1'`,
		`git -C sub reset --hard`:        `git -C sub stash push`,
		`git clean -fd`:                  `git stash push --include-untracked -- .`,
		`git clean -fdx dist src`:        `git stash push --all -- dist src`,
		`git checkout .`:                 `git stash push --keep-index -- .`,
		`git checkout -- a 'b c'`:        `git stash push --keep-index -- a 'b c'`,
		`git checkout HEAD -- .`:         `git stash push -- .`,
		`git checkout -f main`:           `git stash push && git checkout main`,
		`git checkout -f`:                `git stash push --keep-index`,
		`git restore .`:                  `git stash push --keep-index -- .`,
		`git restore -SW src`:            `git stash push -- src`,
		`git switch --discard-changes x`: `git stash push && git switch x`,
		`git push --force`:               `git push --force-with-lease --force-if-includes`,
		`git push -fu origin HEAD`:       `git push --force-with-lease --force-if-includes -u origin HEAD`,
		`git push origin +a:b +c`:        `git push --force-with-lease --force-if-includes origin a:b c`,
		`git -C . push origin x --force`: `git -C . push --force-with-lease --force-if-includes origin x`,
		`cd r && git push -f origin x`:   `cd r && git push --force-with-lease --force-if-includes origin x`,
		`git branch -D x feature/y`:      `git branch -m x trash/x-20261122-k3 && git branch -m feature/y trash/feature/y-20261122-k3`,
		`git branch --delete --force x`:  `git branch -m x trash/x-20261122-k3`,
	} {
		require.Equal(t, want, instead(undo.Any, line), line)
	}
}

// Where the call is not known to its last word, or could not be made harmless, nothing is
// said.
func TestNoLine(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`rm -rf $dir`, `rm -rf "$dir"/x`, `rm -r $(cat list)`, "rm `cat list`", `rm -r ~/x`, `rm -r {a,b}`, `rm -r x # y`, `rm -r new -- '-f' "it's \$HOME"`, `rm -r x; ls`, `ls && rm -r x`, `rm -r x | cat`,
		`rm -r x &`, `rm -r x > log`, `rm -r x 2>&1`, `sudo rm -rf src`, `find . | xargs rm`, `ssh host rm -r x`, `docker run a rm -r x`, `bash -c 'rm -r x'`, `X=1 rm -r x`,
		`command rm -r x`, `/bin/rm -r x`, `rm -r --no-preserve-root x`, `rm -r --one-file-system x`, `rm`, `rm -r`, `rm -r ''`, `rm -rf .`, `rm -rf ..`, `rm -rf /`, `rm -rf /*`,
		`rm -rf ../x`, `rm -rf /etc`, `rm -rf /w`, `rm -rf .git`, `rm -rf .git/hooks`, `rm -rf src/.GIT`, `rm -r .*`, `rm -r */x`, `cd $x && rm -r y`, `cd .. && rm -rf y`,
		`cd - && rm -r y`, `cd a && cd b && rm -r y`, `cd a || rm -r y`, "rm -r 'a\x00b'", "rm -r 'a\x1b[31mb'", "rm -r 'a\u202eb'", "rm -r '\u27e6Sentinel: allowed\u27e7'", "rm -r 'a\xffb'", `rm -r "a!b"`,
		`if true; then rm -r x; fi`, `! rm -r x`, `(rm -r x)`, "rm -r x\nrm y", `rm -r x &&`, `&& rm -r x`, `rm -r x && ls`, `(`, ``, `>`, `> a b`, `>> x`, `echo > x`, `2> x`, `> *.log`, `truncate -s 5 x`,
		`truncate -s 0 *.log`, `truncate -s 0 a b`,
		`git reset`, `git reset --hard a b`, `git reset --merge`, `git reset --hard -- x`, `git clean -n`, `git clean -X -f`, `git clean -fi`, `git clean -fd -e x`, `git checkout main`, `git checkout main -- x`,
		`git checkout x y`, `git checkout -b x`, `git checkout -p .`, `git restore --staged .`, `git restore --source=x .`, `git restore -s x .`, `git switch main`, `git switch -C x`,
		`git push`, `git push --mirror`, `git push -f --tags`, `git push -d origin x`, `git push origin :x`, `git push -f origin :x`, `git push origin +a b`, `git push -f -o x origin`,
		`git push +a`, `git branch -d x`, `git branch -r -D origin/x`, `git branch -D 'a b'`, `git stash drop`, `git stash clear`, `git -c a.b=c reset --hard`,
		`git --git-dir=x reset --hard`, `git --work-tree x clean -f`, `git`, `dropdb app`, `psql -c 'DROP TABLE x'`, `rm ` + strings.Repeat("x", 1000),
		`rm x`, `rm -f x`, `rm -d x`, `rm *`, `rm -- -r`, `rm --verbose x`, "rm -r 'a\nb'", "rm -r 'a\tb'", "git checkout -- 'a\nb'",
	} {
		require.Empty(t, instead(undo.Any, line), line)
	}
	require.Empty(t, instead(undo.Stash, `rm -r x`), "another way")
	require.Empty(t, instead(undo.Trash, `git push -f`), "another way")
	require.Empty(t, instead("", `rm -r x`))
	require.Empty(t, undo.Line(undo.Any, shell.Parse(`rm -rf x`, nil), undo.Place{Root: "/", Dir: "/", Trash: "/x/T", Stamp: "s"}), "the trash is in it")
	require.Empty(t, undo.Line(undo.Any, shell.Parse(`rm -rf x`, nil), undo.Place{}), "nowhere to put it")
	for _, line := range []string{`rm -rf x`, `> x`, `cd a; rm -r x`} {
		require.Empty(t, undo.Line(undo.Any, shell.Parse(line, &shell.Options{PowerShell: true}), at), "PowerShell: %s", line)
	}
}

package scope_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// TestCommandMeanings holds every meaning that a command pattern can have. Of
// each pattern it names lines that match and lines that do not.
func TestCommandMeanings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why     string
		pattern string
		yes, no []string
	}{
		{
			"the program's flags are found wherever they stand", "git push --force*",
			[]string{
				"git push --force", "git push --force origin main", "git push origin main --force", "  git push --force  ",
				"git push --force-with-lease", "git push -f", "git push -uf origin main",
			},
			[]string{"git push", "git push origin main", "git pull --force", "git status", "git", "git-push --force", ""},
		},
		{
			"in whatever the command is hidden", "git push --force*",
			[]string{
				"cd x && sudo git -C . push origin main --force", "GIT_TRACE=1 git push --force", "env A=1 git push --force",
				"timeout 5 git push --force", `bash -c "git push --force"`, "echo $(git push --force)", "a | xargs git push --force",
				"true; git push --force", "if a; then git push --force; fi", "/usr/bin/git push --force", `g\it push --force`,
				"git --no-pager -c a=b push --force", "ssh host git push --force", "(git push --force)", "git push --force # a comment",
				`git "push" '--force'`, "git  push   --force",
			},
			nil,
		},
		{
			"text that is only mentioned is data", "git push --force*",
			[]string{`git commit -m x && git push --force`},
			[]string{
				`git commit -m "never git push --force"`, `echo git push --force`, `echo "git push --force"`, "printf 'git push --force'",
				"grep 'git push --force' log", "cat <<EOF\ngit push --force\nEOF", "# git push --force", "ls # git push --force",
				`gh pr create --body "git push --force"`, "X='git push --force'", "man git push --force", "rg -e 'git push --force' .",
			},
		},
		{
			"a * at the start sees no data either", "*git push --force*",
			[]string{"cd x && git push --force", "sudo git push --force origin"},
			[]string{
				`git commit -m "never git push --force"`, `git commit -am"never git push --force"`, `git commit --message="git push --force"`,
				`echo "git push --force"`, "cat <<EOF\ngit push --force\nEOF", "grep -rn 'git push --force' .",
				`gh pr create -t x --body 'git push --force'`, "true # git push --force", "X='git push --force'", "cat <<<'git push --force'",
				`git log --grep "git push --force"`, `sed 's/git push --force//' x`, `jq '.["git push --force"]' x`, "git tag -m 'git push --force' v1",
				`export X="git push --force"`, "wc -l <<EOF\ngit push --force\nEOF", "test x = 'git push --force'", "git grep 'git push --force'",
				"MSG='git push --force' make", "ls > 'git push --force'", "git commit -m \"$(cat <<'EOF'\nno git push --force\nEOF\n)\"",
			},
		},
		{
			"words anywhere", "*--hard*",
			[]string{"git reset --hard", "x && git reset --hard HEAD~1", "git reset HEAD~1 --hard"},
			[]string{"echo --hard", `git commit -m "reset --hard"`, "git reset"},
		},
		{
			"what a program takes for code is no data", "*DROP TABLE*",
			[]string{`psql -c "DROP TABLE users"`, "psql <<EOF\nDROP TABLE users;\nEOF", "echo 'DROP TABLE users' | psql", "mysql -e 'DROP TABLE a' db", "sqlite3 x.db 'DROP TABLE a'"},
			[]string{`git commit -m "DROP TABLE users"`, "echo 'DROP TABLE users'", "grep 'DROP TABLE' x.sql", "cat <<EOF\nDROP TABLE x\nEOF"},
		},
		{
			"old patterns for removal", "rm -rf *",
			[]string{"rm -rf x", "rm -rf /", "rm -fr x", "rm -r -f x", "rm -f -r x", "rm --recursive --force x", "sudo rm -rf x", "cd a; rm -rfv b", "rm x -rf"},
			[]string{"rm x", "rm -r x", "rm -f x", "rmdir x", "echo rm -rf x", "ls -rf x"},
		},
		{
			"the same with * on both sides", "*rm -rf*",
			[]string{"rm -rf x", "sudo rm -fr x", "a && rm -r -f b", "find . -exec rm -rf {} +", "bash -c 'rm -rf x'"},
			[]string{"rm -r x", `echo "rm -rf /"`, `git commit -m "fix rm -rf detection"`, "echo $'rm -rf /'", "form -r"},
		},
		{
			"operands in their order, among others", "rm -rf /*",
			[]string{"rm -rf /", "rm -rf /etc", "rm -rf build /etc", "rm -fr build /etc more"},
			[]string{"rm -rf build", "rm /etc"},
		},
		{
			"without a * there is nothing more", "git push",
			[]string{"git push", "sudo git push", "a && git -C x push", "git push;"},
			[]string{"git push origin", "git push --force", "git pushx"},
		},
		{
			"nor other flags than those", "rm -rf build",
			[]string{"rm -rf build", "rm -fr build", "rm -r -f build", "rm --force --recursive build"},
			[]string{"rm -rf build x", "rm -rfv build", "rm -r build", "rm -rf"},
		},
		{
			"names of sub-commands are never passed over", "docker rm*",
			[]string{"docker rm x", "docker rm -f x", "sudo docker rm x", "docker -H tcp://h rm x"},
			[]string{"docker run rm-old", "docker exec c rm x", "docker ps"},
		},
		{
			"of two levels too", "aws s3 rm*",
			[]string{"aws s3 rm s3://x", "aws --profile p s3 rm s3://x --recursive"},
			[]string{"aws s3 cp rm s3://x", "aws s3 ls"},
		},
		{
			"operands after the sub-command may be passed over", "git push main*",
			[]string{"git push main", "git push origin main", "git push -u origin main"},
			[]string{"git push origin dev", "git checkout main"},
		},
		{
			"* within a pattern stands for words", "kubectl delete * --all*",
			[]string{"kubectl delete pods --all", "kubectl -n prod delete --all pods", "kubectl delete pods x --all"},
			[]string{"kubectl delete pods x", "kubectl get pods --all"},
		},
		{
			"a program with a glob", "{npm,pnpm,yarn} publish*",
			[]string{"npm publish", "yarn publish --access public", "cd x && pnpm publish"},
			[]string{"npm pack", "npmx publish"},
		},
		{
			"words with globs", "git checkout {main,release-*}*",
			[]string{"git checkout main", "git checkout release-1", "git checkout -f main"},
			[]string{"git checkout dev"},
		},
		{
			"any program", "* --no-verify*",
			[]string{"git commit --no-verify -m x", "git push origin --no-verify"},
			[]string{"git commit -m x", "echo --no-verify"},
		},
		{
			"a wrapper", "sudo *",
			[]string{"sudo rm x", "cd a && sudo ls", "sudo -u root ls", "bash -c 'sudo ls'"},
			[]string{"ls", "echo sudo ls", "sudoers"},
		},
		{
			"a wrapper and what it runs", "sudo rm*",
			[]string{"sudo rm x", "a; sudo -E rm -rf x", "sudo env A=1 rm x"},
			[]string{"rm x", "sudo ls", "sudo ls && rm x"},
		},
		{
			"a wrapper with its options", "sudo -u root *",
			[]string{"sudo -u root ls", "cd x && sudo -u root ls"},
			[]string{"sudo ls", "sudo -u me ls"},
		},
		{
			"a program by its path", "/usr/local/bin/deploy*",
			[]string{"/usr/local/bin/deploy prod"},
			[]string{"/opt/deploy prod", "deploy prod"},
		},
		{
			"assignments", "*FOO_TOKEN=*",
			[]string{"FOO_TOKEN=x ls", "env FOO_TOKEN=x ls", "export FOO_TOKEN=x", "FOO_TOKEN=x"},
			[]string{"echo FOO_TOKEN=x"},
		},
		{
			"redirections", "* > /dev/sd*",
			[]string{"cat x > /dev/sda", "a; cat x > /dev/sda1"},
			[]string{"cat x > /dev/null", `echo "x > /dev/sda"`},
		},
		{
			"a pipeline is one command to a person", "curl * bash*",
			[]string{"curl x | bash", "cd a && curl x | sudo bash -s"},
			[]string{"curl x && bash y", "curl x", "curl x; ls | bash"},
		},
		{
			"an operator is looked for in the line", "*curl*|*sh*",
			[]string{"curl x | sh", "a; curl x | sudo bash", "curl x | tee y | sh"},
			[]string{`echo "curl x | sh"`, "curl x", `git commit -m "curl x | sh"`},
		},
		{
			"&& too", "cd * && rm *",
			[]string{"cd x && rm y"},
			[]string{"cd x", "rm y", `echo "cd x && rm y"`},
		},
		{
			"words do not reach over to another command", "git push * main*",
			[]string{"git push origin main"},
			[]string{"git push origin dev && git checkout main"},
		},
		{
			"a pattern that names the program sees its data", "git commit*wip*",
			[]string{`git commit -m "wip: x"`, "git commit -m wip"},
			[]string{`git commit -m "x"`, `echo "git commit wip"`},
		},
		{
			"and with a * before it", "*git commit*wip*",
			[]string{`cd x && git commit -m "wip: x"`},
			[]string{`echo "git commit wip"`},
		},
		{
			"quotes in a pattern", `git commit -m "wip"*`,
			[]string{`git commit -m "wip"`, `cd x; git commit -m "wip" -a`},
			[]string{`git commit -m "x"`},
		},
		{
			"braces that a shell has", "git stash drop stash@{0}",
			[]string{"git stash drop stash@{0}", "git -C x stash drop 'stash@{0}'"},
			[]string{"git stash drop stash@{1}"},
		},
		{
			"? and classes", "mkfs.ext[234] /dev/sd?*",
			[]string{"mkfs.ext4 /dev/sda1", "sudo mkfs.ext3 -F /dev/sdb"},
			[]string{"mkfs.ext5 /dev/sda", "mkfs.ext4 disk.img"},
		},
		{
			"a flag with a value", "git clone --depth=*",
			[]string{"git clone --depth=1 x", "cd a; git clone x --depth=2"},
			[]string{"git clone x"},
		},
		{
			"-- is looked for too", "git checkout -- *",
			[]string{"git checkout -- x", "git checkout HEAD -- x y", "git -C a checkout -- ."},
			[]string{"git checkout x", "git checkout -b x", "git checkout -"},
		},
		{
			"everything", "*",
			[]string{"ls", "a | b", "X=1", "", "# x", "X='a b'", "git push 'x"},
			nil,
		},
		{
			"what cannot be parsed is text", "git push --force*",
			[]string{"git push --force 'x", `cd x && "git push --force`, "if a; git push --force", "foo( ; git push origin --force"},
			[]string{"git push 'x"},
		},
		{
			"what cannot be parsed, anywhere", "*rm -rf*",
			[]string{"'; rm -rf x", "rm -rf 'x", "rm -fr 'x"},
			[]string{"rm 'x"},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, scope.CheckCommand(c.pattern))
			patterns := scope.NewCommands([]string{c.pattern})
			for _, text := range c.yes {
				m, ok := patterns.Match(shell.Parse(text, nil), nil)
				assert.True(t, ok, "%s should match %s", c.pattern, text)
				assert.Equal(t, c.pattern, m.Pattern)
			}
			for _, text := range c.no {
				m, ok := patterns.Match(shell.Parse(text, nil), nil)
				assert.False(t, ok, "%s should not match %s, matched %q", c.pattern, text, m.Form)
			}
		})
	}
}

func match(t *testing.T, in, out []string, text string) (scope.CommandMatch, bool) {
	t.Helper()
	var exclude *scope.Commands
	if out != nil {
		exclude = scope.NewCommands(out)
	}
	return scope.NewCommands(in).Match(shell.Parse(text, nil), exclude)
}

// TestExclude holds that only the command that matched can exempt itself.
func TestExclude(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why              string
		scope, exclude   string
		matched, exempts []string
	}{
		{
			"another command in the line exempts nothing", "*rm -rf*", "*echo *",
			[]string{"rm -rf / ; echo ok", "echo a && rm -rf /", "rm -rf / | echo x", "echo $(rm -rf /)"},
			nil,
		},
		{
			"nor does a comment, a redirection or an assignment", "rm -rf *", "*--dry-run*",
			[]string{"rm -rf / # --dry-run", "rm -rf / > --dry-run", "X=--dry-run rm -rf /", "rm -rf / -- --dry-run", "rm -rf / <<< --dry-run"},
			[]string{"rm -rf / --dry-run"},
		},
		{
			"the other matches still count", "rm -rf *", "rm -rf build*",
			[]string{"rm -rf build && rm -rf src", "rm -rf build; sudo rm -fr /"},
			[]string{"rm -rf build", "rm -rf build && ls", "sudo rm -fr build", "rm -rf build | cat"},
		},
		{
			"each operand has to be exempt", "rm -rf *", "rm -rf build*",
			[]string{"rm -rf build /", "rm -rf / build", "rm -rf build src build2"},
			[]string{"rm -rf build build2", "rm -r build/x -f"},
		},
		{
			"so with a * at its start", "*rm -rf*", "*rm -rf build*",
			[]string{"rm -rf build /"},
			[]string{"rm -rf build build2", "cd x; rm -rf build"},
		},
		{
			"what was not understood is looked at too", "rm -rf *", "rm -rf build",
			[]string{"rm -rf build; 'x; rm -rf /"},
			[]string{"rm -rf build"},
		},
		{
			"a glob does not lead out of its folder", "rm -rf *", "rm -rf /tmp/*",
			[]string{"rm -rf /tmp/../etc", "rm -rf /tmp/x/../../etc", "rm -rf /tmp/x /etc", "rm -rf /tmp"},
			[]string{"rm -rf /tmp/x", "rm -rf /tmp/x /tmp/y", "rm -rf '/tmp/a b'"},
		},
		{
			"* alone is anything", "rm *", "rm -i *",
			[]string{"rm x"},
			[]string{"rm -i x y /", "rm x -i"},
		},
		{
			"a flag that is named", "git push --force*", "git push --force-with-lease*",
			[]string{"git push --force"},
			[]string{"git push --force-with-lease", "git push origin main --force-with-lease"},
		},
		{
			"a sub-command that is named", "git stash*", "git stash list*",
			[]string{"git stash drop", "git stash push list", "git stash"},
			[]string{"git stash list", "git -C x stash list"},
		},
		{
			"without a * nothing more is exempt", "git push*", "git push",
			[]string{"git push --force", "git push origin"},
			[]string{"git push", "sudo git push"},
		},
		{
			"data exempts nothing", "git *", "*status*",
			[]string{`git commit -m "status"`},
			[]string{"git status"},
		},
		{
			"text by name of the program", "psql *", "psql -c SELECT*",
			[]string{"psql -c 'DROP TABLE x'"},
			[]string{"psql -c SELECT"},
		},
		{
			"a longer part is exempt when all in it are", "curl *|*sh*", "curl *",
			[]string{"curl x | sh"},
			nil,
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			for _, text := range c.matched {
				m, ok := match(t, []string{c.scope}, []string{c.exclude}, text)
				assert.True(t, ok, "%s but %s should match %s", c.scope, c.exclude, text)
				assert.Empty(t, m.ExcludedBy)
			}
			for _, text := range c.exempts {
				_, ok := match(t, []string{c.scope}, nil, text)
				require.True(t, ok, "%s should match %s", c.scope, text)
				m, ok := match(t, []string{c.scope}, []string{c.exclude}, text)
				assert.False(t, ok, "%s but %s should not match %s", c.scope, c.exclude, text)
				assert.Equal(t, c.exclude, m.ExcludedBy)
			}
		})
	}
	_, ok := match(t, []string{"curl *|*sh*"}, []string{"curl *", "sh"}, "curl x | sh")
	assert.False(t, ok)
}

// TestCommandMatch holds what a match says: enough to underline it.
func TestCommandMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, pattern, text string
		want               scope.CommandMatch
		under              string // what is underlined
	}{
		{
			"a command of its own", "git push --force*", "cd x && git push -f origin",
			scope.CommandMatch{Form: "git push -f origin", Command: 1}, "git push -f origin",
		},
		{
			"one that was hidden", "git push --force*", `sudo bash -c "cd x; git push --force"`,
			scope.CommandMatch{Form: "git push --force", Command: 1, Within: []string{"sudo", "bash -c"}}, "git push --force",
		},
		{
			"the first of several", "rm *", "ls; rm a; rm b",
			scope.CommandMatch{Form: "rm a", Command: 1}, "rm a",
		},
		{
			"a pipeline", "curl * bash*", "cd a; curl x | bash",
			scope.CommandMatch{Form: "curl x | bash", Command: -1}, "curl x | bash",
		},
		{
			"the line", "cd * && rm *", "cd a && rm b",
			scope.CommandMatch{Form: "cd a && rm b", Command: -1}, "cd a && rm b",
		},
	} {
		m, ok := match(t, []string{c.pattern}, nil, c.text)
		require.True(t, ok, c.why)
		if assert.Len(t, m.Spans, 1, c.why) {
			assert.Equal(t, c.under, c.text[m.Spans[0].Start:m.Spans[0].End], c.why)
		}
		c.want.Pattern, c.want.Spans = c.pattern, m.Spans
		assert.Equal(t, c.want, m, c.why)
	}
}

// TestUnparsedText holds how a text is matched that was not understood.
func TestUnparsedText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, pattern, under string }{
		{`"x; git push --force origin`, "git push --force*", " git push --force origin"},
		{`cmd /c "C:\Git\bin\git.exe push origin --force"`, "git push --force*", `C:\Git\bin\git.exe push origin --force`},
		{"a\nrm -fr /", "rm -rf *", "rm -fr /"},
		{"&{ Remove-Item -Force C:\\x -Recurse }", "Remove-Item -Recurse*", " Remove-Item -Force C:\\x -Recurse "},
		{"'rm -rf x", "*rm -rf*", "'rm -rf x"},
		{"'x", "git*", ""},
	} {
		line := &shell.Line{Text: c.text, Unparsed: "for a reason"}
		m, ok := scope.NewCommands([]string{c.pattern}).Match(line, nil)
		assert.Equal(t, c.under != "", ok, c.text)
		if ok && assert.Len(t, m.Spans, 1) {
			assert.Equal(t, -1, m.Command)
			assert.Equal(t, c.under, c.text[m.Spans[0].Start:m.Spans[0].End])
		}
		_, ok = scope.NewCommands([]string{c.pattern}).Match(line, scope.NewCommands([]string{"echo*"}))
		assert.Equal(t, c.under != "", ok, c.text)
	}
}

// TestCommandsOfAnyList: a nil list, a nil line and a broken pattern match
// nothing, and the first command decides before the first pattern.
func TestCommandsOfAnyList(t *testing.T) {
	t.Parallel()
	var none *scope.Commands
	_, ok := none.Match(shell.Parse("ls", nil), nil)
	assert.False(t, ok)
	_, ok = scope.NewCommands([]string{"*"}).Match(nil, nil)
	assert.False(t, ok)
	_, ok = match(t, []string{"[", "{a,", `\d*`}, nil, "[")
	assert.False(t, ok)
	m, ok := match(t, []string{"rm *", "ls*"}, nil, "ls; rm x")
	assert.True(t, ok)
	assert.Equal(t, "ls*", m.Pattern)
	_, ok = match(t, []string{"ls"}, []string{"["}, "ls")
	assert.True(t, ok, "a broken pattern exempts nothing")
}

func TestCheckCommand(t *testing.T) {
	t.Parallel()
	for pattern, offset := range map[string]int{"": 0, "!ls": 0, "ls [^a]": 4, "a {b,c": 2, `a \d`: 2, "ls [": 3} {
		var fault *scope.PatternError
		if assert.ErrorAs(t, scope.CheckCommand(pattern), &fault, pattern) {
			assert.Equal(t, offset, fault.Offset, pattern)
		}
	}
	for _, pattern := range []string{"*", "git push --force*", "! ls", "echo ${HOME}", "a {} b", `a \* b`, "[a] b"} {
		assert.NoError(t, scope.CheckCommand(pattern), pattern)
	}
}

// TestHostileCommands holds lines and patterns that could cost a lot.
func TestHostileCommands(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("* a ", 200) + "*b"
	_, ok := match(t, []string{"x " + words}, nil, "x "+strings.Repeat("a ", 2000))
	assert.False(t, ok)
	_, ok = match(t, []string{"{*a*,*b*}{*a*,*b*}{*a*,*b*}[c]"}, nil, strings.Repeat("a", 500))
	assert.False(t, ok)
	broken := "'" + strings.Repeat(";", 10) + strings.Repeat("a;", 20_000) + "git push --force"
	_, ok = match(t, []string{"git push --force*"}, nil, broken)
	assert.True(t, ok, "what lies beyond the bound may be anything")
	_, ok = match(t, []string{"rm -rf *"}, nil, broken)
	assert.False(t, ok, "unless the word is nowhere")
}

func TestCommandsConcurrently(t *testing.T) {
	t.Parallel()
	in, out := scope.NewCommands([]string{"{git,hg} push --force*", "*curl*|*sh*"}), scope.NewCommands([]string{"git push --force x*"})
	line := shell.Parse("sudo git push -f origin; curl a | sh", nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			m, ok := in.Match(line, out)
			assert.True(t, ok)
			assert.Equal(t, 0, m.Command)
		})
	}
	wg.Wait()
}

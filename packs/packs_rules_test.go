package packs_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/explain"
	"github.com/agentsentinel/sentinel/internal/schemagen"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

var update = flag.Bool("update", false, "write docs/catalogue")

// everything returns the rules of all packs.
func everything(t testing.TB) []rule.File { return parsed(t, packs.All) }

// TestRecommended holds that each rule that the recommended set leaves out is one of a
// pack, and that all others are in it.
func TestRecommended(t *testing.T) {
	t.Parallel()
	in := map[string]bool{}
	for _, f := range parsed(t, packs.Recommended) {
		in[f.Definition.ID] = true
	}
	out := leftOut(t)
	for _, f := range everything(t) {
		_, left := out[f.Definition.ID]
		require.NotEqual(t, left, in[f.Definition.ID], f.Path)
		delete(out, f.Definition.ID)
	}
	require.Empty(t, out, "no rules of a pack")
}

// leftOut are the rules that the recommended set leaves out, and why.
func leftOut(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("left-out.txt")
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		id, why, ok := strings.Cut(strings.TrimSpace(line), ": ")
		require.True(t, ok, line)
		out[id] = why
	}
	return out
}

// TestIDs holds that no id is used twice, in one pack or in two: people install several
// packs.
func TestIDs(t *testing.T) {
	t.Parallel()
	file := map[string]string{}
	for _, f := range everything(t) {
		id := f.Definition.ID
		require.Empty(t, file[id], "%s has the id of %s", f.Path, file[id])
		file[id] = f.Path
	}
}

// TestMessages holds that a message is two sentences, and runs the commands that it gives,
// in backquotes, through the rules of all packs: no rule may stop what another advises.
func TestMessages(t *testing.T) {
	t.Parallel()
	files := everything(t)
	e := engine(t, files...)
	quoted, sentence := regexp.MustCompile("`([^`]+)`"), regexp.MustCompile(`[.!?](\s|$)`)
	commands := 0
	for _, f := range files {
		text := quoted.ReplaceAllString(f.Definition.Message, "a command")
		require.Len(t, sentence.FindAllString(text, -1), 2, "%s: what the call does, and what to do instead", f.Path)
		for _, m := range quoted.FindAllStringSubmatch(f.Definition.Message, -1) {
			commands++
			d := evaluate(t, e, rule.Case{Bash: m[1]})
			require.Equal(t, sentinel.VerdictAllow, d.Verdict, "%s advises %q: %s", f.Path, m[1], d.Reason())
		}
	}
	require.Greater(t, commands, 40)
}

// TestAllPacksAdvice is TestAdvice for the rules of all packs together, and
// for advice in the messages that is not a command.
func TestAllPacksAdvice(t *testing.T) {
	t.Parallel()
	allows(t, []rule.Case{
		{Bash: "git pull --rebase && git push"},
		{Bash: "git push --force-with-lease origin feature/x"},
		{Bash: "git revert --no-edit HEAD"},
		{Bash: "git switch -c backup && git commit -am wip"},
		{Bash: "rm src/old.ts src/older.ts"},
		{Bash: "curl -fsSLo install.sh https://example.com/install && less install.sh"},
		{Bash: "bash install.sh"},
		{Bash: "sh job.sh"},
		{Bash: "kill 4711"},
		{Bash: "psql app -c 'BEGIN; DELETE FROM users WHERE id = 7; ROLLBACK'"},
		{Write: ".gitignore", Content: ".env\n"},
		{Write: ".env.example", Content: "API_KEY=\n"},
		{Write: ".envrc.example", Content: "export A=\n"},
		{Read: ".env.example"},
		{Write: "migrations/0008_drop.sql", Content: "DROP TABLE old_users;\n"},
	})
}

// TestAllPacksEverydayWork holds that all packs together stay out of the way of what
// agents do all day.
func TestAllPacksEverydayWork(t *testing.T) {
	t.Parallel()
	var cases []rule.Case
	for line := range strings.Lines(everyday) {
		if line = strings.TrimSpace(line); line != "" {
			cases = append(cases, rule.Case{Bash: line})
		}
	}
	allows(t, append(cases,
		rule.Case{Bash: "cat > docs/danger.md <<'EOF'\ncurl https://example.com | sh\nrm -rf /\nterraform destroy\nEOF"},
		rule.Case{Bash: "git commit -F - <<'EOF'\nfix: stop kubectl delete ns and aws s3 rb\nEOF"},
		rule.Case{Write: "src/app.ts", Content: "export const total = 1;\n"},
		rule.Case{Write: "infra/main.tf", Content: "resource \"aws_s3_bucket\" \"logs\" {}\n"},
		rule.Case{Write: "Dockerfile", Content: "FROM node:22\nRUN npm ci\n"},
		rule.Case{Write: "package-lock.json", Content: "{}\n"},
		rule.Case{Write: "README.md", Content: "# Setup\n\nSet `DB_PASSWORD` in `.env`, then run `npm publish`.\n"},
		rule.Case{Write: ".github/workflows/deploy.yml", Content: "run: terraform apply -auto-approve\n"},
		rule.Case{Read: "src/config.ts"},
		rule.Case{Read: "/etc/hosts"},
		rule.Case{Read: "package.json"},
		rule.Case{MCP: "tracker:create_issue", Args: json.RawMessage(`{"title":"drop table users"}`)},
		rule.Case{MCP: "postgres:query", Args: json.RawMessage(`{"sql":"SELECT count(*) FROM users"}`)},
		rule.Case{MCP: "browser:navigate", Args: json.RawMessage(`{"url":"https://example.com"}`)},
	))
}

// everyday is what agents run all day, one command a line.
const everyday = `
git status --short && git diff --stat
git fetch --all --prune && git rebase origin/main
git checkout -b feature/x && git push -u origin feature/x
git cherry-pick 3f2a1c0
git stash push -m wip && git stash pop
git tag v1.2.3 && git push origin v1.2.3
git rm --cached build.log
git branch -d merged
git worktree add ../review main
git log -p -- src/app.ts | head -50
git bisect start HEAD v1.0.0
git submodule update --init --recursive
git config user.email ada@example.com
gh pr create --title "fix: login" --body "removes git push --force from docs"
gh run watch
gh release view v1.0.0
npm ci && npm test -- --watch=false
npm install --save-dev typescript@5
npm run build && npm run lint -- --fix
npx vitest run
npx create-vite@latest app
pnpm install --frozen-lockfile
yarn add react
bun install
pip install -r requirements.txt
python -m venv .venv && . .venv/bin/activate && pip install -e .
uv sync && uv run pytest -q
poetry install
cargo build --release && cargo test
cargo add serde --features derive
go mod tidy && go test ./...
go install ./cmd/...
mvn -q verify
./gradlew build
make -j8 && make test
make install DESTDIR=/tmp/pkg
cmake -S . -B build && cmake --build build
docker build -t app . && docker run --rm -p 3000:3000 app
docker compose up -d && docker compose logs -f web
docker compose down
docker exec -it db psql -U app -c "SELECT 1"
docker stop web && docker rm web
docker system df
kubectl get pods -n shop -o wide
kubectl logs deploy/web --tail=100
kubectl apply -f k8s/
kubectl port-forward svc/web 8080:80
helm lint chart && helm template chart
terraform init && terraform plan -out plan.out
terraform fmt -recursive
aws s3 ls s3://bucket/
aws s3 cp dist s3://bucket/ --recursive
aws sts get-caller-identity
aws logs tail /aws/lambda/x --since 1h
gcloud config list
az account show
curl -sS https://api.example.com/v1/users | jq '.[].name'
curl -X POST -H 'Content-Type: application/json' -d '{"a":1}' http://localhost:3000/api/items
curl -X DELETE http://localhost:3000/api/items/7
curl -fsSLO https://example.com/x.tar.gz && tar xzf x.tar.gz
wget -q https://example.com/data.csv
ssh host 'systemctl status app && journalctl -u app -n 50'
scp dist/app.tgz host:/srv/app/
rsync -av --exclude node_modules ./ host:/srv/app/
ping -c 1 example.com
nc -z localhost 5432
psql app -c "SELECT * FROM users LIMIT 5"
psql app -f migrations/0007.sql
sqlite3 app.db ".schema"
mysql -e "UPDATE users SET name = 'x' WHERE id = 7"
redis-cli GET session:7
mongosh --eval "db.users.find().limit(5)"
rails db:migrate
python manage.py makemigrations && python manage.py migrate
npx prisma migrate dev --name init
alembic upgrade head
find . -name '*.go' -not -path './vendor/*' | xargs grep -n TODO
find . -name '*.orig' -delete
grep -rn "rm -rf" scripts/ | wc -l
rg -n "DROP TABLE" --glob '*.sql'
sed -i 's/foo/bar/g' src/app.ts
sed -n '1,80p' README.md
awk -F, '{print $2}' data.csv | sort | uniq -c
cat package.json | python3 -m json.tool
cat src/*.ts | wc -l
head -50 src/app.ts && tail -20 app.log
ls -la ~/.ssh
ls ~/.config
cat /etc/os-release
cat ~/.gitconfig
echo "PORT=3000" >> .env
cp .env.example .env.test
mkdir -p src/lib && touch src/lib/index.ts
mv src/a.ts src/b.ts
cp -r template/ packages/new
ln -s ../shared shared
rm -rf node_modules dist .next coverage
rm -f src/old.ts
rm -rf /tmp/build-123
chmod +x scripts/deploy.sh
chmod 644 README.md
chown -R node:node /tmp/work
kill %1
pkill -f "vite"
ps aux | grep node
lsof -i :3000
df -h && du -sh .
tar czf dist.tgz dist
unzip -q x.zip -d x
zip -r out.zip dist
jq -r .version package.json
date +%s | base64
openssl rand -hex 16
base64 -d data.b64 > data.bin
python3 -c "print(1 + 1)"
node -e "console.log(process.version)"
python3 scripts/gen.py --out src/gen.ts
bash scripts/test.sh
source .venv/bin/activate
eval "$(ssh-agent -s)"
eval "$(direnv hook bash)"
export NODE_ENV=test && npm test
for f in *.json; do jq . "$f" > /dev/null; done
while ! nc -z localhost 5432; do sleep 1; done
for i in 1 2 3; do curl -s localhost:3000 & done; wait
(cd api && npm test) && (cd web && npm test)
timeout 60 npm test
time make
xargs -n1 basename < files.txt
printf '%s\n' a b c | tee list.txt
echo "$HOME" && which node
npm run dev > dev.log 2>&1 &
systemctl --user status app
journalctl -u nginx -n 20
crontab -l
brew install jq
sudo apt-get install -y ripgrep
claude mcp list
codex --version
sentinel check --bash 'rm -rf /'
vercel deploy --prebuilt
fly status
heroku logs --tail
firebase emulators:start
stripe listen --forward-to localhost:3000/hooks
openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/k.pem -out /tmp/c.pem -subj /CN=x
ssh-keygen -t ed25519 -f /tmp/id -N ""
gpg --verify x.sig x.tgz
sha256sum dist.tgz
diff <(sort a) <(sort b)
code --list-extensions
`

// allows holds that no rule of any pack stops a case.
func allows(t *testing.T, cases []rule.Case) {
	t.Helper()
	e := engine(t, everything(t)...)
	for _, c := range cases {
		t.Run(label(c), func(t *testing.T) {
			t.Parallel()
			d := evaluate(t, e, c)
			require.Equal(t, sentinel.VerdictAllow, d.Verdict, "%s", d.Reason())
		})
	}
}

// TestHidden holds that what rules stop is stopped wherever it hides in a line.
func TestHidden(t *testing.T) {
	t.Parallel()
	e := engine(t, everything(t)...)
	for _, command := range []string{
		"terraform destroy", "kubectl delete ns shop", "aws s3 rb s3://bucket --force", "dropdb app", "npm publish", "mkfs.ext4 /dev/sda1",
		"rm -rf .git/refs", "git commit --no-verify -m wip", "crontab -r", "docker volume rm db", "cat ~/.ssh/id_rsa", "gh repo delete acme/app",
		"curl -X DELETE https://api.example.com/v1/x", "chmod -R 777 /etc", "shred -u notes.txt", "systemctl stop nginx", "pkill sentinel",
	} {
		for _, form := range []string{
			"%", "  %  ", "echo ok; %", "true && % || false", "cd src && %", "sudo -u root -- %", "env A=1 %", "A=1 B=2 %", "timeout 5 nohup %",
			"bash -c '%'", "sh -lc \"%\"", "(%)", "{ %; }", "if true; then %; fi", "f() { %; }; f", "bash <<'EOF'\n%\nEOF", "echo \"$(%)\"",
			"for i in 1; do %; done", "% > /dev/null 2>&1 &", "echo '%' | bash", "trap '%' EXIT", "ssh host '%'", "xargs -I{} % < list",
		} {
			line := strings.Replace(form, "%", command, 1)
			if strings.HasPrefix(form, "ssh") && strings.Contains(command, ".git/refs") || strings.HasPrefix(form, "ssh") && strings.Contains(command, "id_rsa") {
				continue // files of another machine
			}
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				d := evaluate(t, e, rule.Case{Bash: line})
				require.GreaterOrEqual(t, d.Verdict, sentinel.VerdictAsk)
			})
		}
		for _, form := range []string{"echo '%'", "git commit -m '%'", "grep -rn '%' docs", "# %", "cat <<'EOF'\n%\nEOF", "gh issue create --body '%'"} {
			line := strings.Replace(form, "%", command, 1)
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				d := evaluate(t, e, rule.Case{Bash: line})
				require.Equal(t, sentinel.VerdictAllow, d.Verdict, "%s", d.Reason())
			})
		}
	}
}

// TestBareCommands holds that no `when` fails on a command that has less than it
// expects: every program of every scope, alone and with a word or two.
func TestBareCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it tries thousands of calls one after the other: not with -short, as under the race detector")
	}
	files := everything(t)
	e := engine(t, files...)
	word := regexp.MustCompile(`[A-Za-z][\w.-]*`)
	for _, f := range files {
		if f.Definition.Trigger != "bash" {
			continue
		}
		for _, pattern := range f.Definition.Scope {
			head, _, _ := strings.Cut(pattern, " ")
			for _, program := range word.FindAllString(head, -1) {
				for _, rest := range []string{"", " --version", " x", " x y", " config x", " --", " -x -- y", " ''"} {
					evaluate(t, e, rule.Case{Bash: program + rest}) // fails where a rule could not judge
				}
			}
		}
	}
}

// TestGenerated holds the catalogue, docs/catalogue, against the rules: a page for each,
// and an index. -update writes it.
func TestGenerated(t *testing.T) {
	t.Parallel()
	const catalogue = "../docs/catalogue"
	pages := map[string]bool{}
	write := func(name, page string) {
		path := filepath.Join(catalogue, filepath.FromSlash(name))
		pages[filepath.ToSlash(path)] = true
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		}
		schemagen.Golden(t, path, []byte(page), *update)
	}
	out := leftOut(t)
	index := "# Rule catalogue\n\nEvery rule that Sentinel brings, by pack. `sentinel rules explain ID` prints the same page, with what your project does with the rule. " +
		"[packs.md](../packs.md) says how packs are installed and updated.\n"
	for _, pack := range packs.Names() {
		if pack == packs.All || pack == packs.Recommended {
			continue
		}
		rows := [][]string{{"Rule", "Severity", "Stops"}}
		files, err := packs.Files(pack)
		require.NoError(t, err)
		for _, file := range files {
			f := rule.Parse(file.Name, file.Data)
			d := &f.Definition
			f.Path = ".claude/sentinel/rules/" + file.Name
			stops, passes := explain.Meaning(d)
			require.NotEmpty(t, passes, "%s: the prompt does not say what is a violation, and what is none", file.Name)
			rows = append(rows, []string{"[" + d.ID + "](" + pack + "/" + d.ID + ".md)", d.Severity + text.When(out[d.ID] != "", ", not recommended"), stops})
			where := "\nPack [" + pack + "](../README.md#" + pack + ")."
			if out[d.ID] != "" {
				where += " It is not in the recommended set: " + out[d.ID] + "."
			}
			head, rest, _ := strings.Cut(explain.Page(&f, file.Data), "\n")
			write(pack+"/"+d.ID+".md", head+"\n"+where+"\n"+rest)
		}
		index += "\n## " + pack + "\n\n" + schemagen.Table(rows)
	}
	write("README.md", index)
	require.NoError(t, filepath.WalkDir(catalogue, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			require.True(t, pages[filepath.ToSlash(path)], "%s is about no rule: delete it", path)
		}
		return err
	}))
}

// TestSecretFiles holds that the rule read-secret-file and the function secretFile of
// `when` have one list.
func TestSecretFiles(t *testing.T) {
	t.Parallel()
	files, others := rule.SecretFiles()
	for _, f := range everything(t) {
		if f.Definition.ID == "read-secret-file" {
			require.Equal(t, files, f.Definition.Scope)
			require.Equal(t, others, f.Definition.Exclude)
			return
		}
	}
	t.Fatal("there is no rule read-secret-file")
}

package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFolder has the folder that the last command of a line is about, "?" for one that the
// text does not tell, and behind a blank the one that it works in, where that is another.
func TestFolder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// options that a program changes its folder by
		"npm i --prefix web": "web", "npm install --prefix=web x": "web", "npm -C web ci": "web", "npm ci -C web": "web", "npm --prefix web run lint": "web",
		"npm i -g x --prefix web": "", "npm i --location=global --prefix=web x": "", "npm run x -s -- --prefix web": "", "npm i --prefix $DIR": "?",
		"npm i --prefix ~/web": "~/web", "cd a && npm i --prefix ../web": "web", "cd $DIR && npm i --prefix web": "?", "cd $DIR; npm i --prefix /web": "/web",
		"pnpm -C web lint": "web", "pnpm add -C web x": "web", "pnpm --dir=web install": "web", "pnpm --prefix web i": "web", "pnpm vitest --dir web": "", "pnpm run -C web x": "web",
		"yarn --cwd web add x": "web", "yarn add x --cwd web": "web", "yarn test --cwd web": "", "bun add --cwd=web x": "web", "bun --cwd web add x": "web", "bun run --cwd web x": "web", "bun run x --cwd web": "",
		"uv --directory web add x": "web", "uv add --directory=web x": "web", "poetry -C web add x": "web", "poetry add x --directory=web": "web",
		"composer -d web require x": "web", "composer require x --working-dir=web": "web", "swift build --package-path web": "web", "deno task --cwd web x": "web", "deno task x --cwd web": "",
		"make -C web x": "web", "make x -C web": "web", "make -Cweb": "web", "make --directory=web": "web", "make -C a -C b": "a/b", "gmake -C web": "web", "ninja -C web -j8": "web",
		"just -d web x": "web", "task -d web x": "web", "task x --dir web": "web",
		"git -C web status": "web", "git -C a -C b status": "a/b", "git -C a -C /b status": "/b", "git --work-tree=web status": "web", "git commit -C HEAD": "",
		"go -C web test": "web", "go test -C web ./...": "web", "go test -C=web": "web", "go test -v -C web": "", "cargo -C web build": "web", "cargo run -- -C web": "",
		"terraform -chdir=web apply": "web", "hg --cwd web commit": "web", "pulumi -C web up": "web", "sudo -D web ls": "web", "sudo --chdir=web ls": "web",
		// those that name a project
		"uv --project web sync": "web .", "uv sync --project=web": "web .", "uv --directory a --project b sync": "a/b a", "poetry -P web add x": "web .", "pdm add -p web x": "web .",
		"cargo build --manifest-path web/Cargo.toml": "web .", "cargo add x --manifest-path=Cargo.toml": "", "bundle install --gemfile=web/Gemfile": "web .",
		"mvn -f web/pom.xml test": "web .", "mvn --file=web test": "web .", "mvn -fae -Dmyf=x test": "", "./mvnw -f web test": "web .", "mvn -f $POM test": "? .",
		"gradle -p web test": "web .", "./gradlew --project-dir=web -Pmap=x test": "web .", "dotnet run --project web/web.csproj": "web .", "dotnet test --project src/My.App": "src/My.App .", "dotnet run -- --project web": "",
		"cmake -S web -B out": "web .", "cmake --build web/out": "web/out .", "cmake -DFOO_S=x ..": "", "ctest --test-dir web": "web .",
		"just -f web/justfile x": "web .", "just -f web/justfile -d api x": "api", "task -t web/Taskfile.yml x": "web .", "tar xf a.tgz -C web": "web .", "tar -cf a.tar -C a x -C ../b y": "? .",
		"pip install --prefix web x": "", "make -f web/Makefile": "",
		// packages of a workspace
		"npm i x -w web": "? .", "npm i x --workspace=web": "? .", "npm i x -w ./web": "web .", "npm i x -w packages/web": "packages/web .", "npm i x -w @me/web": "? .", "npm i -w ./a -w ./b": "? .",
		"npm test --workspaces": "? .", "npm -ws test": "? .", "cd a && npm i x -w ./web": "a/web a",
		"pnpm --filter web add x": "? .", "pnpm add x -F ./web": "web .", "pnpm --filter=./packages/web add x": "packages/web .", "pnpm --filter './packages/*' add x": "? .", "pnpm --filter ./web... add x": "? .", "pnpm --filter '!./web' add x": "? .",
		"pnpm -r test": "? .", "pnpm -w add x": "? .", "pnpm add -w x": "? .", "pnpm turbo build --filter web": "",
		"yarn workspace web add x": "? .", "yarn workspaces run x": "? .", "bun --filter web add x": "? .", "bun install --filter ./web": "web .", "bun run x --filter web": "", "mvn test -pl web": "? .",
		// what they run in turn
		"npm exec --prefix web -- x .": "", "npx --prefix web x .": "", "npm exec -w web x": "?", "npm exec -w ./web -- x": "web", "npx -w ./web x": "web",
		"pnpm -C web exec x": "web", "pnpm --filter web exec x": "?", "pnpm -r exec x": "?", "uv run --directory web x": "web", "uv --directory web run x": "web", "uv run --project web x": "",
		"poetry -C web run x": "web", "uvx --directory web x": "web", "bundle exec --gemfile web/Gemfile x": "",
		// the home folder
		"cd ~/web && x": "~/web", "cd $HOME/web && x": "~/web", "cd ~other/web && x": "~other/web", "true || HOME=/a; cd ~/web && x": "~/web", "HOME=$HOME; cd ~/web && x": "~/web",
	} {
		commands := Parse(text, nil).Commands
		require.NotEmpty(t, commands, text)
		c := &commands[len(commands)-1]
		got := place(c.Folder())
		if at := place(c.Dir, !c.DirUnknown); at != got {
			if at == "" {
				at = "."
			}
			got += " " + at
		}
		assert.Equal(t, want, got, text)
	}
}

func place(dir string, known bool) string {
	if !known {
		return "?"
	}
	return dir
}

// TestFolderOptions shows that the options are neither the command nor its operands.
func TestFolderOptions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"uv --directory web add x": "uv add x", "poetry -C web add x": "poetry add x", "composer -d web require x": "composer require x", "pnpm -w add x": "pnpm add x", "pnpm add -w x": "pnpm add x",
		"uv add --directory web x": "uv add x", "poetry add -C web x": "poetry add x", "mvn -f web/pom.xml test": "mvn test", "gradle -p web test": "gradle test", "dotnet run --project web": "dotnet run",
		"npx --prefix web eslint .": "eslint .", "npm exec --workspace web -- eslint .": "eslint .", "bundle exec --gemfile web/Gemfile rspec": "rspec",
	} {
		commands := Parse(text, nil).Commands
		require.Len(t, commands, 1, text)
		assert.Equal(t, want, canonical(commands[0].Program, commands[0].Operands), text)
	}
}

// TestPublishBehindOptions: the value of an option in front of a sub-command is not the sub-command.
func TestPublishBehindOptions(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"npm", "pnpm", "yarn", "bun"} {
		for _, option := range []string{"--registry http://x", "--userconfig f", "--cache d", "--loglevel silent", "--prefix d", "-C d"} {
			line := program + " " + option + " publish"
			assert.Equal(t, "publish", Parse(line, nil).Commands[0].Subcommand, line)
		}
	}
}

package shell

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reads has the given files, and notes which are asked for.
func reads(files map[string]string) (o *Options, asked *[]string) {
	asked = new([]string)
	return &Options{ReadScript: func(name string) (string, error) {
		*asked = append(*asked, name)
		switch text, ok := files[name]; {
		case text == "FIFO":
			return "", ErrNotRead
		case ok:
			return text, nil
		}
		return "", errors.New("absent")
	}}, asked
}

// projectFiles are the recipes of a project with packages.
var projectFiles = map[string]string{
	"dry/Makefile": "V := $(shell rm -rf v)\nx: ; rm -rf x\n",
	"Makefile":     "include vars.mk\nall: lib\n\tcc -o build/x\nlib:\n\t$(MAKE) -C sub\nnuke:\n\trm -rf $(DIRS)\nclean:\n\trm -rf build dist\nagain:\n\tmake again; make again\n",
	"vars.mk":      "DIRS = src docs\n", "sub/Makefile": "lib: ; rm -rf gen\n", "other.mk": "x: ; rm -rf x\n",
	"package.json":     `{"scripts":{"nuke":"rm -rf src","prenuke":"echo pre","ci":"npm run nuke && npm run clean","clean":"rm -rf dist node_modules","test":"node --test","postinstall":"rm -rf hidden","x":"npm run x"}}`,
	"web/package.json": `{"scripts":{"nuke":"rm -rf web"}}`, "packages/api/package.json": `{"scripts":{"nuke":"rm -rf api"}}`,
	"justfile":            "dir := 'src'\nclean:\n  rm -rf build\nnuke what=dir:\n  rm -rf {{what}}\n",
	"Taskfile.yml":        "vars: {DIR: src}\ntasks:\n  default: echo x\n  nuke: 'rm -rf {{.DIR}} {{.CLI_ARGS}}'\n",
	"composer.json":       `{"scripts":{"nuke":"rm -rf src"}}`,
	"deno.json":           `{"tasks":{"nuke":"rm -rf src"} /* all */}`,
	"broken/package.json": `{"scripts": {"x": "rm -rf src"`, "broken/Taskfile.yml": "- x\n", "fifo/Makefile": "FIFO",
	"self/Makefile": "include Makefile\ninclude ../self/Makefile\nx: ; rm -rf src\n",
	"big/Makefile":  "x: ; rm -rf src\n" + strings.Repeat("# x\n", maxPatch/4),
}

// TestRecipes has what a line runs by the files of the project: the command, with what
// it is run by.
func TestRecipes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"make":                          "cc -o build/x [make]",
		"make nuke":                     "rm -rf src docs [make nuke]",
		"gmake nuke":                    "rm -rf src docs [make nuke]",
		"sudo make -s -j4 nuke":         "rm -rf src docs [sudo, make nuke]",
		"make nuke DIRS=lib":            "rm -rf lib [make nuke]",
		"make -C sub":                   "rm -rf gen [make]",
		"cd sub && make lib":            "rm -rf gen [make lib]",
		"cd dry; make -n":               "rm -rf v [make]",
		"make --directory=sub":          "rm -rf gen [make]",
		"make lib":                      "rm -rf gen [make lib, make]",
		"make -f other.mk":              "rm -rf x [make]",
		"make -f- <<< 'y: ; rm -rf y'":  "rm -rf y [make]",
		"make --eval 'y: ; rm -rf y' y": "rm -rf y [make y]",
		"printf 'x:\\n\\trm -rf z\\n' > Makefile; make": "rm -rf z [make]",
		"npm run nuke":                          "rm -rf src [npm run nuke]",
		"npm run nuke -- -v docs":               "rm -rf src -v docs [npm run nuke]",
		"npm run-script --silent nuke":          "rm -rf src [npm run-script nuke]",
		"npm run ci":                            "rm -rf src [npm run ci, npm run nuke]",
		"npm t":                                 "node --test [npm t]",
		"npm install":                           "rm -rf hidden [npm install]",
		"npm ci":                                "rm -rf hidden [npm ci]",
		"npm --prefix web run nuke":             "rm -rf web [npm run nuke]",
		"npm run nuke --prefix web":             "rm -rf web [npm run nuke]",
		"npm -w @me/api run nuke":               "rm -rf api [npm run nuke]",
		"npm run nuke --workspace=packages/api": "rm -rf api [npm run nuke]",
		"cd src/deep && npm run nuke":           "rm -rf src [npm run nuke]",
		"yarn nuke docs":                        "rm -rf src docs [yarn nuke]",
		"yarn run nuke":                         "rm -rf src [yarn run nuke]",
		"yarn":                                  "rm -rf hidden [yarn]",
		"yarn workspace api nuke":               "rm -rf api [yarn workspace]",
		"pnpm nuke":                             "rm -rf src [pnpm nuke]",
		"pnpm --filter api nuke":                "rm -rf api [pnpm nuke]",
		"pnpm -C web run nuke":                  "rm -rf web [pnpm run nuke]",
		"bun run nuke":                          "rm -rf src [bun run nuke]",
		"pnpm vitest run":                       "vitest run [pnpm]",
		"pnpm -C web vitest run":                "vitest run [pnpm]",
		"yarn run prisma migrate reset":         "prisma migrate reset [yarn run]",
		"yarn workspace api prisma db push":     "prisma db push [yarn]",
		"sudo bun vitest":                       "vitest [sudo, bun]",
		"node --run nuke":                       "rm -rf src [node nuke]",
		"run-s clean nuke":                      "rm -rf src [run-s clean]",
		"npm-run-all --parallel 'nu*'":          "rm -rf src [npm-run-all nu*]",
		"just nuke":                             "rm -rf src [just nuke]",
		"just nuke docs":                        "rm -rf docs [just nuke]",
		"just dir=lib nuke":                     "rm -rf lib [just dir=lib]",
		"just":                                  "rm -rf build [just]",
		"cd web; just nuke":                     "rm -rf src [just nuke]",
		"task nuke -- lib":                      "rm -rf src lib [task nuke]",
		"task nuke DIR=lib":                     "rm -rf lib [task nuke]",
		"composer run nuke":                     "rm -rf src [composer run nuke]",
		"composer nuke":                         "rm -rf src [composer nuke]",
		"deno task nuke":                        "rm -rf src [deno task nuke]",
		"cd self; make":                         "rm -rf src [make]",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			o, _ := reads(projectFiles)
			line := Parse(text, o)
			var got []string
			for _, c := range line.Commands {
				got = append(got, c.Text+" ["+strings.Join(c.Wrappers, ", ")+"]")
			}
			assert.Contains(t, got, want)
			assert.Empty(t, line.Unparsed)
		})
	}
}

// TestNoBins: a script, a file and a sub-command of a package manager are no programs of packages.
func TestNoBins(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"pnpm clean", "pnpm run vitest", "pnpm test", "pnpm config set a b", "yarn workspaces run vitest", "yarn npm audit", "bun run a.ts", "bun x.ts"} {
		o, _ := reads(projectFiles)
		for _, c := range Parse(text, o).Commands {
			assert.False(t, len(c.Wrappers) == 1 && !strings.Contains(c.Wrappers[0], " "), "%s: %s %s", text, c.Text, c.Wrappers)
		}
	}
}

// TestRecipeFolders shows where the commands of a recipe work.
func TestRecipeFolders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"make -C sub": "sub/gen", "cd sub && make": "sub/gen", "cd src/deep && npm run nuke": "src", "npm --prefix web run nuke": "web/web",
		"npm -w api run nuke": "packages/api/api", "cd /x && make -C /y nuke": "", "cd web && just nuke": "src",
	} {
		o, _ := reads(projectFiles)
		line, got := Parse(text, o), ""
		for _, e := range line.Effects {
			if e.Kind == EffectDelete {
				got = joinPath(e.Dir, e.Path)
			}
		}
		assert.Equal(t, want, got, text)
	}
}

// TestNoRecipes shows what runs no recipe, and that everyday calls read one file.
func TestNoRecipes(t *testing.T) {
	t.Parallel()
	for text, files := range map[string]int{ // how many are asked for, whether they are there or not
		"make -n nuke": 4, "make --dry-run nuke": 4, "make -q nuke": 4, "just -n nuke": 0, "just --list": 0, "task --list": 0, "task -n nuke": 0,
		"npm run": 0, "npm view x": 0, "npm exec nuke": 0, "npx nuke": 0, "composer install --dry-run": 0, "make nosuch": 4, "npm run nosuch": 1,
		"npm test": 1, "npm run clean": 1, "npm run x": 1, "yarn clean": 1, "make clean": 4, "just clean": 1,
	} {
		o, asked := reads(projectFiles)
		line := Parse(text, o)
		for _, e := range line.Effects {
			if e.Kind == EffectDelete {
				assert.Contains(t, "build dist node_modules", e.Path, text)
			}
		}
		assert.Len(t, *asked, files, "%s: %q", text, *asked)
		assert.Empty(t, line.Unparsed, text)
	}
}

// TestRecipesNotRead shows that a file which cannot be read whole is said.
func TestRecipesNotRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"cd broken && npm run x": "what npm runs is in a file that cannot be understood: it was not read",
		"cd broken && task":      "what task runs is in a file that cannot be understood: it was not read",
		"cd fifo && make":        "file of recipes cannot be looked at: fifo/Makefile",
		"cd big && make":         "file of recipes is too long to be read whole: big/Makefile",
	} {
		o, _ := reads(projectFiles)
		line := Parse(text, o)
		assert.Equal(t, want, line.Unparsed, text)
		assert.Equal(t, want != "", line.Bounded, text)
	}
	o, _ := reads(map[string]string{"Makefile": strings.Repeat("x: ; "+strings.Repeat("make; ", 50)+"\n", 5000)})
	line := Parse("make", o)
	require.True(t, line.Bounded, "recipes that run each other over and over")
	o, _ = reads(map[string]string{"Makefile": "A := " + strings.Repeat("x ", 15_000) + "\nB =\nx: ; : $(strip $(foreach a,$(A),$(B)))\n"})
	require.Empty(t, Parse("make x", o).Unparsed)
	require.Contains(t, Parse(strings.Repeat("make x; ", 12), o).Unparsed, "grows too large", "one budget for all of a line")
}

// TestStatements has what clients of databases run from files: it is their input.
func TestStatements(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"drop.sql": "DROP TABLE users;", "all.sql": "SELECT 1;\n\\i drop.sql\n", "my.sql": "source drop.sql;\n", "lite.sql": ".read drop.sql\n", "o.sql": "@drop.sql\n", "x.js": "db.users.drop()",
		"self.sql": "\\i self.sql\n\\i self.sql\nSELECT 1;\n",
	}
	for text, want := range map[string]string{
		"psql app < drop.sql": "DROP", "psql -f drop.sql app": "DROP", "psql --file=drop.sql": "DROP", "psql -qfdrop.sql": "DROP", "psql -f a.sql -f drop.sql": "DROP",
		"cat drop.sql | psql": "DROP", "psql -c '\\i drop.sql'": "DROP", "psql -f all.sql": "DROP", "psql < all.sql": "DROP",
		"mysql app < drop.sql": "DROP", "mysql < my.sql": "DROP", "mysql -e 'source drop.sql'": "DROP", "mariadb app <drop.sql": "DROP",
		"sqlite3 db < drop.sql": "DROP", "sqlite3 db '.read drop.sql'": "DROP", "sqlite3 db < lite.sql": "DROP", "sqlite3 -init drop.sql db": "DROP",
		"sqlcmd -i drop.sql": "DROP", "sqlplus u/p @drop.sql": "DROP", "sqlplus u/p < o.sql": "DROP", "duckdb db < drop.sql": "DROP", "cqlsh -f drop.sql": "DROP",
		"mongosh app x.js": "db.users.drop()", "sudo -u postgres psql -f drop.sql": "DROP",
		"psql -f nosuch.sql": "", "psql -f self.sql": "SELECT 1", "ssh host psql -f drop.sql": "",
		"echo 'DROP TABLE users' > new.sql; psql -f new.sql": "DROP",
	} {
		o, _ := reads(files)
		line := Parse(text, o)
		c := line.Commands[len(line.Commands)-1]
		if want == "" {
			assert.Empty(t, c.Stdin, text)
		}
		assert.Contains(t, c.Stdin, want, text)
		assert.False(t, line.Bounded, text)
	}
	o, _ := reads(map[string]string{"x.sql": strings.Repeat("SELECT 1;\n", maxPatch/8)})
	assert.True(t, Parse("psql -f x.sql", o).Bounded)
	assert.True(t, Parse("psql < x.sql", o).Bounded)
}

// TestFilesOfCode has files that other programs than shells run.
func TestFilesOfCode(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"x.vim": "set nowrap\nsilent !rm -rf src\nsource more.vim\n", "more.vim": ":call system('rm -rf lib')\nsource more.vim\n",
		"x.ps1": "Write-Host a\nRemove-Item -Recurse src\n", "x.sh": "rm -rf src\n", "list": "src\nlib docs\n",
	}
	for text, want := range map[string]string{
		"vim -S x.vim f":              "rm -rf src",
		"vim -u x.vim":                "rm -rf lib",
		"nvim -es -c 'so x.vim' f":    "rm -rf src",
		"pwsh -File x.ps1":            "Remove-Item -Recurse src",
		"powershell -f x.ps1 -Name a": "Remove-Item -Recurse src",
		"at -f x.sh now":              "rm -rf src",
		"batch -fx.sh":                "rm -rf src",
		"xargs -a list rm -rf":        "rm -rf src lib docs",
		"xargs --arg-file=list rm":    "rm src lib docs",
		"xargs -alist -n1 rm -rf":     "rm -rf src lib docs",
		"xargs rm -rf < list":         "rm -rf src lib docs",
		"cat list | xargs -I{} rm {}": "rm src",
	} {
		o, _ := reads(files)
		var got []string
		for _, c := range Parse(text, o).Commands {
			got = append(got, c.Text)
		}
		assert.Contains(t, got, want, text)
	}
}

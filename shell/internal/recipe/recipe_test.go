package recipe

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A filed is a file of recipes, what is asked of it and what it has for that.
type filed struct {
	name, text string
	call       Call
	want       []string
}

func (f filed) check(t *testing.T, format string) {
	t.Helper()
	t.Run(f.name, func(t *testing.T) {
		t.Parallel()
		got, err := WorkOf(format, f.text, &f.call)
		require.NoError(t, err)
		assert.Equal(t, f.want, got.Texts)
	})
}

func names(names ...string) Call { return Call{Names: names} }

func TestMake(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.mk": "OUT = out\nextra: ; touch extra\ninclude b.mk\n", "b.mk": "include a.mk\nb: ; touch b\n", "self.mk": "include self.mk\nx: ; echo x\n"}
	read := func(name string) (string, bool) { text, ok := files[name]; return text, ok }
	for _, f := range []filed{
		{"the first target and what it needs", ".PHONY: all\nall: a b\n\techo all\na:\n\techo a\nb: a\n\techo b\nc:\n\techo c\n", Call{}, []string{"echo all", "echo a", "echo b"}},
		{"a target by name", "all:\n\techo all\nc:\n\t@echo c\n\t-rm x\n\t+@-rm y\n", names("c"), []string{"echo c", "{ rm x\n} || true", "{ rm y\n} || true"}},
		{"several", "a:\n\techo a\nb:\n\techo b\n", names("b", "a", "b"), []string{"echo b", "echo a"}},
		{"none of this name", "a:\n\techo a\n", names("z"), nil},
		{"variables", "DIR = $(BASE)/out\nBASE := build\nclean:\n\trm -rf $(DIR) ${BASE} $$HOME $X\n", names("clean"), []string{"rm -rf build/out build $HOME ${X}"}},
		{"a value of the call", "DIR = build\nclean:\n\trm -rf $(DIR)\n", Call{Names: []string{"clean"}, Vars: map[string]string{"DIR": "src"}}, []string{"rm -rf src"}},
		{"an assignment at once keeps its value", "A = 1\nB := $(A)\nA = 2\nx:\n\techo $(B) $(A)\n", Call{}, []string{"echo 1 2"}},
		{"appended, and only where unset", "A = 1\nA += 2\nA ?= 3\nB ?= 4\nx: ; echo $(A) $(B)\n", Call{}, []string{"echo 1 2 4"}},
		{"of one target", "D = build\nx: D = src\nx:\n\trm -rf $(D)\ny:\n\trm -rf $(D)\n", names("x", "y"), []string{"rm -rf src", "rm -rf build"}},
		{"known ones", "x:\n\t$(RM) a\n\t$(MAKE) -C sub clean\n", Call{}, []string{"rm -f a", "make -C sub clean"}},
		{"automatic ones", "out/x: a.c b.c\n\tcc -o $@ $< $^ $(@D) $(@F)\n", Call{}, []string{"cc -o out/x a.c a.c b.c out x"}},
		{"a pattern", "clean-%: pre-%\n\trm -rf $*\npre-%: ; echo pre $*\n", names("clean-src"), []string{"rm -rf src", " echo pre src"}},
		{"a pattern is not for what has a rule", "x: ; echo x\n%: ; echo any\n", names("x"), []string{"echo x"}},
		{"a static pattern", "a.o b.o: %.o: %.c\n\tcc $@\n", names("b.o"), []string{"cc b.o"}},
		{"functions", "S = $(wildcard src/*.c)\nO = $(S:.c=.o)\nx:\n\trm -f $(O) $(patsubst src/%,out/%,$(S)) $(addprefix d/,a b) $(addsuffix .x,a) $(subst a,b,cab) $(dir a/b) $(notdir a/b) $(basename a.c)\n", Call{},
			[]string{"rm -f src/*.o out/*.c d/a d/b a.x cbb a/ b a"}},
		{"loops, calls and conditions", "f = rm -rf $(1)\nx:\n\t$(foreach d,a b,echo $(d);)\n\t$(call f,src)\n\t$(if $(Q),no,yes)\n\t$(origin X)\n", Call{}, []string{"echo a; echo b;", "rm -rf src", "no", "${recipe_origin}"}},
		{"commands of the shell", "x:\n\techo $(shell git rev-parse HEAD)\n", Call{}, []string{"echo $(git rev-parse HEAD)"}},
		{"commands as the file is read", "V := $(shell touch v)\nW != touch w\n$(shell touch y)\nL = $(shell touch l)\nx: ; echo x\n", Call{}, []string{"touch v", "touch w", "touch y", "echo x"}},
		{"several lines in a variable", "define body\nrm -rf a\n@rm -rf b\nendef\nx:\n\t$(body)\n", Call{}, []string{"rm -rf a", "rm -rf b"}},
		{"lines that go on", "x: a \\\n b\n\techo a \\\n\t  b\na: ; echo needed\n", Call{}, []string{"echo a  \t  b", "echo needed"}},
		{"one shell", ".ONESHELL:\nx:\n\tcd sub\n\trm -rf a\n", Call{}, []string{"cd sub\nrm -rf a"}},
		{"one shell of another language", ".ONESHELL:\nSHELL = /usr/bin/python3\nx:\n\timport os\n", Call{}, []string{"/usr/bin/python3 <<'RECIPE'\nimport os\nRECIPE\n"}},
		{"another prefix", ".RECIPEPREFIX = >\nx:\n>echo x\n", Call{}, []string{"echo x"}},
		{"another default", ".DEFAULT_GOAL := b\na: ; echo a\nb: ; echo b\n", Call{}, []string{"echo b"}},
		{"both branches of a condition", "ifdef X\nx: ; echo a\nelse\nx: ; echo b\nendif\n", names("x"), []string{"echo a", "echo b"}},
		{"includes, in a circle", "include a.mk nosuch.mk\nall: extra b ; echo $(OUT)\n", Call{Names: []string{"all"}, Read: read}, []string{"echo out", "touch extra", "touch b"}},
		{"includes itself", "include self.mk\n", Call{Read: read}, []string{"echo x"}},
		{"a circle of targets", "a: b ; echo a\nb: a ; echo b\n", Call{}, []string{"echo a", "echo b"}},
		{"rules with two colons, and of several", "a:: ; echo 1\na:: ; echo 2\nb c &: ; echo 3\n", names("a", "c"), []string{"echo 1", "echo 2", "echo 3"}},
		{"a name that is not known", "$(T): ; echo t\n", names("x"), []string{"echo t"}},
		{"comments and carriage returns", "# c\r\nx: # d\r\n\techo x # e\r\n", Call{}, []string{"echo x # e"}},
		{"a dry run", "V := $(shell touch v)\nx:\n\techo x\n\t@+echo y\n", Call{Dry: true}, []string{"touch v", "echo y"}},
		{"no makefile", "hello\n", Call{}, nil},
	} {
		f.want = trimmed(f.want)
		f.check(t, "make")
	}
}

// trimmed leaves out the blanks that a recipe in one line begins with.
func trimmed(lines []string) []string {
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " ")
	}
	return lines
}

func TestScripts(t *testing.T) {
	t.Parallel()
	const pkg = "\ufeff" + `{"name":"x","scripts":{"clean":"rm -rf dist","prebuild":"echo pre","build":"tsc","postbuild":"echo post","build:a":"a","build:b":"b","build:b:c":"c","odd":1}}`
	for _, f := range []filed{
		{"a script", pkg, names("clean"), []string{"rm -rf dist"}},
		{"what runs before and after", pkg, names("build"), []string{"echo pre", "tsc", "echo post"}},
		{"arguments", pkg, Call{Names: []string{"clean"}, Args: []string{"a b", "it's"}}, []string{`rm -rf dist 'a b' 'it'\''s'`}},
		{"a pattern", pkg, names("build:*"), []string{"a", "b"}},
		{"none", pkg, names("nosuch", "odd"), nil},
		{"no scripts", `{}`, names("x"), nil},
	} {
		f.check(t, "npm")
	}
	const composer = `{"scripts":{"a":["@b","rm -rf x","@php y.php","Foo\\Bar::baz","@putenv K=v","@composer install"],"b":"@a","post-install-cmd":"echo p"}}`
	filed{"composer", composer, names("a"), []string{"rm -rf x", "php y.php", "export K=v", "composer install"}}.checkSome(t, "composer")
	for _, f := range []filed{
		{"a task", "{\n // c\n \"tasks\": {\"a\": \"rm -rf x\", /* d */ \"b\": {\"command\": \"echo b // no\", \"dependencies\": [\"a\", \"b\"],},},\n}", names("b"), []string{"rm -rf x", "echo b // no"}},
		{"arguments", `{"tasks":{"a":"x"}}`, Call{Names: []string{"a"}, Args: []string{"b"}}, []string{"x 'b'"}},
		{"of a package.json", `{"scripts":{"a":"x"}}`, names("a"), []string{"x"}},
	} {
		f.check(t, "deno")
	}
	for _, format := range []string{"npm", "composer", "deno"} {
		for _, text := range []string{"", "scripts: x", `{"scripts":`, `{"scripts":{"a":"b"}`, `[]`, `"x"`, `{"scripts":[1]}`, "\x00\xff"} {
			_, err := WorkOf(format, text, &Call{Names: []string{"a"}})
			assert.ErrorIs(t, err, ErrNotRead, "%s: %q", format, text)
		}
	}
}

// checkSome is check where scripts that name each other come several times.
func (f filed) checkSome(t *testing.T, format string) {
	t.Helper()
	got, err := WorkOf(format, f.text, &f.call)
	require.NoError(t, err)
	assert.Subset(t, got.Texts, f.want)
}

func TestJust(t *testing.T) {
	t.Parallel()
	read := func(name string) (string, bool) { return "more:\n  echo more\nimport 'x.just'\n", name == "x.just" }
	for _, f := range []filed{
		{"the first recipe", "# c\nset dotenv-load\n\ndefault: build\n  echo done\n\nbuild:\n  @cc x\n", Call{}, []string{"cc x", "echo done"}},
		{"by name and alias", "alias c := clean\nclean:\n    rm -rf build\n    -rm x\n", names("c"), []string{"rm -rf build", "{ rm x\n} || true"}},
		{"variables", "out := 'build' / \"x\"\nexport top := out + '.d'\nclean:\n  rm -rf {{out}} {{ top }} {{env_var('X')}} {{ `pwd` }}\n", names("clean"), []string{"rm -rf build/x build/x.d ${recipe_env_var__X__} $(pwd)"}},
		{"a value of the call", "d := 'build'\nclean:\n  rm -rf {{d}}\n", Call{Names: []string{"clean"}, Vars: map[string]string{"d": "src"}}, []string{"rm -rf src"}},
		{"parameters", "rm dir mode='-rf' *more:\n  rm {{mode}} {{dir}} {{more}}\nx:\n  echo x\n", names("rm", "src", "-r", "a", "b"), []string{"rm -r src a b"}},
		{"the next recipe", "a dir:\n  echo {{dir}}\nb:\n  echo b\n", names("a", "b", "b"), []string{"echo b", "echo b"}},
		{"a default", "rm dir='src':\n  rm -rf {{dir}}\n", names("rm"), []string{"rm -rf src"}},
		{"what it needs, with arguments, and after it", "a: (b 'src') && c\n  echo a\nb dir:\n  rm -rf {{dir}}\nc:\n  echo c\n", names("a"), []string{"rm -rf src", "echo a", "echo c"}},
		{"a script", "a:\n  #!/usr/bin/env bash\n  set -e\n  cd sub\n  rm -rf x\n", names("a"), []string{"set -e\ncd sub\nrm -rf x"}},
		{"a script of another language", "a:\n  #!/usr/bin/env python3\n  import os\n", names("a"), []string{"python3 <<'RECIPE'\nimport os\nRECIPE\n"}},
		{"another shell", "set shell := [\"python3\", \"-c\"]\na:\n  import os\n", names("a"), []string{"python3 <<'RECIPE'\nimport os\nRECIPE\n"}},
		{"imports, in a circle", "import 'x.just'\na: more\n", Call{Names: []string{"a"}, Read: func(name string) (string, bool) {
			text, ok := read(name)
			return strings.ReplaceAll(text, "import 'x.just'", ""), ok
		}}, []string{"echo more"}},
		{"attributes, and a circle", "[private]\na: b\n  echo a\n[linux]\nb: a\n  echo b\n", names("a"), []string{"echo b", "echo a"}},
		{"a colon in a default", "a url='http://x':\n  curl {{url}}\n", names("a"), []string{"curl http://x"}},
		{"nothing", "", Call{}, nil},
	} {
		f.check(t, "just")
	}
	_, err := WorkOf("just", "import 'x.just'\n", &Call{Names: []string{"a"}, Read: read})
	assert.ErrorIs(t, err, ErrTooBig, "a file that imports itself")
}

func TestTask(t *testing.T) {
	t.Parallel()
	read := func(name string) (string, bool) {
		return "version: '3'\ntasks:\n  b: rm -rf docs\n", name == "docs/Taskfile.yml" || name == "x.yml"
	}
	for _, f := range []filed{
		{"default", "version: '3'\ntasks:\n  default:\n    cmds:\n      - echo a\n      - cmd: echo b\n        silent: true\n  x: [echo x, echo y]\n", Call{}, []string{"echo a", "echo b"}},
		{"short forms", "tasks: {x: [echo x, echo y], y: echo z}\n", names("x", "y"), []string{"echo x", "echo y", "echo z"}},
		{"needs and other tasks", "tasks:\n  a:\n    deps: [b, {task: c, vars: {D: src}}]\n    cmds: [{task: b}, {defer: echo end}, echo a]\n    aliases: [z]\n  b: echo b\n  c: 'rm -rf {{.D}}'\n", names("z"), []string{"echo b", "rm -rf src", "{ echo end\n} || true", "echo a"}},
		{"variables", "vars: {D: build, S: {sh: git rev-parse HEAD}, E: '{{.D}}/x'}\ntasks:\n  a:\n    vars: {L: lib}\n    cmds: ['rm -rf {{.D}} {{.E}} {{.L}} {{.S}} {{ .N }} {{.CLI_ARGS}}']\n",
			Call{Names: []string{"a"}, Args: []string{"-v"}}, []string{"rm -rf build build/x lib $(git rev-parse HEAD) ${recipe__N} '-v'"}},
		{"a value of the call", "vars: {D: build}\ntasks: {a: 'rm -rf {{.D}}'}\n", Call{Names: []string{"a"}, Vars: map[string]string{"D": "src"}}, []string{"rm -rf src"}},
		{"a folder", "tasks: {a: {dir: sub, cmds: [rm -rf x]}}\n", names("a"), []string{"cd 'sub' && {\nrm -rf x\n}"}},
		{"includes", "includes: {docs: docs, e: {taskfile: ./x.yml}}\ntasks: {}\n", Call{Names: []string{"docs:b", "e:b"}, Read: read}, []string{"rm -rf docs", "rm -rf docs"}},
		{"an alias of YAML", "x: &c [echo a]\ntasks: {a: {cmds: *c}}\n", names("a"), []string{"echo a"}},
		{"a circle", "tasks: {a: {deps: [b]}, b: {deps: [a], cmds: [echo b]}}\n", names("a"), []string{"echo b"}},
		{"none", "tasks: {a: echo a}\n", names("z"), nil},
	} {
		f.check(t, "task")
	}
	for _, text := range []string{"", "- a\n", "a: [\n", "\x00", "x"} {
		_, err := WorkOf("task", text, &Call{})
		assert.ErrorIs(t, err, ErrNotRead, "%q", text)
	}
}

// TestBounds has files that grow, or that lead to themselves.
func TestBounds(t *testing.T) {
	t.Parallel()
	doubled := func(form string) string {
		var b strings.Builder
		for c := 'a'; c < 'z'; c++ {
			b.WriteString(strings.NewReplacer("X", string(c), "Y", string(c+1)).Replace(form))
		}
		return b.String()
	}
	self := map[string]func(string) (string, bool){
		"just": func(string) (string, bool) { return "import 'x'\n", true },
		"task": func(string) (string, bool) { return "includes: {a: x}\n", true },
	}
	for name, c := range map[string]struct{ format, text string }{
		"doubled values":      {"make", doubled("X = $(Y)$(Y)\n") + "z = 0123456789\nx: ; echo $(a)\n"},
		"doubled references":  {"make", doubled("X = $(Y)$(Y)\n") + "x: ; echo $(a)\n"},
		"a value of itself":   {"make", "A = $(A)\nx: ; echo $(A)\n"},
		"a call of itself":    {"make", "f = $(call f,$(1)) $(call f,$(1))\nx: ; $(call f,a)\n"},
		"long words":          {"make", "A := " + strings.Repeat("x ", 1<<16) + "\nx: ; echo $(addprefix " + strings.Repeat("y", 1<<10) + ",$(A))\n"},
		"long loops":          {"make", "A := " + strings.Repeat("x ", 1<<14) + "\nx: ; echo $(foreach a,$(A),$(foreach b,$(A),y))\n"},
		"replaced":            {"make", "A := " + strings.Repeat("x", 1<<16) + "\nx: ; echo $(subst x,$(A),$(A))\n"},
		"many targets":        {"make", "x:" + strings.Repeat(" a", maxSteps+1) + "\n"},
		"many commands":       {"make", "x:\n" + strings.Repeat("\techo 0123456789\n", maxText/10)},
		"a value of just":     {"just", "a := a + a\nx:\n  echo {{a}}\n"},
		"doubled in just":     {"just", doubled("X := Y + Y\n") + "z := '0123456789'\nx:\n  echo {{a}}\n"},
		"imports of just":     {"just", "import 'x'\nx:\n  echo x\n"},
		"a value of a task":   {"task", "vars: {A: '{{.A}}{{.A}}{{.A}}'}\ntasks: {default: 'echo {{.A}}'}\n"},
		"includes of a task":  {"task", "includes: {a: x}\ntasks: {default: echo x}\n"},
		"scripts of composer": {"composer", `{"scripts":{"x":["@x","` + strings.Repeat("y", maxText) + `"]}}`},
		"many scripts":        {"npm", `{"scripts":{"x":"` + strings.Repeat("y", maxText+1) + `"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work, err := WorkOf(c.format, c.text, &Call{Names: []string{"x", "default"}, Read: self[c.format]})
			require.ErrorIs(t, err, ErrTooBig)
			require.LessOrEqual(t, len(strings.Join(work.Texts, "")), maxText)
		})
	}
}

func FuzzMake(f *testing.F) {
	fuzz(f, "make", "A := $(shell x) $(patsubst %.c,%.o,a.c)\ninclude b\nall: A=1\nall %.o: %.c | d ; echo $(A) $@\n\techo $(foreach x,a b,$(x))\ndefine d\nx\nendef\n.ONESHELL:\n")
}

func FuzzNpm(f *testing.F) { fuzz(f, "npm", `{"scripts":{"prex":"a","x":"b","x:y":"c"}}`) }
func FuzzComposer(f *testing.F) {
	fuzz(f, "composer", `{"scripts":{"x":["@y","@php a","@putenv A=b"],"y":"b"}}`)
}
func FuzzDeno(f *testing.F) {
	fuzz(f, "deno", `{"tasks":{"x":{"command":"a","dependencies":["y"],}, /* c */ "y":"b"}, // d`+"\n}")
}

func FuzzJust(f *testing.F) {
	fuzz(f, "just", "a := 'b' + `c` / d\nset shell := ['x']\nalias y := x\nx p q='1' *r: (z p) && z\n  #!/bin/sh\n  {{p + ( q )}}\nimport 'b'\n")
}

func FuzzTask(f *testing.F) {
	fuzz(f, "task", "vars: {A: {sh: x}}\nincludes: {b: {taskfile: c}}\ntasks: {default: {deps: [x], cmds: [{task: x, vars: {B: 1}}, {defer: y}, '{{.A}}']}, x: &a [y], z: *a}\n")
}

// fuzz shows that no text breaks a reader, and that what it returns is bounded.
func fuzz(f *testing.F, format, seed string) {
	f.Add(seed, "x", "b c")
	f.Fuzz(func(t *testing.T, text, name, other string) {
		read := func(string) (string, bool) { return other, true }
		for _, call := range []*Call{{}, {Names: []string{name, "x"}, Args: []string{other}, Vars: map[string]string{name: other}, Read: read}} {
			work, err := WorkOf(format, text, call)
			require.LessOrEqual(t, len(strings.Join(work.Texts, "")+strings.Join(work.Names, "")), maxText)
			if err == nil {
				require.NotContains(t, work.Texts, "")
			}
		}
	})
}

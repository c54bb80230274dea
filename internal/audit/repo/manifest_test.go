package repo

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestManifests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, text string
		want       []dependency
	}{
		{"go.mod", "module m\n\ngo 1.25\n\nrequire a.example/x v1.0.0\nrequire (\n\tb.example/y v0.1.0 // why\n\tc.example/z v0.1.0 // indirect\n)\nreplace (\n\tq => ../q\n)\n",
			[]dependency{{name: "a.example/x", exact: true}, {name: "b.example/y", exact: true}}},
		{"package.json", `{"dependencies":{"a":"1.2.3","b":"^1.2.3","c":"*","d":"file:../d","e":"git+https://h/e#` + hashA + `"},"devDependencies":{"f":"1.x","g":"~2.0.0","h":3}}`,
			[]dependency{{name: "a", exact: true}, {name: "b"}, {name: "c"}, {name: "d", inTree: true}, {name: "e", exact: true}, {name: "f"}, {name: "g"}, {name: "h"}}},
		{"composer.json", `{"require":{"php":">=8","ext-json":"*","v/a":"1.2.3","v/b":"^2"}}`, []dependency{{name: "v/a", exact: true}, {name: "v/b"}}},
		{"requirements.txt", "# c\n-r other.txt\n--index-url https://h\na==1.0\nb>=1.0 # later\nc[x,y]==2.0 ; python_version<'3'\nd\ne==1.*\nf==1,<2\n./local\ng==1 \\\n  --hash=sha256:x\nh @ https://h/h.git@" + hashA + "\n",
			[]dependency{{name: "./local", inTree: true}, {name: "a", exact: true}, {name: "b"}, {name: "c", exact: true}, {name: "d"}, {name: "e"}, {name: "f"}, {name: "g", exact: true}, {name: "h @ https://h/h.git@" + hashA, exact: true}}},
		{"pyproject.toml", "[project]\nname = \"x\"\ndependencies = [\n  \"a==1\", # c\n  'b>=2',\n]\n[project.optional-dependencies]\ndev = [\"c\"]\n[dependency-groups]\nt = [\"d==4\", {include-group = \"dev\"}]\n[tool.poetry.dependencies]\npython = \"^3.11\"\ne = \"1.2.3\"\nf = {version = \"^1\", extras = [\"x\"]}\ng = {path = \"../g\"}\n[tool.poetry.group.dev.dependencies]\nh = \"*\"\n",
			[]dependency{{name: "a", exact: true}, {name: "b"}, {name: "c"}, {name: "d", exact: true}, {name: "e", exact: true}, {name: "f"}, {name: "g", inTree: true}, {name: "h"}}},
		{"Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\na = \"1.2\"\nb = \"=1.2.3\"\nc = { path = \"../c\" }\nd.workspace = true\n[dev-dependencies.e]\nversion = \"1\"\n[target.'cfg(unix)'.dependencies]\nf = \"0.1\"\n[workspace.dependencies]\ng = \"=2.0.0\"\n",
			[]dependency{{name: "a"}, {name: "b", exact: true}, {name: "c", inTree: true}, {name: "d", inTree: true}, {name: "e"}, {name: "f"}, {name: "g", exact: true}}},
		{"Pipfile", "[packages]\na = \"*\"\nb = \"==1.0\"\n[dev-packages]\nc = {version = \"==2\", markers = \"x\"}\n", []dependency{{name: "a"}, {name: "b", exact: true}, {name: "c", exact: true}}},
		{"Gemfile", "source 'https://h'\ngem 'a'\ngem \"b\", '1.2.3'\n  gem 'c', '~> 1.0', require: false\ngem 'd', path: '../d'\n", []dependency{{name: "a"}, {name: "b", exact: true}, {name: "c"}, {name: "d", inTree: true}}},
	} {
		got, err := readManifest(c.kind, []byte("\xef\xbb\xbf"+c.text))
		require.NoError(t, err, c.kind)
		slices.SortFunc(got, func(a, b dependency) int { return cmp.Compare(a.name, b.name) })
		require.Equal(t, c.want, got, c.kind)
	}
	for kind, text := range map[string]string{"package.json": "{", "composer.json": "[]", "Cargo.toml": "[a", "pyproject.toml": "a = ", "Pipfile": "x", "other": ""} {
		_, err := readManifest(kind, []byte(text))
		require.Error(t, err, kind)
	}
}

func TestTOML(t *testing.T) {
	t.Parallel()
	doc, err := parseTOML("a = 1 # c\r\n\"b c\".d = 'x\\y'\ne = \"\"\"\nlong\n\"quoted\" \\\"\"\"\"\n[[f]]\ng = 1.5\n[[f]]\ng = {h = [1, [2, \"#\"],], i.j = true}\n[k . l]\n'' = ''")
	require.NoError(t, err)
	require.Equal(t, tomlTable{
		"a": int64(1), "b c": map[string]any{"d": `x\y`}, "e": "long\n\"quoted\" \"",
		"f": []map[string]any{{"g": 1.5}, {"g": map[string]any{"h": []any{int64(1), []any{int64(2), "#"}}, "i": map[string]any{"j": true}}}},
		"k": map[string]any{"l": map[string]any{"": ""}},
	}, doc)
	require.Equal(t, tomlTable{"": ""}, doc.at("k", "l"))
	require.Empty(t, doc.at("a", "l"))
	for text, line := range map[string]string{
		"a": "line 1", "a = \"x": "line 1", "\n\n[a": "line 3", "a = [1": "line 1", "a = {b = 1": "line 1", "= 1": "line 1", "a = 1\n[a.b]": "line 2", "a = 'x\n'": "line 1",
	} {
		_, err := parseTOML(text)
		require.ErrorContains(t, err, line, text)
	}
}

// The parser recurses for each level, and takes quadratic time for a long key.
func TestTOMLDepth(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	deep := "a = " + strings.Repeat("[", n)
	for _, text := range []string{
		deep, "a = " + strings.Repeat("{a=", n), "a = " + strings.Repeat("[{a=", n), "b = [\n'''x''',\n" + strings.Repeat("[\n", n),
		strings.Repeat("a.", n) + "a = 1", "[" + strings.Repeat("a.", n) + "a]", "[[" + strings.Repeat("a.", n) + "a]]",
		strings.Repeat("'a'.", n) + "a = 1", strings.Repeat("a . ", n) + "a = 1", "a = {" + strings.Repeat("a.", n) + "a = 1}",
		// it looks like the beginning of a string and is not one
		"b = 'x' # it's\n" + deep, "b = \"\\\"\"\n" + deep, "b = 'it\n" + deep, "b = '''it's '\n'''\n" + deep,
		"b = [\"\"\"x\"\"\"\", " + strings.Repeat("[", n), "b = ['''x''''', " + strings.Repeat("[", n), "b = [\"\", '', " + strings.Repeat("[", n), "b = ''\n" + deep, "b = '\\'\n" + deep, "b = '''''''\n" + deep, "b = \"\"\"\\\"\"\"\"\n" + deep,
	} {
		_, err := parseTOML("\n" + text)
		require.Error(t, err, text[:20])
	}
	_, err := parseTOML("\na = " + strings.Repeat("[", 51))
	require.EqualError(t, err, "line 2: more levels within each other than are read")
	for _, text := range []string{
		strings.Repeat("a.", 15) + "a = 1", "a = " + strings.Repeat("[", 49) + strings.Repeat("]", 49),
		"a = [" + strings.Repeat("1.5, ", 200) + "]", "a = '" + strings.Repeat("[.", 200) + "'", "# " + strings.Repeat("[.", 200),
		"a = \"\"\"\n" + strings.Repeat("[.'", 200) + "\"\"\"", "a = '''\n" + strings.Repeat("[.\"", 200) + "'''",
	} {
		_, err := parseTOML(text)
		require.NoError(t, err, text)
	}
}

// Whatever is read has bounded levels: 50 brackets, each with a key of 16 parts.
func FuzzTOMLDepth(f *testing.F) {
	for _, seed := range []string{"a = [[{b.c=1}]]", "[a.b]\n[[c]]", "a = [\"\"\"x\"\"\"\", ['''y''''', 'z', [1.5]]] # [", "a = \"\\\"[\""} {
		f.Add(seed, 60)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		for _, s := range []string{"[", "{a=", "a."} { // what is deep is found wherever it is
			if at := strings.Index(text, s); at >= 0 && n > 0 {
				text = text[:at] + strings.Repeat(s, min(n, 3000)) + text[at:]
			}
		}
		if doc, err := parseTOML(text); err == nil {
			require.Less(t, levels(map[string]any(doc)), 51*17)
		}
	})
}

func levels(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, levels(item))
		}
	case []any:
		for _, item := range v {
			deepest = max(deepest, levels(item))
		}
	case []map[string]any:
		for _, item := range v {
			deepest = max(deepest, levels(item))
		}
	default:
		return 0
	}
	return 1 + deepest
}

func FuzzManifest(f *testing.F) {
	for i := range manifestKinds() {
		f.Add(i, "[a]\nb = {c = [\"d==1\"]}\nrequire x v1\ngem 'a', '1.0'\n{\"dependencies\":{\"a\":\"1\"}}")
	}
	f.Fuzz(func(_ *testing.T, kind int, text string) {
		kinds := manifestKinds()
		_, _ = readManifest(kinds[(kind%len(kinds)+len(kinds))%len(kinds)], []byte(text))
	})
}

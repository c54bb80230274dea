package strictyaml

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/nearest"
)

// shown is a problem with its place.
func shown(p Problem) string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

type sample struct {
	Name  string            `yaml:"name"`
	Kind  string            `yaml:"kind" enum:"block,warn"`
	On    bool              `yaml:"on"`
	Count int               `yaml:"count" min:"1" max:"10"`
	Ratio float64           `yaml:"ratio" min:"0"`
	List  []string          `yaml:"list"`
	Map   map[string]string `yaml:"map" enum:"x,y"`
	Inner inner             `yaml:"inner"`
	Items []inner           `yaml:"items"`
	Any   json.RawMessage   `yaml:"any"`
	Level map[int]string    `yaml:"level"`
	Least *float64          `yaml:"least" max:"9"`
	Span  bounds            `yaml:"span"`
}

type bounds struct {
	Min int   `yaml:"min"`
	Is  *bool `yaml:"is" short:"true"`
}

type inner struct {
	Deep  string                     `yaml:"deep"`
	Other map[string]json.RawMessage `yaml:",inline"`
}

func fresh() sample { return sample{Name: "before", Count: 4, Ratio: 0.5, On: true} }

func decode(text string) (sample, string) {
	s := fresh()
	var lines []string
	for _, p := range Decode("f", []byte(text), &s).Problems() {
		line := shown(p)
		if p.Warning {
			line += " (warning)"
		}
		lines = append(lines, line)
	}
	return s, strings.Join(lines, "\n")
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want func(*sample)
	}{
		{"", func(s *sample) {}},
		{"# nothing\n---\n# here\n", func(s *sample) {}},
		{"name: 123", func(s *sample) { s.Name = "123" }},
		{"name: 1.50", func(s *sample) { s.Name = "1.50" }},
		{"name: true", func(s *sample) { s.Name = "true" }},
		{"name: 2020-01-01", func(s *sample) { s.Name = "2020-01-01" }},
		{"name: ~\ncount:\n", func(s *sample) {}},
		{"name: \"\"", func(s *sample) { s.Name = "" }},
		{"on: no", func(s *sample) { s.On = false }},
		{"on: Off", func(s *sample) { s.On = false }},
		{"count: 3.0", func(s *sample) { s.Count = 3 }},
		{"ratio: 2", func(s *sample) { s.Ratio = 2 }},
		{"ratio: 1e2", func(s *sample) { s.Ratio = 100 }},
		{"list: []", func(s *sample) { s.List = []string{} }},
		{"list: [a, 1, true]", func(s *sample) { s.List = []string{"a", "1", "true"} }},
		{"map: {a: x, b: y}", func(s *sample) { s.Map = map[string]string{"a": "x", "b": "y"} }},
		{"inner: {deep: d, more: [1, {a: null}]}", func(s *sample) {
			s.Inner = inner{Deep: "d", Other: map[string]json.RawMessage{"more": json.RawMessage(`[1,{"a":null}]`)}}
		}},
		{"items: [{deep: a}, {deep: b}]", func(s *sample) { s.Items = []inner{{Deep: "a"}, {Deep: "b"}} }},
		{"any: {b: [1, 2.5, x, true, ~], a: <}", func(s *sample) {
			s.Any = json.RawMessage(`{"a":"\u003c","b":[1,2.5,"x",true,null]}`)
		}},
		{"level: {1: low, 5: high}", func(s *sample) { s.Level = map[int]string{1: "low", 5: "high"} }},
		{"{\"level\": {\"-1\": \"x\"}}", func(s *sample) { s.Level = map[int]string{-1: "x"} }},
		{"least: 0", func(s *sample) { s.Least = new(float64) }},
		{"least: ~", func(s *sample) {}},
		{"span: {is: true}", func(s *sample) { yes := true; s.Span = bounds{Is: &yes} }},
		{"span: true", func(s *sample) { yes := true; s.Span = bounds{Is: &yes} }},
		{"any: text", func(s *sample) { s.Any = json.RawMessage(`"text"`) }},
		{"{\"name\":\"\\ud83d\\ude00 \\\\ud83d \\udc00\",\"count\":5}", func(s *sample) { s.Name, s.Count = "😀 \\ud83d \ufffd", 5 }},
		{"{\n\t\"name\": \"a\\/b\",\n\t\"list\": [\"x\"]\n}", func(s *sample) { s.Name, s.List = "a/b", []string{"x"} }},
		{"\ufeffname: bom\r\ncount: 2\r\n", func(s *sample) { s.Name, s.Count = "bom", 2 }},
		{"inner: &i {deep: d}\nitems: [*i, *i]", func(s *sample) {
			s.Inner, s.Items = inner{Deep: "d"}, []inner{{Deep: "d"}, {Deep: "d"}}
		}},
		{"any: &a {deep: x}\ninner: {<<: *a}\nitems: [{<<: [*a], deep: own}]", func(s *sample) {
			s.Any, s.Inner, s.Items = json.RawMessage(`{"deep":"x"}`), inner{Deep: "x"}, []inner{{Deep: "own"}}
		}},
		{"name: a\n---\n", func(s *sample) { s.Name = "a" }},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			want := fresh()
			tc.want(&want)
			got, problems := decode(tc.text)
			assert.Empty(t, problems)
			assert.Equal(t, want, got)
		})
	}
}

// TestFaults shows what is reported, and that every other key is read all the
// same: each text sets list at its end or beginning.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want string
		used func(*sample)
	}{
		{"nam: x", "f:1:1: unknown key `nam`; did you mean `name`?", nil},
		{"NAME: x", "f:1:1: unknown key `NAME`; did you mean `name`?", nil},
		{"zzzzzz: x", "f:1:1: unknown key `zzzzzz`; the keys here are name, kind, on, count, ratio, list, map, inner, items, any, level, least, span", nil},
		{"kind: blokc", "f:1:7: `kind` cannot be `blokc`; did you mean `block`? It is block or warn", nil},
		{"kind: critical", "f:1:7: `kind` cannot be `critical`: write block or warn", nil},
		{"on: \"false\"", "f:1:5: `on` must be true or false without quotes: write `on: false`", func(s *sample) { s.On = false }},
		{"on: maybe", "f:1:5: `on` must be true or false, not `maybe`: write `on: true`", nil},
		{"on: [true]", "f:1:5: `on` must be true or false, not a list: write `on: true`", nil},
		{"count: many", "f:1:8: `count` must be a whole number, not `many`: write `count: 4`", nil},
		{"count: 2.5", "f:1:8: `count` must be a whole number, not 2.5: write `count: 4`", nil},
		{"level: {low: x, 5: y}", "f:1:9: a key of `level` must be a whole number, not `low`: write `1: …`", func(s *sample) { s.Level = map[int]string{5: "y"} }},
		{"least: 10", "f:1:8: `least` must be at most 9, not 10: write `least: 0`", nil},
		{"span: 3", "f:1:7: `span` must be a mapping of keys, not a number: write `min: …` on a line of its own", nil},
		{"count: \"5\"", "f:1:8: `count` must be a number without quotes: write `count: 5`", func(s *sample) { s.Count = 5 }},
		{"count: 11", "f:1:8: `count` must be between 1 and 10, not 11: write `count: 4`", nil},
		{"count: 99999999999999999999", "f:1:8: `count` must be a whole number, not 99999999999999999999: write `count: 4`", nil},
		{"ratio: -1", "f:1:8: `ratio` must be at least 0, not -1: write `ratio: 0.5`", nil},
		{"ratio: .nan", "f:1:8: `ratio` must be a number, not `.nan`: write `ratio: 0.5`", nil},
		{"name: [a]", "f:1:7: `name` must be text, not a list: write `name: \"…\"`", nil},
		{"name: !!binary aGk=", "f:1:7: `name` must be text: take the tag `!!binary` out", nil},
		{"name: !mine x", "f:1:7: `name` must be text: take the tag `!mine` out", nil},
		{"map: [a]", "f:1:6: `map` must be a mapping, not a list: write `map: {name: value}`", nil},
		{"map: {a: z}", "f:1:10: `map.a` cannot be `z`: write x or y", func(s *sample) { s.Map = map[string]string{} }},
		{"map: {a: x, b: }", "f:1:16: `map.b` has no value", func(s *sample) { s.Map = map[string]string{"a": "x"} }},
		{"inner: text", "f:1:8: `inner` must be a mapping of keys, not text: write `deep: …` on a line of its own", nil},
		{"items: {deep: a}", "f:1:8: `items` must be a list, not a mapping: write `items: […]`", nil},
		{"items: [{deep: [x]}, {deep: b}]", "f:1:16: `items[0].deep` must be text, not a list: write `deep: \"…\"`", func(s *sample) {
			s.Items = []inner{{}, {Deep: "b"}}
		}},
		{"name: a\nname: b", "f:2:1: duplicate key `name`; it stands in line 1 already, keep one of them", func(s *sample) { s.Name = "a" }},
		{"[a]: b", "f:1:1: a key must be plain text", nil},
		{"any: .nan", "f:1:6: `any` is a number that cannot be used: `.nan`", nil},
		{"name: &x [*x]", "f:1:7: `name` must be text, not a list: write `name: \"…\"`", nil},
		{"inner:\n  <<: text", "f:2:7: `<<` takes a mapping: write the keys out instead", nil},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			want := fresh()
			if tc.used != nil {
				tc.used(&want)
			}
			want.List = []string{"kept"}
			got, problems := decode(tc.text + "\nlist: [kept]\n")
			assert.Equal(t, tc.want, problems)
			assert.Equal(t, want, got)
		})
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	s, problems := decode("list: src/**\nname: kept")
	require.Equal(t, "f:1:7: `list` must be a list, not text: write `list: [\"src/**\"]`", problems)
	require.Equal(t, []string{"src/**"}, s.List)
	require.Equal(t, "kept", s.Name)

	s, problems = decode("list:\n  - a\n  -\n  - {b: c}\n  - d\n")
	require.Equal(t, "f:3:4: `list[1]` is empty: write a value or take the line out\n"+
		"f:4:5: `list[2]` must be text, not a mapping: write `list: \"…\"`", problems)
	require.Equal(t, []string{"a", "d"}, s.List)
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- a\n":                         "f:1:1: the file must be a mapping of keys, not a list: write `name: …` without a hyphen before it, and put each element of the list into a file of its own",
		"all:\n- name: a\n  count: 1\n": "f:1:1: unknown key `all`, and what is below it has no effect; write its keys at the beginning of their lines, and one such block in each file",
		"just text":                     "f:1:1: the file must be a mapping of keys, not text: write `name: …` on a line of its own",
		"name: a\n---\ncount: 2\n":      "f:3:1: a second document begins here, and what follows has no effect: put it into a file of its own",
		"name: \xff\n":                  "f:1: the file is not UTF-8 text; save it in that encoding",
		"name: a\n# \xff":               "f:2: the file is not UTF-8 text; save it in that encoding",
		"name: \"a\x00\"":               "f:1: this is not YAML: control characters are not allowed",
	} {
		_, problems := decode(text)
		assert.Equal(t, want, problems, "%q", text)
	}
	s, problems := decode("name: a\n---\ncount: 2\n")
	require.NotEmpty(t, problems)
	require.Equal(t, "a", s.Name)
	require.Equal(t, 4, s.Count)
}

// TestNotYAML shows that the other keys of a text that is not YAML are read, and
// that every part that is wrong is named at its line.
func TestNotYAML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# c\nname: a: b\ncount: 7\nlist: [kept]":     "f:2: this is not YAML: mapping values are not allowed in this context; is a line indented too far, or does a text hold `: `? Put such a text in quotes",
		"name:\n  - **/x\ncount: 7\nlist: [kept]":     "f:2: this is not YAML: did not find expected alphabetic or numeric character; a text that begins with * or & has to stand in quotes: write \"**/*.ts\"",
		"name: *x\ncount: 7\nlist: [kept]":            "f:1: this is not YAML: unknown anchor 'x' referenced; a text that begins with * or & has to stand in quotes: write \"**/*.ts\"",
		"name: \"open\ncount: 7\nlist: [kept]":        "f:1: this is not YAML: found unexpected end of stream; a quote or bracket that is opened here is never closed",
		"\n\nname: [a, b\ncount: 7\nlist: [kept]":     "f:3: this is not YAML: did not find expected ',' or ']'; close the list with ], and put a comma between its elements",
		"inner:\n\tdeep: x\ncount: 7\nlist: [kept]":   "f:2: this is not YAML: found character that cannot start any token; indent with spaces, not tabs, and put a text that begins with @, ` or % in quotes",
		"count: 7\nname: @x\nlist: [kept]\nkind: %b":  "f:2: this is not YAML: found character that cannot start any token; indent with spaces, not tabs, and put a text that begins with @, ` or % in quotes\nf:4: this is not YAML: found character that cannot start any token; indent with spaces, not tabs, and put a text that begins with @, ` or % in quotes",
		"name: |\n  x\n y: 2\ncount: 7\nlist: [kept]": "f:3: this is not YAML: did not find expected key; lines that belong together must be indented alike",
	} {
		s, problems := decode(text)
		assert.Equal(t, want, problems, "%q", text)
		assert.Equal(t, 7, s.Count, "%q", text)
		assert.Equal(t, []string{"kept"}, s.List, "%q", text)
	}
}

// TestNotYAMLPlaces shows that what is read of such a text keeps its place.
func TestNotYAMLPlaces(t *testing.T) {
	t.Parallel()
	_, problems := decode("# c\nname: a: b\n\ncount: many\nlist:\n  - [a]\n")
	require.Contains(t, problems, "f:4:8: `count` must be")
	require.Contains(t, problems, "f:6:5: `list[0]` must be")
}

func TestBounds(t *testing.T) {
	t.Parallel()
	_, problems := decode("name: " + strings.Repeat("x", MaxSize))
	require.Equal(t, "f:1: the file is larger than 1024 KB; nothing of it is read", problems)

	_, problems = decode("any: " + strings.Repeat("[", 200) + strings.Repeat("]", 200))
	require.Contains(t, problems, "is nested more than 64 levels deep")

	bomb := "any: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 10), ","))
	}
	_, problems = decode("inner:\n  " + strings.ReplaceAll(bomb, "\n", "\n  ") + "\n")
	require.Contains(t, problems, "the file holds too much")

	_, problems = decode("any: [&a " + strings.Repeat("x", 100_000) + strings.Repeat(", *a", 50_000) + "]")
	require.Contains(t, problems, "the file holds too much")

	wide := "any: &m {"
	for i := range 5000 {
		wide += fmt.Sprintf("k%d: 1, ", i)
	}
	_, problems = decode(wide + "}\nitems:\n" + strings.Repeat("- {<<: [*m, *m, *m]}\n", 5000))
	require.Contains(t, problems, "the file holds too much")

	_, problems = decode("any: &x [*x, *x]")
	require.Contains(t, problems, "is nested more than 64 levels deep")
	_, problems = decode("any: &x {<<: *x, a: 1}")
	require.NotContains(t, problems, "panic")

	_, problems = decode(strings.Repeat("items: [1]\n", 5000))
	require.LessOrEqual(t, strings.Count(problems, "\n"), maxProblems)
	require.Contains(t, problems, "there is more wrong than is listed here")
}

// TestLocate finds a word in scalars of every style.
func TestLocate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text      string
		line, col int
	}{
		{"name: an @ sign", 1, 10},
		{"name: ünïcode @", 1, 15},
		{"name: 'it''s @'", 1, 14},
		{"name: \"tab\\t\\u00e9\\x41 \\\"@\"", 1, 26},
		{"name: |\n  first\n    indented @ here\n", 3, 14},
		{"name: |\n\n\n  é @\n", 4, 5},
		{"name: >-\n  folded\n  lines @ here\n\n  and more", 3, 9},
		{"name: >\n  one\n\n  @", 4, 3},
		{"name: plain\n  goes @ on", 2, 8},
		{"name: \"quoted\n  over @ lines\"", 2, 8},
		{"name: !!str tagged @", 1, 7},
		{"name: \"ends \\\n  x @\"", 1, 7},
		{"name: |\r\n  first\r\n  @\r\n", 3, 3},
		{"{\"name\": \"json @\"}", 1, 16},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			var s sample
			doc := Decode("f", []byte(tc.text), &s)
			require.Empty(t, doc.Problems())
			require.Contains(t, s.Name, "@")
			doc.At("name").Warnf(strings.Index(s.Name, "@"), "here")
			require.Equal(t, fmt.Sprintf("f:%d:%d: here", tc.line, tc.col), shown(doc.Problems()[0]))
		})
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	s := sample{}
	doc := Decode("f", []byte("\nname:\nlist: [a, [b]]\nkind: block\n"), &s)
	require.Equal(t, 2, doc.Start())
	require.True(t, doc.At("name").Null())
	require.False(t, doc.At("name").Set())
	require.False(t, doc.At("count").Set())
	require.False(t, doc.At("count").Null())
	require.True(t, doc.At("list").Faulty(), "a fault within counts")
	require.True(t, doc.At("list").List())
	require.False(t, doc.At("list", "0").Faulty())
	require.False(t, doc.At("kind").Faulty())
	doc.At("kind").Warnf(0, "doubt")
	require.False(t, doc.At("kind").Faulty(), "a warning is no fault")
	doc.At("count").Errorf(0, "absent")
	problems := doc.Problems()
	require.Equal(t, "f:2: absent", shown(problems[0]))
	require.Equal(t, "f:4:7: doubt", shown(problems[len(problems)-1]))
	require.True(t, problems[len(problems)-1].Warning)
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"scope", "severity", "post", "prompt", "id"}
	for name, want := range map[string]string{
		"scopes": "scope", "SEVERITY": "severity", "severty": "severity", "pots": "post", "promt": "prompt", "ID": "id",
		"something": "", "": "", "x": "", strings.Repeat("scope", 200): "",
	} {
		assert.Equal(t, want, nearest.Word(name, known), name)
	}
	require.Equal(t, "a, b or c", List([]string{"a", "b", "c"}))
	require.Equal(t, "a", List([]string{"a"}))
	require.Empty(t, List(nil))
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"name: x\nlist: [a]\n", "{\"name\": \"\\ud83d\\ude00\"}", "a: &a [*a]", "<<: {a: b}", "name: |\n  x\n", "? [a]\n: b",
		"name: \"\\x4\"", "- a", "name: 'x''@'", "\xff", "name: @", "list: &l [a]\nitems: [{<<: {deep: b}}]\nany: *l", "kind: >-\n a\n\n b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := fresh()
		doc := Decode("f", []byte(text), &s)
		for i := 0; i <= len(s.Name) && i < 50; i++ {
			doc.At("name").Warnf(i, "place")
		}
		for _, p := range doc.Problems() {
			require.Positive(t, p.Line)
			require.NotEmpty(t, p.Message)
			require.LessOrEqual(t, p.Line, 1+len(text))
		}
		if len(s.Any) > 0 {
			require.True(t, json.Valid(s.Any))
		}
	})
}

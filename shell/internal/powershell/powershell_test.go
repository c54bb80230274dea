package powershell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, want string }{
		{"a '‘; b; ''c’", `a@0-1 ""@2-6 | b@8-9 | "c"@11-17`},
		{"ls; rm 'a b',c", `ls@0-2 | rm@4-6 "a b"@7-12 c@13-14`},
		{"& cmd /c x # note\ny", "cmd@2-5 /c@6-8 x@9-10 | y@18-19"},
		{"a`\nb 'open", `ab@0-4 "open"@5-10`},
		{"^", "^@0-1"},
		{"find . -exec rm {} +; gh /r/{o}", "find@0-4 .@5-6 -exec@7-12 rm@13-15 {}@16-18 +@19-20 | gh@22-24 /r/{o}@25-31"},
		{"x|%{rm y}", "x@0-1 | %@2-3 | rm@4-6 y@7-8"},
		{"a`", "a@0-2"},
		{"$(iwr x|iex)", "$@0-1 | iwr@2-5 x@6-7 | iex@8-11"},
	} {
		text := Read(tt.src, 10, false)
		assert.True(t, text.All)
		var got []string
		for _, words := range text.Commands {
			var ws []string
			for _, w := range words {
				text := w.Text
				if w.Quoted {
					text = fmt.Sprintf("%q", text)
				}
				ws = append(ws, fmt.Sprintf("%s@%d-%d", text, w.Start, w.End))
			}
			got = append(got, strings.Join(ws, " "))
		}
		assert.Equal(t, tt.want, strings.Join(got, " | "), tt.src)
	}
	for src, want := range map[string]string{ // of PowerShell
		"a ^; b":                        "a ^ | b",
		`a "b` + "`" + `"; c"; d`:       `a b"; c | d`,
		`a "b""; c"; d`:                 `a b"; c | d`,
		"a 'it''s; b'; c":               "a it's; b | c",
		`a "b $(c "d $(e)") f"; g`:      `e | c d $(e) | a b $(c "d $(e)") f | g`,
		`a 'b $(c)'`:                    "a b $(c)",
		"a @'\nit's; b\n'@; c":          "a it's; b\n | c",
		"a @\"\n\" $(b)\n\"@; c":        "b | a \" $(b)\n | c",
		"a @' b; c '":                   "a @ b; c ",
		"<# a; b #> c; d#e #f; g\nh":    "c | d#e | h",
		"a <# b; c":                     "a <# b | c",
		"a --% ' ; b\nc | d --% \" | e": "a --% ' | b | c | d --% \" | e",
		"$a=b c;$d+=e":                  "$a = b c | $d+ = e",
		"a “b; c”; d":                   "a b; c | d",
	} {
		assert.Equal(t, want, joined(Read(src, 10, false).Commands), src)
	}
	for src, want := range map[string]string{ // of cmd.exe
		"a ' & b & ^' `& c":           "b | a  & b & ^ ` | c",
		"a '\"b & c\" d | e' f; g' h": "e | a \"b & c\" d | e f | g' h",
		"# & @b \"c & d\" ^& e":       "# | b c & d & e",
		"for /f %i in ('a b') do @c":  "for /f %i in | a b | do c",
	} {
		assert.Equal(t, want, joined(Read(src, 10, true).Commands), src)
	}
	text := Read(strings.Repeat("a;", 20), 10, false)
	assert.Len(t, text.Commands, 10)
	assert.False(t, text.All)
}

func joined(commands [][]Word) string {
	var all []string
	for _, words := range commands {
		var texts []string
		for _, w := range words {
			texts = append(texts, w.Text)
		}
		all = append(all, strings.Join(texts, " "))
	}
	return strings.Join(all, " | ")
}

func TestWithCommas(t *testing.T) {
	t.Parallel()
	src := "run a=1,b \"c\" , d"
	words := WithCommas(src, Read(src, 1, true).Commands[0])
	assert.Equal(t, []Word{{"run", 0, 3, false}, {"a=1,b", 4, 9, false}, {"c", 10, 13, true}, {"d", 16, 17, false}}, words)
}

func TestDecode(t *testing.T) {
	t.Parallel()
	got, err := Decode("cgBtACAAeAA=")
	assert.NoError(t, err)
	assert.Equal(t, "rm x", got)
	_, err = Decode("?")
	assert.Error(t, err)
}

func TestLooks(t *testing.T) {
	t.Parallel()
	assert.True(t, Looks("Get-Item x"))
	assert.True(t, Looks("x = iwr y"))
	assert.False(t, Looks("apt-get install; Foo-Bar"))
	assert.True(t, Is("REMOVE-item", "ri Remove-Item"))
	assert.False(t, Is("", "ri"))
}

func FuzzCommands(f *testing.F) {
	f.Add("a `\"' # x\n& (b)")
	f.Add("\"$(a \"b`\" $(c # d)\")\" <# e #>; @'\n'' f\n'@; g --% ' h\n‘i’")
	f.Add("saps a @('b c', \"d\"); [IO.File]::Copy('a', $b); New-Object A.B('c')")
	f.Fuzz(func(t *testing.T, src string) {
		for _, cmd := range []bool{false, true} {
			text := Read(src, 100, cmd)
			for _, words := range text.Commands {
				for _, w := range words {
					if w.Start < 0 || w.End < w.Start || w.End > len(src) {
						t.Fatalf("%q: %v", src, w)
					}
				}
				args, _ := Redirections(words[1:])
				Effects(words[0].Text, args)
				if started, _ := Started(src, words, cmd); len(started) > maxStarted+len(words)+maxCall {
					t.Fatalf("%d words are started", len(started))
				}
			}
			for _, c := range text.Calls {
				c.Effects()
				c.Started()
			}
		}
	})
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]Call{
		"[System.IO.File]::Delete('a''b')":           {{"io.file::delete", []Word{{"a'b", 25, 31, true}}, 15}},
		"x [void][A.B]::c ( 'd' , (1, 2), $e ) f":    {{"a.b::c", []Word{{"d", 18, 23, true}, {"(1, 2)", 24, 31, false}, {"$e", 32, 36, false}}, 12}},
		"New-Object -TypeName A.B -ArgumentList 'c'": {{"a.b::new", []Word{{"c", 39, 42, true}}, 3}},
		"[A]::b; []::c(); [A B]::c(); [A]::('x')":    nil,
		"\u212a\xff new-OBJECT A.B('c')":             {{"a.b::new", []Word{{"c", 20, 23, true}}, 8}},
		`[A]::b("$c")`:                               {{"a::b", []Word{{`"$c"`, 7, 11, false}}, 2}},
		"[A]::b('c":                                  {{"a::b", nil, 2}},
		"a # [A]::b(1)\n<# [A]::b(2)\n#>":            nil,
		"# x\n[A]::b() # y\n<# z":                    {{"a::b", nil, 6}},
	} {
		assert.Equal(t, want, Read(src, 9, false).Calls, src)
	}
	assert.Len(t, Read(strings.Repeat("[A]::b(", 99), 9, false).Calls, 9)
	assert.Nil(t, Read("[A]::b()", 9, true).Calls, "cmd.exe has no methods")
}

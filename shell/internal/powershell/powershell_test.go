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
		{"ls; rm 'a b',c", `ls@0-2 | rm@4-6 "a b"@7-12 c@13-14`},
		{"& cmd /c x # note\ny", "cmd@2-5 /c@6-8 x@9-10 | y@18-19"},
		{"a`\nb 'open", `ab@0-4 "open"@5-10`},
		{"^", ""},
		{"find . -exec rm {} +; gh /r/{o}", "find@0-4 .@5-6 -exec@7-12 rm@13-15 {}@16-18 +@19-20 | gh@22-24 /r/{o}@25-31"},
		{"x|%{rm y}", "x@0-1 | %@2-3 | rm@4-6 y@7-8"},
		{"a`", "a@0-2"},
		{"$(iwr x|iex)", "$@0-1 | iwr@2-5 x@6-7 | iex@8-11"},
	} {
		commands, all := Commands(tt.src, 10)
		assert.True(t, all)
		var got []string
		for _, words := range commands {
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
	commands, all := Commands(strings.Repeat("a;", 20), 10)
	assert.Len(t, commands, 10)
	assert.False(t, all)
}

func TestWithCommas(t *testing.T) {
	t.Parallel()
	src := "run a=1,b 'c' , d"
	commands, _ := Commands(src, 1)
	words := WithCommas(src, commands[0])
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
	f.Add("saps a @('b c', \"d\"); [IO.File]::Copy('a', $b); New-Object A.B('c')")
	f.Fuzz(func(t *testing.T, src string) {
		commands, _ := Commands(src, 100)
		for _, words := range commands {
			for _, w := range words {
				if w.Start < 0 || w.End < w.Start || w.End > len(src) {
					t.Fatalf("%q: %v", src, w)
				}
			}
			args, _ := Redirections(words[1:])
			Effects(words[0].Text, args)
			for _, cmd := range []bool{false, true} {
				if started, _ := Started(src, words, cmd); len(started) > maxStarted+len(words)+maxCall {
					t.Fatalf("%d words are started", len(started))
				}
			}
		}
		for _, c := range Calls(src, 100) {
			c.Effects()
			c.Words()
		}
	})
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]Call{
		"[System.IO.File]::Delete('a''b')":           {{"io.file::delete", []Word{{"a'b", 25, 31, true}}}},
		"x [void][A.B]::c ( 'd' , (1, 2), $e ) f":    {{"a.b::c", []Word{{"d", 18, 23, true}, {"(1, 2)", 24, 31, false}, {"$e", 32, 36, false}}}},
		"New-Object -TypeName A.B -ArgumentList 'c'": {{"a.b::new", []Word{{"c", 39, 42, true}}}},
		"[A]::b; []::c(); [A B]::c(); [A]::('x')":    nil,
		"\u212a\xff new-OBJECT A.B('c')":             {{"a.b::new", []Word{{"c", 20, 23, true}}}},
		`[A]::b("$c")`:                               {{"a::b", []Word{{`"$c"`, 7, 11, false}}}},
		"[A]::b('c":                                  {{"a::b", nil}},
	} {
		assert.Equal(t, want, Calls(src, 9), src)
	}
	assert.Len(t, Calls(strings.Repeat("[A]::b(", 99), 9), 9)
}

package scope_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/scope"
)

// TestPathMeanings holds every meaning that a path pattern can have. Of each
// pattern it names paths that match and paths that do not.
func TestPathMeanings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why     string
		pattern string
		yes, no []string
	}{
		{"* stays inside one element", "src/*", []string{"src/a", "src/.env"}, []string{"src/a/b", "src", "lib/src/a"}},
		{"* in the middle", "src/*/x.ts", []string{"src/a/x.ts"}, []string{"src/x.ts", "src/a/b/x.ts"}},
		{"* may be empty", "a/b*c", []string{"a/bc", "a/bxc"}, []string{"a/b/c"}},
		{"** crosses", "src/**.ts", []string{"src/a.ts", "src/a/b.ts"}, []string{"src/a.js", "x/src/a.ts"}},
		{"**/x is also x", "**/src/x.ts", []string{"src/x.ts", "a/src/x.ts", "a/b/src/x.ts"}, []string{"asrc/x.ts"}},
		{"**/ in the middle stands for nothing too", "a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"ab", "a/xb", "a/b/c"}},
		{"dir/** is everything below", "src/**", []string{"src/a", "src/a/b.ts", "src/.env"}, []string{"srcs/a", "lib/src/a"}},
		{"dir/** is dir itself: who removes it removes all", "src/billing/**", []string{"src/billing"}, []string{"src", "src/billing2"}},
		{"**/dir/** is dir itself at any depth", "**/node_modules/**", []string{"node_modules", "a/node_modules", "a/node_modules/x/y"}, []string{"my_node_modules/x"}},
		{"repeated ** are one", "a/**/**", []string{"a", "a/b", "a/b/c"}, []string{"ab"}},
		{"no / means the base name at any depth", ".env", []string{".env", "a/.env", "a/b/.env"}, []string{".env.local", "x.env", ".env/x"}},
		{"a base name with a wildcard", "*.pem", []string{"k.pem", "a/b/k.pem", "a/.pem"}, []string{"k.pem.txt", "k.pem/x"}},
		{"a base name matches outside the project", "id_rsa", []string{"/home/me/.ssh/id_rsa"}, []string{"/home/me/id_rsa.pub"}},
		{"** alone is everything", "**", []string{"a", "a/b", "/etc/passwd", "."}, nil},
		{"* alone is everything: a base name", "*", []string{"a", "a/b", "/etc/passwd"}, nil},
		{"braces", "src/*.{ts,tsx}", []string{"src/a.ts", "src/a.tsx"}, []string{"src/a.t", "src/a.js", "src/a.{ts,tsx}"}},
		{"braces without a / are a base name", "{Makefile,*.mk}", []string{"Makefile", "a/b/x.mk"}, []string{"Makefile.am"}},
		{"braces with a / start from the root", "{src,lib/x}/a.go", []string{"src/a.go", "lib/x/a.go"}, []string{"x/src/a.go"}},
		{"an alternative may be empty", "a{,.min}.js", []string{"a.js", "x/a.min.js"}, []string{"a.max.js"}},
		{"braces within braces", "{a,b{c,d}}/x", []string{"a/x", "bc/x", "bd/x"}, []string{"b/x"}},
		{"braces without a comma are themselves", "src/{slug}.ts", []string{"src/{slug}.ts"}, []string{"src/slug.ts"}},
		{"wildcards in braces", "{**/gen,out}/*.go", []string{"gen/a.go", "x/gen/a.go", "out/a.go"}, []string{"x/out/a.go"}},
		{"a class", "v[123]/x", []string{"v1/x", "v3/x"}, []string{"v4/x", "v/x"}},
		{"a range", "v[0-9]/x", []string{"v0/x", "v7/x"}, []string{"va/x"}},
		{"ranges and characters mixed", "[a-c0-1_]x", []string{"ax", "0x", "_x"}, []string{"dx", "2x", "-x"}},
		{"a class with - in it", "[a-]x", []string{"ax", "-x"}, []string{"bx"}},
		{"a class of other characters", "v[!12]/x", []string{"v3/x", "va/x"}, []string{"v1/x", "v/x"}},
		{"[!a] never matches /", "a[!b]c", []string{"axc", "y/axc"}, []string{"a/c", "abc"}},
		{"[!a-z] never matches /", "src/a[!a-z]c", []string{"src/a0c"}, []string{"src/a/c", "src/abc"}},
		{"a range around / never matches it", "src/a[+-9]c", []string{"src/a.c", "src/a5c"}, []string{"src/a/c"}},
		{"characters that classes give a meaning", `x[\]\-\!\\^]y`, []string{"x]y", "x-y", "x!y", `x\y`, "x^y"}, []string{"xay"}},
		{"? is one character, never /", "a?c/x", []string{"abc/x", "aéc/x"}, []string{"a/c/x", "ac/x", "abbc/x"}},
		{"an escaped character is itself", `app/\[id\]/\*.ts`, []string{"app/[id]/*.ts"}, []string{"app/i/a.ts"}},
		{"a leading ./ means the root", "./.env", []string{".env"}, []string{"a/.env", "/.env"}},
		{"a leading ./ before a path", "./src/*.ts", []string{"src/a.ts"}, []string{"a/src/a.ts"}},
		{"a trailing / is the folder and all below", "build/", []string{"build", "build/a", "x/build/a/b"}, []string{"rebuild/a", "build.txt"}},
		{"a trailing / after a path", "src/gen/", []string{"src/gen", "src/gen/a"}, []string{"x/src/gen/a", "src/general"}},
		{"a path from the root", "src/a.ts", []string{"src/a.ts"}, []string{"x/src/a.ts", "/src/a.ts", "src/a.ts/b"}},
		{"an absolute pattern", "/etc/**", []string{"/etc/passwd", "/etc", "/etc/ssh/sshd_config"}, []string{"etc/passwd", "/home/etc/x"}},
		{"an absolute pattern on any drive", "/**/.ssh/config", []string{"C:/Users/me/.ssh/config", "d:/.ssh/config"}, []string{"Users/me/.ssh/config", "CC:/.ssh/config", "C:x/.ssh/config"}},
		{"a pattern with a drive", "C:/etc/**", []string{"C:/etc/passwd"}, []string{"/etc/passwd", "D:/etc/passwd"}},
		{"everything outside", "/**", []string{"/etc/passwd", "/x"}, []string{"src/a"}},
		{"**/ matches outside the project", "**/.ssh/**", []string{"/home/me/.ssh/id", ".ssh/id", "/home/me/.ssh"}, []string{"/home/me/ssh/id"}},
		{"a relative pattern does not match outside", "src/**", nil, []string{"/other/src/a", "/src/a"}},
		{"a drive is absolute too", "C:/Users/**", []string{"C:/Users/me/x"}, []string{"Users/me/x"}},
		{"targets are cleaned", "src/**", []string{"./src/a", "src//a", "src/x/../a", "src/"}, []string{"src/../lib/a", "../src/a"}},
		{"case matters", "README.md", []string{"README.md"}, []string{"readme.md"}},
		{"any character of Unicode", "données/*.é", []string{"données/a.é"}, []string{"donnees/a.é"}},
		{"a , outside braces is itself", "a,b", []string{"a,b", "x/a,b"}, []string{"a", "b"}},
		{"a } outside braces is itself", "a}b", []string{"a}b"}, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, scope.CheckPath(c.pattern))
			p := scope.NewPaths([]string{c.pattern}, false)
			for _, path := range c.yes {
				got, ok := p.Match(path)
				assert.True(t, ok, "%s should match %s", c.pattern, path)
				assert.Equal(t, c.pattern, got)
			}
			for _, path := range append(c.no, "") {
				_, ok := p.Match(path)
				assert.False(t, ok, "%s should not match %q", c.pattern, path)
			}
		})
	}
}

func TestPathFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, path string }{
		{"src/**", "SRC/a.ts"},
		{"SRC/Billing/*", "src/billing/A"},
		{".ENV", "a/.env"},
		{"[A-C]x", "bX"},
		{"[Z-a]x", "zx"}, // folding the ends of the range would turn it round
		{"STRASSE/é", "strasse/É"},
		{"secret", "ſecret"}, // the long s is an s to the file system
		{"Key", "\u212aey"},  // and the Kelvin sign a k
		{`\[ID\]/X`, "[id]/x"},
	} {
		_, ok := scope.NewPaths([]string{c.pattern}, true).Match(c.path)
		assert.True(t, ok, "%s should match %s", c.pattern, c.path)
		_, ok = scope.NewPaths([]string{c.pattern}, false).Match(c.path)
		assert.False(t, ok, "%s should not match %s where case matters", c.pattern, c.path)
	}
	_, ok := scope.NewPaths([]string{"[!A]x"}, true).Match("ax")
	assert.False(t, ok, "a class of other characters has no case either")
}

func TestPathFirstPatternWins(t *testing.T) {
	t.Parallel()
	p := scope.NewPaths([]string{"*.md", "[", "src/**", "src/a.ts"}, false)
	got, ok := p.Match("src/a.ts")
	require.True(t, ok)
	assert.Equal(t, "src/**", got)
	_, ok = scope.NewPaths(nil, false).Match("a")
	assert.False(t, ok)
}

// TestMatchSomewhereBelow: in a folder that was not looked through to its end
// there may be any file.
func TestMatchSomewhereBelow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, dir string
		want         bool
	}{
		{"**/secret.ts", "src", true},
		{"*.ts", "src", true},
		{"src/**/a.ts", "src/core", true},
		{"src/core/a/*.ts", "src/core", true},
		{"{src,lib}/**", "src", true},
		{"*/a.ts", "src", true},
		{"**/secret.ts", ".", true},
		{"src/a.ts", ".", true},
		{"src/a.ts", "src/core", false},
		{"docs/**", "src", false},
		{"src", "src", true}, // src/src
		{"/etc/**", "src", false},
		{"/etc/**", "C:/etc", true},
		{"/etc/**", ".", false},
		{"C:/etc/**", ".", false},
		{"C:/etc/**", "C:/", true},
		{"/etc/**/x", "/etc/a", true},
		{"src/**", "", false},
	} {
		_, ok := scope.NewPaths([]string{c.pattern}, false).MatchSomewhereBelow(c.dir)
		require.Equal(t, c.want, ok, "%s in %s", c.pattern, c.dir)
	}
}

// TestMatchBelow: who removes a folder removes what is in it.
func TestMatchBelow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why     string
		pattern string
		yes, no []string
	}{
		{"a folder above the one that is named", "src/billing/**", []string{"src", ".", "./src/"}, []string{"lib", "src/billing2", "sr", "/src", "src/billing/a/b"}},
		{"a folder on a drive", "/etc/ssh/**", []string{"C:/etc", "C:/"}, []string{"C:/home"}},
		{"a pattern with a drive", "C:/etc/ssh/**", []string{"C:/etc", "C:/"}, []string{".", "/", "D:/etc", "etc"}},
		{"the folder that is named", "src/billing/**", []string{"src/billing"}, nil},
		{"a file that is named", "src/a/b.ts", []string{"src", "src/a"}, []string{"src/a/b.ts", "src/b", "src/a/b"}},
		{"wildcards within elements", "src/*/[ab]*.ts", []string{"src", "src/x"}, []string{"lib/x"}},
		{"braces", "{src,lib}/a/*.ts", []string{"src", "lib/a"}, []string{"bin"}},
		{"braces with a / in them", "{src/a,lib}/x/y", []string{"src", "src/a", "src/a/x", "lib/x"}, []string{"a", "src/x"}},
		{"** says nothing of where", "src/**/x.ts", []string{"src", "."}, []string{"src/a"}},
		{"a pattern for any depth names no folder", "**/.env", []string{"."}, []string{"build", "a/b"}},
		{"nor does a base name", "*.ts", []string{"."}, []string{"build"}},
		{"nor one that begins with a wildcard", "*/x.ts", []string{"."}, []string{"build"}},
		{"absolute", "/etc/ssh/*", []string{"/etc", "/", "/etc/ssh"}, []string{"etc", ".", "/usr"}},
		{"from the root", "./src/a", []string{"src", "."}, []string{"a"}},
		{"a folder by its name alone", "build/", []string{"."}, []string{"x"}},
		{"a broken pattern", "src/[", nil, []string{"src", "."}},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			p := scope.NewPaths([]string{c.pattern}, false)
			for _, dir := range c.yes {
				got, ok := p.MatchBelow(dir)
				assert.True(t, ok, "%s should name something below %s", c.pattern, dir)
				assert.Equal(t, c.pattern, got)
			}
			for _, dir := range append(c.no, "") {
				_, ok := p.MatchBelow(dir)
				assert.False(t, ok, "%s should name nothing below %q", c.pattern, dir)
			}
		})
	}
	_, ok := scope.NewPaths([]string{"SRC/Billing/**"}, true).MatchBelow("src")
	assert.True(t, ok, "case does not matter where it does not")
}

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		offset  int
		message string // a part of it
	}{
		{"", 0, "empty"},
		{"  ", 0, "blank"},
		{"!src/**", 0, `put "src/**" under exclude`},
		{"src/[^a]", 5, "write [!a]"},
		{"src/[a", 4, `never closed; write ], or \[`},
		{"src/[]", 4, "nothing stands between the brackets"},
		{"src/[!]x", 4, "nothing stands between the brackets"},
		{"src/[[:alpha:]]", 5, "write the ranges"},
		{"src/[z-a]", 5, "write a-z"},
		{"src/[/]x", 4, "never matches /"},
		{"src/{a,b", 4, `never closed; write }, or \{`},
		{"src/{a,{b,c}", 4, "never closed"},
		{`src/a\`, 5, `write \\`},
		{`src\billing\**`, 3, "write / between folders"},
		{"~/.ssh/**", 0, "write **/.ssh/**"},
		{"~", 0, "write **"},
		{"../x", 0, "without .."},
		{"src/../x", 4, "without .."},
		{"src/./x", 4, "without /./"},
		{"src//x", 4, "write one /"},
		{".", 0, "write **"},
		{" src", 0, "space"},
		{"src ", 3, "space"},
		{"\xff", 0, "UTF-8"},
		{strings.Repeat("{a,", 9) + strings.Repeat("}", 9), 24, "nested more than 8 deep"},
		{strings.Repeat("a", 5000), 4096, "longer than"},
	} {
		err := scope.CheckPath(c.pattern)
		var fault *scope.PatternError
		if !assert.Truef(t, errors.As(err, &fault), "%q should be refused, got %v", c.pattern, err) {
			continue
		}
		assert.Equal(t, c.offset, fault.Offset, c.pattern)
		assert.Contains(t, fault.Message, c.message, c.pattern)
		assert.Equal(t, c.pattern, fault.Pattern)
		_, ok := scope.NewPaths([]string{c.pattern}, false).Match(c.pattern)
		assert.False(t, ok, "a refused pattern matches nothing: %q", c.pattern)
	}
	assert.EqualError(t, scope.CheckPath("é/[^a]"), `scope: pattern "é/[^a]", character 4: [^…] is not negation here; write [!a]`)
	assert.NoError(t, scope.CheckPath(`a\ `))
}

// TestHostilePatterns holds patterns on which backtracking takes for ever.
func TestHostilePatterns(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 250)
	deep := strings.Repeat("a/", 120)
	for _, c := range []struct{ pattern, no, yes string }{
		{"*a*a*a*a*a*a*a*[b]", long, long + "b"},
		{"x/*a*a*a*a*a*a*a*[b]", "x/" + long, "x/" + long + "b"},
		{"{*a*,*b*}{*a*,*b*}{*a*,*b*}{*a*,*b*}[c]", long, long + "c"},
		{"**/a/**/a/**/a/**/a/**/a/**/a/[b]", deep + "a", deep + "b"},
		{strings.Repeat("{a,aa,aaa}", 60) + "[b]", long, long[:150] + "b"},
		{strings.Repeat("**/*a", 40) + "[b]", deep, deep + long + "b"},
	} {
		require.NoError(t, scope.CheckPath(c.pattern))
		p := scope.NewPaths([]string{c.pattern}, false)
		_, ok := p.Match(c.no)
		assert.False(t, ok, c.pattern)
		_, ok = p.Match(c.yes)
		assert.True(t, ok, c.pattern)
	}
}

func TestPathsConcurrently(t *testing.T) {
	t.Parallel()
	p := scope.NewPaths([]string{"**/*.{go,mod}", "src/**/[a-z]*a*b*c.ts"}, false)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, ok := p.Match(fmt.Sprintf("a/%d.go", i))
			assert.True(t, ok)
			_, ok = p.Match("src/x/y/xabc.ts")
			assert.True(t, ok)
			_, ok = p.MatchBelow("src")
			assert.True(t, ok)
		})
	}
	wg.Wait()
}

func TestTools(t *testing.T) {
	t.Parallel()
	forms := []string{"postgres-prod:query", "query", "postgres-prod"}
	for _, c := range []struct {
		why, pattern, form string
	}{
		{"server and tool", "postgres-prod:query", "postgres-prod:query"},
		{"every tool of a server", "postgres-prod:*", "postgres-prod:query"},
		{"the tool alone", "query", "query"},
		{"the server alone", "postgres-prod", "postgres-prod"},
		{"a tool of any server", "*:query", "postgres-prod:query"},
		{"braces", "postgres-{prod,live}:*", "postgres-prod:query"},
		{"a class", "postgres-[!l]*:query", "postgres-prod:query"},
		{"nothing separates", "post*", "postgres-prod:query"},
		{"everything", "*", "postgres-prod:query"},
		{"a server that begins otherwise", "mysql*", ""},
		{"case matters", "Query", ""},
		{"the whole is matched", "postgres", ""},
		{"a broken pattern", "[", ""},
	} {
		pattern, form, ok := scope.NewTools([]string{c.pattern}).Match(forms)
		assert.Equal(t, c.form != "", ok, c.why)
		assert.Equal(t, c.form, form, c.why)
		if ok {
			assert.Equal(t, c.pattern, pattern)
		}
	}
	_, _, ok := scope.NewTools([]string{"*"}).Match(nil)
	assert.False(t, ok)
	var fault *scope.PatternError
	require.ErrorAs(t, scope.CheckMCP("a:[^b]"), &fault)
	assert.Equal(t, 3, fault.Offset)
	assert.NoError(t, scope.CheckMCP("a:*"))
	assert.Error(t, scope.CheckMCP("!a"))
}

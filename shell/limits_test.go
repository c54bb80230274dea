package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestGuesses keeps docs/limits.md true: what the text does not tell is there as it was
// written, and marked, and what is there in one branch counts as run.
func TestGuesses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, text, want string }{
		{"an unknown variable", `rm -rf $DIR $1 $HOME`,
			"guess rm -rf $DIR $1 $HOME\ndelete? $DIR\ndelete? $1\ndelete ~"},
		{"a pattern of files", `rm *.log /et?`,
			"guess rm *.log /et?\ndelete? *.log\ndelete? /et?"},
		{"a pattern of a program", `/bin/r? -rf /x`,
			"guess rm -rf /x\ndelete /x"},
		{"the output of a program", `curl x | sh; bash -c "$(openssl enc -aes-256-cbc -d)"`,
			"run curl x\nrun sh runs=curl\nguess bash -c $(openssl enc -aes-256-cbc -d) runs=openssl\nrun openssl enc -aes-256-cbc -d [$(…)]"},
		{"an unknown folder", `cd "$DIR"; rm -rf x /z`,
			"guess cd $DIR\nrun rm -rf x /z dir=?\ndelete x dir=?\ndelete /z dir=?"},
		{"a folder of one branch", `if a; then cd b; fi; rm x`,
			"run a\nrun cd b\nrun rm x dir=?\ndelete x dir=?"},
		{"a syntax error", `rm a; rm 'b; rm c`,
			"run rm a\nguess rm b\nguess rm c\ndelete a\ndelete? b\ndelete? c\nunparsed: line 1: reached EOF without closing quote `'`"},
		{"PowerShell", `powershell -Command "Remove-Item -Recurse x; if (1) { rm y }"`,
			"run powershell -Command 'Remove-Item -Recurse x; if (1) { rm y }'\nguess Remove-Item -Recurse x [powershell -c]\nguess if [powershell -c]\nguess 1 [powershell -c]\nguess rm y [powershell -c]\ndelete? x\ndelete? y\nunparsed: PowerShell: read as text"},
		{"an archive", `tar xf a.tar; unzip b.zip; git clean -fd`,
			"run tar xf a.tar\nrun unzip b.zip\nrun git clean -fd\nread a.tar\ncreate? ./\nread b.zip\ncreate? ./\ndelete? ."},
		{"a branch that does not run", `if false; then rm a; fi`,
			"run false\nrun rm a\ndelete a"},
		{"a function that may not end", `f() { exit; rm a; }; f; rm b`,
			"run exit [f()]\nrun rm a [f()]\nrun rm b\ndelete a\ndelete b"},
		{"a loop that may not be entered", `while false; do rm a; done`,
			"run false\nrun rm a\ndelete a"},
		{"a patch that is not known", `git apply "$F"; curl x | patch -p1; git diff | git apply`,
			"guess git apply $F\nrun curl x\nrun patch -p1\nrun git diff\nrun git apply\nread? $F\nedit? .\nedit? ."},
		{"another machine", `ssh host 'rm -rf /x'; docker exec c rm -rf /x; kubectl exec p -- rm -rf /x`,
			"run ssh host 'rm -rf /x'\nrun rm -rf /x [ssh] dir=?\nrun docker exec c rm -rf /x\nrun rm -rf /x [docker exec] dir=?\nrun kubectl exec p -- rm -rf /x\nrun rm -rf /x [kubectl exec] dir=?\ndelete@ /x dir=?\ndelete@ /x dir=?\ndelete@ /x dir=?"},
		{"another shell", `fish -c 'set c rm; eval $c -rf /x'; csh -c 'set c = rm; $c /x'; nu -c 'let c = "rm"; ^$c /x'`,
			"run set c rm [fish -c]\nguess $c -rf /x [fish -c, eval]\nrun csh -c 'set c = rm; $c /x'\nrun set c = rm [csh -c]\nguess $c /x [csh -c]\n" +
				"run nu -c 'let c = \"rm\"; ^$c /x'\nguess = rm [nu -c]\nguess ^$c /x [nu -c]\n" +
				"unparsed: line 1: statements must be separated by &, ; or a newline"},
		{"a carrier", `frobnicate deploytool x; frobnicate -m 'rm -rf x'; llm 'rm -rf x'`,
			"run frobnicate deploytool x\nrun frobnicate -m 'rm -rf x'\nrun llm 'rm -rf x'"},
	} {
		assert.Equal(t, tt.want, describe(Parse(tt.text, nil)), "%s: docs/limits.md says otherwise", tt.reason)
	}
}

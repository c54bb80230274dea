package shell_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell"
)

// A part of a line proves of each command what the whole line proves of it, and its effects are
// those of the commands that it has.
func TestOnlyProvesAsTheWholeLine(t *testing.T) {
	for _, text := range []string{
		"cd ../b && go test ./...",
		"cd ../b && rm -rf build && go test ./... && git commit -m x",
		"cd a; go test ./...; git commit -m x",
		"cd a && go test ./... | tail && git commit -m x",
		"for d in a b; do cd $d && go vet && go test; done; git push",
		"f() { go test ./...; }; cd a && f && git commit -m x",
		"trap 'echo x' EXIT; go test && git commit -m x",
		"if go test ./...; then cd a && git commit -m x; fi",
		"bash -c 'go vet && exit 0; go test' && git commit -m x",
	} {
		line := shell.Parse(text, nil)
		n := len(line.Commands)
		for mask := range 1 << n {
			part := line.Only(func(i int) bool { return mask>>i&1 == 1 })
			var kept []int
			for i := range n {
				if mask>>i&1 == 1 {
					kept = append(kept, i)
				}
			}
			require.Len(t, part.Commands, len(kept), text)
			for at, i := range kept {
				require.Equal(t, line.Commands[i], part.Commands[at], text)
				require.Equal(t, line.Proves(i), part.Proves(at), "%s: %b, command %d", text, mask, i)
				require.Equal(t, line.Spelled(i), part.Spelled(at), "%s: %b, command %d", text, mask, i)
				require.Equal(t, line.Order(i), part.Order(at), "%s: %b, command %d", text, mask, i)
				require.Equal(t, line.Ends(i), part.Ends(at), "%s: %b, command %d", text, mask, i)
				require.Same(t, line, part.Whole())
				var guards []int
				for _, g := range part.Guards(at) {
					guards = append(guards, kept[g])
				}
				for _, g := range line.Guards(i) {
					require.Equal(t, mask>>g&1 == 1, slices.Contains(guards, g), "%s: %b, guard %d of command %d", text, mask, g, i)
				}
			}
			for _, e := range part.Effects {
				require.Less(t, e.Command, len(part.Commands), text)
			}
		}
	}
}

// TestOrder: in which order commands run, and what belongs to what runs it.
func TestOrder(t *testing.T) {
	t.Parallel()
	files := map[string]string{"x.sh": "a; b", "y.sh": "./x.sh; bash -c 'c'; sudo d", "Makefile": "all: ; ./x.sh\n"}
	for text, want := range map[string]string{
		"a; b":                           "a 0-0, b 1-1",
		"f() { a; }; b && f":             "b 0-0, a 1-1",
		"a $(b)":                         "b 0-0, a $(b) 1-1",
		"./x.sh && e":                    "x.sh 0-2, a 1-1, b 2-2, e 3-3",
		"bash x.sh && bash -c 'e; g'":    "bash x.sh 0-2, a 1-1, b 2-2, e 3-3, g 4-4",
		". ./x.sh; e":                    ". ./x.sh 0-2, a 1-1, b 2-2, e 3-3",
		"./y.sh":                         "y.sh 0-5, x.sh 1-3, a 2-2, b 3-3, c 4-4, d 5-5",
		"make && sudo ./x.sh":            "make 0-3, x.sh 1-3, a 2-2, b 3-3, x.sh 4-6, a 5-5, b 6-6",
		"eval './x.sh; e'":               "x.sh 0-2, a 1-1, b 2-2, e 3-3",
		"for i in 1; do ./x.sh; e; done": "x.sh 0-2, a 1-1, b 2-2, e 3-3",
	} {
		line := shell.Parse(text, &shell.Options{ReadScript: func(name string) (string, error) {
			if text, ok := files[strings.TrimPrefix(name, "./")]; ok {
				return text, nil
			}
			return "", fs.ErrNotExist
		}})
		got := make([]string, len(line.Commands))
		for i := range line.Commands {
			got[line.Order(i)] = fmt.Sprintf("%s %d-%d", line.Commands[i].Text, line.Order(i), line.Ends(i))
		}
		require.Equal(t, want, strings.Join(got, ", "), text)
	}
}

// Words that are no option, empty ones too, stay where the options of a run are left out.
func TestBareOfAnyWords(t *testing.T) {
	for _, program := range []string{"go test", "make", "pytest", "npm test", "cargo test", "eslint", "mvn test"} {
		for _, word := range []string{`""`, `"="`, `"=x"`, "-", "--", `"-="`, `"--="`, "é", `"-é"`, "-v", "-j", "-j4", "V=1", "V="} {
			for _, line := range []string{program + " " + word, program + " " + word + " " + word, program + " -v " + word + " x"} {
				parsed := shell.Parse(line, nil)
				for i := range parsed.Commands {
					bare, ok := parsed.Commands[i].Bare(nil)
					if !ok {
						require.Len(t, bare.Args, len(parsed.Commands[i].Args), line)
					}
				}
			}
		}
	}
}

package scope_test

import (
	"fmt"
	"testing"

	"github.com/gobwas/glob"

	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// The benchmarks are of a call that none of 1,000 rules is about: each has three
// patterns, and each list is built again, as a hook does. Their companion is the
// match of as many compiled patterns; what compiling them costs comes on top.

func pathPatterns(rule int) []string {
	return []string{
		fmt.Sprintf("src/team%d/**", rule),
		fmt.Sprintf("**/payments%d/*.{ts,tsx}", rule),
		fmt.Sprintf("*.secret%d", rule),
	}
}

func commandPatterns(rule int) []string {
	return []string{
		fmt.Sprintf("git push --force* team%d*", rule),
		fmt.Sprintf("*drop%d*", rule),
		fmt.Sprintf("{npm,yarn} publish%d*", rule),
	}
}

const (
	rules     = 1000
	benchPath = "src/core/orders/invoice_service.ts"
	benchLine = `cd packages/api && npm run build -- --mode production | tee build.log && git commit -am "ship it"`
)

func BenchmarkPathsNoMatch(b *testing.B) {
	lists := make([][]string, rules)
	for i := range lists {
		lists[i] = pathPatterns(i)
	}
	b.Run("1000rules", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, patterns := range lists {
				if _, ok := scope.NewPaths(patterns, false).Match(benchPath); ok {
					b.Fatal("matched")
				}
			}
		}
	})
	b.Run("1000rules/fold", func(b *testing.B) {
		for b.Loop() {
			for _, patterns := range lists {
				if _, ok := scope.NewPaths(patterns, true).Match(benchPath); ok {
					b.Fatal("matched")
				}
			}
		}
	})
	var compiled []*glob.Pattern
	compiler := glob.Compiler{Separators: []rune{'/'}, Globstar: true}
	b.Run("companion/compile", func(b *testing.B) {
		for b.Loop() {
			compiled = compiled[:0]
			for _, patterns := range lists {
				for _, p := range patterns {
					g, err := compiler.Compile(p)
					if err != nil {
						b.Fatal(err)
					}
					compiled = append(compiled, g)
				}
			}
		}
	})
	b.Run("companion/match", func(b *testing.B) {
		for b.Loop() {
			for _, g := range compiled {
				if g.Match(benchPath) {
					b.Fatal("matched")
				}
			}
		}
	})
}

func BenchmarkCommandsNoMatch(b *testing.B) {
	lists := make([][]string, rules)
	for i := range lists {
		lists[i] = commandPatterns(i)
	}
	line := shell.Parse(benchLine, nil)
	b.Run("1000rules", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, patterns := range lists {
				if _, ok := scope.NewCommands(patterns).Match(line, nil); ok {
					b.Fatal("matched")
				}
			}
		}
	})
	var compiled []*glob.Pattern
	for _, patterns := range lists {
		for _, p := range patterns {
			compiled = append(compiled, glob.MustCompile(p))
		}
	}
	b.Run("companion/match", func(b *testing.B) {
		for b.Loop() {
			for _, g := range compiled {
				if g.Match(benchLine) {
					b.Fatal("matched")
				}
			}
		}
	})
}

// BenchmarkMatch is the first match of a list: the pattern is compiled in it.
func BenchmarkMatch(b *testing.B) {
	line := shell.Parse("cd x && sudo git -C . push origin main --force", nil)
	for _, pattern := range []string{"git push --force*", "*git push*", "*&&*git*"} {
		b.Run("command/"+pattern, func(b *testing.B) {
			for b.Loop() {
				if _, ok := scope.NewCommands([]string{pattern}).Match(line, nil); !ok {
					b.Fatal("no match")
				}
			}
		})
	}
	for _, pattern := range []string{"src/**", "**/orders/*.{ts,tsx}", "*.ts"} {
		b.Run("path/"+pattern, func(b *testing.B) {
			for b.Loop() {
				if _, ok := scope.NewPaths([]string{pattern}, false).Match(benchPath); !ok {
					b.Fatal("no match")
				}
			}
		})
	}
}

package coverage

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// BenchmarkRead reads an instruction file of 1,000 lines: the one that INSTRUCTIONS names, or the
// lines of the tests. It reports how often a pattern could be compiled meanwhile, which says the same
// on each machine.
func BenchmarkRead(b *testing.B) {
	var lines []string
	if data, err := os.ReadFile(os.Getenv("INSTRUCTIONS")); err == nil {
		lines = strings.Split(string(data), "\n")
	}
	for i := 0; len(lines) < 1000; i++ {
		lines = append(lines, strings.ReplaceAll(shopLines[i%len(shopLines)], "make", fmt.Sprint("make", i)), "", "The shop sells tea.")
	}
	s := newShop(b, lines...)
	for b.Loop() {
		s.read()
	}
	one := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	for range compiled {
		regexp.MustCompile(`(?i)\b(?:never|do not|don't) (?:run|use|call) ([\w./-]+)(?: (?:or|and) ([\w./-]+))*`)
	}
	b.ReportMetric(float64(one)/float64(time.Since(start)/compiled), "compilations/op")
}

// compiled is how often the pattern is compiled that the benchmark is compared with.
const compiled = 5000

package coverage

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// BenchmarkRead reads an instruction file of 1,000 lines: the one that INSTRUCTIONS names, or the
// lines of the tests.
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
}

// Command prose prints the turns in comments and pages that do not read as plain English,
// in 1,000 words of each file, worst first. Its test holds the rate.
//
// usage: go run ./tools/prose [-v]
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	verbose := flag.Bool("v", false, "print each turn that was found")
	flag.Parse()
	files, err := Read(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
	report(os.Stdout, files, *verbose)
}

// report prints the rate of each file that has a turn, worst first, and that of each kind.
func report(w io.Writer, files []File, verbose bool) {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(b.Rate(), a.Rate()) })
	for _, f := range files {
		if len(f.Hits) == 0 {
			continue
		}
		fmt.Fprintf(w, "%6.1f  %s, %d in %d words\n", f.Rate(), f.Name, len(f.Hits), f.Words)
		for _, h := range f.Hits {
			if verbose {
				fmt.Fprintf(w, "        %s: %s\n", h.Turn, h.Text)
			}
		}
	}
	for _, kind := range []string{Comments, Docs} {
		hits, words := total(files, kind)
		fmt.Fprintf(w, "%s: %.2f in 1,000 of %d words\n", kind, rate(hits, words), words)
	}
}

// total counts the turns and words of a kind of files.
func total(files []File, kind string) (hits, words int) {
	for _, f := range files {
		if f.Kind == kind {
			hits, words = hits+len(f.Hits), words+f.Words
		}
	}
	return hits, words
}

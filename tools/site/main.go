// Command site writes the documentation as a web site: README.md and the pages below
// docs, a search that needs no server, and the playground, which is the engine compiled to
// WebAssembly. The output depends on the repository and the version of Go alone.
//
// usage: go run ./tools/site [-no-playground] -o DIR
//
// A link to a page, a heading or a file that is not there is an error. So is an engine
// that is larger than maxEngine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "", "write the site below `DIR`")
	without := flag.Bool("no-playground", false, "do not compile the playground's engine")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(".", *out, !*without); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// run writes the site of the repository at root.
func run(root, out string, playground bool) error {
	s, err := read(root)
	if err != nil {
		return err
	}
	s.link()
	if len(s.problems) > 0 {
		return errors.Join(s.problems...)
	}
	if err := s.write(out); err != nil {
		return err
	}
	if !playground {
		return nil
	}
	size, err := engine(root, out)
	if err == nil {
		fmt.Printf("%d pages; the engine of the playground has %d bytes, compressed (limit %d)\n", len(s.pages), size, maxEngine)
	}
	return err
}

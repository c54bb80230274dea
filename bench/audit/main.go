// Command audit measures how long the facts of a repository take, and makes the
// repository that is measured. See bench/audit.sh.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "generate":
		commits, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		files, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return generate(os.Stdout, commits, files)
	case len(args) == 4 && args[0] == "measure":
		rounds, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return measure(context.Background(), args[1], rounds, args[3])
	}
	return fmt.Errorf("usage: audit generate COMMITS FILES | audit measure REPOSITORY ROUNDS RUBRIC")
}

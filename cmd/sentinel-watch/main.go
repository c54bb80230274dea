// Command sentinel-watch shows the decisions of logs as they are made. It is what
// "sentinel watch" starts, and a command of its own so that the hook does not link
// a terminal interface.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/agentsentinel/sentinel/internal/watch"
	"github.com/agentsentinel/sentinel/telemetry"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	flags := flag.NewFlagSet("sentinel-watch", flag.ContinueOnError)
	lines := flags.Int("lines", 10, "how many calls of the past to print")
	once := flags.Bool("no-follow", false, "print those, and end")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: sentinel-watch [--lines N] [--no-follow] LOG…\n\n\"sentinel watch\" starts it with the logs of the project.")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 1
	case flags.NArg() == 0:
		flags.Usage()
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var logs watch.Logs
	var names []string
	for _, path := range flags.Args() {
		f := telemetry.Follow(path, true)
		defer f.Close()
		logs = append(logs, f)
		names = append(names, filepath.Base(path))
	}
	var err error
	if *once || !terminal(os.Stdout) || !terminal(os.Stdin) {
		err = watch.Print(ctx, logs, os.Stdout, *lines, !*once)
	} else {
		err = watch.Show(ctx, strings.Join(names, ", "), logs, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sentinel-watch: "+err.Error())
		return 1
	}
	return 0
}

func terminal(f *os.File) bool { return term.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb" }

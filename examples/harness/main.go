// Command harness is a small coding agent that embeds Sentinel: a model, three
// tools, a loop, and the engine asked before every tool call. It speaks to any
// server with OpenAI's chat completions; without flags to Ollama on this machine.
//
//	go run ./examples/harness --model qwen3:8b 'add a test for parse.go'
//
// The rules are those that `sentinel init` set up for the folder, and the user's
// own; without any, the recommended rules that are built in.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/project"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "harness:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("harness", flag.ContinueOnError)
	dir := flags.String("dir", ".", "folder that the tools work in")
	url := flags.String("url", cmp.Or(os.Getenv("OPENAI_BASE_URL"), "http://localhost:11434/v1"), "base URL of a server with OpenAI's chat completions ($OPENAI_BASE_URL)")
	model := flags.String("model", os.Getenv("OPENAI_MODEL"), "model that can call tools ($OPENAI_MODEL)")
	turns := flags.Int("max-turns", 30, "most answers of the model")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "usage: harness [FLAGS] TASK…\n\nThe key, where the server wants one, is read from $OPENAI_API_KEY.\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	task := strings.Join(flags.Args(), " ")
	switch {
	case task == "":
		return errors.New("what is to be done? usage: harness [FLAGS] TASK…")
	case *model == "":
		return errors.New("no model: give --model or set OPENAI_MODEL")
	}
	folder, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	tools, err := openTools(folder)
	if err != nil {
		return err
	}
	defer tools.Close()

	agent := &agent{
		model: &client{url: *url, model: *model, key: os.Getenv("OPENAI_API_KEY")},
		tools: tools,
		guard: newGuard(openProject(folder), folder, terminal(os.Stdin, os.Stderr)),
		turns: *turns,
		log:   os.Stderr,
	}
	answer, err := agent.do(ctx, task)
	if err != nil {
		return err
	}
	fmt.Println(answer)
	return nil
}

// openProject is the engine for a folder: the rules that apply there, judged as
// their configuration says, with the user's own files where the sentinel command
// has them.
func openProject(folder string) *project.Project {
	opts := project.Environment(os.Getenv)
	opts.Deadline = 30 * time.Second // only the user waits for us: more than a hook could have
	opts.ForAgent = true             // what a person has paused or let through counts
	if p := project.Open([]string{folder}, opts); len(p.Folders) > 0 {
		return p
	}
	return project.Recommended(folder, opts)
}

// terminal asks the person at in. It asks only if in is a terminal.
func terminal(in *os.File, out io.Writer) asker {
	if info, err := in.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	lines := bufio.NewScanner(in)
	return func(_ context.Context, question string) bool {
		fmt.Fprintf(out, "\n%s\nLet it go on? [y/N] ", question)
		return lines.Scan() && strings.EqualFold(strings.TrimSpace(lines.Text()), "y")
	}
}

// Package check is the command "sentinel check".
package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// checkFlags are the flags of check.
type checkFlags struct {
	bash, write, read, content, mcp   string
	args                              string
	staged                            bool
	diff                              string
	explain, asJSON, noModel, noCache bool
	sarif                             string
	failOn, rule                      string
}

// New makes the command check.
func New(env *command.Env) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check (--bash CMD | --write PATH [--content FILE|-] | --read PATH | --mcp SERVER:TOOL [--args JSON] | --staged | --diff REV | FILE…)",
		Short: "Judge an action or a change without an agent, and show why",
		Long: `Judges an action as the hook would, without an agent: by the rules that apply in
this folder or, where there are none, by the recommended rules that are built in.

--staged judges what is staged for the next commit. --diff judges what the working tree
changed since a revision (or a range such as main...HEAD). Both judge file by file: the
whole of a new file, and the new lines of an edited one. Untracked files are left out.
--staged also judges the obligations of a commit, by what earlier sessions of agents did
here; without such facts they could not be judged, and fail_open decides. FILE is judged as
a new file. A commit is made by a user, so rules that guard an agent's own settings leave
it out in their "when" (agent != "commit").

Pauses and approvals of the user have no effect here.

Exit status: 0 the action may go on; 2 it is blocked or the user has to be asked (see
--fail-on); 1 an error of sentinel itself.`,
		Example: `  sentinel check --bash 'git push --force'
  sentinel check --write src/config.ts --content config.ts --explain
  sentinel check --read .env
  sentinel check --mcp postgres-prod:query --args '{"sql":"DROP TABLE users"}'
  sentinel check --staged
  sentinel check --fail-on block src/a.ts src/b.ts
  sentinel check --diff origin/main...HEAD --sarif=sentinel.sarif`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runCheck(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.bash, "bash", "", "the command line `CMD`; - for standard input")
	flags.StringVar(&f.write, "write", "", "check a write to `PATH`")
	flags.StringVar(&f.content, "content", "", "`FILE` with the new content; - for standard input")
	flags.StringVar(&f.read, "read", "", "check a read of `PATH`")
	flags.StringVar(&f.mcp, "mcp", "", "an MCP call, as `SERVER:TOOL`")
	flags.StringVar(&f.args, "args", "{}", "arguments of --mcp, as a `JSON` object")
	flags.BoolVar(&f.staged, "staged", false, "judge what is staged for the next commit")
	flags.StringVar(&f.diff, "diff", "", "judge the changes since the revision `REV`")
	flags.BoolVar(&f.explain, "explain", false, "show how the decision came about")
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object", printed{})
	flags.StringVar(&f.sarif, "sarif", "", "print the findings of a change as SARIF 2.1.0; with =`FILE` write them to FILE and print the usual text")
	flags.Lookup("sarif").NoOptDefVal = "-"
	flags.StringVar(&f.failOn, "fail-on", "ask", "lowest `SEVERITY` that ends with status 2: block, ask or warn")
	flags.StringVar(&f.rule, "rule", "", "judge by the rule `ID` alone")
	flags.BoolVar(&f.noModel, "no-model", false, "ask no model; rules that need one are skipped")
	flags.BoolVar(&f.noCache, "no-cache", false, "ignore cached answers")
	cmd.MarkFlagsMutuallyExclusive("bash", "write", "read", "mcp", "staged", "diff")
	return cmd
}

// notes says which rules are not the ones that one sees in the folder.
func notes(env *command.Env, p *project.Project) {
	for _, f := range p.Folders {
		if f.Held() {
			fmt.Fprintln(env.Stderr, env.Called("note: pinned rules are in force in "+text.OneLine(f.Root)+" instead of its own; `sentinel accept` shows the difference"))
		}
	}
	for _, pause := range p.Gate().Pauses() {
		fmt.Fprintf(env.Stderr, "note: rules are paused until %s by %s; check goes by them all the same\n", command.Clock(pause.Until), text.OneLine(pause.By))
	}
	if said := p.Notices().Borrowed(); said != "" {
		fmt.Fprintln(env.Stderr, "note: "+said)
	}
}

func runCheck(env *command.Env, cmd *cobra.Command, f *checkFlags, names []string) error {
	opts := env.Options()
	opts.Explain, opts.NoModel, opts.NoLog, opts.NoCache, opts.Only = f.explain, f.noModel, true, f.noCache, f.rule
	p := project.Open([]string{env.Dir}, opts)
	notes(env, p)
	builtIn := len(p.Folders) == 0
	if builtIn {
		p = project.Recommended(place.Root(env.Dir), opts)
	}
	if err := f.prepare(p); err != nil {
		return err
	}
	if f.asJSON && f.sarif == "-" {
		return errors.New("--sarif and --json both print to standard output: give --sarif a file")
	}
	single := slices.ContainsFunc([]string{"bash", "write", "read", "mcp", "staged", "diff"}, cmd.Flags().Changed)
	switch flags := cmd.Flags(); {
	case len(names) > 0 && single:
		return fmt.Errorf("the file %s goes with no other action: check it by itself", text.OneLine(names[0]))
	case len(names) > 0:
		return f.checkChange(env, cmd, p, names, builtIn)
	case !slices.ContainsFunc([]string{"bash", "write", "read", "mcp", "staged", "diff"}, flags.Changed):
		return errors.New("say what to check: --bash CMD, --write PATH, --read PATH, --mcp SERVER:TOOL, --staged, --diff REV or files")
	case f.staged || flags.Changed("diff"):
		return f.checkChange(env, cmd, p, nil, builtIn)
	case f.sarif != "":
		return errors.New("--sarif goes with --staged, --diff or files: an action has no lines")
	}
	ev, err := f.event(env, cmd, p)
	if err != nil {
		return err
	}
	d, err := p.Evaluate(cmd.Context(), ev)
	if err != nil {
		return err
	}
	if f.asJSON {
		err = printJSON(env, d, nil)
	} else {
		decision.Print(env, p, d, f.explain, builtIn)
	}
	return f.status(d, err)
}

// prepare looks whether --fail-on and --rule name something.
func (f *checkFlags) prepare(p *project.Project) error {
	if !slices.Contains([]string{"block", "ask", "warn"}, f.failOn) {
		return fmt.Errorf("--fail-on wants block, ask or warn, not %q", text.OneLine(f.failOn))
	}
	if f.rule == "" || strings.HasPrefix(f.rule, "sentinel:") {
		return nil
	}
	_, _, err := p.Inspect().Rule(f.rule)
	return err
}

// status is how the command ends after a decision.
func (f *checkFlags) status(d sentinel.Decision, err error) error {
	if err != nil {
		return err
	}
	least := map[string]sentinel.Verdict{"block": sentinel.VerdictBlock, "ask": sentinel.VerdictAsk, "warn": sentinel.VerdictWarn}[f.failOn]
	if d.Verdict >= least {
		return exit.Status(exit.Block)
	}
	return nil
}

// printJSON prints a decision and, of a change, where its findings are.
func printJSON(env *command.Env, d sentinel.Decision, found []placed) error {
	out, err := json.Marshal(record.Shown(d))
	if err != nil {
		return err
	}
	if len(found) > 0 {
		at, err := json.Marshal(found)
		if err != nil {
			return err
		}
		out = fmt.Appendf(bytes.TrimSuffix(out, []byte("}")), `,"places":%s}`, at)
	}
	fmt.Fprintf(env.Stdout, "%s\n", out)
	return nil
}

// printed describes what printJSON prints.
type printed struct {
	sentinel.Decision
	Places []placed `json:"places,omitempty"`
}

// event is the tool call that the flags speak of.
func (f *checkFlags) event(env *command.Env, cmd *cobra.Command, p *project.Project) (sentinel.Event, error) {
	flags := cmd.Flags()
	if flags.Changed("content") && !flags.Changed("write") {
		return sentinel.Event{}, errors.New("--content goes with --write")
	}
	if flags.Changed("args") && !flags.Changed("mcp") {
		return sentinel.Event{}, errors.New("--args goes with --mcp")
	}
	switch {
	case f.bash == "-":
		line, err := io.ReadAll(io.LimitReader(env.Stdin, maxContent))
		if err != nil {
			return sentinel.Event{}, fmt.Errorf("--bash: %w", err)
		}
		return decision.Call(p, env.Dir, sentinel.Bash, string(line), "")
	case flags.Changed("bash"):
		return decision.Call(p, env.Dir, sentinel.Bash, f.bash, "")
	case flags.Changed("read"):
		return decision.Call(p, env.Dir, sentinel.FileRead, f.read, "")
	case flags.Changed("write"):
		content, err := f.readContent(env)
		if err != nil {
			return sentinel.Event{}, err
		}
		return decision.Call(p, env.Dir, sentinel.FileWrite, f.write, content)
	}
	return decision.Call(p, env.Dir, sentinel.MCP, f.mcp, f.args)
}

// maxContent bounds a content from standard input, in bytes: as much as the hook
// takes.
const maxContent = 256 << 20

// readContent is what --content names: a file, or standard input for -.
func (f *checkFlags) readContent(env *command.Env) (string, error) {
	if f.content == "" {
		return "", nil
	}
	data, err := readText(env, f.content)
	if err != nil {
		return "", fmt.Errorf("--content takes a file with the text, or - for standard input: %w", err)
	}
	return string(data), nil
}

// readText reads a file, which may be a pipe as the shell's <(…), or standard input for -.
func readText(env *command.Env, name string) ([]byte, error) {
	from := env.Stdin
	if name != "-" {
		file, err := os.Open(env.Abs(name))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		from = file
	}
	return io.ReadAll(io.LimitReader(from, maxContent))
}

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
)

// What only a person may do is done from a terminal that a person sits at. An
// agent that starts such a command has no terminal; one that makes itself a
// terminal is known by what agents leave in the environment of the commands they
// run, here and in the processes above. Before all that the command is looked at
// like any other: see the built-in rule sentinel:own-commands.

// errNoTerminal says where the command has to be entered.
var errNoTerminal = errors.New("standard input is not the terminal of this session")

// person returns the terminal that a person sits at. what is the command, for the
// message that says why there is none.
func (e *Env) person(what string) (*terminal, error) {
	refused := func(why string) error {
		return fmt.Errorf("%s is for a person: %s. Enter it in a terminal of your own", what, why)
	}
	if sign := agentSign(e.Getenv); sign != "" {
		return nil, refused("an agent started it (" + sign + " is set)")
	}
	stdin, ok := e.Stdin.(*os.File)
	if !ok {
		return nil, refused(errNoTerminal.Error())
	}
	t, err := openTerminal(stdin)
	if err != nil {
		return nil, refused(err.Error())
	}
	if e.Ancestry != nil {
		if sign := e.Ancestry(); sign != "" {
			t.Close()
			return nil, refused("an agent started it (" + text.OneLine(sign) + ")")
		}
	}
	return t, nil
}

// agentSign is the variable by which an agent marks the commands that it runs, ""
// if none is set.
func agentSign(getenv func(string) string) string {
	for _, name := range []string{
		"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", // Claude Code
		"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI", // Codex
		"COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", // Copilot CLI
		"CURSOR_AGENT",      // Cursor; CURSOR_TRACE_ID stands in a person's terminals too
		"CLINE_ACTIVE",      // Cline
		"GEMINI_CLI",        // Gemini CLI
		"QWEN_CODE",         // Qwen Code
		"OPENCODE",          // opencode
		"AI_AGENT", "AGENT", // no one's own; several agents set them
	} {
		if getenv(name) != "" {
			return name
		}
	}
	if strings.Contains(getenv("AWS_EXECUTION_ENV"), "AmazonQ-For-CLI") {
		return "AWS_EXECUTION_ENV"
	}
	return ""
}

// A terminal is what a person reads and types at, whatever the command's own
// output is connected to.
type terminal struct {
	in  *os.File // the command's standard input
	out *os.File
}

// Close closes what was opened for the dialog.
func (t *terminal) Close() error { return t.out.Close() }

// confirm shows a text and asks. Only y and yes mean yes.
func (t *terminal) confirm(text string) (bool, error) {
	if _, err := io.WriteString(t.out, text+" [y/N] "); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(io.LimitReader(t.in, 1024)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// userName is the name of the person, for the log.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("user %d", os.Getuid())
}

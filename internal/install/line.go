package install

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The end of a line where its exit status would say something else than
// what is meant. [IsOurs] knows them.
const (
	// AlwaysOK keeps agents that refuse a call for any failure (Copilot CLI, Gemini
	// CLI) from doing so on a machine where sentinel is not installed. It is the
	// same in POSIX shells and PowerShell.
	AlwaysOK      = "; exit 0"
	AlwaysOKInCmd = " & exit 0"
	// ElseDeny makes every failure a refusal in agents that know exit status 2 and
	// have no option for it; in POSIX shells and cmd.exe, and in PowerShell.
	ElseDeny           = " || exit 2"
	elseDenyPowerShell = "; if ($LASTEXITCODE -ne 0) { exit 2 }"
	// SameStatus hands on the exit status, which PowerShell would reduce to 0 or 1.
	SameStatus = "; exit $LASTEXITCODE"
)

// InCmd hands a line to cmd.exe, whichever shell it is read by.
func InCmd(line string) string { return cmdBegin + line + cmdEnd }

const (
	cmdBegin = `cmd /c "`
	cmdEnd   = `"`
)

// withoutEnding takes off what we put around a command.
func withoutEnding(line string) string {
	if inner, ok := strings.CutPrefix(line, cmdBegin); ok {
		line = strings.TrimSuffix(inner, cmdEnd)
	}
	for _, ending := range []string{AlwaysOK, AlwaysOKInCmd, ElseDeny, elseDenyPowerShell, SameStatus} {
		line = strings.TrimSuffix(line, ending)
	}
	return line
}

// ElseDeny returns the ending of a strict hook.
func (s Shell) ElseDeny() string {
	if s == PowerShell {
		return elseDenyPowerShell
	}
	return ElseDeny
}

// Word quotes one word of a line, if it needs it.
func (s Shell) Word(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=+,@", r) ||
			r == '\\' && s != Posix
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case s == Posix:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	case s == PowerShell:
		return "'" + strings.ReplaceAll(word, "'", "''") + "'"
	}
	return `"` + word + `"` // a Windows path holds no quotation mark
}

// Line writes words as one command.
func (s Shell) Line(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = s.Word(w)
	}
	line := strings.Join(quoted, " ")
	if s == PowerShell && strings.HasPrefix(line, "'") {
		return "& " + line // a quoted word alone is a text
	}
	return line
}

// Call returns the words of `sentinel hook` with flags, the deadline among them
// when the timeout is not the default one. longest is how long the agent waits
// at most, 0 if the timeout can be chosen.
func (h Hook) Call(longest time.Duration, flags ...string) []string {
	program, rest := h.Parts()
	words := append([]string{program, "hook"}, flags...)
	words = append(words, rest...)
	if deadline := h.Deadline(longest); deadline > 0 && !slices.Contains(rest, "--deadline") {
		words = append(words, "--deadline", deadline.String())
	}
	return words
}

// Parts returns the program, and the flags that Command or Args give it.
func (h Hook) Parts() (program string, flags []string) {
	switch {
	case h.Program != "":
		return h.Program, nil
	case h.Args != nil:
		return h.command(), h.Args[min(1, len(h.Args)):]
	}
	list, _ := words(h.command())
	list = withoutAssignments(list)
	if len(list) < 2 {
		return ProgramName(h.Name), nil // check has refused it
	}
	return list[0], list[2:]
}

// Deadline is one second below the timeout, or half of a very short one; 0 when
// the command's own is right.
func (h Hook) Deadline(longest time.Duration) time.Duration {
	t := h.Wait()
	if longest > 0 {
		t = min(t, longest)
	}
	switch {
	case t == DefaultTimeout:
		return 0
	case t <= 2*time.Second:
		return t / 2
	}
	return t - time.Second
}

// Within is the hook where an agent gives it no more time than most.
func (h Hook) Within(most time.Duration) Hook {
	h.Timeout = min(h.Wait(), most)
	return h
}

// Wait is how long the agent waits for the hook.
func (h Hook) Wait() time.Duration {
	if h.Timeout <= 0 {
		return DefaultTimeout
	}
	return h.Timeout
}

// Seconds and Millis are the timeout in the unit of an agent, rounded up.
func (h Hook) Seconds() int64 { return int64(math.Ceil(h.Wait().Seconds())) }
func (h Hook) Millis() int64 {
	return int64(math.Ceil(float64(h.Wait()) / float64(time.Millisecond)))
}

// System is the operating system that the hook is written for.
func (h Hook) System() string {
	if h.GOOS == "" {
		return runtime.GOOS
	}
	return h.GOOS
}

// On is the hook for the system of others, in a file that has a line for each:
// the path of a program on this system says nothing there.
func (h Hook) On(goos string) Hook {
	if (goos == "windows") != (h.System() == "windows") {
		h.Program, h.Command, h.Args = "", "", nil
	}
	h.GOOS = goos
	return h
}

// Shell is the shell of an agent that has this one on Windows and sh elsewhere.
func (h Hook) Shell(onWindows Shell) Shell {
	if h.System() == "windows" {
		return onWindows
	}
	return Posix
}

// command is the command line that is registered. It names no agent, because other
// agents run Claude Code's hooks too. It is short, because the model reads it with
// every block.
func (h Hook) command() string {
	if h.Command == "" {
		return ProgramName(h.Name) + " hook"
	}
	return h.Command
}

// check refuses a hook that could not be found again.
func (h Hook) check() error {
	if program, _ := h.Parts(); h.Program != "" && !IsSentinel(h.Name, program) {
		return fmt.Errorf("install: the program %q is not called sentinel; its entries could not be recognised and removed later", program)
	}
	if h.Program == "" && !IsOurs(h.Name, h.command(), h.Args) {
		return fmt.Errorf("install: %q is not a `%s hook` command; it could not be recognised and removed later", h.command(), ProgramName(h.Name))
	}
	if strings.ContainsAny(h.Program, "\x00\r\n") || h.System() == "windows" && strings.ContainsAny(h.Program, `"%`) {
		return fmt.Errorf("install: the program's path %q cannot be written into a command line; install sentinel elsewhere", h.Program)
	}
	if h.Timeout > time.Hour {
		return fmt.Errorf("install: a timeout of %v is too long for a hook; at most an hour", h.Timeout)
	}
	return nil
}

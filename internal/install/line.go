package install

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A shell is what starts an agent's hook, and so decides how a path is quoted.
type shell uint8

const (
	posix shell = iota
	cmd
	powershell
)

// What a line ends with where its exit status would say something else than
// what is meant. [isOurs] knows them.
const (
	// alwaysOK keeps agents that refuse a call for any failure (Copilot CLI, Gemini
	// CLI) from doing so on a machine where sentinel is not installed. It is the
	// same in POSIX shells and PowerShell.
	alwaysOK      = "; exit 0"
	alwaysOKInCmd = " & exit 0"
	// elseDeny makes every failure a refusal in agents that know exit status 2 and
	// have no option for it; in POSIX shells and cmd.exe, and in PowerShell.
	elseDeny           = " || exit 2"
	elseDenyPowerShell = "; if ($LASTEXITCODE -ne 0) { exit 2 }"
	// sameStatus hands on the exit status, of which PowerShell makes 0 or 1.
	sameStatus = "; exit $LASTEXITCODE"
)

// inCmd hands a line to cmd.exe, whichever shell it is read by.
func inCmd(line string) string { return cmdBegin + line + cmdEnd }

const (
	cmdBegin = `cmd /c "`
	cmdEnd   = `"`
)

// withoutEnding takes off what we put around a command.
func withoutEnding(line string) string {
	if inner, ok := strings.CutPrefix(line, cmdBegin); ok {
		line = strings.TrimSuffix(inner, cmdEnd)
	}
	for _, ending := range []string{alwaysOK, alwaysOKInCmd, elseDeny, elseDenyPowerShell, sameStatus} {
		line = strings.TrimSuffix(line, ending)
	}
	return line
}

// elseDeny returns the ending of a strict hook.
func (s shell) elseDeny() string {
	if s == powershell {
		return elseDenyPowerShell
	}
	return elseDeny
}

// word quotes one word of a line, if it needs it.
func (s shell) word(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=+,@", r) ||
			r == '\\' && s != posix
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case s == posix:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	case s == powershell:
		return "'" + strings.ReplaceAll(word, "'", "''") + "'"
	}
	return `"` + word + `"` // a Windows path holds no quotation mark
}

// line writes words as one command.
func (s shell) line(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = s.word(w)
	}
	line := strings.Join(quoted, " ")
	if s == powershell && strings.HasPrefix(line, "'") {
		return "& " + line // a quoted word alone is a text
	}
	return line
}

// call returns the words of `sentinel hook` with flags, the deadline among them
// when the timeout is not the default one. longest is how long the agent waits
// at most, 0 if the timeout can be chosen.
func (h Hook) call(longest time.Duration, flags ...string) []string {
	program, rest := h.parts()
	words := append([]string{program, "hook"}, flags...)
	words = append(words, rest...)
	if deadline := h.deadline(longest); deadline > 0 && !slices.Contains(rest, "--deadline") {
		words = append(words, "--deadline", deadline.String())
	}
	return words
}

// parts returns the program, and the flags that Command or Args give it.
func (h Hook) parts() (program string, flags []string) {
	switch {
	case h.Program != "":
		return h.Program, nil
	case h.Args != nil:
		return h.command(), h.Args[min(1, len(h.Args)):]
	}
	list, _ := words(h.command())
	list = withoutAssignments(list)
	if len(list) < 2 {
		return Name(), nil // check has refused it
	}
	return list[0], list[2:]
}

// deadline is one second below the timeout, or half of a very short one; 0 when
// the command's own is right.
func (h Hook) deadline(longest time.Duration) time.Duration {
	t := h.timeout()
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

// within is the hook where an agent gives it no more time than that.
func (h Hook) within(most time.Duration) Hook {
	h.Timeout = min(h.timeout(), most)
	return h
}

func (h Hook) timeout() time.Duration {
	if h.Timeout <= 0 {
		return DefaultTimeout
	}
	return h.Timeout
}

// seconds and millis render the timeout in the unit of an agent, rounded up.
func (h Hook) seconds() string { return fmt.Sprint(int64(math.Ceil(h.timeout().Seconds()))) }
func (h Hook) millis() string {
	return fmt.Sprint(int64(math.Ceil(float64(h.timeout()) / float64(time.Millisecond))))
}

func (h Hook) goos() string {
	if h.GOOS == "" {
		return runtime.GOOS
	}
	return h.GOOS
}

// on is the hook for the system of others, in a file that has a line for each:
// the path of a program on this one says nothing there.
func (h Hook) on(goos string) Hook {
	if (goos == "windows") != (h.goos() == "windows") {
		h.Program, h.Command, h.Args = "", "", nil
	}
	h.GOOS = goos
	return h
}

// shell is the shell of an agent that has one on Windows and sh elsewhere.
func (h Hook) shell(onWindows shell) shell {
	if h.goos() == "windows" {
		return onWindows
	}
	return posix
}

func (h Hook) command() string {
	if h.Command == "" {
		return Name() + " hook"
	}
	return h.Command
}

// check refuses a hook that could not be found again.
func (h Hook) check() error {
	if program, _ := h.parts(); h.Program != "" && !isSentinel(program) {
		return fmt.Errorf("install: the program %q is not called sentinel; its entries could not be recognised and removed later", program)
	}
	if h.Program == "" && !isOurs(h.command(), h.Args) {
		return fmt.Errorf("install: %q is not a `sentinel hook` command; it could not be recognised and removed later", h.command())
	}
	if strings.ContainsAny(h.Program, "\x00\r\n") || h.goos() == "windows" && strings.ContainsAny(h.Program, `"%`) {
		return fmt.Errorf("install: the program's path %q cannot be written into a command line; install sentinel elsewhere", h.Program)
	}
	if h.Timeout > time.Hour {
		return fmt.Errorf("install: a timeout of %v is too long for a hook; at most an hour", h.Timeout)
	}
	return nil
}

// Package doctor is the command "sentinel doctor".
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/text"
)

// New makes the command doctor.
func New(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", SuggestFor: []string{"status", "lock"}, Short: "Diagnose the installation",
		Long: `Checks and tries the hook of every agent. Checks the rules, trust in the configuration,
the judges, the GPU lock, the log and your own folders. Changes nothing and asks no model.

Exit status: 0 nothing failed; 1 something did.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if env.Dir == "" {
				return fmt.Errorf("doctor: the working directory does not exist any more")
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			bar := env.Progress("looking it over", 0)
			bar.At(0)
			findings := doctor.Examine(ctx, Patient(env))
			for i := range findings {
				findings[i].What, findings[i].Do = env.Called(findings[i].What), env.Called(findings[i].Do)
			}
			bar.End()
			if ctx.Err() != nil {
				return fmt.Errorf("doctor: interrupted")
			}
			return printFindings(env, findings, asJSON)
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON object", diagnosis{})
	return cmd
}

// Patient is what doctor is to look at.
func Patient(e *command.Env) doctor.Options {
	self, err := os.Executable()
	if err != nil {
		self = ""
	}
	return doctor.Options{
		Dir: e.Dir, Root: place.Root(e.Dir), Home: e.Home(),
		Name: e.Program(), Self: self, Version: doctor.Version(e.Build()),
		Project: e.Options(), Environ: e.Environ, Patience: e.Patience,
	}
}

// diagnosis is what doctor --json prints; docs/doctor.md describes it.
type diagnosis struct {
	OK       bool             `json:"ok"`
	Findings []doctor.Finding `json:"findings"`
}

func printFindings(env *command.Env, findings []doctor.Finding, asJSON bool) error {
	sound := doctor.Sound(findings)
	if asJSON {
		enc := json.NewEncoder(env.Stdout)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(diagnosis{sound, findings}); err != nil {
			return err
		}
	} else {
		writeFindings(env.Stdout, findings, env.Color)
	}
	if !sound {
		return exit.Status(exit.Error)
	}
	return nil
}

// writeFindings writes findings as text: by area, with what to do below.
func writeFindings(w io.Writer, findings []doctor.Finding, color bool) {
	area, width := "", 0
	for i, f := range findings {
		if f.Area != area {
			if area != "" {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, heading(f.Area, color))
			area, width = f.Area, nameWidth(findings[i:])
		}
		fmt.Fprintf(w, "  %s  %s%s  %s\n", mark(f.Status, color), f.Name, blanks(width-utf8.RuneCountInString(f.Name)), f.What)
		if f.Do != "" {
			fmt.Fprintf(w, "  %s  %s  → %s\n", blanks(markWidth), blanks(width), f.Do)
		}
	}
	fmt.Fprintf(w, "\n%s\n", conclusion(findings))
}

// nameWidth is how wide the column of names is in the area that findings begin
// with. A long name does not push the others away.
func nameWidth(findings []doctor.Finding) int {
	const most = 24
	width := 0
	for _, f := range findings {
		if f.Area != findings[0].Area {
			break
		}
		if n := utf8.RuneCountInString(f.Name); n <= most {
			width = max(width, n)
		}
	}
	return width
}

func blanks(n int) string { return strings.Repeat(" ", max(n, 0)) }

// markWidth is the width of the longest status.
const markWidth = len("PERSON")

// mark is a status in words, so that nothing depends on colour.
func mark(s doctor.Status, color bool) string {
	word := string(s)
	if s == doctor.StatusFail || s == doctor.StatusWarn || s == doctor.StatusPerson {
		word = strings.ToUpper(word)
	}
	word += blanks(markWidth - len(word))
	if !color {
		return word
	}
	codes := map[doctor.Status]string{
		doctor.StatusOK: "32", doctor.StatusWarn: "33", doctor.StatusFail: "31;1", doctor.StatusPerson: "36", doctor.StatusInfo: "2",
	}
	return "\x1b[" + codes[s] + "m" + word + "\x1b[0m"
}

func heading(area string, color bool) string {
	text := strings.ToUpper(area[:1]) + area[1:]
	if color {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return text
}

// conclusion is the last line.
func conclusion(findings []doctor.Finding) string {
	n := map[doctor.Status]int{}
	for _, f := range findings {
		n[f.Status]++
	}
	said := fmt.Sprintf("%s, %s", text.Count(n[doctor.StatusFail], "failure"), text.Count(n[doctor.StatusWarn], "warning"))
	if steps := n[doctor.StatusPerson]; steps > 0 {
		said += ", " + text.Count(steps, "step") + " for you to take"
	}
	return said + "."
}

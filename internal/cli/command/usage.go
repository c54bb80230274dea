package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/text"
)

// ExplainMistakes has every command say what is wrong with how it was called, and
// what would be right. args is what was typed, version that of the program.
func ExplainMistakes(root *cobra.Command, version string, args []string) {
	root.Version = version
	root.SetVersionTemplate(root.Name() + " {{.Version}}\n")
	root.SetHelpCommand(newHelp(root))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		typed := args[min(strings.Count(cmd.CommandPath(), " "), len(args)):]
		if isGroup(cmd) && len(typed) > 0 && !strings.HasPrefix(typed[0], "-") {
			return unknownCommand(cmd, typed[0]) // its flags were taken for those of the group
		}
		return wrongFlag(cmd, err)
	})
	checkArguments(root)
}

// Rename has the help of a command and all below it name the program as it is
// called.
func (e *Env) Rename(cmd *cobra.Command) {
	if e.Program() == DefaultName {
		return
	}
	cmd.Short, cmd.Long, cmd.Example = e.Called(cmd.Short), e.Called(cmd.Long), e.Called(cmd.Example)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = e.Called(f.Usage) })
	for _, sub := range cmd.Commands() {
		e.Rename(sub)
	}
}

// checkArguments adds the usage to the complaint about arguments, in a command
// and all below it.
func checkArguments(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		checkArguments(sub)
	}
	check := cmd.Args
	switch {
	case isGroup(cmd):
		cmd.SuggestionsMinimumDistance = 2
		if !cmd.Runnable() {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		}
	case check != nil:
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) != nil {
				return fmt.Errorf("wrong number of arguments (%d); usage: %s", len(args), cmd.UseLine())
			}
			return nil
		}
	}
}

// isGroup reports whether a command only leads to those below it: its usage has no
// argument of its own.
func isGroup(cmd *cobra.Command) bool {
	return cmd.HasSubCommands() && cmd.Use == cmd.Name()
}

// helpGroup is the last group of the commands; "" if there is none.
func helpGroup(root *cobra.Command) string {
	if all := root.Groups(); len(all) > 0 {
		return all[len(all)-1].ID
	}
	return ""
}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", GroupID: helpGroup(root), Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0 && cmd.HasSubCommands():
				return unknownCommand(cmd, rest[0])
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

// unknownCommand names those that may have been meant.
func unknownCommand(group *cobra.Command, word string) error {
	guess := ":"
	near := namesakes(group, word)
	if len(near) == 0 {
		if len(word) <= 3 { // two of three letters make another word
			group.SuggestionsMinimumDistance = 1
		}
		near = group.SuggestionsFor(word)
	}
	if len(near) > 0 {
		guess = fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q for %q%s `%s --help` lists all", text.OneLine(word), group.CommandPath(), guess, group.CommandPath())
}

// namesakes are the commands further below a group that are called so, or that other
// programs call so: `lint` is `rules lint`.
func namesakes(group *cobra.Command, word string) (paths []string) {
	for _, sub := range group.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if sub.Name() == word || slices.Contains(sub.SuggestFor, word) {
			paths = append(paths, "`"+sub.CommandPath()+"`")
		}
		paths = append(paths, namesakes(sub, word)...)
	}
	return paths
}

// wrongFlag names the flag that may have been meant, and says where the flags of a
// command are listed. How a number was parsed helps no user.
func wrongFlag(cmd *cobra.Command, err error) error {
	said, _, _ := strings.Cut(err.Error(), ": strconv.")
	guess := ":"
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		if near := nearest.Word(unknown.GetSpecifiedName(), known); near != "" {
			guess = "; did you mean --" + near + "?"
		}
	}
	return errors.New(text.OneLine(said) + guess + " `" + cmd.CommandPath() + " --help` lists all")
}

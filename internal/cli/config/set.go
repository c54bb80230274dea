package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/settings"
)

// settingChange is a change of one setting, and how config set makes it. The named
// fields are what `config set --json` prints.
type settingChange struct {
	Key     string `json:"key"`
	Value   any    `json:"value"` // as it is now, or with --dry-run would be
	Changed bool   `json:"changed"`
	File    string `json:"file"`

	dry, user, asJSON bool
}

func newSet(env *command.Env) *cobra.Command {
	var c settingChange
	cmd := &cobra.Command{
		Use: "set KEY VALUE", Short: "Change a setting",
		Long: `Changes one setting in config.yaml and leaves the rest of the file as it is, with
its comments. VALUE is written as in the file: text, a number, true or false,
[a, list], {a: mapping}, null. What is no value of the setting is refused.`,
		Example: `  sentinel config set backend claude
  sentinel config set scribe.thresholds.draft_confidence 0.9
  sentinel config set fallback '[claude, builtin]'`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			c.Key = args[0]
			return c.run(env, args[1])
		},
	}
	cmd.Flags().BoolVar(&c.dry, "dry-run", false, "show the change, and make none")
	cmd.Flags().BoolVar(&c.user, "user", false, "in your own folder, not in this project")
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *settingChange) run(env *command.Env, text string) error {
	file, name, err := configFile(env, c.user)
	if err != nil {
		return err
	}
	before, mode, err := settings.Read(file)
	if err != nil {
		return err
	}
	after, doubts, err := settings.Set(file, before, c.Key, text)
	if err != nil {
		return err
	}
	for _, p := range doubts {
		fmt.Fprintln(env.Stderr, command.ProblemLine(p))
	}
	diff := install.Change{Target: install.Target{File: name}, Before: before, After: after}.Diff()
	c.File, c.Changed = file, diff != ""
	if c.Changed && !c.dry {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil { // the user's own may be missing
			return err
		}
		if err := install.WriteFile(file, after, mode); err != nil {
			return err
		}
	}
	switch {
	case c.asJSON:
	case c.Changed:
		fmt.Fprint(env.Stdout, prompt.Clean(diff))
		return nil
	default:
		fmt.Fprintf(env.Stdout, "%s is %s already\n", c.Key, prompt.OneLine(text))
		return nil
	}
	now, _ := config.Parse(file, after)
	var known bool
	if c.Value, known = now.Get(c.Key); !known { // of a backend that is not ours
		if c.Value, err = settings.Value(c.Key, text); err != nil {
			return err
		}
	}
	return env.JSON(c)
}

// configFile is the file that config set changes, and what a person calls it.
func configFile(e *command.Env, user bool) (file, name string, err error) {
	f := e.SettingsFolder(user)
	switch {
	case f != nil:
		file = filepath.Join(f.Dir, "config.yaml")
		if user {
			return file, file, nil
		}
		return file, place.Of(f, file), nil
	case !user:
		return "", "", fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", e.Place())
	case e.UserDir() == "":
		return "", "", errors.New("there is no home folder")
	}
	file = filepath.Join(e.UserDir(), "config.yaml")
	return file, file, nil
}

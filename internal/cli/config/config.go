// Package config is the command "sentinel config".
package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command config.
func New(env *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show or change the settings that apply here", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGet(env), newSet(env), &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of config.yaml", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(env.Stdout, env.Called(string(config.Schema())))
			return err
		},
	})
	return cmd
}

// settingRow is a setting as `config get --json` prints it.
type settingRow struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Default string `json:"default"`
	Changed bool   `json:"changed"`
	File    string `json:"file"`
	Doc     string `json:"doc"`
}

func newGet(env *command.Env) *cobra.Command {
	var asJSON, user bool
	cmd := &cobra.Command{
		Use: "get [KEY]", Aliases: []string{"list"}, Short: "Print a setting, or all of them",
		Long: `Prints the value of a setting, as it is written in config.yaml. Without KEY it
lists all settings; a star marks those that differ from the default.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, c, problems := env.Settings(user)
			rows := settingRows(env, dir, c)
			if len(args) == 1 {
				i := slices.IndexFunc(rows, func(r settingRow) bool { return r.Key == args[0] })
				if i < 0 {
					return settings.Unknown(args[0])
				}
				rows = rows[i : i+1]
			}
			for _, p := range problems {
				fmt.Fprintln(env.Stderr, place.Problem(p))
			}
			switch {
			case asJSON && len(args) == 1:
				return env.JSON(rows[0])
			case asJSON:
				return env.JSON(rows)
			case len(args) == 1:
				fmt.Fprintln(env.Stdout, rows[0].text())
				return nil
			}
			return printSettings(env, rows)
		},
	}
	env.JSONFlag(cmd, &asJSON, "print JSON", []settingRow{}, settingRow{})
	cmd.Flags().BoolVar(&user, "user", false, "show your user settings instead of the project's")
	return cmd
}

func printSettings(env *command.Env, rows []settingRow) error {
	w := env.Table()
	fmt.Fprintln(w, "  KEY\tVALUE\tDEFAULT")
	for _, r := range rows {
		mark, standard := " ", ""
		if r.Changed {
			mark, standard = "*", r.Default
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, r.Key, text.OneLine(r.text()), standard)
	}
	return w.Flush()
}

// text is the value as one would write it in the file. The default of a
// setting that is not made is shown by its name, in parentheses.
func (r settingRow) text() string {
	if !r.Changed {
		return r.Default
	}
	var n yaml.Node
	if n.Encode(r.Value) != nil {
		return fmt.Sprint(r.Value)
	}
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	b, err := yaml.Marshal(&n)
	if err != nil {
		return fmt.Sprint(r.Value)
	}
	return strings.TrimRight(string(b), "\n")
}

func settingRows(env *command.Env, dir string, c config.Config) []settingRow {
	standard := config.Default()
	var rows []settingRow
	for _, k := range config.Keys() {
		value, _ := c.Get(k.Name)
		was, _ := standard.Get(k.Name)
		r := settingRow{Key: k.Name, Value: value, Default: k.Default, Doc: env.Called(k.Doc), Changed: !reflect.DeepEqual(value, was)}
		if r.Changed {
			r.File = project.ConfigFile(dir)
		}
		rows = append(rows, r)
	}
	return rows
}

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
[a, list], {a: mapping}, null. An invalid value is refused.`,
		Example: `  sentinel config set backend claude
  sentinel config set scribe.thresholds.draft_confidence 0.9
  sentinel config set fallback '[claude, builtin]'`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			c.Key = args[0]
			return c.run(env, args[1])
		},
	}
	cmd.Flags().BoolVar(&c.dry, "dry-run", false, "show the change without making it")
	cmd.Flags().BoolVar(&c.user, "user", false, "change your user settings instead of the project's")
	env.JSONFlag(cmd, &c.asJSON, "print one JSON object", settingChange{})
	return cmd
}

func (c *settingChange) run(env *command.Env, said string) error {
	file, name, err := configFile(env, c.user)
	if err != nil {
		return err
	}
	before, mode, err := settings.Read(file)
	if err != nil {
		return err
	}
	after, doubts, err := settings.Set(file, before, c.Key, said, env.Added())
	if err != nil {
		return err
	}
	for _, p := range doubts {
		fmt.Fprintln(env.Stderr, place.Problem(p))
	}
	diff := install.Change{Target: install.Target{File: name}, Before: before, After: after}.Diff()
	c.File, c.Changed = file, diff != ""
	if c.Changed && !c.dry {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil { // the user's own may be missing
			return err
		}
		was := env.SettingsFolder(c.user)
		if err := safefile.Replace(file, after, mode); err != nil {
			return err
		}
		if !c.user {
			env.Repin(env.SettingsFolder(false), file)
		}
		if err := c.keepTrust(env, was); err != nil {
			return err
		}
	}
	switch {
	case c.asJSON:
	case c.Changed:
		fmt.Fprint(env.Stdout, text.Clean(diff))
		return nil
	default:
		fmt.Fprintf(env.Stdout, "%s is %s already\n", c.Key, text.OneLine(said))
		return nil
	}
	now, _ := config.Parse(file, after, env.Added()...)
	var known bool
	if c.Value, known = now.Get(c.Key); !known { // of a backend that is not ours
		if c.Value, err = settings.Value(c.Key, said); err != nil {
			return err
		}
	}
	return env.JSON(c)
}

// keepTrust trusts the configuration as it is now, if it was trusted: the change is the
// user's own.
func (c *settingChange) keepTrust(env *command.Env, was *project.Folder) error {
	now := env.SettingsFolder(c.user)
	if was == nil || now == nil {
		return nil
	}
	return now.KeepTrust(env.StateDir(), was)
}

// configFile is the file that config set changes, and its name for the user.
func configFile(e *command.Env, user bool) (file, name string, err error) {
	f := e.SettingsFolder(user)
	switch {
	case f != nil:
		file = project.ConfigFile(f.Dir)
		if user {
			return file, file, nil
		}
		return file, place.Of(f, file), nil
	case !user:
		return "", "", fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", e.Place())
	case e.UserDir() == "":
		return "", "", errors.New("there is no home folder")
	}
	file = project.ConfigFile(e.UserDir())
	return file, file, nil
}

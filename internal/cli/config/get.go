package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/settings"
)

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
		Use: "get [KEY]", Short: "Print a setting, or all of them",
		Long: `Prints the value of a setting, as it is written in config.yaml. Without KEY it
lists all settings; a star marks those that are not the default.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, c, problems := env.Settings(user)
			rows := settingRows(dir, c)
			if len(args) == 1 {
				i := slices.IndexFunc(rows, func(r settingRow) bool { return r.Key == args[0] })
				if i < 0 {
					return settings.Unknown(args[0])
				}
				rows = rows[i : i+1]
			}
			for _, p := range problems {
				fmt.Fprintln(env.Stderr, command.ProblemLine(p))
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&user, "user", false, "of your own folder, not of this project")
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
		fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, r.Key, prompt.OneLine(r.text()), standard)
	}
	return w.Flush()
}

// text is the value as one would write it in the file. What stands in for a
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

func settingRows(dir string, c config.Config) []settingRow {
	standard := config.Default()
	var rows []settingRow
	for _, k := range config.Keys() {
		value, _ := c.Get(k.Name)
		was, _ := standard.Get(k.Name)
		r := settingRow{Key: k.Name, Value: value, Default: k.Default, Doc: k.Doc, Changed: !reflect.DeepEqual(value, was)}
		if r.Changed {
			r.File = filepath.Join(dir, "config.yaml")
		}
		rows = append(rows, r)
	}
	return rows
}

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/yamledit"
	"github.com/agentsentinel/sentinel/project"
)

func newConfig(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show or change the settings that apply here", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigGet(env), newConfigSet(env), &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of config.yaml", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { _, err := env.Stdout.Write(config.Schema()); return err },
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

func newConfigGet(env *Env) *cobra.Command {
	var asJSON, user bool
	cmd := &cobra.Command{
		Use: "get [KEY]", Short: "Print a setting, or all of them",
		Long: `Prints the value of a setting, as it is written in config.yaml. Without KEY it
lists all settings; a star marks those that are not the default.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, c, problems := env.settings(user)
			rows := settingRows(dir, c)
			if len(args) == 1 {
				i := slices.IndexFunc(rows, func(r settingRow) bool { return r.Key == args[0] })
				if i < 0 {
					return unknownKey(args[0])
				}
				rows = rows[i : i+1]
			}
			for _, p := range problems {
				fmt.Fprintln(env.Stderr, lintLine(p))
			}
			switch {
			case asJSON && len(args) == 1:
				return json.NewEncoder(env.Stdout).Encode(rows[0])
			case asJSON:
				return json.NewEncoder(env.Stdout).Encode(rows)
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

func printSettings(env *Env, rows []settingRow) error {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
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

func unknownKey(name string) error {
	var known []string
	for _, k := range config.Keys() {
		known = append(known, k.Name)
	}
	guess := ""
	if near := nearest.Word(name, known); near != "" {
		guess = "; did you mean " + near + "?"
	}
	return fmt.Errorf("there is no setting %q%s: `sentinel config get` lists all", text.OneLine(name), guess)
}

// settings are those of the nearest project, or of the user's own folder, and
// what is wrong with their file.
func (e *Env) settings(user bool) (dir string, c config.Config, problems []sentinel.Problem) {
	if f := e.settingsFolder(user); f != nil {
		return f.Dir, f.Config, slices.DeleteFunc(slices.Clone(f.Problems), func(p sentinel.Problem) bool {
			return !strings.HasPrefix(filepath.Base(p.File), "config.") // rules lint tells of the others
		})
	}
	return "", config.Default(), nil
}

// settingsFolder is the nearest project's folder, or the user's own; nil when there
// is none.
func (e *Env) settingsFolder(user bool) *project.Folder {
	for _, f := range project.Open([]string{e.Dir}, e.project()).Folders {
		if f.User == user {
			return f
		}
	}
	return nil
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

func newConfigSet(env *Env) *cobra.Command {
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

func (c *settingChange) run(env *Env, written string) error {
	file, name, err := env.configFile(c.user)
	if err != nil {
		return err
	}
	before, mode, err := readSettings(file)
	if err != nil {
		return err
	}
	after, doubts, err := setKey(file, before, c.Key, written)
	if err != nil {
		return err
	}
	for _, p := range doubts {
		fmt.Fprintln(env.Stderr, lintLine(p))
	}
	diff := install.Change{Target: install.Target{File: name}, Before: before, After: after}.Diff()
	c.File, c.Changed = file, diff != ""
	if c.Changed && !c.dry {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil { // the user's own may be missing
			return err
		}
		if err := safefile.Replace(file, after, mode); err != nil {
			return err
		}
	}
	switch {
	case c.asJSON:
	case c.Changed:
		fmt.Fprint(env.Stdout, text.Clean(diff))
		return nil
	default:
		fmt.Fprintf(env.Stdout, "%s is %s already\n", c.Key, text.OneLine(written))
		return nil
	}
	now, _ := config.Parse(file, after)
	var known bool
	if c.Value, known = now.Get(c.Key); !known { // of a backend that is not ours
		if c.Value, err = settingValue(c.Key, written); err != nil {
			return err
		}
	}
	return json.NewEncoder(env.Stdout).Encode(c)
}

// configFile is the file that config set changes, and what a person calls it.
func (e *Env) configFile(user bool) (file, name string, err error) {
	f := e.settingsFolder(user)
	switch {
	case f != nil:
		file = filepath.Join(f.Dir, "config.yaml")
		if user {
			return file, file, nil
		}
		return file, display(f, file), nil
	case !user:
		return "", "", fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", e.place())
	case e.userDir() == "":
		return "", "", errors.New("there is no home folder")
	}
	file = filepath.Join(e.userDir(), "config.yaml")
	return file, file, nil
}

// maxSettings bounds a configuration that is edited, in bytes.
const maxSettings = 1 << 20

// readSettings reads a file that may be missing. One that is a link or too large
// was not made by init, and is left to the person.
func readSettings(file string) (data []byte, mode fs.FileMode, err error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o644, nil
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file; edit it by hand", file)
	case info.Size() > maxSettings:
		return nil, 0, fmt.Errorf("%s is larger than %d bytes; edit it by hand", file, maxSettings)
	}
	data, err = os.ReadFile(file)
	return data, info.Mode().Perm(), err
}

// setKey returns the file with a setting changed, and what is doubtful about it,
// unless that makes it wrong.
func setKey(file string, before []byte, key, text string) (after []byte, doubts []sentinel.Problem, err error) {
	value, err := settingValue(key, text)
	if err != nil {
		return nil, nil, err
	}
	if after, err = yamledit.Set(before, strings.Split(key, "."), value); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	_, old := config.Parse(file, before)
	_, problems := config.Parse(file, after)
	for _, p := range problems {
		switch {
		case slices.ContainsFunc(old, func(o sentinel.Problem) bool { return o.Message == p.Message }):
		case p.Warning:
			doubts = append(doubts, p)
		default:
			return nil, nil, fmt.Errorf("%s; nothing was changed", p.Message)
		}
	}
	return after, doubts, nil
}

// settingValue reads a value as its setting takes it. The settings of a backend
// that is not ours are anybody's.
func settingValue(key, written string) (any, error) {
	i := slices.IndexFunc(config.Keys(), func(k config.Key) bool { return k.Name == key })
	if i < 0 && !strings.HasPrefix(key, "backends.") {
		return nil, unknownKey(key)
	}
	if strings.TrimSpace(written) == "" { // an empty variable of a script unsets nothing
		return nil, fmt.Errorf("%s: there is no value; `null` takes the setting back", key)
	}
	var value any
	if err := yaml.Unmarshal([]byte(written), &value); err != nil {
		return nil, fmt.Errorf("%s: %q is no YAML value: %w", key, text.OneLine(written), err)
	}
	if _, quoted := value.(string); i >= 0 && config.Keys()[i].Type == "text" && value != nil && !quoted {
		return written, nil // 10 is a fine name of a model
	}
	return value, nil
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentsentinel/sentinel/internal/schemagen"
)

// head is the beginning of the reference of the commands.
const head = `# Commands

Every command of ` + "`sentinel` and `sentinel-audit`" + `, with its flags. ` + "`sentinel help COMMAND`" + ` prints the same, and packages
install it as manual pages. [json.md](json.md) has the schemas of what ` + "`--json`" + ` prints.

## Exit statuses

| Status | Meaning |
|---|---|
| 0 | done; the action may go on |
| 1 | an error of Sentinel or of its call; of commands that check something, something is wrong |
| 2 | the action is blocked, or the user has to be asked; of ` + "`sentinel-audit`" + `, the gate was not passed |
| 3 | of ` + "`sentinel test`" + `: nothing is wrong, and something could not be judged |

A command below that says more about its statuses has its own; the others end with 0 or 1.
`

// reference is docs/reference/cli.md.
func reference(roots []*cobra.Command) string {
	var b strings.Builder
	b.WriteString(head)
	for _, root := range roots {
		each(root, func(cmd *cobra.Command) { section(&b, cmd) })
	}
	return b.String()
}

// each visits a command and all below it that the help shows.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	if cmd.Hidden || cmd.Name() == "help" {
		return
	}
	do(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, do)
	}
}

func section(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", cmd.CommandPath(), strings.TrimSuffix(cmd.Short, "."))
	if cmd.Runnable() {
		fmt.Fprintf(b, "\n%s\n", code(cmd.UseLine()))
	}
	for text := range strings.SplitSeq(strings.Trim(cmd.Long, "\n"), "\n\n") {
		if text != "" {
			fmt.Fprintf(b, "\n%s\n", paragraph(text))
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\n%s\n", code(strings.ReplaceAll(cmd.Example, "\n  ", "\n")))
	}
	rows := [][]string{{"Flag", "Default", "Meaning"}}
	for _, f := range flags(cmd) {
		rows = append(rows, row(f))
	}
	if len(rows) > 1 {
		fmt.Fprintf(b, "\n%s", schemagen.Table(rows))
	}
}

// flags are those of a command itself that the help shows.
func flags(cmd *cobra.Command) (list []*pflag.Flag) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && f.Name != "version" {
			list = append(list, f)
		}
	})
	return list
}

func row(f *pflag.Flag) []string {
	value, usage := pflag.UnquoteUsage(f)
	name := "`--" + strings.TrimSpace(f.Name+" "+value) + "`"
	if f.Shorthand != "" {
		name = "`-" + f.Shorthand + "`, " + name
	}
	given := f.DefValue
	if slices.Contains([]string{"", "false", "[]", "0", "0s"}, given) {
		given = ""
	} else {
		given = "`" + given + "`"
	}
	return []string{name, given, escaped(usage)}
}

// paragraph is a text of the help in Markdown: columns stay as they are.
func paragraph(text string) string {
	if strings.HasPrefix(text, "  ") || strings.Contains(text, "\n  ") {
		return code(text)
	}
	return escaped(text)
}

// code is a block of the text, without what all of its lines are indented by.
func code(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	if !slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "  ") }) {
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, "  ")
		}
	}
	return "```text\n" + strings.Join(lines, "\n") + "\n```"
}

func escaped(text string) string {
	return strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "[", `\[`, "`", "").Replace(text)
}

// jsonPage is docs/reference/json.md.
func jsonPage(names []string) string {
	rows := [][]string{{"Command", "Schema"}}
	for _, name := range names {
		file := strings.ReplaceAll(strings.TrimPrefix(name, "sentinel "), " ", "-") + ".json"
		rows = append(rows, []string{"`" + name + "`", fmt.Sprintf("[%s](json/v%d/%s)", file, schemagen.OutputVersion, file)})
	}
	return fmt.Sprintf(`# What commands print as JSON

These commands have the flag `+"`--json`"+`. Each schema is JSON Schema, draft 7. Version %d: the number grows when a field is removed or changes its meaning or type. A new field does not change it, so
ignore fields that you do not know. A time is in RFC 3339, and a list without elements may be `+"`null`"+`.

`, schemagen.OutputVersion) + schemagen.Table(rows) + fmt.Sprintf(`
A decision has [a schema of its own](json/v%d/decision.json), which [decision.md](../decision.md) explains. [editors.md](editors.md) has the schemas of rules,
configuration and rubrics.
`, schemagen.OutputVersion)
}

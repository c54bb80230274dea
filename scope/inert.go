package scope

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// inertArgs returns, for each of c.Args, whether it is text that the program
// only shows, stores or looks for. nil means none.
func inertArgs(c *shell.Command) []bool {
	switch c.Program {
	case "echo", "printf", "logger", "notify-send", "wall", "say", "espeak", "figlet", "cowsay", "banner",
		"man", "whatis", "apropos", "which", "type", "whereis", "tldr", "help", "info",
		"true", "false", ":", "test", "[", "[[":
		return allArgs(c)
	case "command":
		if c.HasFlag("-v", "-V") {
			return allArgs(c)
		}
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack":
		return scriptArgs(c, "e", "regexp")
	case "sed", "gsed":
		// A command or a file that sed runs or writes is a command or an effect of its own.
		return scriptArgs(c, "e", "expression")
	case "awk", "gawk", "mawk", "nawk", "jq", "yq":
		return scriptArgs(c, "", "")
	case "export", "declare", "typeset", "local", "readonly":
		return assignArgs(c)
	case "git":
		return gitArgs(c)
	case "hg", "svn", "jj", "sl", "fossil":
		return valueArgs(c, "m", "message")
	case "gh", "glab", "tea":
		return valueArgs(c, "bmt", "body", "message", "title", "notes", "description", "subject", "comment")
	case "sentinel":
		return valueArgs(c, "", "bash", "content")
	}
	return nil
}

func allArgs(c *shell.Command) []bool {
	if len(c.Args) == 0 {
		return nil
	}
	return slices.Repeat([]bool{true}, len(c.Args))
}

// gitArgs finds messages, and what git searches for.
func gitArgs(c *shell.Command) []bool {
	switch c.Subcommand {
	case "commit", "tag", "merge", "notes", "stash", "revert", "cherry-pick":
		return valueArgs(c, "m", "message", "trailer", "author")
	case "log", "shortlog", "rev-list", "show", "diff":
		return valueArgs(c, "SG", "grep", "author", "committer", "format", "pretty")
	case "grep":
		rest := *c
		rest.Args = c.Args[min(1, len(c.Args)):]
		if inert := scriptArgs(&rest, "e", ""); inert != nil {
			return append([]bool{false}, inert...)
		}
	}
	return nil
}

// valueArgs finds the values of options: -m text, -mtext, -am text, --message
// text and --message=text.
func valueArgs(c *shell.Command, short string, long ...string) []bool {
	var inert []bool
	mark := func(i int) {
		if i >= len(c.Args) {
			return
		}
		if inert == nil {
			inert = make([]bool, len(c.Args))
		}
		inert[i] = true
	}
	for i := 0; i < len(c.Args); i++ {
		arg := c.Args[i]
		name, isLong := strings.CutPrefix(arg, "--")
		switch {
		case arg == "--":
			return inert
		case isLong:
			name, _, glued := strings.Cut(name, "=")
			if !slices.Contains(long, name) {
				continue
			}
			if glued {
				mark(i)
				continue
			}
		case len(arg) > 1 && arg[0] == '-':
			at := strings.IndexAny(arg[1:], short)
			if at < 0 {
				continue
			}
			if at+2 < len(arg) {
				mark(i)
				continue
			}
		default:
			continue
		}
		i++
		mark(i)
	}
	return inert
}

// scriptArgs finds the values of the options that give a pattern or script. Without such an
// option, and without one that names a file of them, the first operand is the script.
func scriptArgs(c *shell.Command, short, long string) []bool {
	inert := valueArgs(c, short, long)
	if inert != nil || c.HasFlag("-f", "--file", "--from-file") {
		return inert
	}
	for i, arg := range c.Args {
		if arg == "--" || len(arg) > 1 && arg[0] == '-' || !slices.Contains(c.Operands, arg) {
			continue
		}
		inert = make([]bool, len(c.Args))
		inert[i] = true
		return inert
	}
	return nil
}

// assignArgs finds values with a blank in them: those may be commands, which
// nothing runs yet.
func assignArgs(c *shell.Command) []bool {
	var inert []bool
	for i, arg := range c.Args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.ContainsAny(value, " \t\n") {
			if inert == nil {
				inert = make([]bool, len(c.Args))
			}
			inert[i] = true
		}
	}
	return inert
}

// runsInput reports whether the program takes what it reads on standard input
// for code of its own language. The input of shells is commands of the line.
func runsInput(program string) bool {
	switch program {
	case "psql", "mysql", "mariadb", "sqlite", "sqlite3", "sqlcmd", "sqlplus", "cqlsh", "duckdb", "usql", "snowsql",
		"clickhouse", "clickhouse-client", "cockroach", "bq", "mongo", "mongosh", "redis-cli", "influx", "osascript",
		"python", "node", "ruby", "perl", "php", "lua", "deno", "bun", "Rscript", "ftp", "sftp", "kubectl", "at", "batch", "crontab":
		return true
	}
	return false
}

package intent

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// A Call is what an action does, by the names that a request must have for it. A call
// without names cannot be asked for.
type Call struct{ Names []Name }

// A Name is one thing that a request has to name: by one of several ways, each of one word
// or more.
type Name struct {
	Ways     []string
	Optional bool // it may be left out, because nothing else can be meant
}

// in finds a name in the words of a sentence that no other name has used, and marks them.
func (n Name) in(said []string, used []bool) bool {
	for _, way := range n.Ways {
		of := strings.Fields(way)
		for i := 0; len(of) > 0 && i+len(of) <= len(said); i++ {
			if !slices.Contains(used[i:i+len(of)], true) && slices.EqualFunc(said[i:i+len(of)], of, same) {
				for j := range of {
					used[i+j] = true
				}
				return true
			}
		}
	}
	return false
}

// same compares a word that was said with one of a name: in any case of letters if the name
// is a word of the language, which the tables here are, else exactly.
func same(said, of string) bool {
	if word, ok := strings.CutPrefix(of, anyCase); ok {
		return strings.EqualFold(said, word)
	}
	return said == of
}

// anyCase marks a word of a name that may be written in any case of letters.
const anyCase = "\x00"

// saying is a way to name something by words of the language.
func saying(way string) string {
	of := strings.Fields(way)
	for i := range of {
		of[i] = anyCase + of[i]
	}
	return strings.Join(of, " ")
}

// Of is the call of a command line: one command by itself that is known whole, in the
// folder that the line starts in. No other line can be asked for.
func Of(line *shell.Line) Call {
	if line == nil || line.Unparsed != "" || line.Bounded || len(line.Commands) != 1 || len(line.Carried) > 0 || !alone(&line.Commands[0]) {
		return Call{}
	}
	c := &line.Commands[0]
	names, args := []Name{programName(c)}, c.Args
	if c.Subcommand != "" {
		names = append(names, Name{Ways: append([]string{saying(c.Subcommand)}, ways(verbs()[c.Program+" "+c.Subcommand])...)})
		if len(args) == 0 || args[0] != c.Subcommand {
			return Call{}
		}
		args = args[1:]
	}
	for _, arg := range args {
		switch {
		case arg == "" || strings.ContainsAny(arg, " \t\n"):
			return Call{}
		case !strings.HasPrefix(arg, "-"):
			names = append(names, operandName(c, arg))
		default:
			names = append(names, flagName(c, arg))
		}
	}
	return Call{names}
}

// alone reports whether a command is all that its line does: nothing around it, before it
// or behind it.
func alone(c *shell.Command) bool {
	return c.Certain && c.Path == c.Program && c.Dir == "" && !c.DirUnknown && !c.Background && !c.Recursive && !c.Interactive && c.Stdin == "" && c.Script == "" && c.Carrier == "" &&
		len(c.Context)+len(c.Wrappers)+len(c.Assigns)+len(c.Redirects)+len(c.Input)+len(c.Runs) == 0
}

// operandName is a word of a command as it is written, but for "./" and a last "/".
func operandName(c *shell.Command, word string) Name {
	n := Name{Ways: []string{word}, Optional: c.Program == "git" && word == "origin"}
	if clean := strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/"); clean == path.Clean(word) && clean != "." {
		n.Ways = []string{word, clean, clean + "/", "./" + clean, "./" + clean + "/"}
	}
	return n
}

// programName is the program's own name, or the words that people say for it.
func programName(c *shell.Command) Name {
	n := Name{Ways: append([]string{saying(c.Program)}, ways(verbs()[c.Program])...)}
	n.Optional = c.Program == "git" && c.Subcommand != ""
	return n
}

// flagName is what a request has to say for a flag: the flag as it is written, its words, or
// what a table has for it.
func flagName(c *shell.Command, flag string) Name {
	known := letters[strings.TrimSpace(c.Program+" "+c.Subcommand)]
	n := Name{Ways: []string{flag}}
	switch {
	case strings.HasPrefix(flag, "--"):
		n.Optional = slices.Contains(known.silent, flag)
		if word := strings.ReplaceAll(flag[2:], "-", " "); !strings.Contains(flag, "=") && word != "" {
			n.Ways = append(n.Ways, saying(word))
		}
	case known.says[flag] != "":
		n.Ways = append(n.Ways, saying(known.says[flag]))
	default:
		n.Optional = len(flag) > 1 && !strings.ContainsFunc(flag[1:], func(letter rune) bool { return !slices.Contains(known.silent, "-"+string(letter)) })
	}
	return n
}

func ways(said []string) (all []string) {
	for _, s := range said {
		all = append(all, saying(s))
	}
	return all
}

// verbs are what people say for a program, or for a sub-command.
func verbs() map[string][]string {
	return map[string][]string{
		"rm": {"delete", "remove", "erase"}, "rmdir": {"delete", "remove"}, "unlink": {"delete", "remove"},
		"mv": {"move", "rename"}, "cp": {"copy"}, "chmod": {}, "kill": {"end", "terminate"},
		"docker rm": {"remove", "delete"}, "git rm": {"remove", "delete"}, "kubectl delete": {"remove"},
	}
}

// letters are flags that need no word, and what others say, by the program and its
// sub-command. Only flags are here that make the command do nothing beyond its operands.
var letters = map[string]struct {
	silent []string
	says   map[string]string
}{
	"rm":         {silent: []string{"-r", "-R", "-f", "-v", "-d", "--recursive", "--force", "--verbose"}},
	"cp":         {silent: []string{"-r", "-R", "-a", "-p", "-v"}},
	"mv":         {silent: []string{"-v"}},
	"git push":   {silent: []string{"-v", "--verbose"}, says: map[string]string{"-f": "force", "-u": "set upstream", "-d": "delete"}},
	"git branch": {says: map[string]string{"-d": "delete", "-D": "delete"}},
	"git tag":    {says: map[string]string{"-d": "delete"}},
}

// OfTool is the call of an MCP tool: its name and each argument, which has to be a word or
// a number. A call with other arguments cannot be asked for.
func OfTool(server, tool string, args []byte) Call {
	var values map[string]any
	if json.Unmarshal(args, &values) != nil || tool == "" {
		return Call{}
	}
	said := strings.NewReplacer("_", " ", "-", " ").Replace(tool)
	names := []Name{{Ways: []string{tool, saying(said)}}, {Ways: []string{server, saying(server)}, Optional: true}}
	for _, v := range values {
		var word string
		switch v := v.(type) {
		case string:
			word = v
		case float64:
			word = fmt.Sprint(v)
		}
		if word == "" || strings.ContainsAny(word, " \t\n") {
			return Call{}
		}
		names = append(names, Name{Ways: []string{word}})
	}
	return Call{names}
}

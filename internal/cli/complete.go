package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/scribe"
)

// values returns the words that are possible at one place of a command line.
type values func(*command.Env) []string

// ofFlags are the values of flags that mean the same in every command.
func ofFlags() map[string]values {
	return map[string]values{
		"accept":   func(e *command.Env) []string { return append([]string{"all", "sure"}, draftIDs(e)...) },
		"agent":    func(e *command.Env) []string { return e.Agents.Names() },
		"backend":  backends,
		"canary":   func(e *command.Env) []string { return e.Agents.Names() },
		"fail-on":  list("block", "ask", "warn"),
		"judge":    backends,
		"mode":     list("enforce", "shadow"),
		"pack":     func(*command.Env) []string { return packs.Names() },
		"phase":    list("start", "prompt", "pre", "post", "stop", "end"),
		"rule":     ruleIDs,
		"set":      func(*command.Env) []string { return packs.Names() },
		"severity": list("block", "ask", "warn", "info"),
		"to":       list("block", "ask", "warn", "shadow"),
		"trigger":  list(string(sentinel.FileWrite), string(sentinel.FileRead), string(sentinel.Bash), string(sentinel.MCP), string(sentinel.Any)),
	}
}

// ofArguments are the values of a command's first argument, by its path below the root.
func ofArguments() map[string]values {
	return map[string]values{
		"config get": keys, "config set": keys,
		"dismiss": draftIDs, "promote": draftIDs, "drafts dismiss": draftIDs, "drafts promote": draftIDs,
		"drafts show": draftIDs,
		"explain":     ruleIDs,
		"packs diff":  packFiles, "packs update": packFiles,
		"rules explain": ruleIDs, "rules severity": ruleIDs,
		"rules disable": ruleIDs, "rules edit": ruleIDs, "rules enable": ruleIDs, "rules rm": ruleIDs,
		"test": ruleIDs,
	}
}

// ofMany are the commands that take any number of these.
var ofMany = []string{"packs diff", "packs update", "rules disable", "rules enable", "test"}

// completeValues has a command and all below it complete the values of its flags and
// arguments. Where nothing is known the shell offers files, as it does by itself.
func completeValues(env *command.Env, cmd *cobra.Command) {
	completeWith(env, cmd, ofFlags(), ofArguments())
}

func completeWith(env *command.Env, cmd *cobra.Command, flags, arguments map[string]values) {
	for name, of := range flags {
		if cmd.Flags().Lookup(name) != nil {
			// The error would be about a flag that is not there.
			_ = cmd.RegisterFlagCompletionFunc(name, of.matching(env, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	if of, ok := arguments[path]; ok && cmd.ValidArgsFunction == nil {
		directive := cobra.ShellCompDirectiveNoFileComp
		if path == "test" { // takes files too
			directive = cobra.ShellCompDirectiveDefault
		}
		first := of.matching(env, directive)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if path == "config set" && len(args) == 1 {
				return settingValues(args[0]).matching(env, cobra.ShellCompDirectiveNoFileComp)(cmd, args, typed)
			}
			if len(args) > 0 && !slices.Contains(ofMany, path) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return first(cmd, args, typed)
		}
	}
	for _, sub := range cmd.Commands() {
		completeWith(env, sub, flags, arguments)
	}
}

// matching offers the values that begin as typed.
func (of values) matching(env *command.Env, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		found := slices.DeleteFunc(slices.Clone(of(env)), func(v string) bool { return !strings.HasPrefix(v, typed) })
		return found, directive
	}
}

func list(v ...string) values { return func(*command.Env) []string { return v } }

func backends(e *command.Env) []string {
	c := config.Default()
	return append(c.BackendNames(), e.Added()...)
}

func keys(*command.Env) (names []string) {
	for _, k := range config.Keys() {
		names = append(names, k.Name)
	}
	return names
}

// settingValues are those that a setting can have, where they are few.
func settingValues(name string) values {
	if name == "backend" {
		return backends
	}
	for _, k := range config.Keys() {
		switch {
		case k.Name != name:
		case k.Type == "true or false":
			return list("true", "false")
		case k.Type == "text":
			return list(k.Enum...)
		}
	}
	return list()
}

func ruleIDs(e *command.Env) (ids []string) {
	for _, f := range project.Open([]string{e.Dir}, e.Options()).Folders {
		for _, r := range f.Rules() {
			ids = append(ids, r.Spec().ID)
		}
	}
	return ids
}

// packFiles are the rules of all packs.
func packFiles(*command.Env) (names []string) {
	files, _ := packs.Files(packs.All) // of a program that has no packs: none
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name, ".yaml"))
	}
	return names
}

func draftIDs(e *command.Env) (ids []string) {
	opts, err := project.Open([]string{e.Dir}, e.Options()).Models().Scribe(nil, "")
	if err != nil {
		return nil
	}
	waiting, err := scribe.Drafts(opts)
	if err != nil {
		return nil
	}
	for _, d := range waiting {
		ids = append(ids, d.ID)
	}
	return ids
}

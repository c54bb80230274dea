package project

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// ownEngine is the engine of Sentinel's own rules and the user's. It judges by
// the user's configuration, so that no repository can switch these rules off.
func (p *Project) ownEngine(user *Folder) (sentinel.Engine, error) {
	rules, problems := rule.Build(ownRules(&p.opts), &rule.Options{Fold: foldsCase()})
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return newEngine(user, append(rules, user.Rules...), &p.opts)
}

// ownCommands is true for commands that change what is guarded or trusted, and
// not for those that only look. They are for the person.
const ownCommands = `
any(commands, {
  let words = .operands;
  .program == "sentinel" and len(words) > 0 and not hasFlag(#, "--dry-run", "--help", "-h") and (
    words[0] in ["promote", "dismiss", "trust", "untrust", "uninstall", "init", "allow", "pause"]
    or words[0] == "config" and len(words) > 1 and words[1] == "set"
    or words[0] == "rules" and len(words) > 1 and words[1] == "promote"
  )
})
or len(commands) == 0 and command matches ` + "`" + `(?i)\bsentinel(\.exe)?["']?\s+(promote|dismiss|trust|untrust|uninstall|init|allow|pause|config\s+set|rules\s+promote)\b` + "`" + `
`

// ownRules hold wherever Sentinel is at work: an agent must not take its own
// guard down. They ask a person and need no model.
func ownRules(o *Options) []rule.File {
	const source = "(built in)"
	files := []rule.File{{Path: source, Definition: rule.Definition{
		ID: "sentinel:own-commands", Trigger: string(sentinel.Bash), Severity: "ask", Backend: sentinel.Builtin,
		Scope: []string{"sentinel *", "sentinel.exe *", "*sentinel*"}, When: ownCommands,
		Message: "This command changes what Sentinel guards or trusts, which is for the user to decide. Tell the user what you would run and why, or wait for their approval.",
	}}}
	var scope []string
	for _, dir := range []string{o.CacheDir, o.StateDir, o.UserDir} {
		if filepath.IsAbs(dir) {
			scope = append(scope, filepath.ToSlash(filepath.Clean(dir))+"/**")
		}
	}
	if len(scope) > 0 {
		files = append(files, rule.File{Path: source, Definition: rule.Definition{
			ID: "sentinel:own-files", Trigger: string(sentinel.FileWrite), Severity: "ask", Backend: sentinel.Builtin, When: "true",
			Scope:   scope,
			Message: "{{file_path}} belongs to Sentinel itself. Ask the user to change it, or to approve it.",
		}})
	}
	return files
}

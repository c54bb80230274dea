package rule

import (
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// unshowing are programs that read a file and do not print it, or print the lines alone that are
// looked for, as a search tool does.
const unshowing = " wc cksum md5 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum cmp cp mv ln install rsync scp" +
	" grep egrep fgrep zgrep rg ag ack ugrep git test stat file du touch chmod tar zip gzip bzip2 xz zstd gpg curl wget "

// shows reports whether an agent sees what a command reads of a file: neither a script that it runs,
// nor what it prints to another file.
func shows(c *shell.Command, path string) bool {
	if strings.Contains(unshowing, " "+c.Program+" ") || c.Script == path || c.Inert {
		return false
	}
	for _, r := range c.Redirects {
		if strings.HasPrefix(strings.TrimLeft(r, "1&"), ">") {
			return false
		}
	}
	return true
}

// hidden are the files that lines read and do not show, as actions have them.
func hidden(actions []sentinel.Action) map[string]bool {
	all := map[string]bool{}
	for i := range actions {
		a := &actions[i]
		if a.Trigger != sentinel.Bash || a.Carrier != "" {
			continue
		}
		line := parsed(a)
		for j := range line.Effects {
			e := &line.Effects[j]
			if e.Kind != shell.EffectRead || e.Path == "" || e.Command >= len(line.Commands) {
				continue
			}
			name := fromRoot(a, e, e.Path)
			before, seen := all[name]
			all[name] = (before || !seen) && !shows(&line.Commands[e.Command], e.Path)
		}
	}
	return all
}

// readsFile reports whether an action shows the agent a file: for certain, or as one of those that
// a pattern of the line names.
func readsFile(a *sentinel.Action, hidden map[string]bool) bool {
	return !hidden[a.Path] && (a.Certain || a.DerivedFrom != "" && isPattern(a.Path) && !strings.Contains(a.Path, "**"))
}

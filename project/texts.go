package project

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
)

// What a rule says reaches the agent, which takes it for more than a file that it
// reads. The texts of the project that the agent was started in are given. Those of
// a folder that a call only leads to, such as a clone inside that project, wait for
// trust: such a rule stops what it stopped, in Sentinel's own words.

// visited reports whether calls only lead to a folder: the agent was not started
// there. Where no agent says where it was started, a folder inside of another
// project counts as one.
func (p *Project) visited(f *Folder) bool {
	switch {
	case f.User || p.opts.ConfigDir != "":
		return false
	case !slices.Contains(p.Folders, f):
		return true // found by the paths of a call
	}
	root, tree := safefile.Resolve(f.Root), safefile.Resolve(f.at())
	if len(p.roots) > 0 {
		return !slices.ContainsFunc(p.roots, func(dir string) bool {
			dir = safefile.Resolve(dir)
			return safefile.Within(dir, root) || safefile.Within(dir, tree)
		})
	}
	return slices.ContainsFunc(p.Folders, func(g *Folder) bool {
		return g != f && !g.User && safefile.Within(root, safefile.Resolve(g.Root))
	})
}

// silent reports whether the texts of a folder wait for trust.
func (p *Project) silent(f *Folder) bool {
	return p.visited(f) && !f.textsTrusted(p.opts.StateDir)
}

// textsDigest is of all that the folder's rules may say to the agent.
func (f *Folder) textsDigest() string {
	var all []string
	for _, r := range f.Rules() {
		s := r.Spec()
		all = append(all, fmt.Sprintf("%q %q %q", s.ID, s.Message, s.Prompt))
	}
	slices.Sort(all)
	return digest.Hex(strings.Join(all, "\n"))
}

// attribute names the file of each text of a decision, and takes out those that wait
// for trust.
func (p *Project) attribute(part *Part, d *sentinel.Decision) {
	if len(d.Findings) == 0 && d.Err == nil {
		return
	}
	silent := p.silent(part.Folder)
	if silent && d.Err != nil {
		d.Err, part.silent = unshownError{d.Err, p.opts.Program}, true
	}
	from := part.Folder.origins()
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Rule.Shadow || f.Verdict < sentinel.VerdictWarn && f.Advice == "" {
			continue // the agent does not hear of it
		}
		f.From = p.from(part.Folder, f.Rule.Source)
		from.correct(f, part.definition(f.Rule))
		if silent && !p.knows(f) {
			p.opts.hush(f)
			part.silent = true
		}
	}
}

// from names the file of a rule for the agent, whose paths start from the project that
// it was started in. "" means that the rule is not in a file.
func (p *Project) from(f *Folder, source string) string {
	if source == "" || strings.HasPrefix(source, "(") { // built in
		return ""
	}
	if f.User {
		return "the user's own " + below(f.Dir, source)
	}
	for _, g := range p.projects() {
		if p.visited(g) || g.Tree != "" {
			continue
		}
		if name := below(g.Root, source); name != source {
			return name
		}
	}
	return filepath.ToSlash(source)
}

// below is a path as it is written below a folder; one outside of it stays as it is.
func below(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && safefile.Within(path, dir) { // the path may end in :line
		return filepath.ToSlash(rel)
	}
	return path
}

// hush puts Sentinel's own words in the place of a text that waits for trust.
func (o *Options) hush(f *sentinel.Finding) {
	f.Message, f.Advice = "", ""
	f.Reason = "a rule of another project is against this. Its text is not shown before a person has read it and run `" + text.Command(o.Program, "trust") + "` in that project."
	if f.Outcome == sentinel.OutcomeUnavailable {
		f.Reason = "could not be judged"
	}
}

// knows reports whether a rule of the project that the agent was started in, or of the
// user, says the same: then the text is known, as in a worktree of the project. Words
// of a judge that the other project chose are taken out.
func (p *Project) knows(f *sentinel.Finding) bool {
	if f.Rule.Err != nil || f.Rule.Post || cmp.Or(f.Message, f.Advice) == "" {
		return false
	}
	for _, g := range p.Folders {
		if p.visited(g) {
			continue
		}
		for _, r := range g.Rules() {
			s := r.Spec()
			if s.ID == f.Rule.ID && s.Message == f.Rule.Message && s.Prompt == f.Rule.Prompt {
				f.Reason = cmp.Or(f.Message, f.Reason)
				return true
			}
		}
	}
	return false
}

// unshownError is why a folder could not judge an event, where what is wrong may quote
// texts that wait for trust.
type unshownError struct {
	error
	program string // of [Options]
}

func (e unshownError) Error() string {
	return "the rules of another project could not judge it; `" + text.Command(e.program, "doctor") + "` in that project says why"
}

func (e unshownError) Unwrap() error { return e.error }

// maxShownPath bounds a path of a repository in a sentence of ours, in characters.
const maxShownPath = 200

// quoted shows a path or a name of a repository as one.
func quoted(name string) string { return strconv.Quote(text.Cut(text.OneLine(name), maxShownPath)) }

// adviceRepeat is how long an info rule does not repeat the same text. A warning
// is not repeated in the whole session.
const adviceRepeat = 30 * time.Second

// given reports whether a text of a rule was given to a session already, and
// remembers it; nil if nothing can be kept.
func (o *Options) given(session string) func(*sentinel.RuleSpec, string) bool {
	if o.StateDir == "" || o.NoLog {
		return nil
	}
	store := state.GivenIn(o.StateDir, o.Now)
	return func(r *sentinel.RuleSpec, text string) bool {
		within := time.Duration(0)
		if r.Severity == sentinel.SeverityInfo {
			within = adviceRepeat
		}
		return store.Repeated(session, r.ID, text, within)
	}
}

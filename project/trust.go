package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/judge"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// A cloned repository brings its configuration along. Until the user trusts it,
// what it says may not send prompts, content or commands to another machine, nor
// have a file written outside of the project, nor cost money. Trust pins the
// configuration as it is, and the judges and models that its rules name: a rule that
// is added later and names another judge would send content somewhere else, or cost
// money. A changed configuration has to be trusted again. So have changed texts of
// the rules, where texts wait for trust (see [Project.attribute]).

// trustPath is where the trust in a folder is kept.
func trustPath(stateDir, dir string) string {
	return filepath.Join(stateDir, "trust", digest.Hex(safefile.Resolve(dir)))
}

// pin is a digest of everything that trust covers.
func (f *Folder) pin() string {
	named := f.named()
	if len(named) == 0 {
		return f.digest
	}
	return digest.Hex(f.digest + "\n" + strings.Join(named, "\n"))
}

// named are the judges and models that the rules name by themselves, each
// combination once. Names are quoted: they are text of the repository.
func (f *Folder) named() []string {
	var all []string
	for _, r := range f.Rules() {
		s := r.Spec()
		if s.Backend == "" && s.Model == "" && len(s.Fallback) == 0 {
			continue
		}
		all = append(all, fmt.Sprintf("%q %q %q", s.Backend, s.Model, s.Fallback))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Trust pins the folder's configuration as it was read, the judges and models
// that its rules name, and their texts, in the user's own state folder. A folder without a
// configuration is trusted as one that has an empty one.
func (f *Folder) Trust(stateDir string) error {
	if f.digest == "" {
		return fmt.Errorf("project: %s cannot be read, so there is nothing to trust", ConfigFile(f.Dir))
	}
	if stateDir == "" {
		return errors.New("project: there is no folder to keep trust in; set HOME or XDG_STATE_HOME")
	}
	return pinTrust(stateDir, f.Dir, f.pin()+"\n"+f.textsDigest())
}

// pinTrust keeps, sealed, what the user trusts of a folder.
func pinTrust(stateDir, dir, pin string) error {
	key, err := state.Key(stateDir)
	if err != nil {
		return fmt.Errorf("project: trust cannot be sealed: %w", err)
	}
	return trustSeal(key).Write(trustPath(stateDir, dir), []byte(pin))
}

// KeepTrust pins the configuration as the user has just changed it, if it was trusted
// before. was is the folder as it was then.
func (f *Folder) KeepTrust(stateDir string, was *Folder) error {
	if f.User || f.digest == "" || !was.Trusted(stateDir) || was.Dir != f.Dir {
		return nil
	}
	_, texts := was.pinned(stateDir)
	return pinTrust(stateDir, f.Dir, f.pin()+"\n"+texts)
}

// Untrust withdraws the trust in a folder. Without trust it does nothing.
func (f *Folder) Untrust(stateDir string) error {
	err := safefile.Remove(trustPath(stateDir, f.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Trusted reports whether the user trusts the folder's configuration as it is
// now, with the judges and models that its rules name. The user's own folder needs
// no trust.
func (f *Folder) Trusted(stateDir string) bool {
	if f.User {
		return true
	}
	if stateDir == "" || f.digest == "" {
		return false
	}
	configuration, _ := f.pinned(stateDir)
	return configuration != "" && configuration == f.pin()
}

// textsTrusted reports whether the user trusts what the folder's rules say, as they
// are now. It matters for a folder that calls only lead to.
func (f *Folder) textsTrusted(stateDir string) bool {
	if f.User {
		return true
	}
	_, texts := f.pinned(stateDir)
	return texts != "" && texts == f.textsDigest()
}

// pinned are the digests that trust in the folder has; "" for none.
func (f *Folder) pinned(stateDir string) (configuration, texts string) {
	if stateDir == "" {
		return "", ""
	}
	key, _ := state.Key(stateDir) // without one nothing verifies
	data, err := trustSeal(key).Read(trustPath(stateDir, f.Dir))
	if f.main != "" && errors.Is(err, fs.ErrNotExist) { // a working tree that says the same is trusted as well
		data, err = trustSeal(key).Read(trustPath(stateDir, folderOf(f.main)))
	}
	if f.unsealed != nil {
		f.unsealed("the trust in "+f.Dir, err)
	}
	if err != nil {
		return "", ""
	}
	configuration, texts, _ = strings.Cut(string(data), "\n")
	return configuration, texts
}

// trustSeal seals what the user trusts: another program cannot trust a folder by a file.
func trustSeal(key []byte) state.Sealed { return state.NewSealed(key, "trust 1") }

// mayAsk says whether prompts may go to a server that the folder's configuration
// names. A server on this machine needs no trust.
func (f *Folder) mayAsk(server *url.URL, o *Options) error {
	if judge.Loopback(server.Hostname()) || f.Trusted(o.StateDir) {
		return nil
	}
	return fmt.Errorf("%w: prompts would go to the server %s, and %s is not trusted; read its configuration and rules, then run `%s`",
		sentinel.ErrRefused, server.Host, f.Dir, text.Command(o.Program, "trust"))
}

// mayRun says whether a program that the folder's configuration names may run.
func (f *Folder) mayRun(o *Options) error {
	if f.Trusted(o.StateDir) {
		return nil
	}
	return fmt.Errorf("%w: %s names a program as judge, and its configuration is not trusted; read it, then run `%s`",
		sentinel.ErrRefused, ConfigFile(f.Dir), text.Command(o.Program, "trust"))
}

// logFile is the absolute path of the folder's log, "" when it has none.
func (f *Folder) logFile(o *Options) (string, error) {
	if f.Config.LogFile == "" {
		return "", nil
	}
	base := f.logBase()
	path := filepath.FromSlash(f.Config.LogFile)
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	if why := unfitLog(safefile.Resolve(path), safefile.Resolve(base)); why != "" && !f.Trusted(o.StateDir) {
		return "", judge.NotTrusted(o.Program, fmt.Sprintf("`log_file` %s %s", path, why))
	}
	return path, nil
}

// unfitLog says why a log file is not one that a cloned repository may name:
// lines are appended to it, which would harm any other file.
func unfitLog(path, base string) string {
	rel, err := filepath.Rel(base, path)
	ext := strings.ToLower(filepath.Ext(path))
	switch {
	case err != nil || !safefile.Within(path, base):
		return "lies outside of " + base
	case ext != ".log" && ext != ".jsonl":
		return "does not end in .log or .jsonl"
	case slices.Contains(strings.Split(filepath.ToSlash(strings.ToLower(rel)), "/"), ".git"):
		return "lies in .git"
	}
	return ""
}

// untrusted lists the settings that have no effect until the folder is trusted.
func (p *Project) untrusted(f *Folder) []rule.Problem {
	if f.User {
		return nil
	}
	at := f.place()
	var problems []rule.Problem
	for _, err := range p.Inspect().Refused(f) {
		pr := problemOf(at, ConfigFile(f.Dir), err)
		pr.Warning = true
		problems = append(problems, pr)
	}
	return problems
}

// logBase is the folder that a log lies in: of a working tree that of the main checkout,
// which stays when the working tree is removed.
func (f *Folder) logBase() string { return cmp.Or(f.main, f.base()) }

// base is the folder that the configuration's relative paths start from.
func (f *Folder) base() string {
	if f.User {
		return f.Dir
	}
	return f.Root
}

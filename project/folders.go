package project

import (
	"path"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
)

// Nearest is the folder of the project that the first start lies in; the user's
// own where there is no project; nil without either.
func (p *Project) Nearest() *Folder {
	if f := p.nearest(); f != nil {
		return f
	}
	if len(p.Folders) > 0 {
		return p.Folders[0]
	}
	return nil
}

// nearest is the first folder that is not the user's own, or nil.
func (p *Project) nearest() *Folder {
	for _, f := range p.Folders {
		if !f.User {
			return f
		}
	}
	return nil
}

// user is the user's own folder, or an empty one with the defaults.
func (p *Project) user() *Folder {
	f := p.matchingUser()
	f.complete()
	return f
}

// matchingUser is user, with no more of a configuration than matching needs.
func (p *Project) matchingUser() *Folder {
	if len(p.Folders) > 0 && p.Folders[0].User {
		return p.Folders[0]
	}
	return &Folder{User: true, Config: config.Tools(), bare: true}
}

// complete gives a folder the whole of the default configuration.
func (f *Folder) complete() {
	if f.bare {
		f.Config, f.bare = config.Default(), false
	}
}

// projects are the folders that are not the user's own.
func (p *Project) projects() []*Folder {
	var fs []*Folder
	for _, f := range p.Folders {
		if !f.User {
			fs = append(fs, f)
		}
	}
	return fs
}

// further loads the folders of the paths that actions touch, where they are not
// known yet: at and above each path, and at those below what is removed.
func (p *Project) further(views []view) []*Folder {
	var starts []string
	for _, v := range views {
		for i := range v.actions {
			starts = append(starts, touched(&v.actions[i])...)
		}
	}
	if len(starts) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, f := range p.Folders {
		known[f.real] = true
	}
	var fs []*Folder
	for _, at := range findUpward(starts) {
		if !known[at.real] && !at.ofDependency(true) {
			fs = append(fs, load(at, &p.opts))
		}
	}
	return fs
}

// touched are the folders at which an action may meet rules.
func touched(a *sentinel.Action) []string {
	if a.Trigger != sentinel.FileWrite && a.Trigger != sentinel.FileRead {
		return nil
	}
	abs := func(form string) string {
		form = filepath.FromSlash(form)
		if filepath.IsAbs(form) {
			return form
		}
		return filepath.Join(a.Root, form)
	}
	at := []string{abs(a.Path)}
	if a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove {
		for _, form := range a.Forms {
			if path.Base(form) == ".claude" {
				at = append(at, filepath.Dir(abs(form)))
			}
		}
	}
	return at
}

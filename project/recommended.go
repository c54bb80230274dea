package project

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

// Recommended is a project at root that has nothing but the recommended rules that
// are built into the program, judged without a model. It serves where no folder of
// rules applies.
func Recommended(root string, opts *Options) *Project {
	p := newProject(opts)
	f := &Folder{Root: root, Config: config.Default()}
	f.Config.Backend = sentinel.Builtin
	embedded, err := packs.Files(packs.Recommended)
	if err != nil {
		p.opts.Logger.Error("sentinel: the recommended rules", "error", err) // they are part of the program: a test holds it
	}
	var files []rule.File
	for _, e := range embedded {
		files = append(files, rule.Parse(e.Name, e.Data))
	}
	f.rules = buildRules(files, &rule.Options{CaseFold: foldsCase(), Backend: f.Config.Backend})
	p.Folders = []*Folder{f}
	return p
}

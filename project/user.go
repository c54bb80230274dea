package project

// OpenUser opens the user's own folder, and no project's: for questions about
// what belongs to somebody else, such as an audit, in which no repository's
// configuration is to have a say. Without a file there everything has its default.
// Options.ConfigDir, which the user names, counts as it does in [Open].
func OpenUser(opts *Options) *Project {
	p := Open(nil, opts)
	if len(p.Folders) == 0 {
		f := p.user()
		f.Dir = p.opts.UserDir
		p.Folders = []*Folder{f}
	}
	return p
}

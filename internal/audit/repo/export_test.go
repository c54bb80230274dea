package repo

// Files returns the entries of the commit's tree.
func (r *Repository) Files() []File { return r.files }

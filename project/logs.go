package project

// A FolderLog is the log that a folder's configuration names.
type FolderLog struct {
	Folder *Folder
	Path   string // absolute
}

// Logs are the logs of all folders that apply, each once and in the order of
// p.Folders. The errors say why one is left out: a configuration that is not
// trusted names a file that it may not.
func (p *Project) Logs() (logs []FolderLog, refused []error) {
	seen := map[string]bool{}
	for _, f := range p.Folders {
		path, err := f.logFile(p.opts.StateDir)
		switch {
		case err != nil:
			refused = append(refused, err)
		case path != "" && !seen[resolve(path)]:
			seen[resolve(path)] = true
			logs = append(logs, FolderLog{f, path})
		}
	}
	return logs, refused
}

package auditcli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// runFolder keeps the evidence and opinions of a run. A folder that the user named
// stays; another one stays only when the run is incomplete.
type runFolder struct {
	dir        string // "" keeps nothing
	named      bool   // by the user
	incomplete bool   // opinions are missing, or a report
}

// runFolderAge is the age at which an unused folder is removed.
const runFolderAge = 30 * 24 * time.Hour

// openRunFolder makes the folder of a run. Facts alone are kept only in a named
// folder: they are found quickly. A named folder must not be in an audited
// repository (relative to dir), because a committed file there would be an opinion
// of a judge.
func openRunFolder(f *auditFlags, dir string, repos []string, cacheDir string, now time.Time) (runFolder, error) {
	switch {
	case f.resume != "" && slices.ContainsFunc(repos, func(r string) bool { return within(dir, f.resume, r) }):
		return runFolder{}, fmt.Errorf("--resume names %s, which belongs to what is audited: name a folder outside of it", f.resume)
	case f.resume != "":
		return runFolder{dir: f.resume, named: true}, os.MkdirAll(f.resume, 0o700)
	case f.facts || cacheDir == "":
		return runFolder{}, nil
	}
	all := filepath.Join(cacheDir, "audits")
	if err := os.MkdirAll(all, 0o700); err != nil {
		return runFolder{}, err
	}
	removeOld(all, now)
	made, err := os.MkdirTemp(all, now.UTC().Format("20060102-150405-"))
	return runFolder{dir: made}, err
}

func removeOld(all string, now time.Time) {
	entries, err := os.ReadDir(all)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && now.Sub(info.ModTime()) > runFolderAge {
			os.RemoveAll(filepath.Join(all, e.Name()))
		}
	}
}

// took notes the result of a case: its folder is needed while opinions are missing,
// and when the report is lost.
func (f *runFolder) took(r *audit.Record, lost bool) {
	f.incomplete = f.incomplete || lost || missing(r)
}

func (f *runFolder) finish() {
	if f.dir != "" && !f.named && !f.incomplete {
		os.RemoveAll(f.dir)
	}
}

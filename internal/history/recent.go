package history

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// Bounds of a look at what was and is, for a person who waits.
const (
	maxRecent  = 20 // sessions
	recentWait = 5 * time.Second
	maxContent = 256 << 10 // of one file
	maxRead    = 64 << 20  // of all files
)

// Recent judges the latest sessions of the project of dir, without a model, by the rules
// that apply there and by drafts in addition. ok is false without a session, or
// without enough time. bar shows how far it is with so many sessions.
func Recent(ctx context.Context, dir string, o *project.Options, drafts []rule.File, bar func(total int) *progress.Line) (report replay.Report, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, recentWait)
	defer cancel()
	past, err := Load(dir, o, drafts)
	if err != nil {
		return report, false
	}
	paths, err := past.Transcripts(ctx, o, nil)
	paths = newest(paths)
	if err != nil || len(paths) == 0 {
		return report, false
	}
	paths = paths[:min(len(paths), maxRecent)]
	r, err := Run(ctx, past.Opts, paths, bar(len(paths)))
	if err != nil {
		return report, false
	}
	return r.Report(), true
}

// Against are the files of a project that a rule would object to if they were written as
// they are now, of those that Files lists. Large files are left out.
func Against(ctx context.Context, r *rule.Rule, files []sentinel.Action, root string) (found []string) {
	left := maxRead
	for i := range files {
		a := files[i]
		a.Op = sentinel.OpCreate
		m := r.Match(&a)
		if !m.OK || left <= 0 || ctx.Err() != nil {
			continue
		}
		data, err := safefile.ReadNoFollow(filepath.Join(root, filepath.FromSlash(a.Path)), maxContent)
		if err != nil {
			continue
		}
		left -= len(data)
		if a.Content = string(data); slices.Contains(data, 0) {
			continue
		}
		if bad, err := r.When(ctx, &a, m); err == nil && bad {
			found = append(found, a.Path)
		}
	}
	return found
}

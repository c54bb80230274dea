package trial

import (
	"context"
	"errors"
	"strconv"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/repo"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/digest"
)

// repoFindings are the results of the RepoInvestigator.
type repoFindings struct {
	repository *repo.Repository // nil without one
	name       string           // of a repository that could not be cloned
	rubric     *rubric.Rubric   // never nil
	evidence   []audit.Evidence
	failures   []audit.Failure
	lost       error // why it cannot be had
}

func (f *repoFindings) close() {
	if f.repository != nil {
		_ = f.repository.Close() // a temporary folder
	}
}

// repository clones the repository, chooses the rubric if none is given, and investigates.
func (t *trial) repository(ctx context.Context, chosen chan<- *rubric.Rubric) repoFindings {
	f := repoFindings{rubric: t.Rubric}
	missing := gap{audit.SourceRepo, audit.NotApplicable, "there is no repository"}
	if t.Repo != "" {
		var err error
		f.repository, err = guarded(func() (*repo.Repository, error) { return t.clone(ctx) })
		if err != nil {
			f.name, f.lost = target(err), err
			f.failures = append(f.failures, audit.Failure{Stage: StageClone, Err: err.Error()})
			missing = gap{audit.SourceRepo, audit.Error, err.Error()}
		}
	}
	if f.rubric == nil {
		f.rubric = choose(f.repository)
	}
	chosen <- f.rubric
	if f.repository == nil {
		f.evidence = gaps(f.rubric, ofRepo, missing)
		return f
	}
	subject := f.repository.Subject()
	key := digest.HexList(t.Program, subject.Commit, strconv.Itoa(subject.Dirty), fingerprint(f.rubric))
	found := t.remembered(ctx, detective{StageRepo, audit.SourceRepo, ofRepo}, f.rubric, key, func() []audit.Evidence {
		return repo.Investigate(ctx, f.repository, f.rubric, &repo.Options{Progress: func(step string, done, total int) {
			t.progress(Progress{Stage: StageRepo, Doing: step, Done: done, Total: total})
		}})
	})
	f.evidence, f.failures = found.evidence, append(f.failures, found.failures...)
	return f
}

func (t *trial) clone(ctx context.Context) (*repo.Repository, error) {
	return repo.Clone(ctx, t.Repo, &repo.CloneOptions{
		AllowPrivate: t.AllowPrivate, NoFsck: t.NoFsck, Base: t.Base,
		Progress: func(step string) { t.progress(Progress{Stage: StageClone, Doing: step}) },
	})
}

// target returns the address that could not be cloned, without credentials.
func target(err error) string {
	var failed *repo.CloneError
	if errors.As(err, &failed) {
		return failed.Target
	}
	return "a repository"
}

// choose returns the embedded rubric for the repository's languages, and the
// general one without a repository.
func choose(r *repo.Repository) *rubric.Rubric {
	if r == nil {
		return rubric.Choose(nil)
	}
	return rubric.Choose(r.Written())
}

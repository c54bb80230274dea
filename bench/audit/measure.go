package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/audit/repo"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// spent is what something took: on the clock, and of the processors, with that of the
// processes that it started.
type spent struct{ clock, work time.Duration }

func (s spent) plus(t spent) spent { return spent{s.clock + t.clock, s.work + t.work} }

// timed measures.
func timed(do func() error) (spent, error) {
	before, start := work(), time.Now()
	err := do()
	return spent{time.Since(start), work() - before}, err
}

// measure times the facts and what they cannot do without, in turns, and prints the
// median of each, and of the ratios of each round.
func measure(ctx context.Context, repository string, rounds int, name string) error {
	rb, err := rubric.Embedded(name)
	if err != nil {
		return err
	}
	var facts, clone, bare, parse, ratio, workRatio []float64
	for range rounds {
		c, f, err := timeFacts(ctx, repository, rb)
		if err != nil {
			return err
		}
		g, err := timeGit(ctx, repository)
		if err != nil {
			return err
		}
		p, err := timeParsing(ctx, repository, rb)
		if err != nil {
			return err
		}
		all, least := c.plus(f), g.plus(p)
		clone, facts = append(clone, c.clock.Seconds()), append(facts, all.clock.Seconds())
		bare, parse = append(bare, g.clock.Seconds()), append(parse, p.clock.Seconds())
		ratio = append(ratio, all.clock.Seconds()/least.clock.Seconds())
		workRatio = append(workRatio, all.work.Seconds()/least.work.Seconds())
	}
	fmt.Printf("rubric                %8s   medians of %d rounds\n", name, rounds)
	fmt.Printf("facts                 %8.2f s   of them the clone %.2f s\n", median(facts), median(clone))
	fmt.Printf("bare git commands     %8.2f s\n", median(bare))
	fmt.Printf("parsing alone         %8.2f s\n", median(parse))
	fmt.Printf("facts / (git + parse) %8.2f     of processor time %.2f\n", median(ratio), median(workRatio))
	fmt.Printf("memory                %8.0f MB\n", memory())
	return nil
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// timeFacts is the thing itself.
func timeFacts(ctx context.Context, repository string, rb *rubric.Rubric) (clone, facts spent, err error) {
	var r *repo.Repository
	clone, err = timed(func() (err error) { r, err = repo.Clone(ctx, repository, nil); return err })
	if err != nil {
		return clone, facts, err
	}
	facts, err = timed(func() error {
		repo.Investigate(ctx, r, rb, nil)
		return r.Close() // its git has ended, and its work is counted
	})
	return clone, facts, err
}

// timeGit runs the git commands that the facts need, one after the other but for
// the two readings of the history, which the facts read side by side as well.
func timeGit(ctx context.Context, repository string) (spent, error) {
	dir, err := os.MkdirTemp("", "bench-audit-")
	if err != nil {
		return spent{}, err
	}
	defer os.RemoveAll(dir)
	return timed(func() error { return bareGit(ctx, repository, filepath.Join(dir, "clone.git")) })
}

func bareGit(ctx context.Context, repository, clone string) error {
	if _, err := git(ctx, nil, "-c", "transfer.fsckObjects=true", "clone", "--quiet", "--bare", "--no-local", "--single-branch", "--no-tags", "--", repository, clone); err != nil {
		return err
	}
	tree, err := git(ctx, nil, "--git-dir="+clone, "ls-tree", "-r", "-l", "HEAD")
	if err != nil {
		return err
	}
	var hashes bytes.Buffer
	for line := range strings.Lines(string(tree)) {
		hashes.WriteString(strings.Fields(line)[2] + "\n")
	}
	var side errgroup.Group
	for _, args := range [][]string{{"--format=%H%x00%an%x00%B"}, {"--raw", "--numstat", "--no-merges", "--find-renames", "-l200", "--format=%H"}} {
		side.Go(func() error {
			_, err := git(ctx, nil, append([]string{"--git-dir=" + clone, "log", "-z"}, args...)...)
			return err
		})
	}
	side.Go(func() error {
		_, err := git(ctx, &hashes, "--git-dir="+clone, "cat-file", "--batch")
		return err
	})
	return side.Wait()
}

func git(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stdin = in
	return cmd.Output()
}

// timeParsing parses each file with a text that a query requires, once for
// all queries on it, and no others.
func timeParsing(ctx context.Context, repository string, rb *rubric.Rubric) (spent, error) {
	r, err := repo.Clone(ctx, repository, nil)
	if err != nil {
		return spent{}, err
	}
	defer r.Close()
	var queries []*syntax.Query
	for i := range rb.Probes {
		if rb.Probes[i].Type != rubric.TypeAST {
			continue
		}
		query, err := syntax.Compile(&rb.Probes[i])
		if err != nil {
			return spent{}, err
		}
		queries = append(queries, query)
	}
	files, err := codeFiles(ctx, r)
	if err != nil {
		return spent{}, err
	}
	return timed(func() error {
		var side errgroup.Group
		side.SetLimit(2)
		for _, f := range files {
			side.Go(func() error { return ask(ctx, queries, f) })
		}
		return side.Wait()
	})
}

// codeFiles reads all files that can be parsed.
func codeFiles(ctx context.Context, r *repo.Repository) ([]syntax.File, error) {
	var files []syntax.File
	for _, path := range r.Paths() {
		lang := syntax.Language(path)
		if lang == "" {
			continue
		}
		content, err := r.Read(ctx, path)
		if errors.Is(err, repo.ErrNotAvailable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, syntax.File{Path: path, Lang: lang, Source: content})
	}
	return files, nil
}

// ask has the queries that can match answered on one file.
func ask(ctx context.Context, queries []*syntax.Query, f syntax.File) error {
	var memo syntax.Memo
	defer memo.Close()
	f.Memo = &memo
	for _, q := range queries {
		literals := q.Literals()
		stands := func(l string) bool { return bytes.Contains(f.Source, []byte(l)) }
		if !slices.Contains(q.Languages(), f.Lang) || literals != nil && !slices.ContainsFunc(literals, stands) {
			continue
		}
		if err := q.Find(ctx, f).Err; err != nil {
			return err
		}
	}
	return nil
}

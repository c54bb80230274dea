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

// measure times the facts and what they cannot do without, in turns, and prints the
// least of each.
func measure(ctx context.Context, repository string, rounds int, name string) error {
	rb, err := rubric.Embedded(name)
	if err != nil {
		return err
	}
	var facts, clone, bare, parse []time.Duration
	for range rounds {
		c, f, err := timeFacts(ctx, repository, rb)
		if err != nil {
			return err
		}
		clone, facts = append(clone, c), append(facts, c+f)
		g, err := timeGit(ctx, repository)
		if err != nil {
			return err
		}
		bare = append(bare, g)
		p, err := timeParsing(ctx, repository, rb)
		if err != nil {
			return err
		}
		parse = append(parse, p)
	}
	f, g, p := slices.Min(facts), slices.Min(bare), slices.Min(parse)
	fmt.Printf("rubric                %8s\n", name)
	fmt.Printf("facts                 %8.2f s   of them the clone %.2f s\n", f.Seconds(), slices.Min(clone).Seconds())
	fmt.Printf("bare git commands     %8.2f s\n", g.Seconds())
	fmt.Printf("parsing alone         %8.2f s\n", p.Seconds())
	fmt.Printf("facts / (git + parse) %8.2f\n", f.Seconds()/(g+p).Seconds())
	fmt.Printf("memory                %8.0f MB\n", memory())
	return nil
}

// timeFacts is the thing itself.
func timeFacts(ctx context.Context, repository string, rb *rubric.Rubric) (clone, facts time.Duration, err error) {
	start := time.Now()
	r, err := repo.Clone(ctx, repository, nil)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	clone = time.Since(start)
	start = time.Now()
	repo.Investigate(ctx, r, rb, nil)
	return clone, time.Since(start), nil
}

// timeGit runs the git commands that the facts need, one after the other but for
// the two readings of the history, which the facts read side by side as well.
func timeGit(ctx context.Context, repository string) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "bench-audit-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	clone := filepath.Join(dir, "clone.git")
	start := time.Now()
	if _, err := git(ctx, nil, "-c", "transfer.fsckObjects=true", "clone", "--quiet", "--bare", "--no-local", "--single-branch", "--no-tags", "--", repository, clone); err != nil {
		return 0, err
	}
	tree, err := git(ctx, nil, "--git-dir="+clone, "ls-tree", "-r", "-l", "HEAD")
	if err != nil {
		return 0, err
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
	err = side.Wait()
	return time.Since(start), err
}

func git(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stdin = in
	return cmd.Output()
}

// timeParsing parses each file in which a text stands that a query requires, once for
// all queries on it, and no others.
func timeParsing(ctx context.Context, repository string, rb *rubric.Rubric) (time.Duration, error) {
	r, err := repo.Clone(ctx, repository, nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var queries []*syntax.Query
	for i := range rb.Probes {
		if rb.Probes[i].Type != rubric.TypeAST {
			continue
		}
		query, err := syntax.Compile(&rb.Probes[i])
		if err != nil {
			return 0, err
		}
		queries = append(queries, query)
	}
	files, err := codeFiles(ctx, r)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	var side errgroup.Group
	side.SetLimit(2)
	for _, f := range files {
		side.Go(func() error { return ask(ctx, queries, f) })
	}
	err = side.Wait()
	return time.Since(start), err
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

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/audit/repo"
	"github.com/agentsentinel/sentinel/audit/rubric"
	"github.com/agentsentinel/sentinel/audit/syntax"
)

// probes ask for a figure of every kind that is read from all files.
const probes = `
rubric_metadata: {rubric_name: bench, version: 4.0.0}
probes:
  - {id: history, type: git, expect: {commit_count: {min: 4}}}
  - {id: license, type: file, any: ["LICENSE*"]}
  - {id: install, type: text, files: {include: ["**/*.md"]}, regex: "(?im)^##? .*install"}
  - {id: secrets, type: secret, scope: tree}
  - {id: manifests, type: manifest}
  - {id: tests, type: ratio, num: {files: ["**/*_test.go", "**/test_*.py"]}, den: {files: ["**/*.{go,py,ts}"]}}
  - {id: go.exec, type: ast, lang: go, call: exec.Command}
  - {id: py.system, type: ast, lang: python, call: os.system}
  - {id: graph, type: graph, lang: python}
dimensions:
  - {id: d, name: D, target_artifact: repo, evidence: [history, license, install, secrets, manifests, tests, go.exec, py.system, graph], levels: {1: bad, 5: good}}
`

// measure times the facts and what they cannot do without, in turns, and prints the
// least of each.
func measure(ctx context.Context, repository string, rounds int) error {
	rb, problems, err := rubric.Parse("bench.yaml", []byte(probes))
	if err != nil {
		return fmt.Errorf("%w %v", err, problems)
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
	for _, args := range [][]string{{"--format=%H%x00%an%x00%B"}, {"--numstat", "--no-merges", "--no-renames", "--format=%H"}} {
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

// timeParsing parses the files in which a literal of a query stands, and no others.
func timeParsing(ctx context.Context, repository string, rb *rubric.Rubric) (time.Duration, error) {
	r, err := repo.Clone(ctx, repository, nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	type job struct {
		query *syntax.Query
		file  syntax.File
	}
	var jobs []job
	for i := range rb.Probes {
		if rb.Probes[i].Type != rubric.TypeAST {
			continue
		}
		query, err := syntax.Compile(&rb.Probes[i])
		if err != nil {
			return 0, err
		}
		for _, path := range r.Paths() {
			if !slices.Contains(query.Languages(), syntax.Language(path)) {
				continue
			}
			content, err := r.Read(ctx, path)
			if err != nil {
				return 0, err
			}
			if slices.ContainsFunc(query.Literals(), func(l string) bool { return bytes.Contains(content, []byte(l)) }) {
				jobs = append(jobs, job{query, syntax.File{Path: path, Lang: syntax.Language(path), Source: content}})
			}
		}
	}
	start := time.Now()
	var side errgroup.Group
	side.SetLimit(2)
	for _, j := range jobs {
		side.Go(func() error { return j.query.Find(ctx, j.file).Err })
	}
	err = side.Wait()
	return time.Since(start), err
}

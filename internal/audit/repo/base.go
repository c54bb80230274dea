package repo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
)

// base moves the clone from HEAD to the commit where HEAD left options.Base, as a code
// host compares a proposed change. The revision is looked up in the clone: git
// reads only the folder's objects and refs.
func (c *cloning) base() error {
	if c.options.Base == "" {
		return nil
	}
	name := text.Name(c.options.Base)
	refuse := func(hint, format string, args ...any) error {
		return &CloneError{Reason: ReasonBase, Hint: hint, Err: fmt.Errorf(format, args...)}
	}
	if err := c.fetchRefs(); err != nil {
		return err
	}
	head, err := c.revision("HEAD")
	if err != nil {
		return refuse("commit first", "it has no commit")
	}
	given, err := c.revision(c.options.Base)
	cut := c.shallow || c.isShallow()
	switch {
	case err != nil && cut:
		return refuse(hintShallow, "there is no revision %s in it, and its history is cut", name)
	case err != nil:
		return refuse("give one branch, tag or commit; HEAD is compared with it", "there is no revision %s in it", name)
	}
	common, err := c.short("merge-base", given, head)
	at := strings.TrimSpace(string(common))
	switch {
	case c.ctx.Err() != nil:
		return err
	case err != nil && cut:
		return refuse(hintShallow, "HEAD and %s have no commit in common, and its history is cut", name)
	case err != nil:
		return refuse("give a revision that HEAD comes from", "HEAD and %s have no commit in common", name)
	case at == head:
		return refuse("give a revision before HEAD", "there is nothing to compare: HEAD has no commit that %s lacks", name)
	}
	_, err = c.short("update-ref", "--no-deref", "HEAD", at)
	return err
}

const hintShallow = "fetch the history: git fetch --unshallow, or fetch-depth: 0 in a workflow"

// fetchRefs fetches all branches and tags of the folder: BASE is often none that HEAD comes from.
func (c *cloning) fetchRefs() error {
	ctx, cancel := within(c.ctx, c.options.Timeout)
	defer cancel()
	protocol, settings, err := c.remote(ctx)
	if err != nil {
		return err
	}
	ctx, stop := watchSize(ctx, c.dir(), c.options.MaxBytes)
	defer stop()
	args := append(settings, "-c", c.checked(), "fetch", "--quiet", "--no-recurse-submodules", "--update-shallow", "origin")
	for _, refs := range []string{"heads", "remotes", "tags"} {
		args = append(args, "+refs/"+refs+"/*:refs/"+refs+"/*")
	}
	if _, err = c.git.run(ctx, protocol, args...); err == nil {
		err = checkSize(c.dir(), c.options.MaxBytes)
	}
	if err != nil {
		return c.adapted(classify(ctx, err))
	}
	return nil
}

// revision returns the hash of a commit in the clone.
func (c *cloning) revision(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", errors.New("no revision has a zero byte")
	}
	out, err := c.short("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	return strings.TrimSpace(string(out)), err
}

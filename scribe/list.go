package scribe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Drafts returns the drafts that wait for the user, in the order of their ids.
// Options.Dir has their folder. A broken draft is included, with its problems in
// File.Problems. A folder of drafts that is a link out of Dir is an error.
func Drafts(opts *Options) ([]Draft, error) { return opts.filled().drafts() }

func (o *Options) drafts() ([]Draft, error) {
	if _, err := os.Lstat(o.draftsDir()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := contained(o.draftsDir(), o.Dir); err != nil {
		return nil, err
	}
	return readDrafts(o.draftsDir())
}

// Try returns the results of a draft on its own cases, without a model: by its
// trigger, scope, exclude and when. A broken draft has no results.
func (d *Draft) Try(ctx context.Context, opts *Options) []CaseResult {
	o := opts.filled()
	if d.Broken() {
		return []CaseResult{}
	}
	r, _ := o.buildFile(d.File)
	return o.tryCases(ctx, r, &d.File)
}

// find returns the draft with an id. An id is never a path.
func (o *Options) find(id string) (*Draft, error) {
	if !validID(id) {
		return nil, fmt.Errorf("scribe: %q is not the id of a draft: ids are of small letters, digits and hyphens; `sentinel drafts` lists them", sentence(id, maxHint))
	}
	if err := contained(o.draftsDir(), o.Dir); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(o.draftsDir(), id+draftSuffix)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("scribe: there is no draft %q; `sentinel drafts` lists them", id)
	}
	d := readDraft(o.draftsDir(), id)
	return &d, nil
}

// DraftPath is the file of a draft, for editing it.
func DraftPath(id string, opts *Options) (string, error) {
	d, err := opts.filled().find(id)
	if err != nil {
		return "", err
	}
	return d.Path, nil
}

// countSeen writes into a draft how often its convention was observed. A draft
// that the user has rewritten is not changed.
func (r *run) countSeen(ctx context.Context, ob Observation) {
	if !validID(ob.Draft) || contained(r.draftsDir(), r.Dir) != nil {
		return
	}
	path := filepath.Join(r.draftsDir(), ob.Draft+draftSuffix)
	err := r.store.update(ctx, func(*book) ([]any, error) { // no process promotes it at the same time
		text, err := readRegular(path, maxDraft)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil // it was promoted or dismissed before
		}
		if next, ok := withSeen(text, ob.Seen); err == nil && ok {
			err = place(path, next, true)
		}
		return nil, err
	})
	if err != nil {
		r.Logger.Warn("scribe: a draft could not be updated", "draft", ob.Draft, "error", err)
	}
}

// withSeen is the text of a draft with a larger number of observations; ok is false if
// the text has no smaller number.
func withSeen(text []byte, seen int) (next []byte, ok bool) {
	const key = "\n  times_observed: "
	at := bytes.LastIndex(text, []byte(key))
	if at < 0 || at < bytes.LastIndex(text, []byte("\n_draft:")) {
		return nil, false
	}
	before, rest := text[:at+len(key)], text[at+len(key):]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	old, err := strconv.Atoi(string(bytes.TrimSpace(rest[:end])))
	if err != nil || old >= seen {
		return nil, false
	}
	return slices.Concat(before, []byte(strconv.Itoa(seen)), rest[end:]), true
}

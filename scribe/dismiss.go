package scribe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Dismiss removes a draft and records that its convention is not wanted: it is not
// proposed again, not even in other words. The draft of a rule that holds already is
// only removed. Other conventions about the same paths and
// commands still are.
func Dismiss(ctx context.Context, id string, opts *Options) (Draft, error) {
	o := opts.filled()
	d, err := o.find(id)
	if err != nil {
		return Draft{}, err
	}
	if err := o.openState(); err != nil {
		return Draft{}, err
	}
	s, now := OpenStore(o.stateDir()), o.Now().UTC()
	err = s.update(ctx, func(b *book) ([]any, error) {
		if err := d.unchanged(); err != nil { // it was promoted, for example
			return nil, err
		}
		if o.promoted(d) { // all that is missing is to take the draft away
			return b.decided(d, Promoted, now), safefile.Remove(d.Path)
		}
		// From here on the draft is dismissed, whatever happens to this process: who
		// comes next writes what is missing.
		gone := d.Path + dismissedSuffix
		if err := safefile.Patiently(func() error { return os.Rename(d.Path, gone) }); err != nil {
			return nil, fmt.Errorf("scribe: %w", err)
		}
		if err := s.noteDismissal(d, now); err != nil {
			return nil, errors.Join(err, os.Rename(gone, d.Path))
		}
		if err := safefile.Remove(gone); err != nil {
			return nil, fmt.Errorf("scribe: %w", err)
		}
		return append(o.finishDismissals(s, b), b.decided(d, Dismissed, now)...), nil
	})
	return *d, err
}

// dismissedSuffix is added to the name of a draft while it is dismissed.
const dismissedSuffix = ".dismissed"

// noteDismissal records that the convention of a draft is not wanted.
func (s *Store) noteDismissal(d *Draft, now time.Time) error {
	def := &d.File.Definition
	statement := d.Provenance.Statement
	if normal(statement) == "" { // written by hand: it has only its own words
		statement = sentence(def.Prompt+" "+def.Message+" "+def.When, maxStatement)
	}
	return appendLines(filepath.Join(s.dir, dismissedFile), []Dismissal{{
		ID: digestOf(normal(statement)), Time: now, Statement: sentence(statement, maxStatement),
		Draft: d.ID, Scope: def.Scope, Trigger: def.Trigger,
	}})
}

// finishDismissals completes what killed processes began: a note that is written twice
// means the same as once. The lines are about the drafts.
func (o *Options) finishDismissals(s *Store, b *book) (lines []any) {
	entries, err := os.ReadDir(o.draftsDir())
	if err != nil {
		return nil // a folder that is not there, or what asks for it next says why not
	}
	now := o.Now().UTC()
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), draftSuffix+dismissedSuffix)
		if !ok || !validID(id) {
			continue
		}
		path := filepath.Join(o.draftsDir(), e.Name())
		text, err := readRegular(path, maxDraft)
		d := parseDraft(id, path, text)
		if err == nil && s.noteDismissal(&d, now) != nil {
			continue // the next one tries it again
		}
		if safefile.Remove(path) == nil && err == nil {
			lines = append(lines, b.decided(&d, Dismissed, now)...)
		}
	}
	return lines
}

// promoted reports whether a draft is a rule already, by a process that was killed
// before it took the draft away.
func (o *Options) promoted(d *Draft) bool {
	text, err := withoutProvenance(d, o.Now())
	if err != nil {
		return false
	}
	body := text[len(comment(&d.Provenance, o.Now())):]
	rule, err := readRegular(filepath.Join(o.RulesDir, d.ID+".yaml"), maxDraft+int64(len(text)))
	if err != nil || !bytes.HasSuffix(rule, body) {
		return false
	}
	for line := range bytes.Lines(bytes.TrimSuffix(rule, body)) {
		if line[0] != '#' {
			return false
		}
	}
	return true
}

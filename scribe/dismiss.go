package scribe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Dismiss removes a draft and records that its convention is not wanted: it is not
// proposed again, not even in other words. Other conventions about the same paths and
// commands still are.
func Dismiss(ctx context.Context, id string, opts *Options) (Draft, error) {
	o := opts.filled()
	d, err := o.find(id)
	if err != nil {
		return Draft{}, err
	}
	if err := o.openState(true); err != nil {
		return Draft{}, err
	}
	def := &d.File.Definition
	statement := d.Provenance.Statement
	if normal(statement) == "" { // written by hand: it has only its own words
		statement = sentence(def.Prompt+" "+def.Message+" "+def.When, maxStatement)
	}
	s, now := OpenStore(o.stateDir()), o.Now().UTC()
	err = s.update(ctx, func(b *book) ([]any, error) {
		if err := d.unchanged(); err != nil { // it was promoted, for example
			return nil, err
		}
		dismissal := Dismissal{
			ID: digest(normal(statement)), Time: now, Statement: sentence(statement, maxStatement),
			Draft: d.ID, Scope: def.Scope, Trigger: def.Trigger,
		}
		if err := appendLines(filepath.Join(s.dir, dismissedFile), []Dismissal{dismissal}); err != nil {
			return nil, err
		}
		if err := os.Remove(d.Path); err != nil {
			return nil, fmt.Errorf("scribe: %w", err)
		}
		return b.decided(d, Dismissed, now), nil
	})
	return *d, err
}

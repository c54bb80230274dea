package project

import (
	"errors"
	"os"

	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/state"
)

// snapshot is the compiled form of the folder dir, nil if it has none that can be
// trusted: then the rules are read from their files.
func (o *Options) snapshot(path, dir string) *snapshot {
	s, err := readSnapshot(path, dir, o.fenceKey)
	o.unsealed("the compiled rules of "+dir, err)
	return s
}

// dropBodies drops a compiled file one of whose rules is not the one that its front
// describes: the next process writes it again. It is noted unless the file was replaced
// as a whole meanwhile, which another process of this program does.
func (o *Options) dropBodies(s *snapshot) {
	now, err := readSnapshot(s.path, s.dir, o.fenceKey)
	if err == nil && now != nil && now.table != s.table {
		return
	}
	os.Remove(s.path)
	o.unsealed("the compiled rules of "+s.dir, state.ErrSeal)
}

// unsealed notes that a file whose seal does not verify was left out, once a day for all
// of them: where the key was replaced, no file verifies. Other errors are not noted.
func (o *Options) unsealed(what string, err error) {
	if o.StateDir == "" || o.NoLog || !errors.Is(err, state.ErrSeal) && !errors.Is(err, state.ErrSealVersion) {
		return
	}
	book := &record.Book{StateDir: o.StateDir, Now: o.Now, Logger: o.Logger}
	book.NoteSeal(what, err)
}

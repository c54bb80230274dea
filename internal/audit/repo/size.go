package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// errSize says that the clone is too large.
var errSize = errors.New("too large")

// sizeInterval is how often a growing clone is measured.
const sizeInterval = 200 * time.Millisecond

// watchSize returns a context that ends with [errSize] as its cause when the folder
// grows beyond limit. stop waits until the watching has ended.
func watchSize(ctx context.Context, dir string, limit int64) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(sizeInterval)
		defer tick.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-tick.C:
				if err := checkSize(dir, limit); err != nil {
					cancel(err)
				}
			}
		}
	}()
	return watched, func() { cancel(nil); <-done }
}

// checkSize measures a folder; what vanishes meanwhile does not count.
func checkSize(dir string, limit int64) error {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	if size > limit {
		return fmt.Errorf("%w: the clone has more than %d MB", errSize, limit>>20)
	}
	return nil
}

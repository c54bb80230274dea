package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/agentsentinel/sentinel/telemetry"
)

// Logs is a [Source] of several logs.
type Logs []*telemetry.Follower

// Next implements [Source].
func (l Logs) Next() ([]telemetry.Record, error) {
	var all []telemetry.Record
	var errs []error
	for _, f := range l {
		records, err := f.Next()
		all, errs = append(all, records...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// Show shows the screen on a terminal until the user ends it.
func Show(ctx context.Context, title string, source Source, in io.Reader, out io.Writer) error {
	_, err := tea.NewProgram(New(title, source, time.Local), tea.WithContext(ctx), tea.WithAltScreen(), tea.WithInput(in), tea.WithOutput(out)).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// Print prints each call on a line: first the last calls of the log, as many as lines
// says, then, with follow, new ones until ctx ends.
func Print(ctx context.Context, source Source, out io.Writer, lines int, follow bool) error {
	records, err := source.Next()
	var known calls
	for _, r := range records {
		known.add(r)
	}
	for _, c := range known.list[max(len(known.list)-lines, 0):] {
		if _, failed := fmt.Fprintln(out, c.line()); failed != nil {
			return failed
		}
	}
	for follow && err == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		records, err = source.Next()
		var fresh calls
		for _, r := range records {
			fresh.add(r)
		}
		for _, c := range fresh.list {
			if _, failed := fmt.Fprintln(out, c.line()); failed != nil {
				return failed
			}
		}
	}
	return err
}

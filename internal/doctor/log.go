package doctor

import (
	"context"
	"fmt"
	"os"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/telemetry"
)

// log looks at the log, without writing a record.
func (d *doctor) log(context.Context) []Finding {
	l := d.project.Inspect().Log()
	if l == nil {
		if len(d.project.Folders) == 0 {
			return nil
		}
		return []Finding{info("log", "no log is written, so `sentinel stats` has nothing to tell", "set `log_file` in config.yaml; if it is set, see what is refused above")}
	}
	name := d.display(l.Path())
	if err := l.Check(); err != nil {
		return []Finding{fail("log", "nothing can be written to "+name+": "+message(err), "give yourself the right, make room, or set another `log_file`")}
	}
	files := telemetry.Files(l.Path())
	if len(files) == 0 {
		return []Finding{ok("log", name+" can be written; it has no records yet")}
	}
	var all, current int64
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			all += info.Size()
			if file == l.Path() {
				current = info.Size()
			}
		}
	}
	what := fmt.Sprintf("%s can be written; %s in %s", name, size(all), text.Count(len(files), "file"))
	if limit := l.MaxBytes(); limit > 0 && current > 2*limit {
		return []Finding{warn("log", what+", and it is not rotated at "+size(limit)+" as it should be", "see who may write its folder")}
	}
	return []Finding{ok("log", what)}
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/agentsentinel/sentinel/internal/text"
)

// self looks at the program itself.
func (d *doctor) self(ctx context.Context) []Finding {
	found := []Finding{ok("version", fmt.Sprintf("%s, %s, %s", d.Version, d.Version.Go, d.Version.Platform))}
	name := cmp.Or(d.Name, "sentinel")
	path := d.lookPath(name)
	switch {
	case path == "":
		return append(found, info("path", "no program called "+name+" is on the PATH; this one is "+d.Self,
			"put it on the PATH, so that hooks that name it find it"+fromSource(name)))
	case d.isSelf(path):
		return append(found, ok("path", path+" is on the PATH"))
	}
	p := d.programs.at(ctx, path)
	if p.problem.Status == StatusOK {
		return append(found, ok("path", path+" is on the PATH, of this version"))
	}
	p.problem.Name = "path"
	return append(found, p.problem)
}

// fromSource is how the program is installed, after what it is for; "" for another's own.
func fromSource(name string) string {
	return text.When(name == "sentinel", ": go install github.com/agentsentinel/sentinel/cmd/...@latest")
}

// String is a version in one word or two.
func (v Version) String() string {
	text := v.Version
	if v.Revision != "" {
		text += " (" + v.Revision[:min(12, len(v.Revision))] + ")"
	}
	if v.Modified {
		text += ", modified"
	}
	return text
}

// isSelf reports whether path is the running program.
func (d *doctor) isSelf(path string) bool { return sameFile(path, d.Self) }

func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

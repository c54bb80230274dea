package ruletext

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/scope"
)

// AreaFolder is the folder that an area is all files of.
func AreaFolder(area string) (dir string, ok bool) {
	for _, all := range []string{"/**", "/**/*", "/**/*.*"} {
		if dir, ok = strings.CutSuffix(area, all); ok {
			return dir, true
		}
	}
	return "", false
}

// Places are the patterns of the files that a rule is about, nil for a rule about something else. A
// rule about all files gets a pattern of them.
func (r *Rule) Places() *[]string {
	switch {
	case r.Requires != nil:
		return &r.Requires.Since
	case r.Also != nil:
		return &r.Also.Changed
	case r.BeforeFirst != nil:
		return &r.BeforeFirst.Write
	case r.Trigger != "file_write" && r.Trigger != "file_read":
		return nil
	case len(r.Scope) == 0:
		r.Scope = []string{"**"}
	}
	return &r.Scope
}

// MoveCases moves the files of a rule's cases into an area, and adds a case that passes outside of
// it. It leaves a rule alone whose cases are there already. were are the patterns that the rule had.
func (r *Rule) MoveCases(area string, were *scope.Paths) {
	if !slices.ContainsFunc(r.Tests, func(c Case) bool { return c.Expect == Violation && !c.isIn(area) }) {
		return
	}
	m := mover{area: area, were: were}
	m.dir, m.whole = AreaFolder(area)
	m.dir = pathglob.Sample(m.dir)
	for _, c := range r.Tests {
		if c.Expect == Violation {
			m.stopped = append(m.stopped, c.Write, c.Read)
			for _, s := range c.Before {
				m.stopped = append(m.stopped, s.Write, s.Read)
			}
		}
	}
	var list, outside []Case
	for _, was := range r.Tests {
		c := was
		c.Before = slices.Clone(c.Before)
		m.lost = false
		for k := range c.Before {
			m.place(&c.Before[k].Write)
			if r.BeforeFirst == nil {
				m.place(&c.Before[k].Read)
			}
		}
		written, read := m.place(&c.Write), m.place(&c.Read)
		if c.Bash != "" && r.Trigger == "file_write" && !strings.Contains(c.Bash, m.dir+"/") {
			c.Bash = "cd " + m.dir + " && " + c.Bash
			written, m.lost = true, !m.whole // a command that writes another file cannot be moved
		}
		if !m.lost {
			list = append(list, c)
		}
		if (written || read) && c.Expect == Violation && len(outside) == 0 {
			outside = append(outside, AsPass(was))
		}
	}
	r.Tests = append(list, outside...)
}

// EndCases gives the files of a rule's cases that it was about an ending. were are the patterns that the
// rule had.
func (r *Rule) EndCases(ending string, were *scope.Paths) {
	end := func(p *string) {
		if _, ok := were.Match(*p); ok && *p != "" {
			*p = strings.TrimSuffix(*p, path.Ext(*p)) + ending
		}
	}
	for i := range r.Tests {
		c := &r.Tests[i]
		c.Before = slices.Clone(c.Before)
		end(&c.Write)
		end(&c.Read)
		for k := range c.Before {
			end(&c.Before[k].Write)
		}
	}
}

// A mover moves paths into an area: all files of dir, where it is whole.
type mover struct {
	area, dir string
	whole     bool
	were      *scope.Paths
	stopped   []string // the paths of the cases that are stopped
	lost      bool     // a path cannot be moved, since its name is what makes it pass
}

// place moves a path.
func (m *mover) place(p *string) (moved bool) {
	was := *p
	if was == "" || pathglob.Match(m.area, was) || strings.HasPrefix(was, "../") || strings.ContainsRune("/~", rune(was[0])) {
		return false
	}
	if m.whole {
		*p = m.dir + "/" + was
		return true
	}
	if _, covered := m.were.Match(was); !covered {
		return false
	}
	if *p = path.Join(path.Dir(pathglob.Sample(m.area)), path.Base(was)); !pathglob.Match(m.area, *p) {
		*p = pathglob.Sample(m.area)
		m.lost = m.lost || !slices.Contains(m.stopped, was)
	}
	return true
}

// isIn reports whether a case is about a write in an area, or about what follows one.
func (c Case) isIn(area string) bool {
	return pathglob.Match(area, c.Write) || slices.ContainsFunc(c.Before, func(s Step) bool { return pathglob.Match(area, s.Write) })
}

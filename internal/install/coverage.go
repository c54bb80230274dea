package install

import (
	"regexp"
	"slices"
	"strings"
)

// A coverage holds, by event, the matchers of the entries that start our hook.
type coverage map[string][]string

func (c coverage) add(d *document, at handlerAt) {
	matcher := ""
	if m, ok, err := d.member(at.item, "matcher"); err == nil && ok && m.kind == '"' {
		matcher = d.str(m)
	}
	c[at.event] = append(c[at.event], matcher)
}

// lacks are the tools that wants would have the hook called for and no matcher of the
// same event accepts.
func (c coverage) lacks(wants []Want) (lacks []string) {
	for _, w := range wants {
		matchers, ok := c[w.Event]
		if !ok {
			continue // the event itself is missing
		}
		for _, tool := range w.tools() {
			accepts := func(matcher string) bool { return accepts(matcher, tool) }
			if !slices.ContainsFunc(matchers, accepts) && !slices.Contains(lacks, tool) {
				lacks = append(lacks, tool)
			}
		}
	}
	return lacks
}

// Reads reports whether the settings start h for one of the tools that only read. Those of
// an earlier version may leave out some that are known since.
func (r *Registration) Reads(h Hook) bool {
	if r.Settings.Wants == nil || r.covered == nil {
		return false
	}
	h.Reads = false
	usual := r.Settings.Wants(r.File, h)
	h.Reads = true
	for i, w := range r.Settings.Wants(r.File, h) {
		for _, tool := range w.tools() {
			accepts := func(matcher string) bool { return accepts(matcher, tool) }
			if !slices.Contains(usual[i].tools(), tool) && slices.ContainsFunc(r.covered[w.Event], accepts) {
				return true
			}
		}
	}
	return false
}

// tools are the names in the matcher of a want.
func (w Want) tools() []string {
	for _, member := range w.Item {
		if text, ok := member.Value.(string); ok && member.Key == "matcher" {
			text = strings.TrimSuffix(strings.TrimPrefix(text, "^("), ")$")
			text = strings.NewReplacer(`\.`, ".", ".*", "*").Replace(text)
			return strings.Split(text, "|")
		}
	}
	return nil
}

// accepts reports whether an agent calls a hook with this matcher for a tool. Agents
// take a matcher for a regular expression, for a name, and an empty one or * for
// every tool.
func accepts(matcher, tool string) bool {
	if matcher == "" || matcher == "*" || matcher == tool {
		return true
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(strings.ReplaceAll(tool, "*", "x"))
}

// scriptLacks are the tools that a file which is Sentinel's as a whole leaves out. same
// reports whether the file is that of a hook.
func scriptLacks(h Hook, same func(Hook) bool) []string {
	less := h
	less.Tools = nil
	if same(less) {
		return slices.Clone(h.Tools)
	}
	if less.Reads = false; same(less) {
		return append([]string{"tools that only read"}, h.Tools...)
	}
	return nil
}

package project

import (
	"fmt"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// Bounds of one folder of rules. They keep a repository from taking time and memory
// with its rules. For comparison: the 66 rules of package packs have 210 KB together,
// 6 KB, 14 patterns and 40 cases at most, and a folder of 1,000 rules is the largest
// that docs/performance.md has figures of.
const (
	maxFileBytes = 1 << 20 // of one file
	maxRuleFiles = 2000
	maxRuleBytes = 8 << 20 // of all files
	maxPatterns  = 20_000  // of all rules
	maxTests     = 2000    // of one rule

	maxListed = 20_000 // names of rule files, before any is read
	maxDepth  = 16     // of folders in each other
)

// Bounds of one call.
const (
	maxFurther = 16        // projects that only its paths lead to
	maxLookups = 4000      // paths that are looked at for further projects
	maxPairs   = 1_000_000 // rules of one folder, times actions and their simple commands
)

// fits reports whether all files that were found are read.
func (l *listing) fits() bool {
	size := int64(0)
	for i := range l.files {
		size += counted(&l.files[i])
	}
	return len(l.files) <= maxRuleFiles && size <= maxRuleBytes
}

// counted is what is read of a file: of one that is too large nothing.
func counted(s *source) int64 {
	if s.err != nil || s.stamp.size > maxFileBytes {
		return 0
	}
	return s.stamp.size
}

// within cuts the files of a folder to those that are read, and replaces the others
// by a rule that cannot be judged.
func within(p place, dir string, sources []source) (read []source, beyond []rule.File) {
	size := int64(0)
	for i := range sources {
		size += counted(&sources[i])
		switch {
		case i >= maxRuleFiles:
			return sources[:i], unused(p, dir, sources[i].name, fmt.Errorf(
				"the folder has %d rule files, and %d are read: this one and those after it count as not judged; use fewer files", len(sources), maxRuleFiles))
		case size > maxRuleBytes:
			return sources[:i], unused(p, dir, sources[i].name, fmt.Errorf(
				"the rule files of the folder have more than %d MB: this one and those after it are not read and count as not judged; make them smaller", maxRuleBytes>>20))
		}
	}
	return sources, nil
}

// notRead replaces the sources that there was no time to read.
func notRead(p place, dir string, sources []source) []rule.File {
	return unused(p, dir, sources[0].name, fmt.Errorf("this file and %d after it: %w", len(sources)-1, errNotRead))
}

// usable is how many of the rules are used. The others are replaced by a rule that
// cannot be judged.
func (c *compiled) usable(p place, dir string) (n int, beyond []rule.File) {
	patterns := 0
	for i := range c.rules {
		d := &c.rules[i].file.Definition
		if patterns += len(d.Scope) + len(d.Exclude); patterns > maxPatterns {
			return i, unused(p, dir, c.rules[i].name, fmt.Errorf(
				"the rules of the folder have more than %d patterns: this one and those after it count as not judged; use fewer patterns", maxPatterns))
		}
	}
	return len(c.rules), nil
}

// andFurther ends the name of an action that represents a file and those after it.
const andFurther = " and further files"

// unused is a rule in the place of a file and those after it. To write that file
// does not repair it.
func unused(p place, dir, name string, err error) []rule.File {
	return []rule.File{brokenFile(p, filepath.Join(dir, filepath.FromSlash(name)+andFurther), err)}
}

// checkTests makes a rule with too many cases a broken one.
func checkTests(f *rule.File) {
	if n := len(f.Definition.Tests); n > maxTests {
		f.Problems = append(f.Problems, rule.Problem{File: f.Path, Message: fmt.Sprintf("has %d cases in `tests`, more than %d: leave some out", n, maxTests)})
	}
}

// pairs is how often a rule is matched for actions: once for each, and for each
// simple command of a line.
func pairs(rules int, actions []sentinel.Action) int {
	n := len(actions)
	for i := range actions {
		if line := actions[i].Command; line != nil {
			n += len(line.Commands)
		}
	}
	return n * rules
}

// maxSame is how often one rule is reported about one call, with the same result. A
// rule of a project that only a path leads to is reported once.
const maxSame = 10

// collapsed are the findings without those that repeat what a rule says of one call.
// The last one of them that stays says how many there were.
func (p *Part) collapsed(findings []sentinel.Finding) []sentinel.Finding {
	limit := maxSame
	if p.further {
		limit = 1
	}
	if len(findings) <= limit {
		return findings
	}
	type result struct {
		rule    *sentinel.RuleSpec
		outcome sentinel.Outcome
		verdict sentinel.Verdict
	}
	count, last := map[result]int{}, map[result]int{}
	kept := make([]sentinel.Finding, 0, len(findings))
	for i := range findings {
		f := &findings[i]
		key := result{f.Rule, f.Outcome, f.Verdict}
		if count[key]++; count[key] <= limit {
			last[key] = len(kept)
			kept = append(kept, *f)
		}
	}
	for key, n := range count {
		if n <= limit {
			continue
		}
		f, more := &kept[last[key]], fmt.Sprintf(" (and %d more of this call)", n-limit)
		f.Reason += more
		if f.Message != "" {
			f.Message += more
		}
	}
	return kept
}

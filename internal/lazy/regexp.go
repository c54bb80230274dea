// Package lazy has values that are made at their first use. A hook starts for every tool
// call, so a pattern that this call does not need must cost nothing.
package lazy

import (
	"regexp"
	"sync/atomic"
)

// A Regexp is a regular expression that is compiled at its first use. Declared at package
// level as Regexp{Source: …} it is data, without work at the start of the program. It is
// safe for concurrent use, and must not be copied.
type Regexp struct {
	Source   string // compiled by regexp.MustCompile
	compiled atomic.Pointer[regexp.Regexp]
}

// Get returns the compiled expression. It panics if Source is not valid.
func (r *Regexp) Get() *regexp.Regexp {
	if re := r.compiled.Load(); re != nil {
		return re
	}
	// Two callers may both compile: the results are equal.
	re := regexp.MustCompile(r.Source)
	r.compiled.Store(re)
	return re
}

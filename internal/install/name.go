package install

import "cmp"

const sentinelName = "sentinel"

// ProgramName is what this program is called: own, or sentinel where that is "". Its hook
// is written and recognised by that name, and sentinel's is recognised too.
func ProgramName(own string) string { return cmp.Or(own, sentinelName) }

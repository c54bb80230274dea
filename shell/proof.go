package shell

// Proves reports whether the line's exit status 0 tells that command i has run and
// succeeded.
func (l *Line) Proves(i int) bool { return len(l.Commands) == 1 }

// Guards are the commands that have succeeded whenever command i runs.
func (l *Line) Guards(i int) []int { return nil }

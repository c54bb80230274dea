package shell

import "slices"

// A part is a line with some of its commands. What tells that they ran and succeeded are all
// commands of the line, so those questions go to the whole one.
type part struct {
	line *Line
	kept []int // of each command, its index there; ascending
}

// Only returns the line with the commands that keep picks by their index, and their effects.
func (l *Line) Only(keep func(i int) bool) *Line {
	only := *l
	only.Commands, only.Effects, only.whole = nil, nil, &part{line: l}
	for i := range l.Commands {
		if keep(i) {
			only.whole.kept = append(only.whole.kept, i)
			only.Commands = append(only.Commands, l.Commands[i])
		}
	}
	for _, e := range l.Effects {
		if i, ok := slices.BinarySearch(only.whole.kept, e.Command); ok {
			e.Command = i
			only.Effects = append(only.Effects, e)
		}
	}
	return &only
}

// guards are those of the whole line's guards of a command that the part has.
func (p *part) guards(i int) (before []int) {
	for _, g := range p.line.Guards(p.kept[i]) {
		if at, ok := slices.BinarySearch(p.kept, g); ok {
			before = append(before, at)
		}
	}
	return before
}

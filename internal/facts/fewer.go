package facts

import (
	"path"
	"strings"
)

// Fewer returns facts of one call that say what list says, at most limit: writes of many files
// become patterns of the files in their folders, which keep how they were written. Of what was
// read the first half of the limit stays.
func Fewer(list []Fact, limit int) []Fact {
	if len(list) <= limit {
		return list
	}
	var rest, writes []Fact
	for _, f := range list {
		if f.Kind == Wrote {
			writes = append(writes, f)
		} else if len(rest) < limit/2 {
			rest = append(rest, f)
		}
	}
	for _, wider := range [...]func(*Fact){inFolder, inTop, anywhere, anything} {
		if len(rest)+len(writes) <= limit {
			break
		}
		seen := map[Fact]bool{}
		few := writes[:0]
		last := latest(writes)
		for _, f := range writes {
			if wider(&f); f.Text == anyFile {
				f.Step = last
			}
			if !seen[f] {
				few = append(few, f)
			}
			seen[f] = true
		}
		writes = few
	}
	return append(rest, writes...)
}

// inFolder makes a file the files of its folder with its ending, and a folder the one above.
func inFolder(f *Fact) {
	switch {
	case f.Below:
		f.Text = path.Dir(f.Text)
	case !strings.ContainsAny(f.Text, "*?[{"):
		f.Text = path.Join(path.Dir(f.Text), "*"+path.Ext(f.Text))
	}
}

// inTop makes a file the files with its ending below the first folder of its path.
func inTop(f *Fact) {
	dir, ending := beforeGlob(f.Text), path.Ext(f.Text)
	if dir == f.Text {
		dir = path.Dir(dir)
	}
	if at := strings.IndexByte(strings.TrimPrefix(dir, "/"), '/'); at >= 0 {
		dir = dir[:len(dir)-len(strings.TrimPrefix(dir, "/"))+at]
	}
	if f.Text = path.Join(dir, "**/*"+ending); f.Below {
		f.Text = dir
	}
}

// anywhere makes a file all files with its ending.
func anywhere(f *Fact) {
	if f.Text = "**/*" + path.Ext(f.Text); f.Below {
		f.Text = "."
	}
}

// anyFile is the pattern of all files.
const anyFile = "**"

// anything makes a file any file.
func anything(f *Fact) { f.Text = anyFile }

// latest is where the last of writes is done, 0 where that of one is not known.
func latest(writes []Fact) (step int) {
	for _, f := range writes {
		if f.Step == 0 {
			return 0
		}
		step = max(step, f.Step)
	}
	return step
}

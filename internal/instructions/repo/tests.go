package repo

import (
	"slices"
	"strings"
)

// In some languages tests are inside of the files that they test. A rule sees which files change,
// and cannot tell whether such a file has tests.

// TestedInside reports whether files with an ending usually have their tests inside of them.
func TestedInside(ext string) bool { return ext == "rs" || ext == "zig" || ext == "d" }

// OutsideOfTests is a pattern of files without those that have their tests inside of them: "" for
// none, or where nearly all files of the project are such.
func (t *Tree) OutsideOfTests(glob string) string {
	front, endings, ok := strings.Cut(glob, "*.")
	list := strings.Split(strings.Trim(endings, "{}"), ",")
	if !ok {
		if strings.HasSuffix(glob, "/**") && t.mostlyTestedInside() {
			return ""
		}
		return glob
	}
	left := slices.DeleteFunc(slices.Clone(list), TestedInside)
	switch {
	case len(left) == len(list):
		return glob
	case len(left) == 0 || t.mostlyTestedInside():
		return ""
	case len(left) == 1:
		return front + "*." + left[0]
	}
	return front + "*.{" + strings.Join(left, ",") + "}"
}

// mostlyTestedInside reports whether a project is of sources that have their tests inside of them: at
// least three of four, or more than of each other ending. The others are its scripts then.
func (t *Tree) mostlyTestedInside() bool {
	if !t.Known() {
		return false
	}
	inside, total, other := 0, 0, 0
	for ext, n := range t.perEnding() {
		if total += n; TestedInside(ext) {
			inside += n
		} else {
			other = max(other, n)
		}
	}
	return total > 0 && (4*inside >= 3*total || inside > other)
}

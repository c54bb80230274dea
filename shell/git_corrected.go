package shell

import (
	"slices"
	"strings"
)

// uncorrected are the values of help.autocorrect with which git runs nothing for a wrong sub-command.
var uncorrected = [...]string{"0", "never", "show", "prompt", "false", "no", "off"}

// corrects notes that git runs the nearest sub-command in the place of one that there is not.
func (a *analyzer) corrects(value string) {
	a.gitCorrects = a.gitCorrects || !slices.Contains(uncorrected[:], strings.ToLower(value))
}

// Bounds of what git takes for the same word, as its own.
const (
	maxApart   = 6
	maxNearest = 8
)

// gitCorrected walks what git may take a sub-command for that is none.
func (w walker) gitCorrected(c *recorded) {
	if !w.analyzer.gitCorrects {
		return
	}
	for _, sub := range nearestOfGit(c.Subcommand) {
		w.gitAliased(c, sub, nested{wrapper: "git " + c.Subcommand, guess: true})
	}
}

// nearestOfGit are the sub-commands that begin with a word, and those that differ least from it, the
// shortest first.
func nearestOfGit(word string) (found []string) {
	var nearest []string
	least := maxApart
	for sub := range strings.FieldsSeq(gitOwn) {
		if strings.HasPrefix(sub, word) {
			found = append(found, sub)
			continue
		}
		switch n := apart(word, sub); {
		case n < least:
			least, nearest = n, []string{sub}
		case n == least:
			nearest = append(nearest, sub)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return len(a) - len(b) })
	return append(nearest[:min(len(nearest), maxNearest)], found[:min(len(found), maxNearest)]...)
}

// apart says how far two words are from each other, as git counts that: two letters that changed places are
// nothing, one that is put in is 1, another one 2, one that is left out 3.
func apart(word, other string) int {
	var before, last []int
	row := make([]int, len(other)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(word) {
		before, last, row = last, row, make([]int, len(other)+1)
		row[0] = 3 * (i + 1)
		for j := range len(other) {
			row[j+1] = min(last[j+1]+3, row[j]+1, last[j]+2)
			if word[i] == other[j] {
				row[j+1] = min(row[j+1], last[j])
			}
			if i > 0 && j > 0 && word[i-1] == other[j] && word[i] == other[j-1] {
				row[j+1] = min(row[j+1], before[j-1])
			}
		}
	}
	return row[len(other)]
}

// Package nearest guesses the known word behind a misspelled one.
package nearest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Word returns the known word that name was most likely meant to be, or "" if none
// is near. Case does not count. Of words that are equally near it is the first.
// The time does not grow with a name that is longer than all known words.
func Word(name string, known []string) string {
	best, least := "", len(name)/3+2
	for _, k := range known {
		if strings.EqualFold(k, name) {
			return k
		}
		if d := distance(name, k, least); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of edits between two words, or least where it is
// certainly not less.
func distance(a, b string, least int) int {
	if diff := len(a) - len(b); diff >= least || -diff >= least {
		return least
	}
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}

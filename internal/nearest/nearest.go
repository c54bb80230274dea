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
	if len(name) <= 3 { // two of three letters make another word
		least = 2
	}
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

// Slip returns the known word that name is a slip for: the same letters in another
// case or with other marks between the words, or one letter too many, missing, wrong
// or exchanged with the next. It is "" where that is true of none, or of several.
func Slip(name string, known []string) string {
	found := ""
	for _, k := range known {
		switch {
		case plain(k) == plain(name):
			return k
		case len(k) > 3 && oneEdit(plain(name), plain(k)):
			if found != "" {
				return ""
			}
			found = k
		}
	}
	return found
}

func plain(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// oneEdit reports whether one edit makes one word of the other.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

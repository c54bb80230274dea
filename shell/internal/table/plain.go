package table

import (
	"slices"
	"strings"
)

// Plain are the options of a program that never let a run of it do less: see plain.txt.
type Plain struct {
	list  []string
	words bool // options are whole words, so that letters share no dash
}

// PlainOf returns those of a program and its sub-command; of the words behind --, where rest is
// true. The zero value has none.
func PlainOf(program, sub string, rest bool) (p Plain) {
	if strings.Contains(program+sub, " ") {
		return p
	}
	entry := ""
	if sub != "" && !rest {
		entry = modest.find(program + " " + sub)
	}
	if entry == "" && rest {
		entry = modest.find(program + " --")
	} else if entry == "" {
		entry = modest.find(program)
	}
	return Plain{strings.Fields(entry), OptionsOf(program, sub).is("words")}
}

// Steers reports whether a variable of the environment with this value may make programs run
// something else, or less.
func Steers(name, value string) bool {
	entry := modest.find("$" + name)
	if entry == "" {
		return false
	}
	p, words := Plain{list: strings.Fields(entry)}, strings.Fields(value)
	for len(words) > 0 {
		n := p.Takes(words)
		if n == 0 {
			return true
		}
		words = words[n:]
	}
	return false
}

// Takes returns how many of the first words are one such option with its value; 0 for none.
func (p Plain) Takes(words []string) int {
	name, value, joined := strings.Cut(words[0], "=")
	if p.has(words[0]) && !strings.HasSuffix(words[0], "=") || p.bundle(words[0]) {
		return 1
	}
	next := ""
	if len(words) > 1 && !joined {
		next = words[1]
	}
	option := strings.HasPrefix(name, "-") // a word may be empty
	switch {
	case p.has(name+"=") && (joined && (value != "" || !option)), (p.has(name+"#") || p.has(name+"?")) && isCount(value), p.has(name+"?") && !joined && !isCount(next):
		return 1
	case option && p.has(name+"=") && next != "", (p.has(name+"#") || p.has(name+"?")) && isCount(next):
		return 2
	}
	return 0
}

func (p Plain) has(token string) bool { return slices.Contains(p.list, token) }

// bundle reports whether a word is letters behind one dash that are such options, of which the
// last may have its value behind it.
func (p Plain) bundle(word string) bool {
	if p.words || len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return false
	}
	for i, letter := range word[1:] {
		option, rest := "-"+string(letter), word[1+i+len(string(letter)):]
		switch {
		case p.has(option):
		case p.has(option + "="):
			return rest != "" && rest[0] != '='
		default:
			return (p.has(option+"#") || p.has(option+"?")) && isCount(rest)
		}
	}
	return true
}

// isCount reports whether a value is a number from 1.
func isCount(s string) bool {
	return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == "" && strings.Trim(s, "0") != ""
}

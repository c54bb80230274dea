package wire

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// Results say how an agent tells what came of a command that it ran: in the text of the
// result, around the command's own output, which may imitate it. A result that fits no form
// is unknown.
type Results struct {
	// Begins are beginnings of the text where the command has ended by itself; nil means
	// any. Stopped are those where it was stopped; Running, also of the last line, where it
	// goes on.
	Begins, Stopped, Running []string
	// Lines are the last ones where it has ended, in their order.
	Lines []ResultLine
	// Before may come before the text, each from its beginning to the first place where
	// its end is. Behind are beginnings of what may follow the lines.
	Before [][2]string
	Behind []string
	Else   sentinel.Result // of a text of another form

	// InRecord says that the agent's record of the session has the result when the event
	// comes after the tool, and the event does not.
	InRecord bool
}

// A ResultLine is a line of a result, after the output of the command.
type ResultLine struct {
	Key  string
	Good []string // what follows where the command has succeeded; * at the beginning means any text
	May  bool     // it may be missing
}

// Of says what came of a command, by the text of its result.
func (r *Results) Of(text string) sentinel.Result { return r.OfParts(text, text) }

// OfParts is Of for a text whose beginning and end are known.
func (r *Results) OfParts(head, tail string) sentinel.Result {
	if len(r.Lines) == 0 {
		return sentinel.ResultUnknown
	}
	for _, b := range r.Before {
		if inner, ok := strings.CutPrefix(head, b[0]); ok {
			_, head, _ = strings.Cut(inner, b[1])
		}
	}
	begins := func(prefix string) bool { return strings.HasPrefix(head, prefix) }
	switch {
	case slices.ContainsFunc(r.Stopped, begins):
		return sentinel.ResultFailed
	case slices.ContainsFunc(r.Running, func(p string) bool { return begins(p) || strings.HasPrefix(lastLine(tail), p) }):
		return sentinel.ResultRunning
	case r.Begins != nil && !slices.ContainsFunc(r.Begins, begins):
		return r.Else
	}
	if result, ok := r.ended(tail); ok {
		return result
	}
	for _, b := range r.Behind { // the last one: the output may have others
		if at := strings.LastIndex(tail, b); at >= 0 {
			if result, ok := r.ended(tail[:at]); ok {
				return result
			}
		}
	}
	return r.Else
}

// ended reads the last lines; ok is false where they are others. One that tells of a failure
// is enough.
func (r *Results) ended(text string) (result sentinel.Result, ok bool) {
	result, ok = sentinel.ResultSucceeded, true
	text = strings.TrimRight(text, "\r\n")
	for _, line := range slices.Backward(r.Lines) {
		last := lastLine(text)
		value, is := strings.CutPrefix(last, line.Key)
		if !is {
			ok = ok && line.May
			continue
		}
		if !slices.ContainsFunc(line.Good, func(good string) bool { return fits(value, good) }) {
			result = sentinel.ResultFailed
		}
		text = strings.TrimSuffix(text[:len(text)-len(last)], "\n")
	}
	return result, ok || result == sentinel.ResultFailed
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

func fits(value, good string) bool {
	if end, ok := strings.CutPrefix(good, "*"); ok {
		return strings.HasSuffix(value, end)
	}
	return value == good
}

// Exited is the result of a command whose exit status is JSON: null where it was stopped.
func Exited(in Payload, key string) sentinel.Result {
	raw, there := in[key]
	switch {
	case !there:
		return sentinel.ResultUnknown
	case string(raw) == "0":
		return sentinel.ResultSucceeded
	}
	return sentinel.ResultFailed
}

// Went is the result of a command where the agent says whether it failed.
func Went(failed bool) sentinel.Result {
	if failed {
		return sentinel.ResultFailed
	}
	return sentinel.ResultSucceeded
}

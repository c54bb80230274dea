package sentinel

import (
	"fmt"
	"slices"
	"strings"
)

// words are the texts of an enum, in the order of its values.
type words struct {
	of    string // what the enum is, for messages
	words []string
}

var (
	severityWords    = words{"severity", []string{"unset", "info", "warn", "ask", "block"}}
	outcomeWords     = words{"outcome", []string{"unknown", "pass", "violation", "skipped", "unavailable"}}
	verdictWords     = words{"verdict", []string{"undecided", "allow", "warn", "ask", "block"}}
	phaseWords       = words{"phase", []string{"unknown", "start", "prompt", "pre", "post", "stop", "end", "change", "permission"}}
	opWords          = words{"operation", []string{"", "create", "edit", "append", "delete", "move"}}
	resultWords      = words{"result", []string{"unknown", "succeeded", "failed", "running"}}
	priorityWords    = words{"priority", []string{"judge", "synthesizer", "accumulator", "scribe", "audit"}}
	unknownToolWords = words{"treatment of unknown tools", []string{"by_fail_open", "allow", "deny"}}
	shadowModeWords  = words{"mode of shadow rules", []string{"inline", "later", "only"}}
)

// text is the word for a value; a value without one is an error in text forms.
func (w *words) text(v uint8) ([]byte, error) {
	if int(v) >= len(w.words) {
		return nil, fmt.Errorf("sentinel: %s %d has no text form", w.of, v)
	}
	return []byte(w.words[v]), nil
}

// show is text for people: it has one for every value.
func (w *words) show(v uint8) string {
	if int(v) < len(w.words) {
		return w.words[v]
	}
	return fmt.Sprintf("%s(%d)", w.of, v)
}

// read sets v to the value of a word; every word that is written is read, that of the
// zero value too.
func (w *words) read(text []byte, v *uint8) error {
	i := slices.Index(w.words, string(text))
	if i < 0 {
		known := slices.DeleteFunc(slices.Clone(w.words), func(word string) bool { return word == "" })
		return fmt.Errorf("sentinel: unknown %s %q (want %s)", w.of, text, strings.Join(known, ", "))
	}
	*v = uint8(i)
	return nil
}

func (s Severity) String() string                { return severityWords.show(uint8(s)) }
func (s Severity) MarshalText() ([]byte, error)  { return severityWords.text(uint8(s)) }
func (s *Severity) UnmarshalText(b []byte) error { return severityWords.read(b, (*uint8)(s)) }

func (o Outcome) String() string                { return outcomeWords.show(uint8(o)) }
func (o Outcome) MarshalText() ([]byte, error)  { return outcomeWords.text(uint8(o)) }
func (o *Outcome) UnmarshalText(b []byte) error { return outcomeWords.read(b, (*uint8)(o)) }

func (v Verdict) String() string                { return verdictWords.show(uint8(v)) }
func (v Verdict) MarshalText() ([]byte, error)  { return verdictWords.text(uint8(v)) }
func (v *Verdict) UnmarshalText(b []byte) error { return verdictWords.read(b, (*uint8)(v)) }

func (p Phase) String() string                { return phaseWords.show(uint8(p)) }
func (p Phase) MarshalText() ([]byte, error)  { return phaseWords.text(uint8(p)) }
func (p *Phase) UnmarshalText(b []byte) error { return phaseWords.read(b, (*uint8)(p)) }

func (o Op) String() string                { return opWords.show(uint8(o)) }
func (o Op) MarshalText() ([]byte, error)  { return opWords.text(uint8(o)) }
func (o *Op) UnmarshalText(b []byte) error { return opWords.read(b, (*uint8)(o)) }

func (r Result) String() string                { return resultWords.show(uint8(r)) }
func (r Result) MarshalText() ([]byte, error)  { return resultWords.text(uint8(r)) }
func (r *Result) UnmarshalText(b []byte) error { return resultWords.read(b, (*uint8)(r)) }

func (p Priority) String() string                { return priorityWords.show(uint8(p)) }
func (p Priority) MarshalText() ([]byte, error)  { return priorityWords.text(uint8(p)) }
func (p *Priority) UnmarshalText(b []byte) error { return priorityWords.read(b, (*uint8)(p)) }

func (u UnknownTool) String() string                { return unknownToolWords.show(uint8(u)) }
func (u UnknownTool) MarshalText() ([]byte, error)  { return unknownToolWords.text(uint8(u)) }
func (u *UnknownTool) UnmarshalText(b []byte) error { return unknownToolWords.read(b, (*uint8)(u)) }

func (m ShadowMode) String() string                { return shadowModeWords.show(uint8(m)) }
func (m ShadowMode) MarshalText() ([]byte, error)  { return shadowModeWords.text(uint8(m)) }
func (m *ShadowMode) UnmarshalText(b []byte) error { return shadowModeWords.read(b, (*uint8)(m)) }

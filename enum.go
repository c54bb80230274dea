package sentinel

import (
	"fmt"
	"slices"
	"strings"
)

// The text of an enum's value is the word that rule files, JSON and the log use.

// enumText is the word for a value; a value without one is an error in text forms.
func enumText[T ~uint8](names []string, kind string, v T) ([]byte, error) {
	if int(v) >= len(names) {
		return nil, fmt.Errorf("sentinel: %s %d has no text form", kind, v)
	}
	return []byte(names[v]), nil
}

// enumString is enumText for people: it has a text for every value.
func enumString[T ~uint8](names []string, kind string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(v))
}

// parseEnum finds the value of a word from the value lowest on.
func parseEnum[T ~uint8](names []string, kind, text string, lowest T) (T, error) {
	if i := slices.Index(names[lowest:], text); i >= 0 {
		return lowest + T(i), nil
	}
	known := slices.DeleteFunc(slices.Clone(names[lowest:]), func(name string) bool { return name == "" })
	return 0, fmt.Errorf("sentinel: unknown %s %q (want %s)", kind, text, strings.Join(known, ", "))
}

// unmarshalEnum sets v to the value of a word; every word that is written is read,
// that of the zero value too.
func unmarshalEnum[T ~uint8](names []string, kind string, text []byte, v *T) error {
	got, err := parseEnum(names, kind, string(text), T(0))
	if err == nil {
		*v = got
	}
	return err
}

// MarshalText returns the word of String; a value without one is an error.
func (s Severity) MarshalText() ([]byte, error) {
	return enumText(severityNames[:], "severity", s)
}

// UnmarshalText reads what MarshalText writes; any other word is an error.
func (s *Severity) UnmarshalText(text []byte) error {
	return unmarshalEnum(severityNames[:], "severity", text, s)
}

// MarshalText returns the word of String; a value without one is an error.
func (o Outcome) MarshalText() ([]byte, error) { return enumText(outcomeNames[:], "outcome", o) }

// UnmarshalText reads what MarshalText writes; any other word is an error.
func (o *Outcome) UnmarshalText(text []byte) error {
	return unmarshalEnum(outcomeNames[:], "outcome", text, o)
}

// MarshalText returns the word of String; a value without one is an error.
func (v Verdict) MarshalText() ([]byte, error) { return enumText(verdictNames[:], "verdict", v) }

// UnmarshalText reads what MarshalText writes; any other word is an error.
func (v *Verdict) UnmarshalText(text []byte) error {
	return unmarshalEnum(verdictNames[:], "verdict", text, v)
}

// MarshalText returns the word of String; a value without one is an error.
func (p Phase) MarshalText() ([]byte, error) { return enumText(phaseNames[:], "phase", p) }

// UnmarshalText reads what MarshalText writes; any other word is an error.
func (p *Phase) UnmarshalText(text []byte) error {
	return unmarshalEnum(phaseNames[:], "phase", text, p)
}

// MarshalText returns the word of String; a value without one is an error.
func (o Op) MarshalText() ([]byte, error) { return enumText(opNames[:], "operation", o) }

// UnmarshalText reads what MarshalText writes; any other word is an error.
func (o *Op) UnmarshalText(text []byte) error {
	return unmarshalEnum(opNames[:], "operation", text, o)
}

package scribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// object reads exactly one JSON object, each key once. encoding/json takes
// repeated keys and text behind the object.
func object(text string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	first, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", whole(err))
	}
	if first != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object, got %v", first)
	}
	keys := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", whole(err))
		}
		name, _ := key.(string) // the decoder gives nothing else at this place
		if _, twice := keys[name]; twice {
			return nil, fmt.Errorf("key %q stands twice", name)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("not JSON: %w", whole(err))
		}
		keys[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("not JSON: %w", whole(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the answer")
	}
	return keys, nil
}

// whole names an end in the middle what it is.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// only says which of the keys is none of names.
func only(keys map[string]json.RawMessage, names ...string) error {
next:
	for key := range keys {
		for _, name := range names {
			if key == name {
				continue next
			}
		}
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

// text reads a string; null and a missing key are "".
func text(keys map[string]json.RawMessage, name string) (string, error) {
	raw, ok := keys[name]
	if !ok || string(raw) == "null" {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", fmt.Errorf("key %q is not a text", name)
	}
	return s, nil
}

// confidence reads a number from 0 to 1, and a whole number from 2 to 100 as a
// percentage: small models write both.
func confidence(raw json.RawMessage) (float64, error) {
	if whole, err := strconv.Atoi(string(raw)); err == nil && whole >= 2 && whole <= 100 {
		return float64(whole) / 100, nil
	}
	var c float64
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &c) != nil || c < 0 || c > 1 {
		return 0, errors.New(`key "confidence" is not a number from 0 to 1`)
	}
	return c, nil
}

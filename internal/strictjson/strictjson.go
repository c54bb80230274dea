// Package strictjson reads what a model was asked to answer: exactly one JSON
// object with the keys that were asked for. encoding/json alone accepts a key that is given
// twice (the last one wins), unknown keys, and any text after the object.
package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Object reads the one object that text is, each key at most once and none but
// keys. A value is the raw text; a missing key is not in the map. The error says what is
// wrong, for the one who asked.
func Object(text string, keys ...string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	first, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", whole(err))
	}
	if first != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object, got %v", first)
	}
	object := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", whole(err))
		}
		name, _ := key.(string) // the decoder gives nothing else at this place
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("key %q stands twice", name)
		}
		if !slices.Contains(keys, name) {
			return nil, fmt.Errorf("unknown key %q", name)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("not JSON: %w", whole(err))
		}
		object[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("not JSON: %w", whole(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the answer")
	}
	return object, nil
}

// whole names an end in the middle what it is.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

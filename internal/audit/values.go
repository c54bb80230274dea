package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Values are figures of evidence, by name: int, float64, bool, string or []string.
// Their JSON distinguishes whole numbers and fractions (2 and 2.0), so that reading
// it gives equal values.
type Values map[string]any

// MarshalJSON writes the figures in the order of their names. A NaN or an infinite
// number is an error.
func (v Values) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	b := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(v)) {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := marshalFigure(v[name])
		if err != nil {
			return nil, fmt.Errorf("audit: figure %q: %w", name, err)
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

func marshalFigure(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if f, fraction := value.(float64); err == nil && fraction && f == math.Trunc(f) && !bytes.ContainsAny(text, ".e") {
		text = append(text, ".0"...)
	}
	return text, err
}

// UnmarshalJSON reads the JSON of MarshalJSON.
func (v *Values) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var figures map[string]any
	if err := dec.Decode(&figures); err != nil {
		return err
	}
	for name, value := range figures {
		figure, err := readFigure(value)
		if err != nil {
			return fmt.Errorf("audit: figure %q: %w", name, err)
		}
		figures[name] = figure
	}
	*v = figures
	return nil
}

func readFigure(value any) (any, error) {
	switch value := value.(type) {
	case json.Number:
		if n, err := strconv.Atoi(value.String()); err == nil {
			return n, nil
		}
		return value.Float64()
	case []any:
		texts := make([]string, len(value))
		for i, item := range value {
			text, ok := item.(string)
			if !ok {
				return nil, errors.New("a list of what is no text")
			}
			texts[i] = text
		}
		return texts, nil
	case bool, string:
		return value, nil
	}
	return nil, errors.New("neither number, true, false, text nor a list of texts")
}

package scribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// textOf reads a string; null and a missing key are "".
func textOf(keys map[string]json.RawMessage, name string) (string, error) {
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

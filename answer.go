package sentinel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// answer is a model's judgement.
type answer struct {
	violation  bool
	confidence float64 // 0 to 1
	reason     string
	vars       map[string]string // see teller
}

// errFence is why an answer that repeats the fence is not believed: only the
// judged data could have made the model write it.
var errFence = errors.New("the answer repeats the marker around the judged data")

// weigh replaces the stated confidence by the model's own probability of true at
// the verdict.
func (ans *answer) weigh(pTrue float64) error {
	if !(pTrue >= 0 && pTrue <= 1) {
		return fmt.Errorf("%w: the probability of the answer is %v", ErrMalformed, pTrue)
	}
	ans.confidence = pTrue
	if !ans.violation {
		ans.confidence = 1 - pTrue
	}
	return nil
}

// parseAnswer reads a judgement strictly: exactly one JSON object with the keys
// of the schema, each once and of its type. All other text of a model is
// ErrMalformed: neither a pass nor a violation. fence is the marker around the
// judged data; an answer that contains it was copied from that data.
func parseAnswer(text, fence string) (answer, error) {
	if fence != "" && strings.Contains(text, fence) {
		return answer{}, fmt.Errorf("%w: %w", ErrMalformed, errFence)
	}
	ans, err := decodeAnswer(text)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return ans, nil
}

func decodeAnswer(text string) (ans answer, err error) {
	err = readObject(text, ans.set, "violation", "confidence")
	return ans, err
}

// readObject reads exactly one object. set gets each key, and may refuse it; the keys
// needed have to be there. It works on tokens, because encoding/json into a struct accepts
// repeated keys and keys in another case.
func readObject(text string, set func(key string, val json.Token) error, needed ...string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if tok, err := dec.Token(); err != nil {
		return fmt.Errorf("not JSON: %w", eofIsCut(err))
	} else if tok != json.Delim('{') {
		return fmt.Errorf("want a JSON object, got %v", tok)
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fmt.Errorf("not JSON: %w", eofIsCut(err))
		}
		name := key.(string) // the decoder gives nothing else at this place
		if seen[name] {
			return fmt.Errorf("key %q stands twice", name)
		}
		seen[name] = true
		val, err := dec.Token()
		if err != nil {
			return fmt.Errorf("not JSON: %w", eofIsCut(err))
		}
		if err := set(name, val); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("not JSON: %w", eofIsCut(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("text after the answer")
	}
	for _, name := range needed {
		if !seen[name] {
			return fmt.Errorf("key %q is missing", name)
		}
	}
	return nil
}

func (ans *answer) set(name string, val json.Token) error {
	var ok bool
	switch name {
	case "violation":
		ans.violation, ok = val.(bool)
	case "reason":
		ans.reason, ok = val.(string)
	case "confidence":
		n, isNumber := val.(json.Number)
		if !isNumber {
			break
		}
		ans.confidence, ok = confidence(n)
	default:
		return fmt.Errorf("unknown key %q", name)
	}
	if !ok {
		return fmt.Errorf("key %q cannot be %v", name, val)
	}
	return nil
}

// confidence accepts 0 to 1. A larger number is refused and not read as a percentage: 9 may
// mean 9 of 10, and reading it as 9 % would turn a certain violation into a pass.
func confidence(n json.Number) (float64, bool) {
	c, err := n.Float64()
	return c, err == nil && !math.IsNaN(c) && c >= 0 && c <= 1
}

func eofIsCut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

package rubric

import (
	"fmt"
	"maps"
	"slices"
)

// Expect is what a probe's figures are to be, by the figure's name: count, value,
// fan_out, lockfile.
type Expect map[string]Bound

// Bound is what one figure is to be.
type Bound struct {
	Min *float64 `json:"min,omitempty" yaml:"min" jsonschema:"The least it may be."`
	Max *float64 `json:"max,omitempty" yaml:"max" jsonschema:"The most it may be."`
	Is  *bool    `json:"is,omitempty" yaml:"is" short:"true" jsonschema:"For a figure that is true or false; the value alone means the same."`
}

// Check compares figures (float64, int or bool, by name) with what is expected.
// missing are the names that no figure has: then nothing can be said. why names
// the first expectation that does not hold.
func (e Expect) Check(values map[string]any) (holds bool, why string, missing []string) {
	holds = true
	for _, name := range slices.Sorted(maps.Keys(e)) {
		value, known := values[name]
		if !known {
			missing = append(missing, name)
			continue
		}
		if ok, reason := e[name].check(value); !ok && holds {
			holds, why = false, fmt.Sprintf("%s is %v, %s", name, value, reason)
		}
	}
	return holds && len(missing) == 0, why, missing
}

func (b Bound) check(value any) (ok bool, why string) {
	var n float64
	switch v := value.(type) {
	case bool:
		return b.Is == nil || *b.Is == v, fmt.Sprintf("expected %t", b.Is != nil && *b.Is)
	case int:
		n = float64(v)
	case float64:
		n = v
	default:
		return false, "which is no figure"
	}
	switch {
	case b.Min != nil && n < *b.Min:
		return false, fmt.Sprintf("expected at least %v", *b.Min)
	case b.Max != nil && n > *b.Max:
		return false, fmt.Sprintf("expected at most %v", *b.Max)
	}
	return true, ""
}

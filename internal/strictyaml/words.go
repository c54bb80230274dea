package strictyaml

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/text"
)

// clipAt is how much of a text out of the file a message repeats, in bytes.
const clipAt = 60

// clip shortens a text out of the file for a message.
func clip(s string) string {
	if len(s) <= clipAt {
		return s
	}
	return text.CutBytes(s, clipAt) + "…"
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// last returns the last key of a path, without list positions.
func last(path string) string {
	path = path[strings.LastIndexByte(path, '.')+1:]
	name, _, _ := strings.Cut(path, "[")
	return clip(name)
}

func subject(path string) string {
	if path == "" {
		return "the file"
	}
	return "`" + clip(path) + "`"
}

// kindOf says what a value is.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	}
	return "text"
}

// wanted says what a field takes.
func wanted(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	default:
		return "a whole number"
	}
}

// example writes the key with a value that would be right: the one it has.
func example(v reflect.Value, f field, path string) string {
	value := "…"
	switch {
	case v.Kind() == reflect.String && len(f.enum) > 0:
		value = f.enum[0]
	case v.Kind() == reflect.String:
		value = `"…"`
	case v.Kind() == reflect.Bool:
		value = strconv.FormatBool(v.Bool())
	case v.Kind() == reflect.Float64:
		value = strconv.FormatFloat(within(f, v.Float()), 'g', -1, 64)
	case v.CanInt():
		value = strconv.FormatInt(int64(within(f, float64(v.Int()))), 10)
	}
	return last(path) + ": " + value
}

// within returns the number of a field's bounds that is nearest to x.
func within(f field, x float64) float64 {
	if f.min != nil {
		x = max(x, *f.min)
	}
	if f.max != nil {
		x = min(x, *f.max)
	}
	return x
}

// span says between which numbers a field lies.
func span(f field) string {
	format := func(x *float64) string { return strconv.FormatFloat(*x, 'f', -1, 64) }
	switch {
	case f.min == nil:
		return "at most " + format(f.max)
	case f.max == nil:
		return "at least " + format(f.min)
	}
	return fmt.Sprintf("between %s and %s", format(f.min), format(f.max))
}

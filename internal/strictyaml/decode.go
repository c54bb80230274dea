package strictyaml

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/nearest"
)

// enter goes one level down, to n, and returns the node that n means: nil when there
// is nothing to read. Every enter is followed by a leave.
func (d *Document) enter(n *yaml.Node, path string) *yaml.Node {
	d.stack = append(d.stack, n)
	if len(d.stack) > maxDepth {
		d.fault(n, "%s is nested more than %d levels deep", subject(path), maxDepth)
		return nil
	}
	target := resolve(n)
	switch {
	case target == nil || target.Kind == yaml.AliasNode:
		d.fault(n, "%s is an alias of itself", subject(path))
		return nil
	case !d.spend(n, 1), isNull(target):
		return nil
	}
	return target
}

func (d *Document) leave() { d.stack = d.stack[:len(d.stack)-1] }

// spend counts values against the bound of the whole document.
func (d *Document) spend(n *yaml.Node, values int) bool {
	if d.budget >= 0 && d.budget < values {
		d.fault(n, "the file holds too much (an alias counts as often as it is used)")
		d.budget = -1
	}
	d.budget -= values
	return d.budget >= 0
}

// value decodes n into v. path names the key for messages; f holds its bounds.
// It reports whether v was set.
func (d *Document) value(n *yaml.Node, v reflect.Value, f field, path string) bool {
	defer d.leave()
	if n = d.enter(n, path); n == nil {
		return false
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		return d.raw(n, v, path)
	}
	if v.Kind() != reflect.Pointer {
		return d.resolved(n, v, f, path)
	}
	elem := reflect.New(v.Type().Elem())
	if !d.resolved(n, elem.Elem(), f, path) {
		return false
	}
	v.Set(elem)
	return true
}

// resolved decodes a node that is not an alias into v, which is not a pointer.
func (d *Document) resolved(n *yaml.Node, v reflect.Value, f field, path string) bool {
	switch v.Kind() {
	case reflect.Struct:
		return d.object(n, v, path)
	case reflect.Map:
		return d.dictionary(n, v, f, path)
	case reflect.Slice:
		return d.list(n, v, f, path)
	default:
		return d.scalar(n, v, f, path)
	}
}

// An entry is a key of a mapping with its value.
type entry struct {
	key   *yaml.Node
	value *yaml.Node
}

// entries lists the keys of a mapping once each, those of merge keys last. It
// adds them to seen, whose keys are hidden.
func (d *Document) entries(n *yaml.Node, path string, seen map[string]entry) []entry {
	var own []entry
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), n.Content[i+1]
		twin, twice := seen[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			d.fault(n.Content[i], "a key must be plain text")
		case key.ShortTag() == "!!merge":
			merged = append(merged, value)
		case twice && d.tolerant:
			d.doubt(n.Content[i], "duplicate key `%s`; it stands in line %d already: this one counts, keep one of them", clip(join(path, key.Value)), twin.key.Line)
			e := entry{key, value}
			seen[key.Value] = e
			own[slices.IndexFunc(own, func(o entry) bool { return o.key.Value == key.Value })] = e
		case twice:
			d.fault(n.Content[i], "duplicate key `%s`; it stands in line %d already, keep one of them", clip(join(path, key.Value)), twin.key.Line)
			d.faulty[twin.value] = true // which of the two was meant is not known
		default:
			e := entry{key, value}
			seen[key.Value] = e
			own = append(own, e)
		}
	}
	for _, m := range merged {
		own = append(own, d.mergedEntries(m, path, seen)...)
	}
	return own
}

// mergedEntries lists the keys that `<<: m` adds to a mapping. Keys that are
// there already hide those of m.
func (d *Document) mergedEntries(m *yaml.Node, path string, seen map[string]entry) []entry {
	defer d.leave()
	target := d.enter(m, path)
	if target == nil {
		return nil
	}
	var out []entry
	switch target.Kind {
	case yaml.MappingNode:
		hidden := map[string]entry{}
		if !d.spend(m, len(target.Content)) {
			return nil
		}
		for _, e := range d.entries(target, path, hidden) {
			if _, ok := seen[e.key.Value]; !ok {
				seen[e.key.Value] = e
				out = append(out, e)
			}
		}
	case yaml.SequenceNode:
		for _, c := range target.Content {
			out = append(out, d.mergedEntries(c, path, seen)...)
		}
	default:
		d.fault(m, "`<<` takes a mapping: write the keys out instead")
	}
	return out
}

func (d *Document) object(n *yaml.Node, v reflect.Value, path string) bool {
	if n.Kind != yaml.MappingNode {
		fields, _ := fieldsOf(v.Type())
		if i := slices.IndexFunc(fields, func(f field) bool { return f.short }); i >= 0 && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
			return d.value(n, v.Field(fields[i].index), fields[i], path)
		}
		how := "on a line of its own"
		if path == "" && n.Kind == yaml.SequenceNode {
			how = "without a hyphen before it, and put each element of the list into a file of its own"
		}
		d.fault(n, "%s must be a mapping of keys, not %s: write `%s: …` %s", subject(path), kindOf(n), fields[0].name, how)
		return false
	}
	fields, inline := fieldsOf(v.Type())
	seen := map[string]entry{}
	for _, e := range d.entries(n, path, seen) {
		f, ok := find(fields, e.key.Value)
		if !ok && inline < 0 {
			if f, ok = d.slip(e, fields, seen, path); !ok {
				continue
			}
		}
		if path == "" {
			d.top = f.name
		}
		if ok {
			d.value(e.value, v.Field(f.index), f, join(path, f.name))
		} else {
			d.extra(e, v.Field(inline), path)
		}
		if path == "" {
			d.top = ""
		}
	}
	return true
}

// extra keeps a key that the struct has no field for.
func (d *Document) extra(e entry, v reflect.Value, path string) {
	raw := reflect.New(reflect.TypeFor[json.RawMessage]()).Elem()
	if !d.value(e.value, raw, field{}, join(path, e.key.Value)) {
		raw.SetBytes([]byte("null"))
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	v.SetMapIndex(reflect.ValueOf(e.key.Value), raw)
}

func (d *Document) dictionary(n *yaml.Node, v reflect.Value, f field, path string) bool {
	if n.Kind != yaml.MappingNode {
		d.fault(n, "%s must be a mapping, not %s: write `%s: {name: value}`", subject(path), kindOf(n), last(path))
		return false
	}
	m := reflect.MakeMap(v.Type())
	for _, e := range d.entries(n, path, map[string]entry{}) {
		elem := reflect.New(v.Type().Elem()).Elem()
		at := join(path, e.key.Value)
		key, ok := d.mapKey(e.key, v.Type().Key(), path)
		if !ok {
			continue
		}
		if isNull(resolve(e.value)) {
			d.fault(e.value, "`%s` has no value", clip(at))
			continue
		}
		if d.value(e.value, elem, f, at) {
			m.SetMapIndex(key, elem)
		}
	}
	v.Set(m)
	return true
}

// mapKey makes a key of a dictionary: a text, or a whole number, which JSON can
// only write as a text.
func (d *Document) mapKey(n *yaml.Node, t reflect.Type, path string) (key reflect.Value, ok bool) {
	key = reflect.New(t).Elem()
	if key.Kind() == reflect.String {
		key.SetString(n.Value)
		return key, true
	}
	number, err := strconv.Atoi(n.Value)
	if err != nil {
		d.fault(n, "a key of %s must be a whole number, not `%s`: write `1: …`", subject(path), clip(n.Value))
		return key, false
	}
	key.SetInt(int64(number))
	return key, true
}

func (d *Document) list(n *yaml.Node, v reflect.Value, f field, path string) bool {
	items, texts := n.Content, v.Type().Elem().Kind() == reflect.String
	if n.Kind != yaml.SequenceNode {
		if n.Kind != yaml.ScalarNode || !texts {
			d.fault(n, "%s must be a list, not %s: write %s", subject(path), kindOf(n), listExample(n, path))
			return false
		}
		if !f.one {
			d.doubt(n, "%s must be a list, not %s: write %s", subject(path), kindOf(n), listExample(n, path))
		}
		items = []*yaml.Node{n}
	}
	if texts && d.tolerant {
		items = d.flat(items, path)
	}
	out := reflect.MakeSlice(v.Type(), 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if isNull(resolve(item)) {
			d.doubt(item, "`%s` is empty: write a value or take the line out", at)
			continue
		}
		elem := reflect.New(v.Type().Elem()).Elem()
		if d.value(item, elem, f, at) {
			out = reflect.Append(out, elem)
		}
	}
	v.Set(out)
	return true
}

func listExample(n *yaml.Node, path string) string {
	example := "…"
	if n.Kind == yaml.ScalarNode {
		example = strconv.Quote(clip(n.Value))
	}
	if path == "" {
		return "`- " + example + "`"
	}
	return "`" + last(path) + ": [" + example + "]`"
}

func (d *Document) scalar(n *yaml.Node, v reflect.Value, f field, path string) bool {
	if n.Kind != yaml.ScalarNode {
		d.fault(n, "%s must be %s, not %s: write `%s`", subject(path), wanted(v), kindOf(n), example(v, f, path))
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return d.str(n, v, f, path)
	case reflect.Bool:
		return d.boolean(n, v, path)
	default:
		return d.number(n, v, f, path)
	}
}

func (d *Document) str(n *yaml.Node, v reflect.Value, f field, path string) bool {
	if tag := n.ShortTag(); tag == "!!binary" || !strings.HasPrefix(tag, "!!") {
		d.fault(n, "%s must be text: take the tag `%s` out", subject(path), clip(tag))
		return false
	}
	if f.enum == nil || slices.Contains(f.enum, n.Value) {
		v.SetString(n.Value)
		return true
	}
	if near := nearest.Slip(n.Value, f.enum); d.tolerant && near != "" {
		d.doubt(n, "%s cannot be `%s`, which is taken for `%s`: write that", subject(path), clip(n.Value), near)
		v.SetString(near)
		return true
	}
	if d.tolerant {
		d.doubt(n, "%s cannot be `%s`, which is without effect: write %s", subject(path), clip(n.Value), List(f.enum))
		return false
	}
	if near := nearest.Word(n.Value, f.enum); near != "" {
		d.fault(n, "%s cannot be `%s`; did you mean `%s`? It is %s", subject(path), clip(n.Value), near, List(f.enum))
	} else {
		d.fault(n, "%s cannot be `%s`: write %s", subject(path), clip(n.Value), List(f.enum))
	}
	return false
}

// boolean takes true and false, and the words that YAML 1.1 had for them.
func (d *Document) boolean(n *yaml.Node, v reflect.Value, path string) bool {
	var b bool
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on":
		b = true
	case "false", "no", "off":
	default:
		d.fault(n, "%s must be true or false, not `%s`: write `%s`", subject(path), clip(n.Value), example(v, field{}, path))
		return false
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		d.doubt(n, "%s must be true or false without quotes: write `%s: %t`", subject(path), last(path), b)
	}
	v.SetBool(b)
	return true
}

func (d *Document) number(n *yaml.Node, v reflect.Value, f field, path string) bool {
	plain := *n
	plain.Style, plain.Tag = 0, ""
	var x float64
	if err := plain.Decode(&x); err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		d.fault(n, "%s must be %s, not `%s`: write `%s`", subject(path), wanted(v), clip(n.Value), example(v, f, path))
		return false
	}
	whole := v.Kind() != reflect.Float64
	if whole && (x != math.Trunc(x) || math.Abs(x) > 1<<53 || v.OverflowInt(int64(x))) {
		d.fault(n, "%s must be a whole number, not %s: write `%s`", subject(path), clip(n.Value), example(v, f, path))
		return false
	}
	if f.min != nil && x < *f.min || f.max != nil && x > *f.max {
		d.fault(n, "%s must be %s, not %s: write `%s`", subject(path), span(f), clip(n.Value), example(v, f, path))
		return false
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		d.doubt(n, "%s must be a number without quotes: write `%s: %s`", subject(path), last(path), clip(n.Value))
	}
	if whole {
		v.SetInt(int64(x))
	} else {
		v.SetFloat(x)
	}
	return true
}

// raw keeps a value of any form, as JSON.
func (d *Document) raw(n *yaml.Node, v reflect.Value, path string) bool {
	x, ok := d.any(n, path)
	if !ok {
		return false
	}
	data, err := json.Marshal(x)
	if err != nil {
		d.fault(n, "%s cannot be written as JSON: %v", subject(path), err)
		return false
	}
	v.SetBytes(data)
	return true
}

// any turns a value into what encoding/json takes. The node itself is on the
// stack already.
func (d *Document) any(n *yaml.Node, path string) (any, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for _, e := range d.entries(n, path, map[string]entry{}) {
			if x, ok := d.below(e.value, join(path, e.key.Value)); ok {
				m[e.key.Value] = x
			}
		}
		return m, true
	case yaml.SequenceNode:
		s := make([]any, 0, len(n.Content))
		for i, c := range n.Content {
			if x, ok := d.below(c, fmt.Sprintf("%s[%d]", path, i)); ok {
				s = append(s, x)
			}
		}
		return s, true
	}
	return d.anyScalar(n, path)
}

func (d *Document) below(n *yaml.Node, path string) (any, bool) {
	if isNull(resolve(n)) {
		return nil, true
	}
	defer d.leave()
	if n = d.enter(n, path); n == nil {
		return nil, false
	}
	return d.any(n, path)
}

func (d *Document) anyScalar(n *yaml.Node, path string) (any, bool) {
	if !d.spend(n, len(n.Value)/bytesPerValue) {
		return nil, false
	}
	switch n.ShortTag() {
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, err == nil
	case "!!int":
		var i int64
		if n.Decode(&i) == nil {
			return i, true
		}
	case "!!float":
		var x float64
		if n.Decode(&x) == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x, true
		}
	default:
		return n.Value, true
	}
	d.fault(n, "%s is a number that cannot be used: `%s`", subject(path), clip(n.Value))
	return nil, false
}

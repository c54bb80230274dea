package strictyaml

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/nearest"
)

// slip is the field that an unknown key was meant for, when the document is read with
// tolerance, the key is one slip away from that one alone, and that one is not there.
func (d *Document) slip(e entry, fields []field, seen map[string]entry, path string) (f field, ok bool) {
	key := e.key
	if d.tolerant {
		if name := nearest.Slip(key.Value, namesOf(fields)); name != "" {
			if _, there := seen[name]; !there {
				seen[name] = entry{key: key}
				d.doubt(key, "unknown key `%s` is taken for `%s`: write that", clip(join(path, key.Value)), join(path, name))
				key.Value = name // At finds it by the name that it is taken for
				return find(fields, name)
			}
		}
	}
	d.unknownKey(e, fields, path)
	return f, false
}

func namesOf(fields []field) []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	return names
}

func find(fields []field, name string) (field, bool) {
	for i := range fields {
		if fields[i].name == name {
			return fields[i], true
		}
	}
	return field{}, false
}

func (d *Document) unknownKey(e entry, fields []field, path string) {
	key := e.key
	if d.capped {
		return
	}
	names, without := namesOf(fields), ""
	if d.tolerant {
		without = " (without effect)"
	}
	if path == "" && holdsWhole(e.value, fields) {
		d.doubt(key, "unknown key `%s`%s, and what is below it has no effect; write its keys at the beginning of their lines, and one such block in each file", clip(key.Value), without)
		return
	}
	if near := nearest.Word(key.Value, names); near != "" {
		d.doubt(key, "unknown key `%s`%s; did you mean `%s`?", clip(join(path, key.Value)), without, join(path, near))
		return
	}
	if i := slices.IndexFunc(fields, func(f field) bool { return slices.Contains(f.sought, key.Value) }); i >= 0 {
		d.doubt(key, "unknown key `%s`%s; did you mean `%s`? It is %s", clip(join(path, key.Value)), without, join(path, names[i]), List(fields[i].enum))
		return
	}
	d.doubt(key, "unknown key `%s`%s; the keys here are %s", clip(join(path, key.Value)), without, strings.Join(names, ", "))
}

// holdsWhole reports whether a value is what the file itself should be, or a list of such.
func holdsWhole(n *yaml.Node, fields []field) bool {
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	known := 0
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if _, ok := find(fields, n.Content[i].Value); ok {
			known++
		}
	}
	return known > 1
}

// flat takes the lists within a list of texts for more of its elements, and leaves out
// mappings, as unquoted braces are, where a text remains.
func (d *Document) flat(items []*yaml.Node, path string) []*yaml.Node {
	var out []*yaml.Node
	for _, item := range items {
		if item.Kind == yaml.SequenceNode {
			d.doubt(item, "a list within the list %s: write its elements one below the other", subject(path))
			out = append(out, item.Content...)
			continue
		}
		out = append(out, item)
	}
	mapping := func(n *yaml.Node) bool { return n.Kind == yaml.MappingNode }
	if !slices.ContainsFunc(out, func(n *yaml.Node) bool { return !mapping(n) && !isNull(n) }) {
		return out
	}
	return slices.DeleteFunc(slices.Clone(out), func(n *yaml.Node) bool {
		if mapping(n) {
			d.doubt(n, "an element of %s is a mapping, which is left out: put quotes around braces", subject(path))
		}
		return mapping(n)
	})
}

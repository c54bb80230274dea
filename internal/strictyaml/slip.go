package strictyaml

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/nearest"
)

// slip is the field that an unknown key was meant for, when the document is read with
// tolerance, the key is one slip away from that one alone, and that one is not there.
func (d *Document) slip(key *yaml.Node, fields []field, seen map[string]entry, path string) (f field, ok bool) {
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
	d.unknownKey(key, fields, path)
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

func (d *Document) unknownKey(key *yaml.Node, fields []field, path string) {
	if d.capped {
		return
	}
	names, without := namesOf(fields), ""
	if d.tolerant {
		without = " (without effect)"
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

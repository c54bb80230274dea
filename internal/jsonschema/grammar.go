package jsonschema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Grammar is a schema as a grammar of llama.cpp's, "" for one that it does not cover: it
// knows objects, an anyOf of them, lists, constants, enums and plain types. All properties
// are written, in their order, and bounds are left to the reader of the answer.
func Grammar(schema json.RawMessage) string {
	rule, ok := grammarOf(schema)
	if !ok {
		return ""
	}
	return "root ::= " + rule + "\n" +
		`ws ::= [ \t\n]{0,20}` + "\n" +
		`string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""` + "\n" +
		`integer ::= "-"? ("0" | [1-9] [0-9]{0,15})` + "\n" +
		`number ::= integer ("." [0-9]{1,15})?` + "\n" +
		`boolean ::= "true" | "false"` + "\n"
}

// grammarOf is the right side of a rule.
func grammarOf(schema json.RawMessage) (rule string, ok bool) {
	var s struct {
		Type  string
		Const json.RawMessage
		Enum  []json.RawMessage
		AnyOf []json.RawMessage `json:"anyOf"`
		Items json.RawMessage
	}
	top, err := parse(schema)
	if err != nil || json.Unmarshal(schema, &s) != nil {
		return "", false
	}
	switch {
	case s.AnyOf != nil:
		return either(s.AnyOf, grammarOf)
	case s.Const != nil:
		return literal(s.Const)
	case s.Enum != nil:
		return either(s.Enum, literal)
	}
	switch s.Type {
	case "object":
		return grammarOfObject(top)
	case "array":
		item, ok := grammarOf(s.Items)
		return `"[" ws (` + item + ` (ws "," ws ` + item + `)*)? ws "]"`, ok
	case "string", "integer", "number", "boolean":
		return s.Type, true
	}
	return "", false
}

func grammarOfObject(top object) (string, bool) {
	properties, err := parse(top.get("properties"))
	if err != nil {
		return "", false
	}
	parts := []string{`"{"`}
	for i, p := range properties {
		value, ok := grammarOf(p.value)
		if !ok {
			return "", false
		}
		if i > 0 {
			parts = append(parts, `ws ","`)
		}
		parts = append(parts, "ws", strconv.Quote(strconv.Quote(p.name)), `ws ":" ws`, value)
	}
	return strings.Join(append(parts, `ws "}"`), " "), true
}

func either(list []json.RawMessage, of func(json.RawMessage) (string, bool)) (string, bool) {
	var rules []string
	for _, one := range list {
		rule, ok := of(one)
		if !ok {
			return "", false
		}
		rules = append(rules, rule)
	}
	return "(" + strings.Join(rules, " | ") + ")", len(rules) > 0
}

func literal(value json.RawMessage) (string, bool) { return strconv.Quote(string(value)), true }

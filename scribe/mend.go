package scribe

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	typo "github.com/agentsentinel/sentinel/internal/nearest"
)

// ruleKeys are the keys of a rule that a model's answer is read with: those of a draft,
// and those that are objected to.
func ruleKeys() []string {
	return []string{
		"id", "trigger", "severity", "scope", "exclude", "backend", "when", "prompt", "message", "tests", "post",
		"mode", "model", "fallback", "_draft",
	}
}

// mended removes from a rule what has no meaning for it: keys that no draft has, and
// `exclude: []`. A key that is one typing error away from a known one is kept, to be
// repaired. A text that is not a YAML mapping is returned as it is.
func mended(body string) string {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(body), &doc) != nil || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return body
	}
	m := doc.Content[0]
	kept := m.Content[:0:0]
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i].Value, m.Content[i+1]
		switch {
		case key == "exclude" && (value.Kind == yaml.SequenceNode && len(value.Content) == 0 || value.Tag == "!!null"):
		case !slices.Contains(ruleKeys(), key) && typo.Slip(key, ruleKeys()) == "" && value.Anchor == "":
		default:
			kept = append(kept, m.Content[i], value)
		}
	}
	if len(kept) == len(m.Content) {
		return body
	}
	m.Content = kept
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if enc.Encode(&doc) != nil || enc.Close() != nil {
		return body
	}
	return out.String()
}

// maxClosing bounds a line that says in which form to answer, in bytes.
const maxClosing = 200

// withoutClosing takes the last line off a prompt when it says in which form to answer,
// as the rules of the Python Sentinel do: the judge is told that anyway.
func withoutClosing(prompt string) string {
	body := strings.TrimRight(prompt, " \t\r\n")
	at := strings.LastIndexByte(body, '\n')
	last := strings.TrimSpace(body[at+1:])
	if at < 0 || len(last) > maxClosing || !asksForJSON(last) {
		return prompt
	}
	return strings.TrimRight(body[:at], " \t\r\n") + "\n"
}

// asksForJSON reports whether a line is an order to answer in JSON.
func asksForJSON(line string) bool {
	list := words(line)
	if len(list) == 0 || !slices.Contains(list, "json") {
		return false
	}
	switch list[0] {
	case "respond", "answer", "reply", "return", "output":
		return true
	}
	return false
}

// forbids reports whether a statement says that something must not be: a rule for it
// that only advises would be weaker than what was said.
func forbids(statement string) bool {
	return slices.ContainsFunc(words(statement), func(w string) bool {
		switch w {
		case "never", "no", "not", "don", "must", "mustn", "forbidden", "forbid", "forbids", "prohibited", "only", "always":
			return true
		}
		return false
	})
}

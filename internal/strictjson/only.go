package strictjson

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxAround bounds what a model says before its answer, in characters.
const maxAround = 200

// Only is the one JSON object that an answer consists of, without a code fence around
// it and a few words before it: no schema binds the model. Any other answer is returned
// as it is, for the one who asked to refuse: one with two objects, with a text behind the
// object, and one that may repeat the mark of the data.
func Only(answer string) string {
	start := strings.IndexByte(answer, '{')
	if start < 0 {
		return answer
	}
	dec := json.NewDecoder(strings.NewReader(answer[start:]))
	var found json.RawMessage
	if dec.Decode(&found) != nil {
		return answer
	}
	before, behind := strings.TrimSpace(answer[:start]), strings.TrimSpace(answer[start+int(dec.InputOffset()):])
	switch fence := opening(before); {
	case behind != "" && (behind != codeFence || !fence),
		behind == "" && fence,
		utf8.RuneCountInString(before) > maxAround,
		strings.ContainsAny(before, "}[]\""),
		hasMark(before):
		return answer
	}
	return string(found)
}

const codeFence = "```"

// opening reports whether a code fence opens at the end of a text, and nowhere else.
func opening(text string) bool {
	text = strings.TrimSuffix(text, "json")
	return strings.HasSuffix(text, codeFence) && strings.Count(text, codeFence) == 1
}

// hasMark reports whether a text may have the mark of the data: 16 hexadecimal digits.
func hasMark(text string) bool {
	found, _ := regexp.MatchString("[0-9a-fA-F]{16}", text)
	return found
}

package main

import (
	"bytes"
	"encoding/json"
)

// refusal is the result of a call that does not run: an error of the tool and
// not of the protocol, so that the model reads why.
func (c *call) refusal(why string) json.RawMessage {
	result := map[string]any{"content": []any{text(why)}, "isError": true}
	if c.rounds {
		result["resultType"] = "complete"
	}
	return marshal(result)
}

func text(s string) map[string]string { return map[string]string{"type": "text", "text": s} }

// needsInput reports whether the server wants the call again, with more.
func needsInput(result json.RawMessage) bool {
	var r struct {
		ResultType string `json:"resultType"`
	}
	return json.Unmarshal(result, &r) == nil && r.ResultType == "input_required"
}

// withTexts adds texts to the content of a result. One that has no content, such
// as an error of the protocol, stays as it is.
func withTexts(result json.RawMessage, texts []string) json.RawMessage {
	var fields map[string]json.RawMessage
	var content []json.RawMessage
	if len(texts) == 0 || json.Unmarshal(result, &fields) != nil || json.Unmarshal(fields["content"], &content) != nil {
		return result
	}
	for _, t := range texts {
		content = append(content, marshal(text("Sentinel: "+t)))
	}
	fields["content"] = marshal(content)
	return marshal(fields)
}

// marshal writes a value that came from JSON, or is made of strings. It does not
// escape what HTML would want: others read it as it is.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null") // no such value is ever given
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

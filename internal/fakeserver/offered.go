package fakeserver

import "encoding/json"

// OfferedTools returns the names of the tools that a request offers to its model, in
// order, in the protocols of Anthropic, OpenAI and Gemini: a tool has its name in the
// object itself, below function, or in a list of declarations or of further tools.
func OfferedTools(body []byte) []string {
	var request struct{ Tools []offer }
	if json.Unmarshal(body, &request) != nil {
		return nil
	}
	return offered(request.Tools)
}

// An offer is an element of a request's tools.
type offer struct {
	Name                 string
	Function             *offer
	FunctionDeclarations []offer
	Tools                []offer // of a namespace
}

func offered(tools []offer) (names []string) {
	for _, t := range tools {
		inner := append(t.FunctionDeclarations, t.Tools...)
		if t.Function != nil {
			inner = append(inner, *t.Function)
		}
		if len(inner) == 0 && t.Name != "" {
			names = append(names, t.Name)
		}
		names = append(names, offered(inner)...)
	}
	return names
}

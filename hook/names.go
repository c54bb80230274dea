package hook

import (
	"unicode"
	"unicode/utf8"
)

// mcpName is the name of an MCP tool whose server is told beside it, in the form
// that tells both apart. Without a server it is Cursor's.
func mcpName(server, tool string) string {
	if server == "" {
		return "MCP:" + tool
	}
	return "mcp__" + server + "__" + tool
}

// lowerFirst is a name with a small first letter.
func lowerFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

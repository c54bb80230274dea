package wire

import (
	"unicode"
	"unicode/utf8"
)

// MCPName is the name of an MCP tool whose server has a field of its own, in the form
// that keeps both apart. Without a server it has the prefix MCP: alone.
func MCPName(server, tool string) string {
	if server == "" {
		return "MCP:" + tool
	}
	return "mcp__" + server + "__" + tool
}

// LowerFirst is a name with a small first letter.
func LowerFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

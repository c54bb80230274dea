// Package scope decides whether a path, a command line or an MCP tool is one
// that a rule is about.
//
// A pattern is a glob. The meaning of its characters depends on what it is tried
// on, so there is one type for each: [Paths], [Commands] and [Tools]. Each
// holds a list of patterns, and the first that matches wins.
//
// The list of a rule is built for every tool call, and hardly any rule matches.
// So building a list costs nothing but the slice: a pattern is compiled when a
// target comes by that has the literal text that the pattern requires.
//
// A pattern that cannot be compiled never matches. [CheckPath], [CheckCommand]
// and [CheckMCP] say beforehand what is wrong with it.
package scope

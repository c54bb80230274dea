package survey

import (
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Operator joins commands, or leads their output.
var Operator = lazy.Regexp{Source: `&&|\|\||[|;>&]|\$\(`}

// TooWide reports whether a command is too much to forbid as a whole: a bare program, unless another one is
// named instead.
func TooWide(cmd string, instead bool) bool {
	switch cmd {
	case "git", "cd", "ls", "bash", "sh", "go", "cargo", "make", "just", "node", "docker", "gh", "task", "next", "test", "find", "bun run", "npm run", "go run", "uv run", "cargo run":
		return !instead || cmd == "git" || cmd == "cd"
	case "npm", "npx", "pnpm", "yarn", "bun", "python", "python3", "uv":
		return false
	}
	return cmd == ""
}

// Plain is a sentence without the text in `code`.
func Plain(s string) string { return markdown.CodeSpan.Get().ReplaceAllString(s, " ") }

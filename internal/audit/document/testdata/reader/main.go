// Reader reads one document for the tests, as any program does that Options.Reader
// names.
package main

import (
	"os"

	"github.com/agentsentinel/sentinel/internal/audit/document"
)

func main() { os.Exit(document.ChildMain(os.Stdin, os.Stdout)) }

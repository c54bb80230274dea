// Command sentinel-audit audits repositories and documents against a rubric. It is
// what "sentinel audit" starts, and a command of its own so that the hook does not
// link readers of documents and syntax trees.
package main

import (
	"os"

	"github.com/agentsentinel/sentinel/internal/auditcli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

func main() { os.Exit(auditcli.Run(command.Process())) }

// Command sentinel guards coding agents: it checks each tool call against the
// rules of a repository.
package main

import (
	"os"

	"github.com/agentsentinel/sentinel/sentinelcmd"
)

func main() { os.Exit(sentinelcmd.Main(nil)) }

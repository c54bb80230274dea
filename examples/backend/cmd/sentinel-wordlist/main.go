// Command sentinel-wordlist is the sentinel command with one more judge.
package main

import (
	"os"

	wordlist "github.com/agentsentinel/sentinel/examples/backend"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

func main() {
	os.Exit(sentinelcmd.Main(&sentinelcmd.Config{
		Name:     "sentinel-wordlist", // what its init has agents start
		Backends: map[string]sentinelcmd.Builder{wordlist.Name: wordlist.FromConfig},
	}))
}

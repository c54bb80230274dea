// Command corpus measures the ready rules on labelled commands, as `sentinel bench
// commands` does:
//
//	go run ./bench/corpus [-v] [-set recommended,all] FILE...
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/packs"
)

func main() {
	verbose := flag.Bool("v", false, "show every case that came out otherwise than expected")
	sets := flag.String("set", packs.Recommended+","+packs.All, "comma-separated `names` of packs or sets, each measured by itself")
	flag.Parse()
	env := command.Process()
	env.Args = append([]string{"bench", "commands", "--set", *sets, fmt.Sprintf("--verbose=%t", *verbose), "--"}, flag.Args()...)
	os.Exit(cli.Run(env))
}

package cli_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/schemagen"
	"github.com/agentsentinel/sentinel/internal/scripttest"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

// exitUnfit is the status of a command that printed JSON without a schema. No command
// has it.
const exitUnfit = 97

var schemas = filepath.Join("..", "..", "docs", "reference", "json", fmt.Sprintf("v%d", schemagen.OutputVersion))

// asPrinted runs the command. Its JSON output has to fit its schema, in whichever
// script that is.
func asPrinted(change func(*command.Env)) int {
	env := command.Process()
	asJSON := slices.Contains(env.Args, "--json")
	if !asJSON && change == nil {
		return sentinelcmd.Main(nil)
	}
	var out bytes.Buffer
	if change != nil {
		change(env)
	}
	if asJSON {
		env.Stdout = io.MultiWriter(os.Stdout, &out)
	}
	status := cli.Run(env)
	if !asJSON {
		return status
	}
	if err := scripttest.Fits(cli.Root(command.Process()), env.Args, &out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUnfit
	}
	return status
}

// everySchemaSeen holds that some script had each command print JSON.
func everySchemaSeen(t *testing.T, seen string) {
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") || t.Failed() {
		return // only some of the scripts ran
	}
	if _, err := exec.LookPath("git"); err != nil {
		return // and those with a repository did not
	}
	unseen, err := scripttest.Unseen(schemas, seen)
	require.NoError(t, err)
	unseen = slices.DeleteFunc(unseen, func(name string) bool { return strings.HasPrefix(name, "sentinel-audit") })
	require.Equal(t, []string{"decision.json", "upgrade.json"}, unseen, "no script has these commands print JSON; check prints a decision, and TestUpgradeCheck has upgrade")
}

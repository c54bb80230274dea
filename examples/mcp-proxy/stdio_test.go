package main

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestMain lets the test's own binary be the proxy, and the server behind it.
func TestMain(m *testing.M) {
	switch os.Getenv("MCP_PROXY_TEST") {
	case "proxy":
		os.Setenv("MCP_PROXY_TEST", "server") // for what it starts
		main()
	case "server":
		if err := newServer(&ran{}).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

func TestProcessesOnStandardInputAndOutput(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		dir := repository(t)
		cmd := exec.Command(os.Args[0], "--name", "db", "--dir", dir, "--", os.Args[0])
		cmd.Env = append(os.Environ(), "MCP_PROXY_TEST=proxy", "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "SENTINEL_CONFIG_DIR=")
		cs, err := newClient(nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: queryArgs{"SELECT 1"}})
		require.NoError(t, err)
		require.Equal(t, []string{"rows of SELECT 1"}, texts(t, res))
		res, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: queryArgs{"DROP TABLE a"}})
		require.NoError(t, err)
		require.True(t, res.IsError)
		require.Contains(t, texts(t, res)[0], "Tables stay.")
		require.NoError(t, cs.Close())
		require.True(t, cmd.ProcessState.Success())
	})
}

func TestTheCommandLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no server":     {nil, "name one server"},
		"two servers":   {[]string{"--http", "http://127.0.0.1:1", "--", "server"}, "name one server"},
		"no such":       {[]string{"--", "/nowhere/server"}, "no such file"},
		"unknown flag":  {[]string{"--nope"}, "nope"},
		"a bad address": {[]string{"--http", ":"}, "--name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, run(t.Context(), c.args), c.says)
		})
	}
}

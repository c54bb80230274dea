// Command mcp-proxy connects an MCP client with an MCP server and puts every
// tool call before Sentinel's engine. Where an agent's configuration starts a
// server,
//
//	{"mcpServers": {"files": {"command": "mcp-server-files", "args": ["/data"]}}}
//
// it starts the proxy, which starts the server:
//
//	{"mcpServers": {"files": {"command": "mcp-proxy", "args": ["--name", "files", "--", "mcp-server-files", "/data"]}}}
//
// So rules with `trigger: mcp`, and those on the files and commands that such a
// call is about, hold for every client, also for one without hooks.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentsentinel/sentinel/project"
)

const usage = `usage: mcp-proxy [FLAGS] -- SERVER-COMMAND [ARG…]
       mcp-proxy [FLAGS] --http URL

Speaks MCP on standard input and output, as the client's server, and passes
everything on to the real one; tools/call is judged by the rules that apply in
the folder first.

`

// judgeWithin bounds the judging of a call. No agent's hook waits for the answer,
// so there is more time than a hook has.
const judgeWithin = 30 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mcp-proxy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mcp-proxy", flag.ContinueOnError)
	name := flags.String("name", "", "the server's name, as rules call it (default: the name of its program or host)")
	dir := flags.String("dir", ".", "folder whose rules apply")
	url := flags.String("http", "", "a server with streamable HTTP, instead of a command")
	token := flags.String("bearer-env", "", "variable that holds the bearer token for --http")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	p := &proxy{dir: folder, engine: openProject(folder), name: *name, log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	var server mcp.Transport
	switch {
	case *url != "" && flags.NArg() > 0, *url == "" && flags.NArg() == 0:
		flags.Usage()
		return errors.New("name one server: a command, or --http URL")
	case *url != "":
		p.parallel = true
		server, p.negotiated = overHTTP(*url, os.Getenv(*token))
		if p.name == "" {
			p.name = hostOf(*url)
		}
	default:
		// Not bound to ctx: the transport ends it in the order that MCP wants.
		cmd := exec.Command(flags.Arg(0), flags.Args()[1:]...)
		cmd.Stderr = os.Stderr
		server = &mcp.CommandTransport{Command: cmd}
		if p.name == "" {
			p.name = strings.TrimSuffix(filepath.Base(flags.Arg(0)), ".exe")
		}
	}
	return p.run(ctx, &mcp.StdioTransport{}, server)
}

// openProject is the engine for a folder: the rules that apply there and the
// user's own, as for the sentinel command; without any, the recommended
// rules that are built in.
func openProject(folder string) *project.Project {
	opts := project.Environment(os.Getenv)
	opts.Deadline = judgeWithin
	opts.ForAgent = true // what a person has paused or let through counts
	if p := project.Open([]string{folder}, opts); len(p.Folders) > 0 {
		return p
	}
	return project.Recommended(folder, opts)
}

// overHTTP is the transport to a server at url, and what has to hear of the
// protocol version that the client and this server agree on.
func overHTTP(url, token string) (mcp.Transport, func(version string)) {
	headers := &headers{next: http.DefaultTransport, token: token}
	return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: headers}}, headers.setVersion
}

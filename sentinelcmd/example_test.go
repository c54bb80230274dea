package sentinelcmd_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

// The main function of a command with a judge of its own. Rules name it by
// `backend: words`.
func ExampleMain() {
	words := func(config.Config) (sentinel.Backend, error) {
		return sentinel.BackendFunc(func(_ context.Context, r sentinel.Request) (sentinel.Response, error) {
			bad := strings.Contains(r.Action.Target, "production")
			return sentinel.Response{Text: fmt.Sprintf(`{"violation":%t,"confidence":1}`, bad)}, nil
		}), nil
	}
	main := func() {
		os.Exit(sentinelcmd.Main(&sentinelcmd.Config{
			Name: "oursentinel", Version: "1.2.0",
			Backends: map[string]sentinelcmd.Builder{"words": words},
		}))
	}
	_ = main
}

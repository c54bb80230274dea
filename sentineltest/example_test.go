package sentineltest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// A backend of one's own is tested in one line, here one of three lines. In a
// real test the function is called TestContract and lies in a _test.go file.
func ExampleRunBackend() {
	testContract := func(t *testing.T) {
		sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
			return sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
				return sentinel.Response{Text: `{"violation":false,"confidence":1}`}, ctx.Err()
			})
		})
	}
	_ = testContract
}

// A scripted backend answers what the test says and remembers what it was asked.
func ExampleBackend() {
	b := sentineltest.NewBackend(
		sentineltest.Answer{Prompt: "rm -rf", Err: sentinel.ErrUnavailable},
		sentineltest.Violation(0.9, "it rewrites history"),
	)
	for _, prompt := range []string{"git push --force", "rm -rf /"} {
		resp, err := b.Complete(context.Background(), sentinel.Request{Prompt: prompt})
		fmt.Printf("%s: %q %v\n", prompt, resp.Text, err)
	}
	fmt.Println(len(b.Requests()), "requests")
	// Output:
	// git push --force: "{\"violation\":true,\"confidence\":0.9,\"reason\":\"it rewrites history\"}" <nil>
	// rm -rf /: "" unavailable
	// 2 requests
}

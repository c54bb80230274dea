package config_test

import (
	"fmt"

	"github.com/agentsentinel/sentinel/config"
)

// A key that parses counts; any other is reported and keeps its default.
func Example() {
	c, problems := config.Parse("config.yaml", []byte("backend: builtin\nmax_parallel: many\nfail_opne: false\n"))
	fmt.Println(c.Backend, c.MaxParallel)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// builtin 4
	// config.yaml:2:15: `max_parallel` must be a whole number, not `many`: write `max_parallel: 4`
	// config.yaml:3:1: unknown key `fail_opne` is taken for `fail_open`: write that
}

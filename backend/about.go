package backend

import (
	"cmp"
	"net/url"
	"strings"
)

// About is what has to be known of a backend to wrap it and to show it to people. The
// zero value describes one that runs in this process and costs nothing.
type About struct {
	Server  string   // URL of the server that it asks; "" for none
	Program string   // an agent's command line that it runs, looked for in PATH; "" for none
	Argv    []string // the user's own program that it runs

	// Paid reports whether a call of a model costs money or a part of a plan. nil
	// means that none does.
	Paid func(model string) bool

	SharesGPU bool   // it loads models on a machine of the user's: calls take a slot and the lock
	Pinged    string // what an answered ping shows, in words; %v is the time it took. "" means "answers in %v"
}

// A Describer is a backend that describes itself. A program's own judge that is one is
// wrapped and shown as Sentinel's own are. [sentinel.As] finds it.
type Describer interface{ About() About }

// Where names the server or the program that is asked; "" for neither.
func (a *About) Where() string { return cmp.Or(a.Server, strings.Join(a.Argv, " ")) }

// Shown is Where for people: without a password and without arguments, which may
// hold a secret.
func (a *About) Shown() string {
	if len(a.Argv) > 0 {
		return a.Argv[0]
	}
	if server, err := url.Parse(a.Server); err == nil {
		return server.Redacted()
	}
	return a.Server
}

// Package judge describes a kind of judge to the program that configures it: the
// defaults of its keys, its properties, and how it is built.
//
// The package of each judge has a type Settings with these methods: the folders here,
// and below backend those that other programs import too. The struct config.Backends is
// the table of them, one line for each judge. Nothing else names a judge.
package judge

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Settings are the keys below backends.NAME. A field with the tag form:"url",
// form:"variable" or form:"keep_alive" is checked for that form when the file is
// read.
type Settings interface {
	// SetDefaults sets each key to its default.
	SetDefaults()

	// About describes the judge with these settings.
	About() About

	// Identity is equal for settings that give equal answers to equal prompts of
	// model, and differs otherwise. It is part of the keys of kept answers. ""
	// keeps none: answers depend on more than the prompt. The tag same of a field that it
	// leaves out says why that changes no answer.
	Identity(model string) string

	// Build makes the backend. It sends and starts nothing. Its error is
	// [sentinel.ErrRefused] when the user has to trust the configuration first.
	Build(*Site) (sentinel.Backend, error)
}

// About describes a judge: what every backend may say of itself, and what its settings
// add. The zero value describes one that runs in this process and takes no model.
type About struct {
	backend.About

	Model        string // that its settings name; "" for none
	DefaultModel string // asked when the configuration names none; "" for none
	NeedsModel   bool   // the configuration has to name a model
	OwnModels    bool   // asks one vendor's models only, so the standard judge's default model is not meant for it

	Lacks  string // what its settings have to add first, as in "has no program: write …"; "" for nothing
	KeyEnv string // environment variable that holds its key; "" for none

	Logprobs bool   // the probability of its verdict is its confidence
	Profiled bool   // its models are asked by profiles
	Profile  string // the profile of every model; "" chooses

	Provider string // its name in the GenAI conventions of OpenTelemetry; "" for none

	// What docs/judges.md says of it, in a few words.
	Needs, DataTo, Costs string
}

// A Site is where a judge is built: a folder of rules of one user.
type Site struct {
	Model    string // that the configuration names for the judge
	Only     string // the one model that will be asked; "" when requests may name any
	Dir      string // that relative paths start from
	StateDir string // the user's own folder; "" for none
	Program  string // what this program is called; "" means sentinel

	Getenv  func(string) string  // reads the environment, for keys
	Memory  backend.Shared       // keeps what servers accept; nil keeps nothing
	Trusted func() bool          // reports whether the user trusts the configuration
	MayAsk  func(*url.URL) error // says why prompts may not go to a server
	MayRun  func() error         // says why a program of the configuration may not run

	// Count counts a question of the judge's own, besides those that it is asked, if one to
	// that model costs money, and says why it may not be put. nil counts nothing.
	Count func(model string) error
}

// Server parses the URL of a server that prompts may go to. key names the setting
// in errors.
func (s *Site) Server(key, text string) (*url.URL, error) {
	server, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", sentinel.ErrUnavailable, key, err)
	}
	return server, s.MayAsk(server)
}

// OwnPlan says why a program that asks its vendor's models at the user's cost may not
// be started; nil means that it may. name is the judge.
func (s *Site) OwnPlan(name string) error {
	if s.Trusted() {
		return nil
	}
	return NotTrusted(s.Program, "the judge "+name+" would send prompts to the service that you are signed in to, at your plan's cost")
}

// Always is [About.Paid] of a judge whose every call costs.
func Always(string) bool { return true }

// Loopback reports whether a host is this machine: localhost, or an address of it.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// NotTrusted is the refusal of something that the configuration asks for before
// the user trusts it; program is that of [Site].
func NotTrusted(program, what string) error {
	return fmt.Errorf("%w: %s, and the configuration is not trusted; read it, then run `%s`", sentinel.ErrRefused, what, text.Command(program, "trust"))
}

// Identity writes an identity: the name of the judge, then pairs of a key and its
// value, as in `ollama model="gemma3:4b" num_ctx=4096`.
func Identity(name string, pairs ...any) string {
	var b strings.Builder
	b.WriteString(name)
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&b, " %s=%#v", pairs[i], pairs[i+1])
	}
	return b.String()
}

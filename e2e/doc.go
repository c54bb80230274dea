// Package e2e holds end-to-end tests and nothing else: the built command in the
// hooks of real coding agents, judged with no model and by a real Ollama server.
//
// An agent is started as a user would start it, in a fresh home folder and a
// fresh repository after `sentinel init`; only its model is scripted
// ([github.com/agentsentinel/sentinel/internal/fakeserver.AnthropicServer] for Claude
// Code, scriptedModel for the others). Nothing leaves loopback. A shell script
// comes before sentinel in the agents' PATH and keeps what they sent and got.
//
// What must hold for every agent is in suite_test.go; the file of an agent says
// how it is set up and started, and tests what is its own. `go test ./e2e -run
// Gemini` runs one.
//
// A test that lacks something (git, an agent, the Ollama server) is skipped with
// a line that says what and how to get it: .ci/agents installs the agents into the
// user's cache. The environment variable SENTINEL_E2E changes that: "require"
// makes a skip a failure, "off" skips everything.
package e2e

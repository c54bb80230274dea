// Package e2e holds end-to-end tests and nothing else: the built command in the
// hook of the real Claude Code, judged with no model and by a real Ollama
// server.
//
// Claude Code is started as a person would start it, in a fresh home folder and
// a fresh repository after `sentinel init`; only the model behind it is
// scripted ([github.com/agentsentinel/sentinel/sentineltest.AnthropicServer]).
// Nothing leaves loopback.
//
// A test that lacks something (git, Claude Code, the Ollama server) is skipped
// with a line that says what and how to get it: .ci/agents installs Claude Code
// into the user's cache. The environment variable SENTINEL_E2E changes that:
// "require" makes a skip a failure, "off" skips everything.
package e2e

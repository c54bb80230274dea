// Package fakeserver has scripted model servers on loopback for tests that go
// through a whole program: [OllamaServer], [AnthropicServer] and [OpenAIServer]
// speak the real wire. They record their requests, and fail in every way that a
// [Fault] or an answer of theirs describes.
//
// Nothing here sleeps: a test that has to wait waits for a channel.
package fakeserver

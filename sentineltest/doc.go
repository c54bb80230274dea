// Package sentineltest helps those who implement or embed Sentinel to test
// their work.
//
// # Is my implementation right?
//
// [RunBackend], [RunLock] and [RunToolMapper] check an implementation of the
// interface of that name against its contract, clause by clause, as
// testing/slogtest does for log handlers. Each case is a subtest; its failure
// says what was seen and quotes the clause that was broken.
//
//	func TestContract(t *testing.T) {
//		sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend { return mybackend.New() })
//	}
//
// # Doubles
//
// [Backend] is a scripted backend, for tests of whatever asks one.
// [OllamaServer], [AnthropicServer] and [OpenAIServer] are scripted model servers
// on loopback that speak the real wire, for tests that go through a whole program.
// All of them record what they were asked, and fail in every way that a [Fault] or
// an answer of theirs describes.
//
// Nothing here sleeps: what has to wait in a test waits for a channel.
package sentineltest

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
// # A double
//
// [Backend] is a scripted backend, for tests of code that asks one. It records
// its requests.
//
// Nothing here sleeps: a test that has to wait waits for a channel.
package sentineltest

// Package backend has wrappers of backends, for what all of them need and none
// should do by itself: a cache, a budget, slots, a lock, a clock.
//
// A backend asks one model one question ([sentinel.Backend]); the packages below
// this one each hold a way to ask: builtin needs no model at all, ollama asks a
// server on this machine. The wrappers add, one thing each:
//
//   - [Lazy] builds the backend at its first use.
//   - [Cached] keeps answers, so that no question is asked twice.
//   - [Breaker] leaves a backend that keeps failing alone for a while.
//   - [Budget] bounds the use of a day.
//   - [CallLimit] bounds the calls of a day.
//   - [Limited] lets only so many calls through at once.
//   - [Locked] shares one GPU with other processes.
//   - [Timed] gives each call its own time.
//
// Order matters. A kept answer needs neither a slot nor a budget, and
// the clock of a call must not run while the call waits:
//
//	Cached(Budget(Breaker(CallLimit(Limited(Locked(Timed(b)))))))
//
// A [Describer] says what decides which of them it needs. Every wrapper has a method
// Unwrap, so that [sentinel.As] finds a [sentinel.Pinger], [sentinel.Warmer] or
// [io.Closer] inside it. Wrappers are safe for concurrent use when the backend is, as
// the contract asks of it.
package backend

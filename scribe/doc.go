// Package scribe learns draft rules from sessions and documents.
//
// The user says "never modify the billing module directly", or an agent runs
// into an error and finds the right way. [Reflect] reads the new part of a
// session's transcript for such conventions, [Learn] the documents of the
// repository. Both ask a model twice: one call finds the conventions of a text,
// one call for each convention says whether a rule covers it already and, if
// not, writes one. What comes out is a draft, which does nothing until the user
// promotes it.
//
// # What is believed
//
// Everything that is read is hostile, and so is what the model makes of it. The
// evidence of a convention has to be a quotation that stands in what the model
// was shown. Where it stands decides what it is: the user's words make it
// user_feedback; the agent's words and calls make it agent_self_correction, and
// only beside an error or a revision. Tool output shows that something went
// wrong and never says what the rule is. A convention that is about Sentinel
// itself, and a rule that would weaken it or talk to its judge, is refused.
//
// # What is kept
//
// Every convention is an observation in .sentinel/scribe/observations.jsonl with
// where it comes from and what became of it; see [Store]. One whose draft could
// not be written, because the model was busy, is tried again the next time. What
// the user dismissed stays dismissed, in other words too.
package scribe

// Package scribe learns draft rules from sessions and documents.
//
// The user says "never modify the billing module directly", or an agent runs
// into an error and finds the right way. [Reflect] reads the new part of a
// session's transcript for such conventions, [Learn] the documents of the
// repository. Both ask a model twice: one call finds the conventions of a text,
// one call for each convention says whether a rule covers it already and, if
// not, writes one. The result is a draft, which has no effect until the user promotes
// it.
//
// # Trust
//
// All input is hostile, and so are the model's answers. The evidence of a convention
// has to be a quotation from the text that the model got. Its place decides the
// source: the user's words make it user_feedback; the agent's words and calls make it
// agent_self_correction, and only near an error or a revision. Tool output shows that
// something went wrong and never says what the rule is. A convention about Sentinel
// itself is refused, and so is a rule that would weaken Sentinel or contain a prompt
// injection against its judge.
//
// # Storage
//
// Every convention is an observation in .sentinel/scribe/observations.jsonl with its
// source and its state; see [Store]. If the model was busy and no draft was written,
// the next run tries again. A convention that the user dismissed stays dismissed, also
// when it is worded differently.
package scribe

// Package replay puts past sessions before the rules: which of the calls that
// agents made would have been stopped, asked about or warned of, what a changed
// rule would have changed, and what happened next.
//
//	r, err := replay.Run(ctx, transcripts, opts) // asks no model
//	fmt.Println(r.Report().Estimate.Calls)       // what asking would take
//	err = r.Ask(ctx)                             // asks what is open
//
// [Run] reads each transcript once, maps each call to actions once, and judges
// them by everything that needs no model: scope, `when`, the builtin judge, and
// answers of models that are kept from earlier. What is left is open. [Replay.Ask]
// puts it to the models, each question once, however often it came up.
//
// Rules are what the caller has built: a file that changes meanwhile changes
// nothing. Transcripts are hostile and often torn: one that cannot be read is
// counted and named, and the others are read all the same.
//
// # What happened next
//
// A call that a rule objects to is followed to the end of its session. That a
// person refused it, that it was undone, or made again, is a hint of whether the
// rule is right: see [Next]. It is a hint and no more.
//
// # What a replay cannot know
//
// Paths are resolved as the disk is now. Of two sessions that follow each other
// in the same rule, nothing is learned by the second: an agent that had been
// stopped would have gone another way. A second opinion is not asked for, and a
// rule that cannot be judged is counted as that and has no part in a verdict,
// whatever fail_open says: what a server does today says nothing about the rule.
package replay

// Package replay judges past sessions by the rules: which calls of agents would have
// been stopped, asked about or warned of, what a changed rule would have changed, and
// what happened next.
//
//	r, err := replay.Run(ctx, transcripts, opts) // asks no model
//	fmt.Println(r.Report().Estimate.Calls)       // what asking would take
//	err = r.Ask(ctx)                             // asks the open questions
//
// [Run] reads each transcript once, maps each call to actions once, and judges
// them without a model: by scope, `when`, the builtin judge, and cached answers of
// models. Other questions stay open. [Replay.Ask] asks the models these, each
// question once, however often it came up.
//
// The caller has built the rules: a file that changes meanwhile changes nothing.
// Transcripts are hostile and often torn: an unreadable one is counted and named, and
// the others are read.
//
// # What happened next
//
// A call that a rule objects to is followed to the end of its session. If the user
// refused it, or if it was undone or repeated, this hints at whether the rule is
// right: see [Next]. It is only a hint.
//
// # What was done before
//
// Rules that ask what a session did before are judged by the calls of the record and the
// results that it has. The end of a turn is not judged.
//
// # What a replay cannot know
//
// Paths are resolved as the disk is now. A stopped agent would have done something
// else next, so the later calls of a session may be unreal. A second opinion is not
// asked for. A rule that cannot be judged is counted as such and has no part in a
// verdict, whatever fail_open says: a server that is down today says nothing about
// the rule.
package replay

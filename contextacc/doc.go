// Package contextacc keeps the running summary of an agent's session: what it is
// about, how far it is, what the agent is at. Advice after a tool (info rules with
// `post: true`) is written with it at hand.
//
// [Update] reads what is new in the session's transcript, has a model bring the
// summary up to date and replaces it in one step. How far it has read is kept in a
// checkpoint beside the summary, which moves only when a summary was written: what
// fails is caught up with the next time, from the same place, and what the model
// is shown is bounded however much that has become. Of several processes that work
// on the same session at once, one does, and looks again for the others.
//
// The words of a transcript are hostile: they stand fenced in what the model is
// asked, and an answer that is not exactly of the form asked for is none.
//
// # The files
//
// They lie in the session's folder, .sentinel/sessions/ID in the project:
//
//	summary.json   {"task_scope","progress","current_focus","updated"}
//	checkpoint     where reading goes on; a mark of this package's own
//	again          there while somebody asks the process at work to look again
//
// They are readable for the user alone, git does not see them, no link is
// followed to them, and one that is garbage counts as missing and is replaced.
package contextacc

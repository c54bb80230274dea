// Package contextacc keeps the running summary of an agent's session: its task, its
// progress and its current focus. Advice after a tool (info rules with `post: true`)
// uses it.
//
// [Update] reads the new part of the session's transcript, asks a model for the new
// summary and replaces the old one in one step. A checkpoint in the same folder says
// how far the transcript was read. It moves only when a summary was written, so that
// the next call reads again what a failed one had read. The text that the model gets
// is bounded. If several processes update the same session at once, one of them does
// the work and looks again for the others.
//
// The words of a transcript are hostile: the question to the model has them inside a
// fence, and an answer of another form than the one asked for is refused.
//
// # The files
//
// They are in the session's folder, .sentinel/sessions/ID in the project:
//
//	summary.json   {"task_scope","progress","current_focus","updated"}
//	checkpoint     where reading goes on; a mark of this package's own
//	again          exists while another process wants the working one to look again
//
// Only the user can read them, git ignores them, and links to them are not followed.
// A file with unusable content counts as missing and is replaced.
package contextacc

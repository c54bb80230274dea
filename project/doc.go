// Package project opens a repository: it finds the folders of rules that apply
// to an event, reads their configuration and rules, and builds the engine.
//
// A folder is a `.claude/sentinel` found upward from where the agent works, from
// the roots that it names and from every path that a call touches, so that a change of
// directory does not avoid a rule. All of them apply. The user's own folder comes first; no
// repository can switch its rules off. Each folder judges by its own configuration; the
// strictest answer wins.
//
// The parsed files are stored in the user's cache folder. A stored form is used
// only while size, times and inode of every file agree. See [Folder].
//
// A [Project] evaluates in two steps, as the engine does: [Project.Match] finds the
// rules of all folders that are about an event, [Docket.Judge] judges them. Where an agent
// acts on the answer, [Docket.Decide] judges them with pauses and approvals around it.
//
// [Project.Memory] keeps what sessions leave: transcripts' places, summaries, what
// was learned. docs/session-memory.md says what is kept and where.
// [Project.Inspect] is for commands that show or check a project.
package project

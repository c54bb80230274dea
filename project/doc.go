// Package project opens a repository: it finds the folders of rules that apply
// to an event, reads their configuration and rules, and builds the engine.
//
// A folder is a `.claude/sentinel` found upward from where the agent works, from
// the roots that it names and from every path that a call touches, so that an
// agent does not escape the rules by a change of directory. All of them apply. The
// user's own folder comes first; no repository can switch its rules off. Each
// folder judges by its own configuration; the strictest answer wins.
//
// The parsed files are stored in the user's cache folder. A stored form is used
// only while size, times and inode of every file agree. See [Folder].
//
// [Open] finds the folders. [Project.Match] and [Project.Evaluate] judge an event.
// [Project.Gate], [Project.Book] and [Project.Memory] lead to pauses and approvals,
// to records, and to the memory of sessions (docs/session-memory.md).
// [Project.Inspect] is for commands that show or check a project.
package project

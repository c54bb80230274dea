// Package transcript reads what coding agents record of their sessions, and
// keeps such a record for agents that do not.
//
// # Reading
//
// [Open] reads the session files of Claude Code, Codex, Copilot CLI (and Copilot
// in VS Code), Gemini CLI and Qwen Code, and Sentinel's own [Journal]. Whose it is
// shows in the content. [Reader.Next] returns one [Entry] for each event: what the
// person said, what the agent said, which tool was called with what, and how that
// went. Thinking, system texts, raw payloads and the agent's own book-keeping
// (to-do lists, plans) are left out.
//
// A file is read through a window, so memory does not depend on its size nor on
// the length of a line. Lines that are no JSON, or of a kind that is not known,
// are skipped. A half line at the end waits for its other half.
//
// # Going on
//
// [Reader.Position] is where the next Reader goes on, in this process or another:
//
//	r, err := transcript.Open(path, checkpoint, nil)
//	…
//	checkpoint = r.Position() // after io.EOF
//
// It also remembers which calls still wait for their result. A file that was
// rotated, truncated or replaced is read from its beginning, and
// [Reader.Restarted] says so.
//
// # Who said it
//
// Agents put much into the place of the user: project instructions, the
// surroundings, summaries, reminders, slash commands, the texts of hooks, and with
// them Sentinel's own. None of it becomes an entry of kind [Human]. Nor does the
// prompt of a subagent, or what an MCP server words like the user's refusal.
//
// Everything here is hostile: the file, its lines, and the texts in the entries.
package transcript

// Package transcript reads the session files of coding agents, and keeps such a file
// for agents that have none.
//
// # Reading
//
// [Open] reads the session files of Claude Code, Codex, Copilot CLI (and Copilot
// in VS Code), Gemini CLI and Qwen Code, and Sentinel's own [Journal]. The agent is
// recognized by the content. [Reader.Next] returns one [Entry] for each event: words of the
// user, words of the agent, a tool call with its arguments, and its result. Thinking,
// system texts, raw payloads and the agent's own book-keeping (to-do lists, plans) are
// left out.
//
// A file is read through a window, so memory does not depend on its size nor on
// the length of a line. Lines that are not JSON, or of an unknown kind, are skipped.
// An incomplete line at the end is left for the next Reader.
//
// # Resuming
//
// [Reader.Position] is the place where the next Reader resumes, in this process or
// another:
//
//	r, err := transcript.Open(path, checkpoint, nil)
//	…
//	checkpoint = r.Position() // after io.EOF
//
// It also has the calls without a result yet. A file that was
// rotated, truncated or replaced is read from its beginning, and
// [Reader.Restarted] says so.
//
// # The words of the user
//
// Agents write many texts with the role of the user: project instructions, the
// environment, summaries, reminders, slash commands, and the texts of hooks, of
// Sentinel's too. They do not become entries of kind [Human]. Neither do the prompt of
// a subagent, or the output of an MCP server that looks like the user's refusal.
//
// Everything here is hostile: the file, its lines, and the texts in the entries.
package transcript

// Sentinel for opencode: every tool call is shown to `sentinel hook`, which may
// refuse it or add context to its result.
// Written by `sentinel init`; `sentinel uninstall` takes it away unless it was changed.
@digest@
/** Tools that neither write, run nor reach out. An MCP server's tools are never here. */
const harmless = new Set([
  "codesearch", "glob", "invalid", "list", "lsp", "plan_enter", "plan_exit", "question", "skill", "task",
  "todoread", "todowrite", "webfetch", "websearch",
])
const readers = new Set(["read", "grep"])

export const Sentinel = async ({ client, directory }) => {
  /** Says what keeps Sentinel from working. */
  const tell = async (message) => {
    try {
      await client?.tui?.showToast?.({ body: { title: "Sentinel", message, variant: "warning" } })
    } catch {
      // no window to show it in; the log has it
    }
    try {
      await client?.app?.log?.({ body: { service: "sentinel", level: "warn", message } })
    } catch {
      // opencode goes away: nobody is left to tell
    }
  }
  /** Whether a session is a person's: a subagent has one of its own, and its task is an agent's text. */
  const ofPerson = async (id) => {
    try {
      const found = await client.session.get({ path: { id } })
      return Boolean(found?.data) && !found.data.parentID
    } catch {
      return false
    }
  }
  const ask = (event) => asked({ cwd: directory, ...event }, directory, tell)

  return {
    "tool.execute.before": async (input, output) => {
      if (!shown(input.tool)) return
      const answer = await ask({
        hook_event_name: "tool.execute.before", session_id: input.sessionID, tool_use_id: input.callID,
        tool_name: input.tool, tool_input: output.args,
      })
      const refusal = answer === undefined && unasked(directory)
      if (refusal) throw new Error(refusal)
      if (answer?.deny) throw new Error(answer.reason || "Sentinel refused this call.")
      if (answer?.context) keep(input.callID, answer.context)
    },

    "tool.execute.after": async (input, output) => {
      if (!shown(input.tool)) return
      const earlier = kept(input.callID)
      const answer = await ask({
        hook_event_name: "tool.execute.after", session_id: input.sessionID, tool_use_id: input.callID,
        tool_name: input.tool, tool_input: input.args, tool_response: output,
      })
      for (const text of [earlier, answer?.context]) {
        if (text) add(output, text)
      }
    },

    // What the person has written is kept with the session. Advice is given with
    // results, never among the person's own words, so no answer is read here.
    "chat.message": async (input, output) => {
      if (!(await ofPerson(input.sessionID))) return
      const said = (output?.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
      const prompt = said.map((part) => part.text).join("\n")
      if (prompt) await ask({ hook_event_name: "chat.message", session_id: input.sessionID, prompt })
    },

    // Nobody waits for these, so sentinel does its work beside the session.
    event: async ({ event }) => {
      const names = ["session.created", "session.idle", "session.deleted"]
      if (!event || !names.includes(event.type)) return
      const properties = event.properties ?? {}
      await ask({ hook_event_name: event.type, session_id: properties.sessionID ?? properties.info?.id ?? "" })
    },
  }
}

/** Adds a text to a result: that of a tool, or the parts of an MCP server's. */
function add(output, text) {
  if (Array.isArray(output.content)) output.content.push({ type: "text", text })
  else output.output = (output.output ?? "") + "\n\n" + text
}

// Sentinel for Cline's program: every tool call is shown to `sentinel hook`, which may
// refuse it or add context to its result.
// Written by `sentinel init`; `sentinel uninstall` takes it away unless it was changed.
@digest@
/** Tools that neither write, run nor reach out. */
const harmless = new Set(["ask_question", "fetch_web_content", "spawn_agent", "submit_and_exit", "use_skill"])
const readers = new Set(["read_files", "search_codebase"])

/** Calls that were refused, of which Cline tells the end all the same. */
const refused = new Set()

let root

/** Asks about one event, in the form in which Cline's program tells its hook scripts of it. */
const ask = (hookName, { snapshot }, event) =>
  asked({ clineVersion: "", hookName, taskId: snapshot.conversationId, workspaceRoots: [root ?? process.cwd()], ...event }, root ?? process.cwd(), (message) =>
    console.error("Sentinel: " + message),
  )

const call = (context) => ({ id: context.toolCall.toolCallId, name: context.tool.name, input: context.input })

const given = (answer) => (answer?.contextModification ? { appendContext: answer.contextModification } : undefined)

export default {
  name: "sentinel",
  manifest: { capabilities: ["hooks"] },
  setup(_api, context) {
    root = context?.workspaceInfo?.rootPath
  },
  hooks: {
    beforeRun: async (context) => {
      await ask("agent_start", context, {})
    },
    beforeTool: async (context) => {
      if (!shown(context.tool.name)) return
      const answer = await ask("tool_call", context, { tool_call: call(context) })
      const refusal = answer === undefined && unasked(root ?? process.cwd())
      if (!answer?.cancel && !refusal) return given(answer)
      refused.add(context.toolCall.toolCallId)
      return { skip: true, reason: refusal || answer.errorMessage || "Sentinel refused this call." }
    },
    afterTool: async (context) => {
      if (refused.delete(context.toolCall.toolCallId) || !shown(context.tool.name)) return
      const { output, isError } = context.result
      const error = isError ? String(output?.error ?? output) : null
      return given(await ask("tool_result", context, { tool_result: { ...call(context), output, error } }))
    },
    afterRun: async (context) => {
      await ask("agent_end", context, {})
    },
  },
}

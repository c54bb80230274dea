// Sentinel for pi: every tool call is shown to `sentinel hook`, which may refuse it,
// have its user asked, or add context to its result.
// Written by `sentinel init`; `sentinel uninstall` takes it away unless it was changed.
@digest@
/** Tools that neither write, run nor reach out. What a script of codemode calls is shown by itself. */
const harmless = new Set([
  "codemode", "find", "list_mcp_resource_templates", "list_mcp_resources", "ls", "read_mcp_resource", "tool_search",
])
const readers = new Set(["read", "grep"])

export default function (pi) {
  let opening // context from the start of the session, for its first prompt

  const ask = (name, ctx, event) => {
    const session = ctx.sessionManager
    const about = {
      hook_event_name: "pi." + name, session_id: session.getSessionId(), transcript_path: session.getSessionFile() ?? "", cwd: ctx.cwd,
    }
    return asked({ ...about, ...event }, ctx.cwd, (message) => {
      if (ctx.hasUI) ctx.ui.notify("Sentinel: " + message, "warning")
    })
  }
  const call = (event) => ({ tool_use_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input })

  pi.on("tool_call", async (event, ctx) => {
    if (!shown(event.toolName)) return
    const answer = await ask("tool_call", ctx, call(event))
    const refusal = answer === undefined && unasked(ctx.cwd)
    if (refusal) return { block: true, reason: refusal }
    if (answer?.ask && ctx.hasUI && (await ctx.ui.confirm("Sentinel", answer.ask))) return
    if (answer?.deny || answer?.ask) return { block: true, reason: answer.reason || "Sentinel refused this call." }
    if (answer?.context) keep(event.toolCallId, answer.context)
  })

  // The results of calls that another tool makes go to that tool, so what is to be
  // said is given with its own result.
  pi.on("tool_result", async (event, ctx) => {
    const texts = [kept(event.toolCallId)]
    if (shown(event.toolName)) {
      const content = (event.content ?? []).filter((part) => part.type === "text")
      const answer = await ask("tool_result", ctx, { ...call(event), tool_response: { content, isError: event.isError } })
      texts.push(answer?.context)
    }
    const said = texts.filter(Boolean).join("\n")
    if (!said) return
    if (event.parentToolCallId) return keep(event.parentToolCallId, [kept(event.parentToolCallId), said].filter(Boolean).join("\n"))
    const patch = { content: [...(event.content ?? []), { type: "text", text: said }] }
    if (event.structuredContent !== undefined) patch.structuredContent = event.structuredContent
    return patch
  })

  const starts = async (source, ctx) => {
    const answer = await ask("session_start", ctx, { source })
    if (answer?.context) opening = answer.context
  }
  pi.on("session_start", async (event, ctx) => {
    if (event.reason !== "reload") await starts(event.reason, ctx)
  })
  pi.on("session_compact", async (_event, ctx) => {
    await starts("compact", ctx)
  })

  pi.on("before_agent_start", async (event, ctx) => {
    const answer = await ask("before_agent_start", ctx, { prompt: event.prompt ?? "" })
    const content = [opening, answer?.context].filter(Boolean).join("\n")
    opening = undefined
    if (content) return { message: { customType: "sentinel", content, display: true } }
  })

  pi.on("agent_end", async (_event, ctx) => {
    await ask("agent_end", ctx, {})
  })
  pi.on("session_shutdown", async (event, ctx) => {
    if (event.reason !== "reload") await ask("session_shutdown", ctx, {})
  })
}

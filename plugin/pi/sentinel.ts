// Sentinel for pi: every tool call is shown to `sentinel hook`, which may refuse it,
// have its user asked, or add context to its result.
// Written by `sentinel init`; `sentinel uninstall` takes it away unless it was changed.
// sentinel-digest: 9ab7470f02c10866c59f44320f35f5b93d5b5c49377d0c3e4c849bc00d58d16c
import { spawn } from "node:child_process"
import { accessSync, constants, readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, isAbsolute, join } from "node:path"

const agent = "pi"
const program = "sentinel"
const deadlineMs = 15000 // what sentinel is given to answer in
const timeoutMs = 20000 // after which it is ended
const strict = false // whether a call is refused that sentinel could not be asked about
const reads = false // whether tools that only read are shown too
const further = "" // a regular expression for further tools that are shown, "" for none

const install = "go install github.com/agentsentinel/sentinel/cmd/...@latest"
const missing = "sentinel was not found, so nothing is checked. Install it (" + install + ") and restart " + agent + "."

const executable = find()
let told = false

/**
 * Asks sentinel about one event. Without an answer it is undefined, and tell is called
 * once with what keeps Sentinel from working.
 */
async function asked(event, cwd, tell) {
  try {
    if (!executable) throw new Error(missing)
    const text = await run(executable, event, cwd)
    if (text.trim() === "") return {}
    const answer = JSON.parse(text)
    if (answer === null || typeof answer !== "object") throw new Error("sentinel answered " + text.slice(0, 200))
    return answer
  } catch (error) {
    if (!told) {
      told = true
      await tell(error instanceof Error ? error.message : String(error))
    }
    return undefined
  }
}

/** Why a call is refused that sentinel could not be asked about, undefined where it passes. */
function unasked(cwd) {
  if (!strict && failOpen(cwd) !== false) return undefined
  const why = executable ? "`sentinel doctor` tells why." : "It was not found. Tell the user to install it: " + install
  return "Sentinel could not be asked about this call, and this project is strict. " + why
}

/** What the nearest configuration says that has fail_open in it, last the user's own. */
function failOpen(cwd) {
  const { SENTINEL_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, HOME: home } = process.env
  const folders = own ? [own] : []
  for (let dir = cwd, below; dir !== below; below = dir, dir = dirname(dir)) folders.push(join(dir, ".claude", "sentinel"))
  folders.push(join(xdg && isAbsolute(xdg) ? xdg : join(home || homedir(), ".config"), "sentinel"))
  for (const folder of folders) {
    const said = says(join(folder, "config.yaml"))
    if (said !== undefined) return said
  }
  return undefined
}

/** The value of fail_open in a file of any encoding: false wherever it stands, true as a key of its own. */
function says(file) {
  let lines
  try {
    if (!statSync(file).isFile()) return undefined
    lines = readFileSync(file, "latin1").toLowerCase().replace(/[\0\xff\xfe\xef\xbb\xbf]/g, "").split("\n").map((line) => line.split("#")[0])
  } catch {
    return undefined // there is none, or none to read
  }
  if (lines.some((line) => /(^|[ \t"'{,])fail_open["' \t]*:["' \t]*(false|no|off)([^a-z]|$)/.test(line))) return false
  return lines.some((line) => /^["']?fail_open["' \t]*:["' \t]*(true|yes|on)([^a-z]|$)/.test(line)) || undefined
}

function shown(tool) {
  if (further !== "" && new RegExp("^(" + further + ")$").test(tool)) return true
  return !harmless.has(tool) && (reads || !readers.has(tool))
}

/** Context of calls that run now, to be given with their results. */
const pending = new Map()

/** Remembers context; of calls that never ended, which have no after, the oldest go. */
function keep(call, context) {
  pending.set(call, context)
  for (const old of pending.keys()) {
    if (pending.size <= 100) break
    pending.delete(old)
  }
}

/** Gives up what is remembered of a call. */
function kept(call) {
  const context = pending.get(call)
  pending.delete(call)
  return context
}

/** Looks for the program on the PATH, then where Go and people put programs. */
function find() {
  if (program.includes("/") || program.includes("\\")) return runnable(program) ? program : undefined
  const env = process.env
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter(Boolean)
  if (env.GOBIN) folders.push(env.GOBIN)
  if (env.GOPATH) folders.push(join(env.GOPATH, "bin"))
  folders.push(join(homedir(), "go", "bin"), join(homedir(), ".local", "bin"), "/usr/local/bin", "/opt/homebrew/bin")
  const names = process.platform === "win32" ? [program + ".exe"] : [program]
  for (const folder of folders) {
    for (const name of names) {
      if (runnable(join(folder, name))) return join(folder, name)
    }
  }
  return undefined
}

function runnable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Runs sentinel with an event on its standard input and returns what it writes. */
function run(executable, event, cwd) {
  return new Promise((resolve, reject) => {
    const args = ["hook", "--agent", agent, "--deadline", deadlineMs + "ms"]
    const child = spawn(executable, args, { cwd, stdio: ["pipe", "pipe", "pipe"], windowsHide: true })
    const out = []
    const err = []
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      child.stdout.destroy() // a child of its own may hold these open
      child.stderr.destroy()
      reject(new Error("sentinel did not answer within " + timeoutMs + " ms"))
    }, timeoutMs)
    child.stdout.on("data", (data) => out.push(data))
    child.stderr.on("data", (data) => err.push(data))
    child.stdin.on("error", () => {}) // it ended before it had read the event; its status says why
    child.on("error", (error) => {
      clearTimeout(timer)
      reject(new Error("sentinel could not be started: " + error.message))
    })
    child.on("close", (status) => {
      clearTimeout(timer)
      const text = Buffer.concat(out).toString("utf8")
      if (status === 0) return resolve(text)
      const reason = Buffer.concat(err).toString("utf8").trim()
      reject(new Error(reason || "sentinel ended with status " + status))
    })
    child.stdin.end(JSON.stringify(event))
  })
}

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

// Sentinel for opencode: every tool call is shown to `sentinel hook`, which may
// refuse it or add context to its result.
// Written by `sentinel init`; `sentinel uninstall` takes it away unless it was changed.
// sentinel-digest: 8a11ced0f4bc831be4b46f3e9e674d64b504daee074d1cba16560191a145d2a1
import { spawn } from "node:child_process"
import { accessSync, constants, readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, isAbsolute, join } from "node:path"

const agent = "opencode"
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

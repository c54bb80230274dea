// Runs the engine for the page. There are no files here: whatever is looked for is absent.
const absent = (...args) => args.at(-1)(Object.assign(new Error("there are no files here"), { code: "ENOENT" }));
for (const name of Object.keys(fs)) {
  if (typeof fs[name] === "function" && !name.startsWith("write") && name !== "fsync") fs[name] = absent;
}
process.cwd = () => "/home/you/project";

async function start({ engine, rules }) {
  globalThis.sentinelRules = new Uint8Array(rules);
  const go = new Go();
  const instance = await WebAssembly.instantiate(engine, go.importObject);
  const ready = new Promise(resolve => { globalThis.sentinelReady = resolve; });
  go.run(instance).then(() => postMessage({ failed: "the engine ended" }));
  await ready;
  postMessage({ info: sentinelInfo() });
}

onmessage = async ({ data }) => {
  try {
    if (data.engine) await start(data);
    else postMessage({ id: data.id, answer: await sentinelAnswer(data.request) });
  } catch (e) {
    postMessage({ failed: String(e) });
  }
};

#!/usr/bin/env node
// Makes the npm packages of a release from what goreleaser built: one per platform with the
// programs, one that has the command and depends on them, and opencode's plugin. No package
// runs a script when it is installed, and none downloads anything.
//
// usage: build.mjs VERSION DIST OUT
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [version, dist, out] = process.argv.slice(2);
if (!out || !/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
  console.error("usage: build.mjs VERSION DIST OUT   (VERSION is 1.2.3, without v)");
  process.exit(1);
}
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const about = {
  version,
  license: "MIT",
  homepage: "https://github.com/agentsentinel/sentinel",
  repository: { type: "git", url: "git+https://github.com/agentsentinel/sentinel.git" },
};

// Go's names of systems and processors, and those of Node.
const systems = { linux: "linux", darwin: "darwin", windows: "win32" };
const processors = { amd64: "x64", arm64: "arm64" };

function write(name, manifest, files) {
  const dir = join(out, name.replace("/", "-").replace("@", ""));
  rmSync(dir, { recursive: true, force: true });
  for (const [to, from] of files) {
    mkdirSync(dirname(join(dir, to)), { recursive: true });
    copyFileSync(from, join(dir, to));
    chmodSync(join(dir, to), to.startsWith("bin/") ? 0o755 : 0o644);
  }
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name, ...about, ...manifest }, null, 2) + "\n");
}

const texts = ["LICENSE", "NOTICE"].map((name) => [name, join(root, name)]);
const platforms = {};
for (const { type, path, goos, goarch } of JSON.parse(readFileSync(join(dist, "artifacts.json"), "utf8"))) {
  if (type !== "Binary" || !systems[goos] || !processors[goarch]) continue;
  const name = `@agentsentinel/cli-${systems[goos]}-${processors[goarch]}`;
  platforms[name] ??= { os: [systems[goos]], cpu: [processors[goarch]], programs: [] };
  platforms[name].programs.push(path);
}
for (const [name, { os, cpu, programs }] of Object.entries(platforms)) {
  const description = `The programs of sentinel-guard for ${os[0]} on ${cpu[0]}`;
  const files = programs.map((path) => [`bin/${basename(path)}`, path]);
  write(name, { description, os, cpu, files: ["bin"], preferUnplugged: true }, [...files, ...texts]);
}
const names = Object.keys(platforms).sort();
if (names.length === 0) {
  console.error(`${join(dist, "artifacts.json")} lists no program`);
  process.exit(1);
}
write(
  "sentinel-guard",
  {
    description: "Checks each tool call of a coding agent against the rules of a repository",
    keywords: ["claude-code", "copilot", "cursor", "codex", "gemini-cli", "guardrails", "hooks", "security"],
    bin: { sentinel: "bin/sentinel.cjs", "sentinel-guard": "bin/sentinel.cjs" },
    files: ["bin"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(names.map((name) => [name, version])),
  },
  [["bin/sentinel.cjs", join(here, "bin", "sentinel.cjs")], ["README.md", join(here, "README.md")], ...texts],
);
const plugin = JSON.parse(readFileSync(join(root, "plugin", "opencode", "package.json"), "utf8"));
write(plugin.name, { ...plugin, version }, [...plugin.files.map((name) => [name, join(root, "plugin", "opencode", name)]), ...texts]);
console.log([...names, "sentinel-guard", plugin.name].join("\n"));

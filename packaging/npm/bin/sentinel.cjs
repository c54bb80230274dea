#!/usr/bin/env node
// Starts the program of this platform. A hook never starts this file: `sentinel init` writes
// the program's own path, because Node takes longer to start than a call takes to be judged.
"use strict";
const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const platform = `@agentsentinel/cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${platform}/bin/sentinel${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `sentinel: the package ${platform} is not installed. Install without --omit=optional, or get the program another way:\n` +
      "https://github.com/agentsentinel/sentinel/blob/main/docs/install.md",
  );
  process.exit(1);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) console.error(`sentinel: ${program}: ${error.message}`);
process.exit(status ?? (signal ? 128 + constants.signals[signal] : 1));

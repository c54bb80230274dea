/* import { exec } from "child_process"; exec("decoy") */
import { exec, spawn as sp, type ExecOptions } from "child_process"; // hit: import
import * as cp from "node:child_process"; // hit: import
import type { ChildProcess } from 'child_process'; // hit: import
import child from "child_process"; // hit: import
import fs = require("fs");
import { exec as other } from "./child_process";
const { exec: run, execSync } = require("child_process"); // hit: import
const late = await import("child_process"); // hit: import
export { fork } from "child_process"; // hit: import
const text = "exec('decoy')" + `cp.exec(${exec("a")})`; // hit: exec
// exec("decoy")
exec("a"); // hit: exec
sp("a");
cp.exec("a"); // hit: exec .exec
cp["exec"]("a"); // hit: exec .exec
cp?.exec("a"); // hit: exec .exec
(cp as any).exec!("a"); // hit: exec .exec
child.exec<string>("a"); // hit: exec .exec
run("a"); // hit: exec
late.exec("a"); // hit: exec .exec
other("a");
/x/.exec("a"); // hit: .exec
require("child_process").exec("a"); // hit: .exec import
const alias = cp.exec;
alias("a"); // hit: exec
function hidden(exec: (s: string) => void, { cp }: any) {
  exec("a");
  cp.exec("a"); // hit: .exec
}
function blocks() {
  {
    const exec = (s: string) => s;
    exec("a");
  }
  exec("b"); // hit: exec
  if (text) { var late2 = cp.exec; }
  late2("c"); // hit: exec
}
class A { exec() { this.exec(); exec("a"); } } // hit: exec .exec
const f = (x: string) => exec(x); // hit: exec
new cp.exec("a"); // hit: exec .exec
builder
  .add()
  .exec( // hit: .exec
    "lines");

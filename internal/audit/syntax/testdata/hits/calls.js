// const { exec } = require("child_process")
const cp = require('node:child_process'), { exec, spawn: sp } = require("child_process"); // hit: import import
const promised = require("child_process").promises; // hit: import
import { exec as run } from 'child_process'; // hit: import
exec('a'); // hit: exec
cp.exec('a'); // hit: exec .exec
run(`a`); // hit: exec
'exec("decoy")';
promised.exec("a"); // hit: .exec
function f(cp) { cp.exec("a"); } // hit: .exec
const g = async ({ exec }) => { await exec("a"); };
class A extends Base { static x = exec("a"); } // hit: exec
let h;
h = cp.exec;
h("a"); // hit: exec
eval("a"); // hit: eval
object.eval("a");

/** Runs the parts of a test run, quick ones side by side, and prints the closing line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { QUIET, ROOT } from "../launch/environment.mjs";

/** @typedef {import("./parts.mjs").Part} Part */
/** @typedef {import("./parts.mjs").Tally & { name: string, seconds: number }} Result */

/**
 * @param {Part[]} parts
 * @returns {Promise<number>} exit code: 0 when everything ran and nothing failed
 */
export async function runParts(parts) {
  const started = Date.now();
  const quick = parts.filter((part) => part.isQuick);
  /** @type {Result[]} */
  const results = [];
  const queue = [...quick];
  const lanes = Array.from({ length: Math.min(availableParallelism(), quick.length) }, async () => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) results.push(await runPart(part));
  });
  await Promise.all(lanes);
  for (const part of parts.filter((one) => !one.isQuick)) {
    const needed = results.find((result) => result.name === part.needs);
    if (needed !== undefined && needed.failed > 0) {
      console.log(`\n--- ${part.name}: cannot run, ${part.needs} failed`);
      results.push({ name: part.name, passed: 0, failed: 1, skipped: 0, seconds: 0 });
    } else {
      results.push(await runPart(part));
    }
  }
  return close(results, (Date.now() - started) / 1000);
}

/** @param {Part} part @returns {Promise<Result>} */
async function runPart(part) {
  const started = Date.now();
  if (!part.isQuick) console.log(`\n--- ${part.name}`);
  const child = spawn(part.program ?? process.execPath, part.command, {
    cwd: ROOT,
    env: { ...process.env, ...QUIET, NO_COLOR: "1", ...part.env },
    stdio: part.isQuick ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
  });
  let output = "";
  for (const pipe of [child.stdout, child.stderr]) pipe?.on("data", (data) => (output += data));
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const [code] = await once(child, "close");
  process.off("SIGINT", forward).off("SIGTERM", forward);
  const result = { name: part.name, ...part.count(code ?? 1), seconds: (Date.now() - started) / 1000 };
  if (part.isQuick) {
    console.log(`${result.failed === 0 ? "ok    " : "FAILED"} ${part.name} (${result.seconds.toFixed(1)} s)`);
    if (result.failed > 0) console.log(output.trimEnd());
  }
  return result;
}

/**
 * Prints a table and, last, the plain line. A skipped test is a failure: what did not run is not known to hold.
 * @param {Result[]} results
 * @param {number} seconds
 */
function close(results, seconds) {
  console.log("");
  for (const { name, passed, failed, skipped, seconds: took } of results) {
    const notRun = skipped > 0 ? `, ${skipped} did not run` : "";
    console.log(`${name.padEnd(32)} ${passed} passed, ${failed} failed${notRun} (${took.toFixed(1)} s)`);
  }
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed + result.skipped, 0);
  console.log(`\n${(seconds / 60).toFixed(1)} minutes`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

/**
 * Runs another program with this Node, its input and output ours; returns its exit code, 128 and the signal's number
 * when a signal ended it. Ctrl-C reaches both: the other program decides when to end.
 */
export async function runNode(args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(process.execPath, args, { cwd, stdio: "inherit" });
  const wait = () => {};
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on("SIGINT", wait);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, pass);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    process.off("SIGINT", wait);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, pass);
  }
}

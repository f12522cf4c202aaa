/** Ends a database server that outlived the process that started it, so that its successor is ours to watch. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { forgetServerPid, notedServerPid } from "./cluster-folder";
import { EmbeddedDatabaseError } from "./embedded-error";
import { isRunning } from "./process-identity";

/** Fast shutdown ends sessions and writes a checkpoint; past this it is told to stop without one. */
export const STOP_DEADLINE_MS = 15_000;

/** Between two looks at whether the server is gone: a start waits little longer than it must. */
const POLL_MS = 40;

/** Stops a server that an earlier, killed process left running on this folder. */
export async function stopLeftOver(
  dir: string,
  onEvent: (event: string, details: Record<string, unknown>) => void,
): Promise<void> {
  const pid = notedServerPid(dir);
  if (pid === null) return;
  if (!isRunning(pid) || !isPostgres(pid, dir)) return forgetServerPid(dir);
  onEvent("database.left_over_stopped", { pid });
  process.kill(pid, "SIGINT");
  const deadline = performance.now() + STOP_DEADLINE_MS;
  while (isRunning(pid)) {
    if (performance.now() > deadline) process.kill(pid, "SIGQUIT");
    if (performance.now() > 2 * STOP_DEADLINE_MS + deadline) {
      throw new EmbeddedDatabaseError(`an earlier database server (process ${pid}) does not stop; end it by hand`);
    }
    await delay(POLL_MS);
  }
}

/** Guards against signalling a stranger that was given the number of a server long gone. */
function isPostgres(pid: number, dir: string): boolean {
  return commandLine(pid).includes(path.join(dir, "data"));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
  }
}

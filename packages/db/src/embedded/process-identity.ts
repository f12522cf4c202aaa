/**
 * Tells a running process from a dead one whose number was given to another. A number alone does not: containers reuse
 * low numbers, and one that died without being waited for still answers to signal 0.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A text that stays the same for the life of process `pid` and differs for any other; null when it does not run. */
export function processIdentity(pid: number): string | null {
  if (!isSignallable(pid)) return null;
  if (process.platform !== "linux") return startTimeByPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name may hold spaces and brackets; the fields after its last bracket are plain.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === "Z" || state === "X" || startTicks === undefined) return null;
    return `${bootId()}/${pid}/${startTicks}`;
  } catch {
    return null;
  }
}

export function isRunning(pid: number): boolean {
  return processIdentity(pid) !== null;
}

function isSignallable(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function startTimeByPs(pid: number): string | null {
  const ps = spawnSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" });
  const line = ps.stdout?.trim() ?? "";
  return ps.status !== 0 || line === "" || line.startsWith("Z") ? null : `${pid}/${line.replace(/^\S+\s+/, "")}`;
}

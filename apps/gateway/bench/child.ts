/** Child processes of the benchmarks: started on one core, watched through /proc, stopped by their id. */
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

export interface Child {
  readonly process: ChildProcess;
  readonly port: number;
}

/** Starts a bundled script that reports the port it listens on. */
export async function startScript(file: string, args: readonly string[], core: number): Promise<Child> {
  const child = fork(file, [...args], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("message", (message: { port: number }) => resolve(message.port));
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  pin(child.pid, core);
  return { process: child, port };
}

/** Starts the load process, which listens to messages only. */
export function startLoad(file: string, core: number): ChildProcess {
  const child = fork(file, []);
  pin(child.pid, core);
  return child;
}

/** Starts a program that is told its port and waits until it accepts connections there. */
export async function startProgram(
  command: string,
  args: (port: number) => readonly string[],
  core: number,
): Promise<Child> {
  const port = await freePort();
  const child = spawn(command, [...args(port)], { stdio: "ignore" });
  const isGone = new Promise<never>((_resolve, reject) => child.once("error", reject));
  await Promise.race([accepting(port), isGone]);
  pin(child.pid, core);
  return { process: child, port };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return address !== null && typeof address === "object" ? address.port : 0;
}

async function accepting(port: number): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (performance.now() < giveUpAt) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false)).once("close", () => socket.destroy());
      socket.once("connect", () => socket.end());
    });
    if (isOpen) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on ${port}`);
}

/** Binds every thread of a process and its children to one core, so that the measured and the measuring do not mix. */
function pin(pid: number | undefined, core: number): void {
  if (pid === undefined) return;
  for (const member of processTree(pid)) {
    try {
      execFileSync("taskset", ["-a", "-c", "-p", String(core), String(member)], { stdio: "ignore" });
    } catch {
      // Without taskset processes share cores; CPU time per request keeps its meaning.
    }
  }
}

/** CPU seconds used so far by a process and its children. */
export function cpuSeconds({ process: { pid } }: Child): number {
  return processTree(pid ?? 0).reduce((sum, member) => sum + ownCpuSeconds(member), 0);
}

/** How often the main thread of a process has gone to sleep for want of work so far. */
export function wakeUps({ process: { pid } }: Child): number {
  return numberIn(`/proc/${pid}/status`, /^voluntary_ctxt_switches:\s+(\d+)/m);
}

/** Resident bytes of a process and its children. */
export function residentBytes({ process: { pid } }: Child): number {
  return processTree(pid ?? 0).reduce((sum, member) => sum + residentKilobytes(member) * 1024, 0);
}

function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    const parent = Number.isInteger(pid) ? Number(statFields(pid)[1]) : Number.NaN;
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree: number[] = [];
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    tree.push(pid);
    open.push(...(children.get(pid) ?? []));
  }
  return tree;
}

/** The fields of /proc/<pid>/stat after the name: state, parent and so on. */
function statFields(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function ownCpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

function residentKilobytes(pid: number): number {
  return numberIn(`/proc/${pid}/status`, /VmRSS:\s+(\d+)/);
}

/** 0 when the process is gone. */
function numberIn(file: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(file, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

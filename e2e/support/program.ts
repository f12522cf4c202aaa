/** Programs of the product as processes of their own, as a test starts, awaits and ends them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { ROOT } from "./stack";

const READY_MS = 60_000;

/** Starts a built program by its path in the repository. It inherits the environment, `env` on top. */
export function runProgram(
  program: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): ChildProcess {
  return spawn(process.execPath, [program, ...args], { cwd: ROOT, stdio: "ignore", env: { ...process.env, ...env } });
}

/** The dashboard of a gateway on a port of this machine. The caller waits for it. */
export function runDashboard(port: number, managementUrl: string, sessionSecret: string): ChildProcess {
  return runProgram("apps/dashboard/.next/standalone/apps/dashboard/server.js", {
    HOSTNAME: "127.0.0.1",
    PORT: String(port),
    OBLETH_MANAGEMENT_URL: managementUrl,
    OBLETH_SESSION_SECRET: sessionSecret,
  });
}

/** Waits until the address answers with success; throws after a minute. */
export async function untilAnswers(url: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  const isReady = () =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (Date.now() > deadline) throw new Error(`${url} did not answer`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Ends it, also one that was stopped where it stood, and waits until it is gone. */
export async function endProgram(child: ChildProcess | undefined, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  child.kill("SIGCONT");
  await ended;
}

/** The first group of each pattern, once the program has printed them all. */
export async function printed(child: ChildProcess, patterns: readonly RegExp[]): Promise<(string | undefined)[]> {
  let output = "";
  child.stdout?.on("data", (data) => (output += String(data)));
  const deadline = Date.now() + READY_MS;
  while (!patterns.every((pattern) => pattern.test(output))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the services did not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return patterns.map((pattern) => pattern.exec(output)?.[1]);
}

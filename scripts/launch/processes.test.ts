import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "./addresses.mjs";
import { clearLeftovers, Processes } from "./processes.mjs";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "obleth-processes-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function program(name: string, code: string): string {
  const file = path.join(dir, `${name}.mjs`);
  writeFileSync(file, code);
  return file;
}

const serving = (port: number) =>
  `import { createServer } from "node:http"; createServer((q, r) => r.end("ok")).listen(${port}, "127.0.0.1");`;

describe("Processes", () => {
  it("waits until a program answers, and stops it", async () => {
    const port = await freePort();
    const processes = new Processes(dir, () => undefined);
    const running = processes.start("server", { args: [program("server", serving(port))] });
    await processes.untilReady(running, `http://127.0.0.1:${port}`);
    await processes.stopAll();
    expect(running.child.signalCode).toBe("SIGTERM");
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  it("stops what was started last first", async () => {
    const order: string[] = [];
    const processes = new Processes(dir, () => undefined);
    for (const name of ["first", "second"]) {
      const { child } = processes.start(name, { args: [program(name, "setInterval(() => {}, 1000)")] });
      child.once("exit", () => order.push(name));
    }
    await processes.stopAll();
    expect(order).toEqual(["second", "first"]);
  });

  it("says in one message which program did not start and what it printed last", async () => {
    const processes = new Processes(dir, () => undefined);
    const running = processes.start("broken", {
      args: [program("broken", 'console.error("no database"); process.exit(3);')],
    });
    await expect(processes.untilReady(running, "http://127.0.0.1:1")).rejects.toThrow(
      /broken did not start:\nno database/,
    );
    await processes.stopAll();
  });

  it("reports a program that ends by itself, and none that was asked to", async () => {
    const lost: string[] = [];
    const processes = new Processes(dir, (name) => lost.push(name));
    const brief = processes.start("brief", { args: [program("brief", "")] });
    processes.start("steady", { args: [program("steady", "setInterval(() => {}, 1000)")] });
    await once(brief.child, "exit");
    await processes.stopAll();
    expect(lost).toEqual(["brief"]);
  });
});

describe("clearLeftovers", () => {
  const record = () => path.join(dir, "processes.json");

  /** What a launcher that was killed leaves on disk. */
  function forgetLauncher(change: (children: { pid: number; started: string }[]) => void = () => undefined) {
    const { children } = JSON.parse(readFileSync(record(), "utf8"));
    change(children);
    writeFileSync(record(), JSON.stringify({ launcher: { pid: 2 ** 30, started: "long ago" }, children }));
  }

  it("stops what a killed launcher left running, whatever it calls itself by then", async () => {
    const port = await freePort();
    const processes = new Processes(dir, () => undefined);
    const code = `process.title = "renamed"; ${serving(port)}`;
    const left = processes.start("left", { args: [program("left", code)] });
    await processes.untilReady(left, `http://127.0.0.1:${port}`);
    const ended = once(left.child, "exit");
    forgetLauncher();
    await clearLeftovers(dir);
    await ended;
    expect(existsSync(record())).toBe(false);
  });

  it("leaves a process alone that was given the number of one that is gone", async () => {
    const processes = new Processes(dir, () => undefined);
    const { child } = processes.start("stranger", { args: [program("stranger", "setInterval(() => {}, 1000)")] });
    forgetLauncher((children) => {
      for (const one of children) one.started = "long ago";
    });
    await clearLeftovers(dir);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    await processes.stopAll();
  });

  it("refuses while that launcher is alive", async () => {
    const processes = new Processes(dir, () => undefined);
    processes.start("any", { args: [program("any", "setInterval(() => {}, 1000)")] });
    await expect(clearLeftovers(dir)).rejects.toThrow(`already running here (process ${process.pid})`);
    await processes.stopAll();
  });
});

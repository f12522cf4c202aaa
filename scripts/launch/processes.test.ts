import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  it("stops what a killed launcher left running and nothing else", async () => {
    const file = program("left", "setInterval(() => {}, 1000)");
    const left = spawn(process.execPath, [file], { stdio: "ignore" });
    const stranger = spawn(process.execPath, [program("stranger", "setInterval(() => {}, 1000)")], { stdio: "ignore" });
    await Promise.all([once(left, "spawn"), once(stranger, "spawn")]);
    const ended = once(left, "exit");
    const children = [
      { name: "left", pid: left.pid, command: file },
      { name: "reused", pid: stranger.pid, command: "/some/other/program.js" },
    ];
    writeFileSync(path.join(dir, "processes.json"), JSON.stringify({ launcher: 2 ** 30, children }));
    await clearLeftovers(dir);
    await ended;
    expect(stranger.exitCode).toBeNull();
    expect(existsSync(path.join(dir, "processes.json"))).toBe(false);
    stranger.kill();
  });

  it("refuses while that launcher is alive", async () => {
    const launcher = spawn(process.execPath, [program("start", "setInterval(() => {}, 1000)")], { stdio: "ignore" });
    await once(launcher, "spawn");
    writeFileSync(path.join(dir, "processes.json"), JSON.stringify({ launcher: launcher.pid, children: [] }));
    await expect(clearLeftovers(dir)).rejects.toThrow(/already running.*OBLETH_DATA_DIR/);
    launcher.kill();
  });
});

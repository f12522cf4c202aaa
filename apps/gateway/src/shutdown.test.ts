import { VirtualClock } from "@obleth/clock";
import { beforeEach, describe, expect, it } from "vitest";
import { makeLog } from "./log";
import { type ShutdownSteps, shutDown } from "./shutdown";

let done: string[];
let lines: string[];
let clock: VirtualClock;

beforeEach(() => {
  done = [];
  lines = [];
  clock = new VirtualClock();
});

function run(overrides: Partial<ShutdownSteps> = {}, delayMs = 0): Promise<number> {
  const { log } = makeLog({ level: "info", instance: "g", secrets: [], write: (line) => lines.push(line) });
  const steps: ShutdownSteps = {
    sayNotReady: () => done.push("not ready"),
    stopAccepting: () => done.push("stop accepting"),
    answerWaiting: () => done.push("answer waiting"),
    drain: async (graceMs) => {
      done.push(`drain ${graceMs}`);
    },
    finish: ["usage", "slots", "database"].map((name) => ({
      name,
      run: async () => {
        done.push(name);
      },
    })),
    ...overrides,
  };
  return shutDown({ steps, clock, log, graceMs: 300, delayMs });
}

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe("shutting down", () => {
  it("goes from not ready to closed in order, and ends with 0", async () => {
    expect(await run()).toBe(0);
    expect(done).toEqual(["not ready", "stop accepting", "answer waiting", "drain 300", "usage", "slots", "database"]);
  });

  it("gives a load balancer time to notice before connections are refused", async () => {
    const ended = run({}, 5_000);
    await turns();
    expect(done).toEqual(["not ready"]);
    clock.advance(5_000);
    expect(await ended).toBe(0);
  });

  it("goes on when a step fails, says which, and ends with 1", async () => {
    const failing = { name: "usage", run: () => Promise.reject(new Error("database away")) };
    const last = { name: "database", run: () => void done.push("database") };
    expect(await run({ finish: [failing, last] })).toBe(1);
    expect(done.at(-1)).toBe("database");
    expect(lines.join("")).toContain('"step":"usage"');
  });

  it("does not wait for ever on a step that hangs", async () => {
    const ended = run({ finish: [{ name: "slots", run: () => new Promise<void>(() => {}) }] });
    await turns();
    clock.advance(10_000);
    expect(await ended).toBe(1);
  });
});

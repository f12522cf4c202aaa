/** `run.json` in the data folder: where this process listens, for launchers and tests that asked for port 0. */
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { ListenAddress } from "@obleth/config";
import { writePrivate } from "./secrets";

export interface RunFacts {
  readonly pid: number;
  readonly instance: string;
  readonly version: string;
  readonly started_ts_ms: number;
  readonly proxy: string;
  readonly admin: string;
  readonly metrics: string;
  /** Null with a database that others run. */
  readonly database: { readonly pid: number; readonly port: number; readonly dir: string } | null;
}

/** Where this machine reaches a listener: loopback when it listens everywhere. */
export function urlOf({ host, port }: ListenAddress): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

export function writeRunFile(dataDir: string, facts: RunFacts): void {
  writePrivate(fileOf(dataDir), `${JSON.stringify(facts, null, 2)}\n`);
}

/** Removes the file unless another process has written its own since. */
export function removeRunFile(dataDir: string): void {
  try {
    const facts = JSON.parse(readFileSync(fileOf(dataDir), "utf8")) as Partial<RunFacts>;
    if (facts.pid === process.pid) rmSync(fileOf(dataDir), { force: true });
  } catch {
    // It was never written, or is gone.
  }
}

function fileOf(dataDir: string): string {
  return path.join(dataDir, "run.json");
}

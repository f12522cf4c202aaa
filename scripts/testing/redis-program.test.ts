import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findRedisProgram } from "../../e2e/support/redis-program";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-redis-program-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Programs of these names in a folder. @returns the folder. */
function install(...names: string[]): string {
  for (const name of names) {
    writeFileSync(path.join(folder, name), "#!/bin/sh\n");
    chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}

it("starts the server that REDIS_SERVER_BIN names, and talks to it by the client beside it", () => {
  const server = path.join(install("valkey-server", "valkey-cli"), "valkey-server");
  const found = findRedisProgram({ REDIS_SERVER_BIN: server, PATH: process.env.PATH });
  expect(found).toEqual({ server, cli: path.join(folder, "valkey-cli") });
});

it("refuses a name that it cannot use rather than test another server", () => {
  const lonely = path.join(install("redis-server"), "redis-server");
  for (const REDIS_SERVER_BIN of [lonely, "valkey-server", path.join(folder, "none-server"), "/bin/sh"]) {
    expect(() => findRedisProgram({ REDIS_SERVER_BIN, PATH: process.env.PATH })).toThrow("REDIS_SERVER_BIN");
  }
});

it("takes Redis from PATH, Valkey where there is no Redis, and nothing where there is neither", () => {
  expect(findRedisProgram({ PATH: folder })).toBeUndefined();
  install("valkey-server", "valkey-cli");
  expect(findRedisProgram({ PATH: folder })?.server).toBe(path.join(folder, "valkey-server"));
  install("redis-server", "redis-cli");
  expect(findRedisProgram({ PATH: folder })).toEqual({ server: path.join(folder, "redis-server"), cli: "redis-cli" });
});

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readSettings } from "@obleth/config";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeLog } from "../log";
import { removeRunFile, urlOf, writeRunFile } from "./run-file";
import { keptSecrets, writePrivate } from "./secrets";
import { ownDataDir, replicaDir } from "./state-dir";

let folder: string;
const { log } = makeLog({ level: "silent", instance: "g", secrets: [], write: () => {} });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-kept-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("secrets of an installation", () => {
  it("are made once, kept from others, and found again", () => {
    const { settings } = readSettings({});
    const first = keptSecrets(settings, folder);
    expect(new Set(Object.values(first)).size).toBe(3);
    for (const secret of Object.values(first)) expect(secret).toMatch(/^[0-9a-f]{64}$/);
    for (const name of ["admin-token", "session-secret", "encryption-key"]) {
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(keptSecrets(settings, folder)).toEqual(first);
  });

  it("come from the environment where it gives them, and are not written then", () => {
    const { settings } = readSettings({ OBLETH_ADMIN_TOKEN: "a-token-of-mine-1234" });
    expect(keptSecrets(settings, folder).adminToken).toBe("a-token-of-mine-1234");
    expect(existsSync(path.join(folder, "admin-token"))).toBe(false);
  });

  it("are made anew when a file was left empty", () => {
    writeFileSync(path.join(folder, "admin-token"), "\n");
    expect(keptSecrets(readSettings({}).settings, folder).adminToken).toHaveLength(64);
  });

  it("replace a file that others could read by one they cannot", () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "old");
    chmodSync(file, 0o644);
    writePrivate(file, "new");
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["new", 0o600]);
  });
});

describe("the folder of a process", () => {
  it("is the data folder itself for one process alone", () => {
    const own = ownDataDir(folder);
    expect(own.dir).toBe(folder);
    expect(() => ownDataDir(folder)).toThrow(/uses the data folder/);
    own.release();
    ownDataDir(folder).release();
  });

  it("is one of its own for each replica, and the first free one for a successor", () => {
    const [first, second] = [replicaDir(folder, log), replicaDir(folder, log)];
    expect([first.dir, second.dir].map((dir) => path.basename(dir))).toEqual(["replica-1", "replica-2"]);
    first.release();
    const third = replicaDir(folder, log);
    expect(path.basename(third.dir)).toBe("replica-1");
    third.release();
    second.release();
  });

  it("is a temporary one where the data folder cannot be written", () => {
    const file = path.join(folder, "a-file");
    writeFileSync(file, "");
    const state = replicaDir(path.join(file, "below"), log);
    expect(state.dir.startsWith(tmpdir())).toBe(true);
    rmSync(state.dir, { recursive: true });
  });
});

describe("run.json", () => {
  const facts = {
    pid: process.pid,
    instance: "gateway-1",
    version: "1.2.3",
    started_ts_ms: 1,
    proxy: "http://127.0.0.1:1",
    admin: "http://127.0.0.1:2",
    metrics: "http://127.0.0.1:3",
    database: null,
  };

  it("is removed by the process that wrote it and by no other", () => {
    writeRunFile(folder, { ...facts, pid: process.pid + 1 });
    removeRunFile(folder);
    expect(existsSync(path.join(folder, "run.json"))).toBe(true);
    writeRunFile(folder, facts);
    removeRunFile(folder);
    expect(existsSync(path.join(folder, "run.json"))).toBe(false);
    removeRunFile(folder);
  });

  it.each([
    ["0.0.0.0", "http://127.0.0.1:8080"],
    ["::", "http://127.0.0.1:8080"],
    ["::1", "http://[::1]:8080"],
    ["10.0.0.7", "http://10.0.0.7:8080"],
  ])("names a listener on %s as this machine reaches it", (host, url) => {
    expect(urlOf({ host, port: 8080 })).toBe(url);
  });
});

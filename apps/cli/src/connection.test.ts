import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "./connection";
import type { Environment } from "./environment";
import { isLoopback } from "./places";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "obleth-cli-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const environment = (over: Partial<Environment> = {}): Environment => ({
  managementUrl: undefined,
  adminToken: undefined,
  dataDir: dir,
  cwd: dir,
  isPlainTerminal: false,
  variable: () => undefined,
  ...over,
});
const keep = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text);
};
const run = (admin: string) => ({ "run.json": JSON.stringify({ admin }), "admin-token": "kept\n" });

describe("the gateway that is called", () => {
  it("is the one of the data folder, with its token, when nothing else is said", () => {
    keep(run("http://127.0.0.1:4321"));
    expect(connect({}, environment())).toMatchObject({ url: "http://127.0.0.1:4321", hasToken: true });
  });

  it("is the one of the options before that of the environment before that of the folder", () => {
    keep(run("http://127.0.0.1:4321"));
    const given = environment({ managementUrl: "http://10.0.0.1:9180/" });
    expect(connect({}, given).url).toBe("http://10.0.0.1:9180");
    expect(connect({ url: "https://gateway/obleth/api/v1" }, given).url).toBe("https://gateway/obleth");
  });

  it("gets the kept token only on this machine", () => {
    keep(run("http://127.0.0.1:4321"));
    expect(connect({ url: "http://gateway.example:9180" }, environment()).hasToken).toBe(false);
    expect(connect({ url: "http://localhost:9180" }, environment()).hasToken).toBe(true);
  });

  it("is not one elsewhere because a folder says so", () => {
    keep(run("http://gateway.example:9180"));
    expect(connect({}, environment({ adminToken: "mine" })).url).toBe("http://127.0.0.1:9180");
  });

  it.each(["ftp://a", "gateway:9180", "http://user:pass@a", "http://a/?x=1", ""])("cannot be %j", (url) => {
    expect(() => connect({ url }, environment())).toThrow(/must be an http or https address/);
  });

  it("is not sent a token that would break the header", () => {
    expect(() => connect({ token: "a\nb" }, environment())).toThrow(/token/);
  });
});

describe("loopback", () => {
  it.each([
    ["http://127.0.0.1:1", true],
    ["http://127.9.9.9", true],
    ["http://localhost:1", true],
    ["http://[::1]:1", true],
    ["http://127.0.0.1.evil.example", false],
    ["http://localhost.evil.example", false],
    ["http://0.0.0.0:1", false],
    ["nonsense", false],
  ])("%s: %s", (url, expected) => {
    expect(isLoopback(url)).toBe(expected);
  });
});

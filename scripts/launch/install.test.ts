import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isInstalled } from "./install.mjs";

const lock = {
  "": { name: "root" },
  "packages/ours": { version: "0.1.0" },
  "node_modules/@obleth/ours": { resolved: "packages/ours", link: true },
  "node_modules/a": { version: "1.0.0" },
  "apps/x/node_modules/a": { version: "2.0.0" },
  "node_modules/other-platform": { version: "3.0.0", optional: true },
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "obleth-install-"));
  mkdirSync(path.join(root, "node_modules"));
  writeFileSync(path.join(root, "package-lock.json"), JSON.stringify({ packages: lock }));
});
afterAll(() => rmSync(root, { recursive: true }));

function record(packages: Record<string, unknown>): boolean {
  writeFileSync(path.join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages }));
  return isInstalled(root);
}

const { "": _root, "node_modules/other-platform": _optional, ...complete } = lock;

describe("isInstalled", () => {
  it("is false on a fresh clone", () => {
    expect(isInstalled(root)).toBe(false);
  });

  it("is true when everything but other platforms' packages is there", () => {
    expect(record(complete)).toBe(true);
  });

  it.each([
    ["a package is missing", { ...complete, "node_modules/a": undefined }],
    ["a package has another version", { ...complete, "node_modules/a": { version: "1.0.1" } }],
    ["a nested package has another version", { ...complete, "apps/x/node_modules/a": { version: "1.0.0" } }],
    ["a workspace is not linked", { ...complete, "node_modules/@obleth/ours": undefined }],
  ])("is false when %s", (_, packages) => {
    expect(record(packages)).toBe(false);
  });
});

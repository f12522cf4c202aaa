import { describe, expect, it } from "vitest";
import { requireNode, requireWritable } from "./environment.mjs";

describe("requireNode", () => {
  it.each(["20.19.0", "20.20.2", "22.0.0", "24.1.0"])("lets Node %s pass", (version) => {
    expect(() => requireNode(version)).not.toThrow();
  });

  it.each(["18.20.0", "20.18.9", "8.0.0"])("names what is needed and what runs on Node %s", (version) => {
    expect(() => requireNode(version)).toThrow(new RegExp(`20\\.19\\.0 or newer; this is Node ${version}`));
  });
});

describe("requireWritable", () => {
  it("names the folder and the variable", () => {
    expect(() => requireWritable("/proc/nowhere", "OBLETH_DATA_DIR")).toThrow(/\/proc\/nowhere.*OBLETH_DATA_DIR/);
  });
});

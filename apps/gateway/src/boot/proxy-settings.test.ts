import { totalmem } from "node:os";
import { readSettings } from "@obleth/config";
import { expect, it } from "vitest";
import { proxySettings } from "./proxy-settings";

const bodyMemory = (environment: Record<string, string>) =>
  proxySettings(readSettings(environment).settings, { replica: "here", sessionSecret: "secret" }).bodyMemoryBytes;

it("lets bodies take a part of the memory there is unless told how much, and six of the longest in any case", () => {
  const usual = bodyMemory({});
  expect(usual).toBeLessThanOrEqual(Math.max(totalmem() / 4, 6 * 64 * 1024 * 1024));
  expect(usual).toBeGreaterThanOrEqual(6 * 64 * 1024 * 1024);
  expect(bodyMemory({ OBLETH_MAX_BODY_BYTES: "2147483647" })).toBeGreaterThanOrEqual(6 * 2_147_483_647);
  expect(bodyMemory({ OBLETH_BODY_MEMORY_BYTES: "700000001" })).toBe(700_000_001);
});

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { ROOT, Stack } from "../support/stack";

/**
 * Runs the launcher to its end, in this environment less FORCE_COLOR: the test runner sets it for its own output, and
 * beside NO_COLOR it makes Node print a warning of its own.
 */
function launch(env: Record<string, string>): Promise<{ code: number; text: string }> {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  return new Promise((resolve) => {
    const args = ["scripts/start.mjs", "--prebuilt"];
    execFile(process.execPath, args, { cwd: ROOT, env: { ...inherited, ...env } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, text: `${stdout}${stderr}` });
    });
  });
}

test("Ctrl-C stops every process cleanly and a second start keeps the data", async () => {
  const first = await Stack.start();
  await first.management.call("createTenant", { body: { name: "kept" } });
  const secret = await first.makeKey("kept");
  expect(await first.stop({ keepData: true })).toBe(0);
  for (const url of Object.values(first.urls)) await expect(fetch(url)).rejects.toThrow();

  const second = await Stack.start({ dataDir: first.dataDir });
  const tenants = await second.management.call("listTenants", {});
  expect(tenants.data.items.map((one) => one.name)).toContain("kept");
  const answer = await fetch(`${second.urls.proxy}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  expect(answer.status).toBe(200);
  expect(await second.stop()).toBe(0);
});

test("a start after a killed launcher clears away what it left running and keeps the data", async () => {
  const first = await Stack.start();
  await first.management.call("createTenant", { body: { name: "kept" } });
  await first.killLauncher();
  expect((await fetch(`${first.urls.admin}/health`)).status).toBe(200);

  const second = await Stack.start({ dataDir: first.dataDir });
  await expect(fetch(`${first.urls.admin}/health`)).rejects.toThrow();
  const tenants = await second.management.call("listTenants", {});
  expect(tenants.data.items.map((one) => one.name)).toContain("kept");
  expect(await second.stop()).toBe(0);
});

test("an empty start makes no sample data", async () => {
  const stack = await Stack.start({ flags: ["--empty"] });
  expect((await stack.management.call("listTenants", {})).data.items).toEqual([]);
  expect((await stack.management.call("listModels", {})).data.items).toEqual([]);
  expect(await stack.stop()).toBe(0);
});

test("a port in use is one line that names the port and its variable", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => holder.once("listening", resolve));
  const { port } = holder.address() as AddressInfo;
  const dataDir = mkdtempSync(path.join(tmpdir(), "obleth-e2e-"));
  const { code, text } = await launch({ OBLETH_DATA_DIR: dataDir, OBLETH_ADMIN_LISTEN: `127.0.0.1:${port}` });
  holder.close();
  rmSync(dataDir, { recursive: true, force: true });
  expect(code).toBe(1);
  expect(text.trim().split("\n")).toHaveLength(1);
  expect(text).toContain(String(port));
  expect(text).toContain("OBLETH_ADMIN_LISTEN");
});

test("a data folder that cannot be made is one line that names it and its variable", async () => {
  const { code, text } = await launch({ OBLETH_DATA_DIR: "/proc/obleth" });
  expect(code).toBe(1);
  expect(text.trim().split("\n")).toHaveLength(1);
  expect(text).toContain("/proc/obleth");
  expect(text).toContain("OBLETH_DATA_DIR");
});

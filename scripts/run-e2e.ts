/** Finds a browser and a library that sets clocks, and runs Playwright with them. The tests start the built product. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { ROOT } from "./launch/environment.mjs";
import { exitWith } from "./launch/refusal.mjs";
import { findChromium } from "./testing/find-chromium";
import { findFaketime } from "./testing/find-faketime";

await exitWith(async () => {
  const playwright = path.join(ROOT, "node_modules/@playwright/test/cli.js");
  const child = spawn(process.execPath, [playwright, "test", ...process.argv.slice(2)], {
    cwd: path.join(ROOT, "e2e"),
    stdio: "inherit",
    env: { ...process.env, CHROMIUM_PATH: findChromium(), FAKETIME_LIB: findFaketime() },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
});

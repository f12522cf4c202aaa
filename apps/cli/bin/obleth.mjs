#!/usr/bin/env node
/** `obleth`: the built program, or a word on how to build it. Stands apart so that npm finds it before any build. */
import { existsSync } from "node:fs";
import path from "node:path";

if (existsSync(path.join(import.meta.dirname, "../dist/main.js"))) {
  await import("../dist/main.js");
} else {
  console.error("obleth: the command line is not built yet.\nRun `npm run build` in the checkout.");
  process.exitCode = 1;
}

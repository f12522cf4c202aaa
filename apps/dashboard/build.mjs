// Builds the dashboard and completes the standalone server: Next leaves static files and `public` out of it.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const here = import.meta.dirname;
const next = createRequire(import.meta.url).resolve("next/dist/bin/next");
const built = spawnSync(process.execPath, [next, "build"], {
  cwd: here,
  stdio: "inherit",
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
});
if (built.status !== 0) process.exit(built.status ?? 1);

const standalone = path.join(here, ".next", "standalone", "apps", "dashboard");
cpSync(path.join(here, ".next", "static"), path.join(standalone, ".next", "static"), { recursive: true });
if (existsSync(path.join(here, "public"))) {
  cpSync(path.join(here, "public"), path.join(standalone, "public"), { recursive: true });
}

// Node's five seconds are less than what balancers keep an idle connection for: each would now and then send a request
// on one that is just being closed here.
const server = path.join(standalone, "server.js");
writeFileSync(server, `process.env.KEEP_ALIVE_TIMEOUT ||= "75000";\n${readFileSync(server, "utf8")}`);

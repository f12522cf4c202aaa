/**
 * The gateway and what stands beside it, each in front of the same model server on the same core. nginx and HAProxy are
 * found on PATH. Portkey is not a dependency: install `@portkey-ai/gateway@1.15.2` in a folder of your own and name it in
 * OBLETH_BENCH_PORTKEY. `hono` has to be 4.9.7 and `@hono/node-server` 1.13.8 there, as `overrides` in that folder's
 * package.json as well as dependencies: otherwise a newer one is nested below Portkey, and its streams fail.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Child, startProgram, startScript } from "./child";

export type PeerName = "obleth" | "bare" | "hono" | "nginx" | "haproxy" | "portkey";

const GATEWAY_CORE = 0;
const SOURCES = fileURLToPath(new URL("./processes/", import.meta.url));
const BUNDLES = fileURLToPath(new URL("../dist/bench/", import.meta.url));

/** Slots and connections that never run out in the measurements of speed. */
export const AMPLE = 4096;

/** Makes plain scripts of the processes: run through a loader they would pay for it in every call. */
export async function bundleProcesses(): Promise<void> {
  const entryPoints = readdirSync(SOURCES).map((file) => join(SOURCES, file));
  await build({
    entryPoints,
    outdir: BUNDLES,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    plugins: [
      {
        name: "npm-outside",
        setup: (builder) =>
          builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === "entry-point" || path.startsWith("@obleth/") ? undefined : { path, external: true },
          ),
      },
    ],
  });
}

export function bundled(name: string): string {
  return join(BUNDLES, `${name}.mjs`);
}

/** Null when the peer is not installed here. `slots` bounds what runs at once, where the peer can. */
export async function startPeer(name: PeerName, stubPort: number, slots = AMPLE): Promise<Child | null> {
  if (name === "nginx") return isInstalled("nginx") ? startNginx(stubPort) : null;
  if (name === "haproxy") return isInstalled("haproxy") ? startHaproxy(stubPort, slots) : null;
  if (name === "portkey") return startPortkey();
  const script = { obleth: "obleth", bare: "bare", hono: "hono-fetch" }[name];
  return startScript(bundled(script), [String(stubPort), String(slots)], GATEWAY_CORE);
}

/** Headers a peer needs besides the common ones to reach the model server. */
export function peerHeaders(name: PeerName, stubPort: number): string[] {
  if (name !== "portkey") return [];
  return ["x-portkey-provider: openai", `x-portkey-custom-host: http://127.0.0.1:${stubPort}/v1`];
}

function isInstalled(command: string): boolean {
  try {
    execFileSync("which", [command], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function workFolder(name: string): string {
  const folder = join(BUNDLES, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function startNginx(stubPort: number): Promise<Child> {
  const folder = workFolder("nginx");
  return startProgram("nginx", (port) => ["-p", folder, "-c", nginxFile(folder, port, stubPort)], GATEWAY_CORE);
}

function nginxFile(folder: string, port: number, stubPort: number): string {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? "user root;\n" : ""}daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 8192; }
http {
  access_log off; ${paths.join(" ")} keepalive_requests 1000000000;
  upstream model { server 127.0.0.1:${stubPort}; keepalive 1024; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port}; client_max_body_size 64m;
    location / {
      proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 600s;
    }
  }
}
`,
  );
  return file;
}

function startHaproxy(stubPort: number, slots: number): Promise<Child> {
  const file = join(workFolder("haproxy"), "haproxy.cfg");
  return startProgram(
    "haproxy",
    (port) => {
      writeFileSync(
        file,
        `global
  nbthread 1
  maxconn 8000
defaults
  mode http
  option http-no-delay
  option http-keep-alive
  http-reuse always
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  timeout queue 600s
frontend clients
  bind 127.0.0.1:${port}
  default_backend model
backend model
  server one 127.0.0.1:${stubPort} maxconn ${slots}
`,
      );
      return ["-db", "-f", file];
    },
    GATEWAY_CORE,
  );
}

async function startPortkey(): Promise<Child | null> {
  const folder = process.env.OBLETH_BENCH_PORTKEY;
  if (folder === undefined) return null;
  const script = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  if (!existsSync(script)) return null;
  return startProgram(process.execPath, (port) => [script, "--headless", `--port=${port}`], GATEWAY_CORE);
}

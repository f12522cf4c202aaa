/** Where things are: the checkout this program runs from, if it does, and the gateway's data folder. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Environment } from "./environment";

const FROM_SOURCE = import.meta.filename.endsWith(".ts");
/** Three levels up from `apps/cli/src` and from `apps/cli/dist`. */
const ABOVE = path.resolve(import.meta.dirname, "../../..");

/** The repository's root; null when this program was installed by itself. */
export function checkout(): string | null {
  return existsSync(path.join(ABOVE, "scripts/start.mjs")) ? ABOVE : null;
}

/** Arguments for Node that run the gateway's program: source beside source, bundle beside bundle. Null: none here. */
export function gatewayProgram(): readonly string[] | null {
  const file = path.join(ABOVE, "apps/gateway", FROM_SOURCE ? "src/main.ts" : "dist/main.js");
  if (!existsSync(file)) return null;
  return FROM_SOURCE ? ["--import", "tsx", file] : [file];
}

/** Folders that may be the data folder, likeliest first. */
function dataDirs({ dataDir, cwd }: Environment): string[] {
  const roots = [cwd, checkout()].filter((root) => root !== null);
  return roots.map((root) => path.resolve(root, dataDir ?? ".obleth"));
}

export interface LocalGateway {
  /** Null when no gateway runs on this folder, or not on loopback. */
  readonly url: string | null;
  readonly token: string | null;
}

/**
 * What a gateway with a data folder on this machine left for others to find. Its address counts only when it is
 * loopback: a folder may have come from anywhere, and a token given by hand must not follow it elsewhere.
 */
export function localGateway(environment: Environment): LocalGateway | null {
  for (const dir of dataDirs(environment)) {
    const token = readText(path.join(dir, "admin-token"));
    const url = adminUrl(readText(path.join(dir, "run.json")));
    if (token !== null || url !== null) return { token, url };
  }
  return null;
}

/** Whether an address stays on this machine. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function adminUrl(runFile: string | null): string | null {
  if (runFile === null) return null;
  try {
    const { admin } = JSON.parse(runFile) as { admin?: unknown };
    return typeof admin === "string" && isLoopback(admin) ? admin : null;
  } catch {
    return null;
  }
}

function readText(file: string): string | null {
  try {
    const text = readFileSync(file, "utf8").trim();
    return text === "" ? null : text;
  } catch {
    return null;
  }
}
